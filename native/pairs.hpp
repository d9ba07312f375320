// Pairs of a hypothesis and references, as every kernel that compares texts receives them: the C++ side of Tokens and
// Pairs in src/mtassay/kernels/__init__.py. Everything is checked here, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"

namespace mtassay {

// The words of one text.
struct Words {
    const std::int32_t* ids;
    int n;

    Words(const std::int32_t* first, std::int64_t length) : ids(first), n(static_cast<int>(length)) {
        if (length > std::numeric_limits<int>::max() / 8) throw std::invalid_argument("text too long");
    }
    explicit Words(const In<std::int32_t>& text) : Words(text.data(), static_cast<std::int64_t>(text.shape(0))) {}
};

// Token ids of many texts laid end to end: text i is ids[offsets[i]] .. ids[offsets[i + 1] - 1].
class Tokens {
    In<std::int32_t> ids_in_;
    In<std::int64_t> offsets_in_;

public:
    const std::int32_t* ids;
    const std::int64_t* offsets;
    std::size_t n_tokens, n_texts;

    explicit Tokens(const nb::tuple& given)
        : ids_in_(nb::cast<In<std::int32_t>>(given[0])),
          offsets_in_(nb::cast<In<std::int64_t>>(given[1])),
          ids(ids_in_.data()),
          offsets(offsets_in_.data()),
          n_tokens(ids_in_.shape(0)),
          n_texts(offsets_in_.shape(0) - 1) {
        if (offsets_in_.shape(0) == 0) throw std::invalid_argument("offsets must hold at least one number");
        if (offsets[0] != 0 || offsets[n_texts] != static_cast<std::int64_t>(n_tokens))
            throw std::invalid_argument("offsets do not span the ids");
        for (std::size_t i = 0; i < n_texts; ++i)
            if (offsets[i] > offsets[i + 1]) throw std::invalid_argument("offsets must not decrease");
    }
    const std::int32_t* begin(std::int64_t i) const { return ids + offsets[i]; }
    std::int64_t length(std::int64_t i) const { return offsets[i + 1] - offsets[i]; }
};

// Pairs of a hypothesis and a group of references; without groups every reference is a group of its own.
class GroupedPairs {
    In<std::int64_t> hyp_index_in_, ref_index_in_, group_offsets_in_;
    std::vector<std::int64_t> each_text_;

public:
    const Tokens hyps, refs;
    const std::int64_t *hyp_index, *ref_index;  // of a pair: its hypothesis, and its group
    std::size_t size;
    const std::int64_t* group_offsets;  // group g is reference texts group_offsets[g] .. group_offsets[g + 1] - 1
    std::size_t n_groups;

    explicit GroupedPairs(const nb::tuple& given)
        : hyp_index_in_(nb::cast<In<std::int64_t>>(given[2])),
          ref_index_in_(nb::cast<In<std::int64_t>>(given[3])),
          hyps(nb::cast<nb::tuple>(given[0])),
          refs(nb::cast<nb::tuple>(given[1])),
          hyp_index(hyp_index_in_.data()),
          ref_index(ref_index_in_.data()),
          size(hyp_index_in_.shape(0)) {
        set_groups(given[4]);
        if (ref_index_in_.shape(0) != size) throw std::invalid_argument("hyp_index and ref_index differ in length");
        check_index(hyp_index_in_, hyps.n_texts);
        check_index(ref_index_in_, n_groups);
    }
    GroupedPairs(const GroupedPairs&) = delete;

private:
    void set_groups(const nb::handle& given) {
        if (given.is_none()) {
            each_text_.resize(refs.n_texts + 1);
            std::iota(each_text_.begin(), each_text_.end(), std::int64_t{0});
            group_offsets = each_text_.data();
            n_groups = refs.n_texts;
            return;
        }
        group_offsets_in_ = nb::cast<In<std::int64_t>>(given);
        if (group_offsets_in_.shape(0) == 0) throw std::invalid_argument("group_offsets must hold at least one number");
        group_offsets = group_offsets_in_.data();
        n_groups = group_offsets_in_.shape(0) - 1;
        for (std::size_t g = 0; g < n_groups; ++g)
            if (group_offsets[g] < 0 || group_offsets[g] > group_offsets[g + 1] ||
                group_offsets[g + 1] > static_cast<std::int64_t>(refs.n_texts))
                throw std::invalid_argument("group_offsets do not fit the references");
    }
};

// Pairs of one hypothesis and one reference.
class Pairs : public GroupedPairs {
public:
    explicit Pairs(const nb::tuple& given) : GroupedPairs(given) {
        if (!given[4].is_none()) throw std::invalid_argument("this kernel compares with single references, not groups");
    }
    Words hypothesis(std::size_t p) const { return {hyps.begin(hyp_index[p]), hyps.length(hyp_index[p])}; }
    Words reference(std::size_t p) const { return {refs.begin(ref_index[p]), refs.length(ref_index[p])}; }
};

// Returns `n_columns` values for each pair, all 0 before compute(p, values of pair p) sets them. The interpreter's lock
// is released meanwhile, so that other threads can work on other pairs.
template <typename T, typename Compute>
std::vector<T> for_each_pair(const GroupedPairs& pairs, std::size_t n_columns, Compute compute) {
    std::vector<T> values(pairs.size * n_columns, T{});
    const nb::gil_scoped_release release;
    for (std::size_t p = 0; p < pairs.size; ++p) compute(p, values.data() + p * n_columns);
    return values;
}

}  // namespace mtassay
