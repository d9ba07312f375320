// Translation edit rate of one pair of texts: shifts are applied one by one, each time the one that lowers the edit
// distance most, until none lowers it (Snover et al. 2006). The specification is src/mtassay/kernels/ter.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "pairs.hpp"
#include "ter_bits.hpp"
#include "ter_rows.hpp"
#include "ter_rules.hpp"
#include "word_numbers.hpp"

namespace mtassay::ter {

struct Shift {
    int start, length, target;  // the target is the gap before which the block goes, in positions before the shift
};

// Buffers are reused from pair to pair.
class Aligner {
public:
    explicit Aligner(const Rules& rules) : rules_(rules) {}

    std::string ops;                           // ' ' match, S, I, D, in the order of the shifted text
    std::vector<std::array<int, 3>> shifts;    // first and last position moved, first position afterwards
    std::vector<int> order;                    // original position of each word of the shifted text

    void align(Words hyp, Words ref) {
        if (!rules_.moses) return shift_and_trace(hyp, ref);
        // Parity: Moses gives the two texts to the search in the wrong order.
        shift_and_trace(ref, hyp);
        for (char& op : ops) op = op == 'I' ? 'D' : op == 'D' ? 'I' : op;
    }

private:
    // For longer references, rows of bits would cost more than the beam.
    static constexpr int most_bits = 1024;

    void shift_and_trace(Words hyp, Words ref) {
        n_hyp_ = hyp.n;
        n_ref_ = ref.n;
        shifts.clear();
        order.resize(hyp.n);
        std::iota(order.begin(), order.end(), 0);
        if (hyp.n == 0 || ref.n == 0) {
            ops.assign(hyp.n + ref.n, hyp.n > 0 ? 'I' : 'D');
        } else if (hyp.n == ref.n && std::equal(hyp.ids, hyp.ids + hyp.n, ref.ids)) {
            ops.assign(hyp.n, ' ');
        } else {
            number_words(hyp.ids, ref.ids);
            if (ref.n <= 64)
                shift_while_better(narrow_);
            else
                shift_while_better(wide_);
        }
    }

    // ---- words as small numbers -------------------------------------------------------------------------------

    // Numbers the distinct words of the reference from 0; a word that only the hypothesis has gets n_words_.
    void number_words(const std::int32_t* hyp, const std::int32_t* ref) {
        words_.number(ref, n_ref_, ref_);
        n_words_ = words_.size();
        positions_start_.assign(n_words_ + 2, 0);
        for (int word : ref_) ++positions_start_[word + 2];
        std::partial_sum(positions_start_.begin(), positions_start_.end(), positions_start_.begin());
        positions_.resize(n_ref_);
        for (int j = 0; j < n_ref_; ++j) positions_[positions_start_[ref_[j] + 1]++] = j;

        left_.resize(n_words_);
        for (int w = 0; w < n_words_; ++w) left_[w] = positions_start_[w + 1] - positions_start_[w];
        hyp_.resize(n_hyp_);
        int n_common = 0;
        for (int i = 0; i < n_hyp_; ++i) {
            hyp_[i] = words_.find(hyp[i]);
            if (hyp_[i] < n_words_ && left_[hyp_[i]]-- > 0) ++n_common;
        }
        least_ = std::max(n_hyp_, n_ref_) - n_common;
    }

    // ---- the main loop ----------------------------------------------------------------------------------------

    template <typename Fast>
    void shift_while_better(Fast& fast) {
        use_bits_ = n_ref_ <= most_bits;
        if (use_bits_) fast.set_reference(ref_, n_words_);
        beam_.start(rules_, ref_, n_hyp_);
        safe_ = safe_distance();
        n_tried_ = 0;
        use_memo_ = !use_bits_ && rules_.beam_on_cost;
        if (use_memo_) memo_.assign(n_hyp_, {});
        while (true) {
            measure(fast);
            // No order of the words has a lower cost than `least_`.
            if (distance_ == least_) break;
            read_alignment();
            Shift best{};
            const bool found = rules_.beam_on_cost ? search_tercom(fast, best) : search_sacrebleu(fast, best);
            if (!found) break;
            fast.forget(exchange(best).first);
            beam_.change(exchange(best));
            apply(best);
        }
    }

    // Every path of the full matrix that costs less than this stays inside the beam. So distances below this, and the
    // paths traced from them, are the same with and without the beam.
    int safe_distance() const {
        if (rules_.beam_on_cost) return rules_.beam + 1;
        // A path through the cell (i, j) costs at least |j - i| + |(n_ref - j) - (n_hyp - i)|.
        const int difference = n_ref_ - n_hyp_;
        int safe = unreachable;
        for (int i = 1; i <= n_hyp_; ++i) {
            const int above = beam_.band_end(i), below = beam_.band_first(i) - 1;
            if (above <= n_ref_) {
                const int k = std::max(above - i, std::max(0, difference));
                safe = std::min(safe, k + std::abs(k - difference));
            }
            if (below >= 0) {
                const int k = std::min(below - i, std::min(0, difference));
                safe = std::min(safe, -k + std::abs(k - difference));
            }
        }
        return safe;
    }

    template <typename Fast>
    void measure(Fast& fast) {
        lower_ = use_bits_ ? fast.measure(hyp_) : 0;
        if (use_bits_ && lower_ < safe_) {
            distance_ = lower_;
            trace([&](int i, int j) {
                if (!fast.level(i, j) || hyp_[i - 1] == ref_[j - 1]) return 'S';
                return fast.down(i - 1, j) ? 'I' : 'D';
            });
        } else {
            distance_ = beam_.measure(hyp_);
            if (use_memo_) forget_outdated();
            trace([&](int i, int j) {
                const int here = beam_.cost(i, j);
                if (beam_.cost(i - 1, j - 1) + (hyp_[i - 1] != ref_[j - 1]) == here) return 'S';
                return beam_.cost(i - 1, j) + 1 == here ? 'I' : 'D';
            });
        }
    }

    // Follows the cheapest path from the end; a match or substitution is preferred, then an insertion.
    template <typename Step>
    void trace(Step step) {
        ops.clear();
        int i = n_hyp_, j = n_ref_;
        while (i > 0 || j > 0) {
            const char op = i == 0 ? 'D' : j == 0 ? 'I' : step(i, j);
            if (op != 'D') --i;
            if (op != 'I') --j;
            ops.push_back(op == 'S' && hyp_[i] == ref_[j] ? ' ' : op);
        }
        std::reverse(ops.begin(), ops.end());
    }

    // Finds for each reference word its partner and the distance to the next error. The partner is the last hypothesis
    // word at or before it in the alignment; for a word without counterpart, Moses takes the next one.
    void read_alignment() {
        partner_.resize(n_ref_);
        hyp_error_.resize(n_hyp_);
        ref_error_.resize(n_ref_);
        int i = n_hyp_, j = n_ref_;
        int next_hyp = n_hyp_ + max_block, next_ref = n_ref_ + max_block;
        for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
            const int hyp_at = rules_.moses && *op == 'D' ? i : i - 1;
            if (*op != 'D') {
                --i;
                if (*op != ' ') next_hyp = i;
                hyp_error_[i] = next_hyp;
            }
            if (*op != 'I') {
                --j;
                if (*op != ' ') next_ref = j;
                ref_error_[j] = next_ref;
                partner_[j] = hyp_at;
            }
        }
    }

    // ---- shifts -----------------------------------------------------------------------------------------------

    Exchange exchange(const Shift& s) const {
        const int end = s.start + s.length;
        // Parity: Moses moves a block to the left before the word that gives the target, not after it.
        if (rules_.moses && s.target <= s.start) return {std::max(0, s.target - 1), s.start, end};
        if (s.target < s.start) return {s.target, s.start, end};
        if (s.target > end) return {s.start, end, s.target};
        // Parity: a target inside the block moves it to the right by as many words; tercom counts one word less, since
        // it gives the target by the word before it.
        const int by = s.target - s.start - (rules_.beam_on_cost ? 1 : 0);
        return {s.start, end, std::min(n_hyp_, end + std::max(0, by))};
    }

    void apply(const Shift& s) {
        const Exchange x = exchange(s);
        std::rotate(hyp_.begin() + x.first, hyp_.begin() + x.middle, hyp_.begin() + x.last);
        std::rotate(order.begin() + x.first, order.begin() + x.middle, order.begin() + x.last);
        const int landing = x.first < s.start ? x.first : x.last - s.length;
        shifts.push_back({s.start, s.start + s.length - 1, landing});
    }

    // Adds a shift to those to be tried, unless it is already there.
    void propose(const Shift& s) {
        if (exchange_is_empty(s)) return;
        const std::size_t at = static_cast<std::size_t>(s.length - 1) * (n_hyp_ + 1) + s.target;
        if (seen_[at] == epoch_) return;
        seen_[at] = epoch_;
        proposed_[s.length - 1].push_back(s);
    }
    bool exchange_is_empty(const Shift& s) const {
        const Exchange x = exchange(s);
        return x.first == x.middle || x.middle == x.last;
    }

    void clear_proposals() {
        for (auto& list : proposed_) list.clear();
        const std::size_t size = static_cast<std::size_t>(max_block) * (n_hyp_ + 1);
        if (seen_.size() < size) seen_.resize(size, 0);
    }

    // The distance after a shift if that is at most `limit`, else some larger number.
    template <typename Fast>
    int distance_after(Fast& fast, const Shift& s, int limit) {
        if (use_memo_) return distance_ + remembered_difference(s);
        const Exchange x = exchange(s);
        if (!use_bits_) return beam_.after(x, limit);
        const int lower = fast.after(x, limit);
        if (lower > limit || lower < safe_) return lower;
        beam_.measure(hyp_);
        return beam_.after(x, limit);
    }

    // ---- long texts: the gain of a shift depends on few rows, most of which stay from one search to the next --------

    struct Known {
        int length, target, difference, first, reached;
    };

    // The change of the distance by a shift; zero or more means no gain.
    int remembered_difference(const Shift& s) {
        for (const Known& known : memo_[s.start])
            if (known.length == s.length && known.target == s.target) return known.difference;
        const Exchange x = exchange(s);
        const int difference = beam_.after(x, distance_ - 1) - distance_;
        memo_[s.start].push_back({s.length, s.target, difference, x.first, beam_.reached()});
        return difference;
    }

    void forget_outdated() {
        const auto renewed = beam_.renewed();
        auto outdated = [&](const Known& k) { return k.reached > renewed.first && k.first < renewed.last; };
        for (auto& list : memo_) list.erase(std::remove_if(list.begin(), list.end(), outdated), list.end());
    }

    int run_length(int i, int j) const {
        const int most = std::min({max_block, n_hyp_ - i, n_ref_ - j});
        int n = 1;
        while (n < most && hyp_[i + n] == ref_[j + n]) ++n;
        return n;
    }

    // sacreBLEU: among all shifts the largest gain, then the longest block, the earliest start, the earliest target.
    template <typename Fast>
    bool search_sacrebleu(Fast& fast, Shift& best) {
        if (!propose_sacrebleu()) return false;
        int gain = 0;
        best.length = max_block + 1;
        for (int length = max_block; length > 0; --length) {
            // Moving n words changes the distance without a beam by at most 2n.
            int most = distance_ - least_;
            if (use_bits_) most = std::min(most, distance_ - lower_ + 2 * length);
            for (const Shift& s : proposed_[length - 1]) {
                const bool wins_tie = s.length == best.length && (s.start < best.start ||
                                                                  (s.start == best.start && s.target < best.target));
                const int needed = gain + (wins_tie ? 0 : 1);
                if (needed > most) continue;
                const int after = distance_after(fast, s, distance_ - needed);
                if (after > distance_ - needed) continue;
                gain = distance_ - after;
                best = s;
            }
        }
        return gain > 0;
    }

    // Returns false once the number of shifts tried reaches its limit: sacreBLEU then ends the search without a shift.
    bool propose_sacrebleu() {
        clear_proposals();
        for (int start = 0; start < n_hyp_; ++start) {
            const int word = hyp_[start];
            if (word == n_words_ || hyp_error_[start] >= start + max_block) continue;
            ++epoch_;
            for (int p = positions_start_[word]; p < positions_start_[word + 1]; ++p) {
                const int position = positions_[p];
                if (position < start - rules_.max_distance) continue;
                if (position > start + rules_.max_distance) break;
                const int partner = partner_[position];
                if (partner == start) continue;
                const int shortest = std::max(hyp_error_[start] - start, ref_error_[position] - position) + 1;
                if (shortest > max_block) continue;
                int longest = run_length(start, position);
                if (partner > start) longest = std::min(longest, partner - start);
                for (int length = shortest; length <= longest; ++length) {
                    int last = -1;
                    for (int k = position - 1; k < position + length; ++k) {
                        const int target = k < 0 ? 0 : partner_[k] + 1;
                        if (target == last) continue;
                        last = target;
                        ++n_tried_;
                        propose({start, length, target});
                    }
                    if (n_tried_ >= rules_.max_candidates) return false;
                }
            }
        }
        return true;
    }

    // tercom: longest blocks first, in the order found; a shift counts as one edit, and must save more than the best so
    // far, or at least as much as it costs if it is the first.
    template <typename Fast>
    bool search_tercom(Fast& fast, Shift& best) {
        propose_tercom();
        bool found = false;
        int edits = distance_;
        for (int length = max_block; length > 0; --length) {
            for (const Shift& s : proposed_[length - 1]) {
                const int limit = found ? edits - 2 : edits - 1;
                // Parity: tercom ends the search if a block of this length cannot fix more.
                if (distance_ - edits >= 2 * length + (found ? 0 : 1)) return found;
                if (limit < least_) return found;
                if (use_bits_ && lower_ - 2 * length > limit) break;
                const int after = distance_after(fast, s, limit);
                if (after > limit) continue;
                found = true;
                edits = after + 1;
                best = s;
            }
        }
        return found;
    }

    void propose_tercom() {
        clear_proposals();
        auto in_reach = [&](int partner, int start) {
            return partner - start <= rules_.max_distance && start - partner <= rules_.max_distance;
        };
        n_tried_ = 0;
        for (int start = 0; start < n_hyp_ && n_tried_ < rules_.max_candidates; ++start) {
            const int word = hyp_[start];
            if (word == n_words_) continue;
            matches_.clear();
            bool any = false;
            // Partners are in ascending order. Parity: tercom allows one word farther to the left here than below.
            auto before = [&](int position, int partner) { return partner_[position] < partner; };
            const auto end = positions_.begin() + positions_start_[word + 1];
            auto position = std::lower_bound(positions_.begin() + positions_start_[word], end,
                                             start - rules_.max_distance - 1, before);
            for (; position != end && partner_[*position] <= start + rules_.max_distance; ++position) {
                any = any || partner_[*position] != start;
                matches_.push_back(*position);
            }
            if (!any) continue;
            ++epoch_;
            bool longer = true;
            for (int length = 1; longer && length <= std::min(max_block, n_hyp_ - start); ++length) {
                keep_matches(start, length);
                if (matches_.empty()) break;
                if (hyp_error_[start] >= start + length) continue;
                longer = false;
                for (const int position : matches_) {
                    const int partner = partner_[position];
                    if ((partner >= start && partner < start + length) || !in_reach(partner, start)) continue;
                    longer = true;
                    if (ref_error_[position] < position + length) propose_around(start, length, position);
                }
            }
        }
    }

    // Drops the positions at which the reference does not continue like the block of this length.
    void keep_matches(int start, int length) {
        const int k = length - 1, word = hyp_[start + k];
        auto differs = [&](int position) { return position + k >= n_ref_ || ref_[position + k] != word; };
        matches_.erase(std::remove_if(matches_.begin(), matches_.end(), differs), matches_.end());
    }

    void propose_around(int start, int length, int position) {
        for (int k = position - 1; k < position + length; ++k) {
            if (k >= 0 && (partner_[k] == start || (k != position && partner_[k] == partner_[position]))) continue;
            // Parity: in Moses, a shift proposed twice counts twice.
            if (n_tried_++ >= rules_.max_candidates) return;
            // Parity: in Moses, the position after the last word means the last word.
            propose({start, length, k < 0 ? 0 : std::min(n_hyp_, partner_[k] + 1)});
        }
    }

    Rules rules_;
    int n_hyp_ = 0, n_ref_ = 0, n_words_ = 0;
    int least_ = 0, safe_ = 0, distance_ = 0, lower_ = 0;
    bool use_bits_ = true, use_memo_ = false;
    std::int64_t n_tried_ = 0;
    std::uint64_t epoch_ = 0;
    std::vector<int> hyp_, ref_, left_, positions_, positions_start_, partner_, hyp_error_, ref_error_, matches_;
    WordNumbers words_;
    std::vector<std::uint64_t> seen_;
    std::array<std::vector<Shift>, max_block> proposed_;
    std::vector<std::vector<Known>> memo_;
    BitDistance<1> narrow_;
    BitDistance<0> wide_;
    BeamDistance beam_;
};

}  // namespace mtassay::ter
