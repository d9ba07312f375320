// Word-level edit distance without a beam, its rows kept as bits over the reference positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bit_rows.hpp"
#include "ter_rules.hpp"

namespace mtassay::ter {

// W: machine words per row; 0 if it is known only at run time.
template <int W>
class BitDistance {
public:
    // `words`: the reference as numbers 0 .. n_words - 1; n_words itself stands for any word that the reference lacks.
    void set_reference(const std::vector<int>& words, int n_words) {
        n_ref_ = static_cast<int>(words.size());
        width_ = (n_ref_ + 63) / 64;
        masks_.assign(static_cast<std::size_t>(n_words + 1) * width(), 0);
        for (int j = 0; j < n_ref_; ++j) masks_[words[j] * width() + j / 64] |= Bits{1} << (j % 64);
        const int rest = n_ref_ % 64;
        last_mask_ = rest == 0 ? ~Bits{0} : (Bits{1} << rest) - 1;
        now_up_.resize(width());
        now_down_.resize(width());
        known_ = 0;
    }

    // Distance of the hypothesis; its rows are kept.
    int measure(const std::vector<int>& hyp) {
        const std::size_t w = width();
        hyp_ = hyp.data();
        n_hyp_ = static_cast<int>(hyp.size());
        const std::size_t size = (hyp.size() + 1) * w;
        if (known_ == 0) {
            if (up_.size() < size) up_.resize(size), down_.resize(size), level_.resize(size);
            std::fill_n(up_.begin(), w, ~Bits{0});
            std::fill_n(down_.begin(), w, Bits{0});
        }
        for (; known_ < n_hyp_; ++known_) {
            const std::size_t at = known_ * w;
            std::copy_n(&up_[at], w, &up_[at + w]);
            std::copy_n(&down_[at], w, &down_[at + w]);
            advance(&masks_[hyp[known_] * w], &up_[at + w], &down_[at + w], &level_[at + w]);
        }
        distance_ = last_cost(&up_[n_hyp_ * w], &down_[n_hyp_ * w]);
        return distance_;
    }
    // The hypothesis changed at position `from` or after it.
    void forget(int from) { known_ = std::min(known_, from); }

    // Distance after an exchange, or any number above `limit` once it is sure to be above.
    int after(const Exchange& x, int limit) {
        const std::size_t w = width();
        const int needed = distance_ - limit;
        Bits* up = now_up_.data();
        Bits* down = now_down_.data();
        std::copy_n(&up_[x.first * w], w, up);
        std::copy_n(&down_[x.first * w], w, down);
        for (int i = x.middle; i < x.last; ++i) advance(&masks_[hyp_[i] * w], up, down, nullptr);
        for (int i = x.first; i < x.middle; ++i) advance(&masks_[hyp_[i] * w], up, down, nullptr);
        // The words that follow are the same as before, so the final gain is at most the largest gain at any
        // reference position of this row, and that is at most the number of steps that became smaller.
        if (smaller_steps(x.last, needed) < needed) return limit + 1;
        for (int i = x.last; i < n_hyp_; ++i) {
            advance(&masks_[hyp_[i] * w], up, down, nullptr);
            if (needed > 0 && no_smaller_step(i + 1)) return limit + 1;
        }
        return last_cost(up, down);
    }

    // Whether the cost at (i, j) is that at (i - 1, j - 1).
    bool level(int i, int j) const { return bit(level_, i, j); }
    // Whether the cost at (i, j) is one below that at (i, j - 1).
    bool down(int i, int j) const { return bit(down_, i, j); }

private:
    std::size_t width() const { return W > 0 ? static_cast<std::size_t>(W) : static_cast<std::size_t>(width_); }

    bool bit(const std::vector<Bits>& rows, int i, int j) const {
        return (rows[i * width() + (j - 1) / 64] >> ((j - 1) % 64)) & 1;
    }

    void advance(const Bits* match, Bits* up, Bits* down, Bits* level) const {
        advance_row<W>(match, up, down, level, width());
    }

    int last_cost(const Bits* up, const Bits* down) const {
        int cost = n_hyp_;
        for (std::size_t k = 0; k < width(); ++k) {
            const Bits mask = k + 1 == width() ? last_mask_ : ~Bits{0};
            cost += count_bits(up[k] & mask) - count_bits(down[k] & mask);
        }
        return cost;
    }

    // Number of reference positions at which the kept row `i` rises more than the current row (counted up to `enough`).
    int smaller_steps(int i, int enough) const {
        int n = 0;
        for (std::size_t k = 0; k < width() && n < enough; ++k) {
            const Bits mask = k + 1 == width() ? last_mask_ : ~Bits{0};
            n += count_bits(up_[i * width() + k] & ~now_up_[k] & mask);
            n += count_bits(now_down_[k] & ~down_[i * width() + k] & mask);
        }
        return n;
    }

    bool no_smaller_step(int i) const {
        for (std::size_t k = 0; k < width(); ++k) {
            const Bits mask = k + 1 == width() ? last_mask_ : ~Bits{0};
            const Bits smaller = (up_[i * width() + k] & ~now_up_[k]) | (now_down_[k] & ~down_[i * width() + k]);
            if (smaller & mask) return false;
        }
        return true;
    }

    int n_ref_ = 0, n_hyp_ = 0, width_ = 0, known_ = 0, distance_ = 0;
    const int* hyp_ = nullptr;
    Bits last_mask_ = 0;
    std::vector<Bits> masks_, up_, down_, level_, now_up_, now_down_;
};

}  // namespace mtassay::ter
