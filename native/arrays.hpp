// The shapes in which arrays cross from Python, and how results go back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace mtassay {

namespace nb = nanobind;

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using In3 = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <typename T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// Token ids of many texts laid end to end: text i is ids[offsets[i]] .. ids[offsets[i + 1] - 1].
struct TokenView {
    const std::int32_t* ids;
    const std::int64_t* offsets;
    std::size_t n_texts;

    TokenView(const In<std::int32_t>& ids_in, const In<std::int64_t>& offsets_in)
        : ids(ids_in.data()), offsets(offsets_in.data()), n_texts(offsets_in.shape(0) - 1) {
        if (offsets_in.shape(0) == 0) throw std::invalid_argument("offsets must hold at least one number");
        if (offsets[0] != 0 || offsets[n_texts] != static_cast<std::int64_t>(ids_in.shape(0)))
            throw std::invalid_argument("offsets do not span the ids");
        for (std::size_t i = 0; i < n_texts; ++i)
            if (offsets[i] > offsets[i + 1]) throw std::invalid_argument("offsets must not decrease");
    }
    const std::int32_t* begin(std::int64_t i) const { return ids + offsets[i]; }
    std::int64_t length(std::int64_t i) const { return offsets[i + 1] - offsets[i]; }
};

inline void check_index(const In<std::int64_t>& index, std::size_t limit) {
    for (std::size_t i = 0; i < index.shape(0); ++i)
        if (index.data()[i] < 0 || static_cast<std::size_t>(index.data()[i]) >= limit)
            throw std::invalid_argument("index out of range");
}

// Group g is texts offsets[g] .. offsets[g + 1] - 1; returns the number of groups.
inline std::size_t check_groups(const In<std::int64_t>& offsets, std::size_t n_texts) {
    if (offsets.shape(0) == 0) throw std::invalid_argument("group_offsets must hold at least one number");
    const std::size_t n_groups = offsets.shape(0) - 1;
    for (std::size_t g = 0; g < n_groups; ++g)
        if (offsets.data()[g] < 0 || offsets.data()[g] > offsets.data()[g + 1] ||
            offsets.data()[g + 1] > static_cast<std::int64_t>(n_texts))
            throw std::invalid_argument("group_offsets do not fit the references");
    return n_groups;
}

template <typename T>
Out1<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out1<T>(kept->data(), {kept->size()}, owner);
}

template <typename T>
Out2<T> to_numpy(std::vector<T>&& values, std::size_t n_columns) {
    const std::size_t n_rows = values.size() / n_columns;
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out2<T>(kept->data(), {n_rows, n_columns}, owner);
}

}  // namespace mtassay
