// Bootstrap resamples, and sums over chosen units; see mtassay/kernels/resampling.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
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

Out2<float> resample_counts(const In<std::int64_t>& n_picks, std::int64_t n_units, std::uint64_t state) {
    if (n_units < 1 || n_units > most_units) throw std::invalid_argument("no such number of units or picks");
    const auto units = static_cast<std::size_t>(n_units), n_resamples = n_picks.shape(0);
    for (std::size_t draw = 0; draw < n_resamples; ++draw)
        if (n_picks.data()[draw] < 0) throw std::invalid_argument("no such number of units or picks");
    std::vector<float> counts(units * n_resamples, 0.0f);
    {
        const nb::gil_scoped_release no_gil;
        std::uint64_t n = 0;
        float* row = counts.data();
        for (std::size_t draw = 0; draw < n_resamples; ++draw, row += units) {
            for (std::int64_t left = n_picks.data()[draw]; left > 0; left -= 2) {
                const std::uint64_t number = split_mix(state, ++n);
                row[(number & 0xFFFFFFFFu) * units >> 32] += 1.0f;
                if (left > 1) row[(number >> 32) * units >> 32] += 1.0f;
            }
        }
    }
    return to_numpy(std::move(counts), units);
}

// Eight numbers that are added at once.
#if defined(__GNUC__)
template <typename Number>
struct EightOf {
    typedef Number type __attribute__((vector_size(8 * sizeof(Number))));
};
template <typename Number>
using Eight = typename EightOf<Number>::type;
#else
template <typename Number>
struct Eight {
    Number numbers[8];
    Number& operator[](std::size_t i) { return numbers[i]; }
    const Number& operator[](std::size_t i) const { return numbers[i]; }
    Eight operator+(const Eight& other) const {
        Eight sum;
        for (std::size_t i = 0; i < 8; ++i) sum[i] = static_cast<Number>(numbers[i] + other[i]);
        return sum;
    }
};
#endif

// Units are taken four at a time: a table has the sums of all subsets of the four, and the bits of a resample select one.
constexpr std::size_t units_of_table = 4, choices = 1u << units_of_table;
// Number of tables in use at once, which stay in the cache.
constexpr std::size_t most_tables = 32;
// Columns are processed in lanes of eight, and at most eight lanes at a time, which fit into the registers.
constexpr std::size_t lane = 8, most_lanes = 8;

struct Chosen {
    const std::uint32_t* values;  // (units, columns)
    std::size_t n_units, n_columns;
    const std::uint8_t* bits;  // (resamples, bytes), the first unit in the highest bit
    std::size_t n_bytes, n_resamples;
    std::size_t n_tables;  // even; the sum over this many tables fits into a Number
};

// Sums of all subsets of four units from `unit` on; units and columns beyond the last one count as 0.
template <typename Number, std::size_t n_lanes>
void fill(const Chosen& in, std::size_t unit, std::size_t column, Eight<Number>* table) {
    std::fill(table, table + n_lanes, Eight<Number>{});
    for (std::size_t bit = 0; bit < units_of_table; ++bit) {
        std::array<Number, n_lanes * lane> numbers{};
        std::array<Eight<Number>, n_lanes> added;
        // The last unit has the lowest bit.
        const std::size_t there = unit + units_of_table - 1 - bit;
        if (there < in.n_units) {
            const std::uint32_t* row = in.values + there * in.n_columns + column;
            const std::size_t n_columns = std::min(n_lanes * lane, in.n_columns - column);
            for (std::size_t c = 0; c < n_columns; ++c) numbers[c] = static_cast<Number>(row[c]);
        }
        std::memcpy(added.data(), numbers.data(), sizeof added);
        const std::size_t n_before = n_lanes << bit;
        for (std::size_t i = 0; i < n_before; ++i) table[n_before + i] = table[i] + added[i % n_lanes];
    }
}

// Adds up some columns for all resamples; `sums` is (resamples, columns).
template <typename Number, std::size_t n_lanes>
void add_up(const Chosen& in, std::size_t column, std::vector<Eight<Number>>& tables, std::vector<std::uint32_t>& sums) {
    constexpr std::size_t size = choices * n_lanes;
    const std::size_t all_tables = 2 * in.n_bytes;
    for (std::size_t first = 0; first < all_tables; first += in.n_tables) {
        const std::size_t n_tables = std::min(in.n_tables, all_tables - first);
        for (std::size_t t = 0; t < n_tables; ++t)
            fill<Number, n_lanes>(in, (first + t) * units_of_table, column, &tables[t * size]);
        for (std::size_t draw = 0; draw < in.n_resamples; ++draw) {
            const std::uint8_t* byte = in.bits + draw * in.n_bytes + first / 2;
            Eight<Number> sum[n_lanes] = {};
            const Eight<Number>* table = tables.data();
            for (std::size_t t = 0; t < n_tables; t += 2, ++byte, table += 2 * size) {
                const Eight<Number>* one = table + (*byte >> 4) * n_lanes;
                const Eight<Number>* other = table + size + (*byte & 15) * n_lanes;
                for (std::size_t l = 0; l < n_lanes; ++l) sum[l] = sum[l] + (one[l] + other[l]);
            }
            std::uint32_t* out = &sums[draw * n_lanes * lane];
            for (std::size_t l = 0; l < n_lanes; ++l)
                for (std::size_t c = 0; c < lane; ++c) out[l * lane + c] += sum[l][c];
        }
    }
}

template <typename Number, std::size_t n_lanes>
void add_up_all(const Chosen& in, std::vector<double>& out) {
    constexpr std::size_t width = n_lanes * lane;
    std::vector<Eight<Number>> tables(in.n_tables * choices * n_lanes);
    std::vector<std::uint32_t> sums(in.n_resamples * width);
    for (std::size_t column = 0; column < in.n_columns; column += width) {
        std::fill(sums.begin(), sums.end(), 0);
        add_up<Number, n_lanes>(in, column, tables, sums);
        const std::size_t there = std::min(width, in.n_columns - column);
        for (std::size_t c = 0; c < there; ++c)
            for (std::size_t draw = 0; draw < in.n_resamples; ++draw)
                out[(column + c) * in.n_resamples + draw] = sums[draw * width + c];
    }
}

// Calls the instance for a number of lanes, from 1 to most_lanes.
template <typename Number, std::size_t... less_one>
void with_lanes(std::size_t n_lanes, const Chosen& in, std::vector<double>& out, std::index_sequence<less_one...>) {
    (void)((n_lanes == less_one + 1 && (add_up_all<Number, less_one + 1>(in, out), true)) || ...);
}

Out2<double> chosen_sums(const In2<std::uint32_t>& values, const In2<std::uint8_t>& bits) {
    Chosen in{values.data(), values.shape(0), values.shape(1), bits.data(), bits.shape(1), bits.shape(0), most_tables};
    if (in.n_bytes != (in.n_units + 7) / 8) throw std::invalid_argument("there must be a bit for every unit");
    if (in.n_units == 0 || in.n_columns == 0 || in.n_resamples == 0) throw std::invalid_argument("nothing to add up");
    std::vector<double> out(in.n_columns * in.n_resamples);
    {
        const nb::gil_scoped_release no_gil;
        const std::size_t n_blocks = (in.n_columns + lane * most_lanes - 1) / (lane * most_lanes);
        const std::size_t n_lanes = (in.n_columns + n_blocks * lane - 1) / (n_blocks * lane);
        std::uint32_t seen = 0;  // the bits of all values combined, an upper bound of every value
        for (std::size_t i = 0; i < in.n_units * in.n_columns; ++i) seen |= in.values[i];
        const std::size_t fit = std::numeric_limits<std::uint16_t>::max() / (units_of_table * std::size_t{seen} + 1);
        const auto lanes = std::make_index_sequence<most_lanes>{};
        if (fit >= 2) {
            in.n_tables = std::min(most_tables, fit / 2 * 2);
            with_lanes<std::uint16_t>(n_lanes, in, out, lanes);
        } else {
            with_lanes<std::uint32_t>(n_lanes, in, out, lanes);
        }
    }
    return to_numpy(std::move(out), in.n_resamples);
}

}  // namespace
}  // namespace mtassay

void bind_resampling(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("resample_counts", &mtassay::resample_counts, "n_picks"_a, "n_units"_a, nanobind::kw_only(), "state"_a);
    m.def("chosen_sums", &mtassay::chosen_sums, "values"_a, "bits"_a);
}
