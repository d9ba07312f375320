// Word-level edit distance inside a beam, row by row as in the original programs. Slower than ter_bits.hpp; used if the
// beam may change the result. A row has only the cells inside the beam, so long segments need little memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "ter_rules.hpp"

namespace mtassay::ter {

constexpr int unreachable = 1 << 29;

struct Row {
    int first = 0;  // reference position of the first cell
    std::vector<int> cost;

    int end() const { return first + static_cast<int>(cost.size()); }
    int at(int j) const { return j >= first && j < end() ? cost[j - first] : unreachable; }
};

class BeamDistance {
public:
    void start(const Rules& rules, const std::vector<int>& ref, int n_hyp) {
        rules_ = rules;
        ref_ = ref.data();
        n_ref_ = static_cast<int>(ref.size());
        n_hyp_ = n_hyp;
        ratio_ = static_cast<double>(n_ref_) / n_hyp;
        beam_ = rules.beam;
        // Parity: sacreBLEU widens the beam if neighbouring rows would not overlap.
        if (!rules.beam_on_cost && rules.beam < ratio_ / 2)
            beam_ = static_cast<int>(std::ceil(ratio_ / 2 + rules.beam));
        started_ = false;
        changed_first_ = n_hyp;
        changed_last_ = 0;
    }

    // The cells [first, end) that sacreBLEU visits in row i.
    int band_first(int i) const { return std::max(0, diagonal(i) - beam_); }
    int band_end(int i) const { return i == n_hyp_ ? n_ref_ + 1 : std::min(n_ref_ + 1, diagonal(i) + beam_); }

    // Distance of the hypothesis; its rows are kept.
    int measure(const std::vector<int>& hyp) {
        hyp_ = hyp.data();
        if (!started_) {
            started_ = true;
            if (rows_.size() < hyp.size() + 1) rows_.resize(hyp.size() + 1);
            rows_[0].first = 0;
            rows_[0].cost.resize(n_ref_ + 1);
            std::iota(rows_[0].cost.begin(), rows_[0].cost.end(), 0);
            for (int i = 0; i < n_hyp_; ++i) advance(rows_[i], i + 1, hyp[i], rows_[i + 1]);
        } else if (changed_first_ < n_hyp_) {
            renew();
        }
        changed_first_ = n_hyp_;
        changed_last_ = 0;
        return rows_[n_hyp_].at(n_ref_);
    }

    // Words between these positions changed their order since the last measurement.
    void change(const Exchange& x) {
        changed_first_ = std::min(changed_first_, x.first);
        changed_last_ = std::max(changed_last_, x.last);
    }

    // The rows after `first`, up to `last`, were new at the last measurement; later rows differ by a constant.
    struct Span {
        int first, last;
    };
    Span renewed() const { return renewed_; }

    // Distance after an exchange, or any number above `limit` once it is sure to be above.
    int after(const Exchange& x, int limit) {
        const Row* prev = &rows_[x.first];
        int i = x.first, turn = 0;
        reached_ = n_hyp_;
        auto push = [&](int word) {
            advance(*prev, ++i, word, now_[turn]);
            prev = &now_[turn];
            turn ^= 1;
            return *std::min_element(prev->cost.begin(), prev->cost.end()) <= limit;
        };
        for (int k = x.middle; k < x.last; ++k)
            if (!push(hyp_[k])) return limit + 1;
        for (int k = x.first; k < x.middle; ++k)
            if (!push(hyp_[k])) return limit + 1;
        for (int k = x.last; k < n_hyp_; ++k) {
            int difference = 0;
            if (parallel(*prev, rows_[k], difference)) {
                reached_ = k;
                return rows_[n_hyp_].at(n_ref_) + difference;
            }
            if (!push(hyp_[k])) return limit + 1;
        }
        return prev->at(n_ref_);
    }

    // The last row on which the latest result of `after` depends.
    int reached() const { return reached_; }

    int cost(int i, int j) const { return rows_[i].at(j); }

private:
    void renew() {
        renewed_ = {changed_first_, n_hyp_};
        for (int i = changed_first_; i < n_hyp_; ++i) {
            advance(rows_[i], i + 1, hyp_[i], now_[0]);
            int difference = 0;
            if (i + 1 >= changed_last_ && parallel(now_[0], rows_[i + 1], difference)) {
                renewed_.last = i + 1;
                for (int k = i + 1; k <= n_hyp_ && difference != 0; ++k)
                    for (int& cost : rows_[k].cost) cost += cost == unreachable ? 0 : difference;
                return;
            }
            std::swap(now_[0], rows_[i + 1]);
        }
    }

    int diagonal(int i) const { return static_cast<int>(std::floor(i * ratio_)); }

    void advance(const Row& prev, int i, int word, Row& out) const {
        if (rules_.beam_on_cost)
            advance_by_cost(prev, i, word, out);
        else
            advance_by_band(prev, i, word, out);
    }

    void advance_by_band(const Row& prev, int i, int word, Row& out) const {
        const int first = band_first(i), end = band_end(i);
        out.first = first;
        out.cost.resize(end - first);
        int left = unreachable;
        for (int j = first; j < end; ++j) {
            int best = prev.at(j) + 1;
            if (j > 0) best = std::min({best, prev.at(j - 1) + (ref_[j - 1] != word), left + 1});
            left = std::min(best, unreachable);
            out.cost[j - first] = left;
        }
    }

    // A cell is continued only if it costs no more than `beam` above the cheapest match or substitution into its row;
    // the last row is exempt.
    void advance_by_cost(const Row& prev, int i, int word, Row& out) const {
        const int n_above = static_cast<int>(prev.cost.size());
        const int* above = prev.cost.data();
        const int* ref = ref_ + prev.first;
        int best = unreachable;
        for (int k = 0; k < std::min(n_above, n_ref_ - prev.first); ++k)
            best = std::min(best, above[k] + (ref[k] != word));
        const bool limited = i < n_hyp_ && best != unreachable;
        const int limit = limited ? best + rules_.beam : unreachable - 1;
        // After the previous row's last cell there are only deletions, each of which costs one more.
        const int most = limited ? n_above + 1 + rules_.beam : n_ref_;
        out.cost.resize(std::min(n_ref_ - prev.first, most) + 1);
        int* cost = out.cost.data();
        int n = 0, left = unreachable;
        auto add = [&](int value) {
            left = value <= limit ? value : unreachable;
            cost[n++] = left;
        };
        add(above[0] + 1);
        for (int k = 1; k < n_above; ++k)
            add(std::min(std::min(above[k], left) + 1, above[k - 1] + (ref[k - 1] != word)));
        if (prev.end() <= n_ref_) add(std::min(left + 1, above[n_above - 1] + (ref[n_above - 1] != word)));
        while (left != unreachable && prev.first + n <= n_ref_) add(left + 1);
        while (cost[n - 1] == unreachable) --n;
        int skipped = 0;
        while (cost[skipped] == unreachable) ++skipped;
        out.first = prev.first + skipped;
        out.cost.resize(n);
        out.cost.erase(out.cost.begin(), out.cost.begin() + skipped);
    }

    // Whether two rows differ only by a constant.
    static bool parallel(const Row& a, const Row& b, int& difference) {
        if (a.first != b.first || a.cost.size() != b.cost.size()) return false;
        bool known = false;
        for (std::size_t j = 0; j < a.cost.size(); ++j) {
            if (a.cost[j] == unreachable && b.cost[j] == unreachable) continue;
            if (a.cost[j] == unreachable || b.cost[j] == unreachable) return false;
            if (!known) difference = a.cost[j] - b.cost[j], known = true;
            if (a.cost[j] - b.cost[j] != difference) return false;
        }
        return true;
    }

    Rules rules_{};
    const int* ref_ = nullptr;
    const int* hyp_ = nullptr;
    int n_ref_ = 0, n_hyp_ = 0, beam_ = 0;
    int changed_first_ = 0, changed_last_ = 0, reached_ = 0;
    bool started_ = false;
    Span renewed_{0, 0};
    double ratio_ = 1;
    std::vector<Row> rows_;
    Row now_[2];
};

}  // namespace mtassay::ter
