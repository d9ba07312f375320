// Types of the arrays that Python passes, and functions that return results.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
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

inline void check_index(const In<std::int64_t>& index, std::size_t limit) {
    for (std::size_t i = 0; i < index.shape(0); ++i)
        if (index.data()[i] < 0 || static_cast<std::size_t>(index.data()[i]) >= limit)
            throw std::invalid_argument("index out of range");
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
