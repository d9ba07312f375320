// Pairs of one hypothesis and one reference, as kernels receive them from Python.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "arrays.hpp"

namespace mtassay {

// The words of one text.
struct Words {
    const std::int32_t* ids;
    int n;
};

inline int checked_length(std::int64_t n) {
    if (n > std::numeric_limits<int>::max() / 4) throw std::invalid_argument("text too long");
    return static_cast<int>(n);
}

class Pairs {
public:
    Pairs(const In<std::int32_t>& hyp_ids, const In<std::int64_t>& hyp_offsets, const In<std::int32_t>& ref_ids,
          const In<std::int64_t>& ref_offsets, const In<std::int64_t>& hyp_index, const In<std::int64_t>& ref_index)
        : hyps_(hyp_ids, hyp_offsets),
          refs_(ref_ids, ref_offsets),
          hyp_index_(hyp_index.data()),
          ref_index_(ref_index.data()),
          size_(hyp_index.shape(0)) {
        if (hyp_index.shape(0) != ref_index.shape(0))
            throw std::invalid_argument("hyp_index and ref_index differ in length");
        check_index(hyp_index, hyps_.n_texts);
        check_index(ref_index, refs_.n_texts);
    }
    std::size_t size() const { return size_; }
    Words hypothesis(std::size_t p) const { return words(hyps_, hyp_index_[p]); }
    Words reference(std::size_t p) const { return words(refs_, ref_index_[p]); }

private:
    static Words words(const TokenView& texts, std::int64_t i) {
        return {texts.begin(i), checked_length(texts.length(i))};
    }

    TokenView hyps_, refs_;
    const std::int64_t *hyp_index_, *ref_index_;
    std::size_t size_;
};

}  // namespace mtassay
