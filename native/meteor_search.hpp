// METEOR's choice among possible matches: a beam search over the reference words, from left to right. The specification
// is src/mtassay/kernels/meteor.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "meteor_matches.hpp"

namespace mtassay::meteor {

constexpr std::int32_t beam = 40;

// Buffers are reused from pair to pair.
class Aligner {
public:
    Aligner(const WordFacts& facts, const PhraseTable& phrases) : possible_(facts, phrases) {}

    std::vector<Match> matches;  // in the order of the reference

    void align(Words hyp, Words ref) {
        matches.clear();
        if (hyp.n == ref.n && std::equal(hyp.ids, hyp.ids + hyp.n, ref.ids)) {
            // Parity: in METEOR, equal texts have only exact matches; the search would find the same.
            for (std::int32_t i = 0; i < ref.n; ++i) matches.push_back({i, 1, i, 1, exact});
            return;
        }
        possible_.find(hyp.ids, hyp.n, ref.ids, ref.n);
        search(hyp.n, ref.n);
    }

    std::int64_t count_chunks() const {
        std::int64_t chunks = 0;
        std::int32_t ref_end = -1, hyp_end = -1;
        for (const Match& match : matches) {
            chunks += match.ref_start != ref_end || match.hyp_start != hyp_end;
            ref_end = match.ref_start + match.ref_length;
            hyp_end = match.hyp_start + match.hyp_length;
        }
        return chunks;
    }

private:
    // A choice of matches for the first words of the reference.
    struct Path {
        std::int32_t total = 0;
        std::int32_t chunks = 0;  // without the one that is still open
        std::int64_t distance = 0;
        std::int32_t ref_end = 0;   // one past the last reference word of the last match
        std::int32_t hyp_end = -1;  // hypothesis position that would continue the open chunk, or -1
        std::int32_t node = -1;     // the last match, in nodes_
        std::int32_t bits = 0;      // position of the bits of its used words in used_
        bool operator<(const Path& other) const {
            if (total != other.total) return total > other.total;
            if (chunks != other.chunks) return chunks < other.chunks;
            return distance < other.distance;
        }
    };
    struct Node {
        std::int32_t choice, before;
    };
    // A match that may be taken, with what it adds.
    struct Choice {
        Match match;
        std::int32_t weight;
        std::int64_t distance;
        std::uint64_t words;  // words of the hypothesis as bits, if it has few words
    };
    // The rank of a possible next path, best first: a larger total, fewer chunks, a smaller distance; in a tie, the path
    // found first. `number` identifies the path and the choice from which it is made.
    struct WideRank {
        std::int64_t missing, chunks, distance, number;
        WideRank(std::int64_t m, std::int64_t c, std::int64_t d, std::int64_t n)
            : missing(m), chunks(c), distance(d), number(n) {}
        WideRank() = default;
        bool operator<(const WideRank& other) const {
            if (missing != other.missing) return missing < other.missing;
            if (chunks != other.chunks) return chunks < other.chunks;
            if (distance != other.distance) return distance < other.distance;
            return number < other.number;
        }
        std::int64_t found() const { return number; }
        std::int64_t distance_so_far() const { return distance; }
    };
    // The same in one number, for all texts except very long ones.
    struct Rank {
        static constexpr int missing_bits = 14, chunk_bits = 12, distance_bits = 24, number_bits = 14;
        std::uint64_t key;
        Rank(std::int64_t missing, std::int64_t chunks, std::int64_t distance, std::int64_t number)
            : key(static_cast<std::uint64_t>(
                  ((missing << chunk_bits | chunks) << distance_bits | distance) << number_bits | number)) {}
        Rank() = default;
        bool operator<(const Rank& other) const { return key < other.key; }
        std::int64_t found() const { return static_cast<std::int64_t>(key & ((1u << number_bits) - 1)); }
        std::int64_t distance_so_far() const {
            return static_cast<std::int64_t>(key >> number_bits & ((1u << distance_bits) - 1));
        }
    };
    // The best of the offered ranks, in order.
    template <typename R>
    struct Best {
        std::array<R, beam> ranks;
        std::size_t n = 0;
        std::vector<R> later;  // ranks that are rarely among the best: they are offered last, when most of them find no place

        void offer(const R& rank) {
            if (n == beam && !(rank < ranks[beam - 1])) return;
            std::size_t place = n == beam ? beam - 1 : n++;
            for (; place > 0 && rank < ranks[place - 1]; --place) ranks[place] = ranks[place - 1];
            ranks[place] = rank;
        }
    };

    void search(std::int32_t n_hyp, std::int32_t n_ref) {
        const std::int64_t n_longer = std::max(n_hyp, n_ref);
        std::int64_t n_matches = 0, n_choices = 0;
        for (std::int32_t j = 0; j < n_ref; ++j) {
            n_matches += possible_.count(j);
            n_choices = std::max<std::int64_t>(n_choices, possible_.count(j));
        }
        most_ = n_hyp + n_ref;
        const bool is_narrow = most_ < 1 << Rank::missing_bits && n_longer < 1 << Rank::chunk_bits &&
                               n_matches * n_longer < 1 << Rank::distance_bits &&
                               2 * beam * (n_choices + 1) < 1 << Rank::number_bits;
        if (is_narrow)
            search(n_hyp, n_ref, best_);
        else
            search(n_hyp, n_ref, wide_best_);
    }

    template <typename R>
    void search(std::int32_t n_hyp, std::int32_t n_ref, Best<R>& best) {
        n_bits_ = static_cast<std::size_t>(n_hyp) / 64 + 1;
        used_.assign(n_bits_ * beam, 0);
        next_used_.resize(n_bits_ * beam);
        nodes_.clear();
        choices_.clear();
        paths_.assign(1, Path{});
        Match fixed{};
        for (std::int32_t j = 0; j < n_ref; ++j) {
            if (possible_.fixed(j, fixed)) {
                for (Path& path : paths_) extend(path, fixed, path.distance + distance(fixed));
                matches.push_back(fixed);
                sort_paths();
            } else if (possible_.count(j) == 0) {
                for (Path& path : paths_)
                    if (path.ref_end <= j) close(path);
                sort_paths();
            } else {
                branch(j, best);
            }
        }
        for (Path& path : paths_) close(path);
        const Path& path = *std::min_element(paths_.begin(), paths_.end());
        for (std::int32_t node = path.node; node >= 0; node = nodes_[node].before)
            matches.push_back(choices_[nodes_[node].choice].match);
        std::sort(matches.begin(), matches.end(),
                  [](const Match& a, const Match& b) { return a.ref_start < b.ref_start; });
    }

    static std::int64_t distance(const Match& match) { return std::abs(match.ref_start - match.hyp_start); }

    static std::int32_t weight(const Match& match) {
        // Parity: in METEOR, matches that are not exact count half, but totals are integers, so halves are truncated.
        const std::int32_t divisor = match.stage == exact ? 1 : 2;
        return match.hyp_length / divisor + match.ref_length / divisor;
    }

    static void extend(Path& path, const Match& match, std::int64_t distance) {
        path.total += weight(match);
        path.chunks += path.hyp_end != -1 && path.hyp_end != match.hyp_start;
        path.distance = distance;
        path.ref_end = match.ref_start + match.ref_length;
        path.hyp_end = match.hyp_start + match.hyp_length;
    }

    static void close(Path& path) {
        path.chunks += path.hyp_end != -1;
        path.hyp_end = -1;
    }

    // Sorts paths, best first, stable in ties; by insertion, since they are nearly sorted.
    void sort_paths() {
        for (std::size_t k = 1; k < paths_.size(); ++k) {
            if (!(paths_[k] < paths_[k - 1])) continue;
            const Path path = paths_[k];
            std::size_t place = k;
            for (; place > 0 && path < paths_[place - 1]; --place) paths_[place] = paths_[place - 1];
            paths_[place] = path;
        }
    }

    // Tries every match that starts at reference word `j`, and none, on every path.
    template <typename R>
    void branch(std::int32_t j, Best<R>& best) {
        const std::size_t first_choice = choices_.size();
        std::int32_t heaviest = 0;
        possible_.each(j, [&](const Match& match) {
            choices_.push_back({match, weight(match), distance(match), n_bits_ == 1 ? words_of(match) : 0});
            heaviest = std::max(heaviest, choices_.back().weight);
        });
        const std::size_t n_choices = choices_.size() - first_choice;
        int shift = 1;
        while (n_choices >> shift) ++shift;
        best.n = 0;
        best.later.clear();
        for (std::size_t p = 0; p < paths_.size(); ++p) {
            const Path& path = paths_[p];
            const auto number = static_cast<std::int64_t>(p << shift);
            const std::int64_t missing = most_ - path.total;
            if (j < path.ref_end) {
                best.offer(R(missing, path.chunks, path.distance, number));
                continue;
            }
            std::int64_t further = path.distance;
            for (std::size_t c = 0; c < n_choices; ++c) {
                const Choice& choice = choices_[first_choice + c];
                if (is_used(path, choice)) continue;
                const bool breaks = path.hyp_end != -1 && path.hyp_end != choice.match.hyp_start;
                const R rank(missing - choice.weight, path.chunks + breaks, further,
                             number | static_cast<std::int64_t>(c));
                if (choice.weight == heaviest)
                    best.offer(rank);
                else
                    best.later.push_back(rank);
                // Parity: METEOR adds the distance of a match to later paths, not to the path of the match.
                further += choice.distance;
            }
            best.later.push_back(R(missing, path.chunks + (path.hyp_end != -1), further,
                                   number | static_cast<std::int64_t>(n_choices)));
        }
        for (const R& rank : best.later) best.offer(rank);
        next_paths_.resize(best.n);
        for (std::size_t k = 0; k < best.n; ++k) {
            const std::int64_t found = best.ranks[k].found();
            const auto c = static_cast<std::size_t>(found & ((std::int64_t{1} << shift) - 1));
            const Path& parent = paths_[static_cast<std::size_t>(found >> shift)];
            Path& path = next_paths_[k] = parent;
            path.bits = static_cast<std::int32_t>(k);
            for (std::size_t w = 0; w < n_bits_; ++w) next_used_[k * n_bits_ + w] = used_[parent.bits * n_bits_ + w];
            if (j < path.ref_end) continue;
            if (c < n_choices) {
                take(path, first_choice + c, best.ranks[k].distance_so_far());
            } else {
                close(path);
                path.distance = best.ranks[k].distance_so_far();
            }
        }
        paths_.swap(next_paths_);
        used_.swap(next_used_);
    }

    void take(Path& path, std::size_t choice, std::int64_t distance) {
        const Match& match = choices_[choice].match;
        extend(path, match, distance);
        std::uint64_t* used = &next_used_[path.bits * n_bits_];
        for (std::int32_t i = match.hyp_start; i < match.hyp_start + match.hyp_length; ++i)
            used[i / 64] |= std::uint64_t{1} << i % 64;
        nodes_.push_back({static_cast<std::int32_t>(choice), path.node});
        path.node = static_cast<std::int32_t>(nodes_.size()) - 1;
    }

    static std::uint64_t words_of(const Match& match) {
        return ((std::uint64_t{1} << match.hyp_length) - 1) << match.hyp_start;  // fewer than 64 words
    }

    bool is_used(const Path& path, const Choice& choice) const {
        const std::uint64_t* used = &used_[path.bits * n_bits_];
        if (n_bits_ == 1) return used[0] & choice.words;
        const Match& match = choice.match;
        for (std::int32_t i = match.hyp_start; i < match.hyp_start + match.hyp_length; ++i)
            if (used[i / 64] >> i % 64 & 1) return true;
        return false;
    }

    Matches possible_;
    std::vector<Path> paths_, next_paths_;
    std::vector<Choice> choices_;  // choices of all reference words so far
    std::int64_t most_ = 0;  // upper bound of all totals
    Best<Rank> best_;
    Best<WideRank> wide_best_;
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> used_, next_used_;  // n_bits_ numbers for each path
    std::size_t n_bits_ = 1;
};

}  // namespace mtassay::meteor
