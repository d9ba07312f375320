// The positions of every word of a text, as bits; memory grows with the text, not with its square.
#pragma once

#include <cstdint>
#include <vector>

#include "bit_rows.hpp"
#include "word_numbers.hpp"

namespace mtassay {

class PositionBits {
public:
    // `width`: machine words per row of bits.
    void set(const std::int32_t* text, int n, std::size_t width) {
        words_.number(text, n, numbers_);
        const std::size_t n_words = words_.size();
        width_ = width;
        if (width == 1) {
            rows_.assign(n_words + 1, 0);
            for (int i = 0; i < n; ++i) rows_[numbers_[i]] |= Bits{1} << i;
            return;
        }
        rows_.assign(width, 0);
        last_ = words_.size();
        starts_.assign(n_words + 2, 0);
        for (const int word : numbers_) ++starts_[word + 1];
        // One more word, which does not occur in the text.
        for (std::size_t w = 0; w <= n_words; ++w) starts_[w + 1] += starts_[w];
        positions_.resize(n);
        next_.assign(starts_.begin(), starts_.end());
        for (int i = 0; i < n; ++i) positions_[next_[numbers_[i]]++] = i;
    }

    // The positions of a word; the result is valid until the next call.
    const Bits* of(std::int32_t id) {
        const int word = words_.find(id);
        if (width_ == 1) return &rows_[word];
        for (int k = starts_[last_]; k < starts_[last_ + 1]; ++k) rows_[positions_[k] / 64] = 0;
        for (int k = starts_[word]; k < starts_[word + 1]; ++k)
            rows_[positions_[k] / 64] |= Bits{1} << (positions_[k] % 64);
        last_ = word;
        return rows_.data();
    }

private:
    std::size_t width_ = 0;
    int last_ = 0;
    WordNumbers words_;
    std::vector<int> numbers_, starts_, next_, positions_;
    std::vector<Bits> rows_;
};

}  // namespace mtassay
