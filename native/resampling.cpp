// How often each unit is drawn in bootstrap resamples; see mtassay/kernels/resampling.py.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "arrays.hpp"

namespace mtassay {
namespace {

constexpr std::int64_t most_units = std::int64_t{1} << 31;

// Number n of the sequence that starts at `state`.
std::uint64_t split_mix(std::uint64_t state, std::uint64_t n) {
    std::uint64_t z = n * 0x9E3779B97F4A7C15u + state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

Out2<float> resample_counts(std::int64_t n_units, std::int64_t n_draws, std::uint64_t state) {
    if (n_units < 1 || n_units > most_units || n_draws < 0) throw std::invalid_argument("no such number of units");
    const auto units = static_cast<std::size_t>(n_units), n_numbers = (units + 1) / 2;
    std::vector<float> counts(units * static_cast<std::size_t>(n_draws), 0.0f);
    {
        const nb::gil_scoped_release no_gil;
        std::uint64_t n = 0;
        for (float *row = counts.data(), *end = row + counts.size(); row < end; row += units) {
            for (std::size_t j = 0; j < n_numbers; ++j) {
                const std::uint64_t number = split_mix(state, ++n);
                row[(number & 0xFFFFFFFFu) * units >> 32] += 1.0f;
                if (2 * j + 1 < units) row[(number >> 32) * units >> 32] += 1.0f;
            }
        }
    }
    return to_numpy(std::move(counts), units);
}

}  // namespace
}  // namespace mtassay

void bind_resampling(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("resample_counts", &mtassay::resample_counts, "n_units"_a, "n_draws"_a, "state"_a,
          "How often each unit is drawn; see mtassay.kernels.resampling.");
}
