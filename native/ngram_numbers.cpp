// Numbers of n-grams and their counts by segment; the specification is mtassay/kernels/ngram_numbers.py.
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace mtassay {
namespace {

std::uint64_t checked_number(std::int64_t value) {
    if (value < 0 || value >= (std::int64_t{1} << 31)) throw std::invalid_argument("number out of range");
    return static_cast<std::uint64_t>(value);
}

// Numbers of distinct pairs, by open addressing.
nb::tuple number_pairs(const In<std::int64_t>& first, const In<std::int64_t>& second) {
    const std::size_t n = first.shape(0);
    if (second.shape(0) != n) throw std::invalid_argument("columns of different lengths");
    std::vector<std::int64_t> numbers(n), rows;
    {
        const nb::gil_scoped_release unlocked;
        int bits = 4;
        while ((std::size_t{1} << bits) < 2 * n) ++bits;
        struct Slot {
            std::uint64_t key;
            std::int64_t number;
        };
        std::vector<Slot> slots(std::size_t{1} << bits, Slot{0, -1});
        for (std::size_t row = 0; row < n; ++row) {
            const std::uint64_t key = checked_number(first.data()[row]) << 31 | checked_number(second.data()[row]);
            std::size_t at = key * 0x9E3779B97F4A7C15u >> (64 - bits);
            while (slots[at].number >= 0 && slots[at].key != key) at = (at + 1) & (slots.size() - 1);
            if (slots[at].number < 0) {
                slots[at] = Slot{key, static_cast<std::int64_t>(rows.size())};
                rows.push_back(static_cast<std::int64_t>(row));
            }
            numbers[row] = slots[at].number;
        }
    }
    return nb::make_tuple(to_numpy(std::move(numbers)), to_numpy(std::move(rows)));
}

// For each number, the row in which it was last counted is kept; the row is of this segment if it is not before the
// segment's first row.
nb::tuple count_in_segments(const In<std::int64_t>& numbers, const In2<std::int64_t>& begins,
                            const In2<std::int64_t>& ends, std::int64_t n_numbers) {
    const std::size_t n_segments = begins.shape(0), n_texts = begins.shape(1);
    if (ends.shape(0) != n_segments || ends.shape(1) != n_texts)
        throw std::invalid_argument("begins and ends of different shapes");
    if (n_numbers < 0) throw std::invalid_argument("number out of range");
    const auto n = static_cast<std::int64_t>(numbers.shape(0));
    for (std::size_t i = 0; i < n_segments * n_texts; ++i)
        if (begins.data()[i] < 0 || begins.data()[i] > ends.data()[i] || ends.data()[i] > n)
            throw std::invalid_argument("segment out of range");
    std::vector<std::int64_t> of_segments, of_numbers, counts;
    {
        const nb::gil_scoped_release unlocked;
        std::vector<std::int64_t> last(static_cast<std::size_t>(n_numbers), -1);
        for (std::size_t segment = 0; segment < n_segments; ++segment) {
            const auto first_row = static_cast<std::int64_t>(of_numbers.size());
            for (std::size_t text = 0; text < n_texts; ++text) {
                const std::size_t span = segment * n_texts + text;
                for (std::int64_t i = begins.data()[span]; i < ends.data()[span]; ++i) {
                    const std::int64_t number = numbers.data()[i];
                    if (number < 0) continue;
                    if (number >= n_numbers) throw std::invalid_argument("number out of range");
                    std::int64_t& row = last[static_cast<std::size_t>(number)];
                    if (row < first_row) {
                        row = static_cast<std::int64_t>(of_numbers.size());
                        of_segments.push_back(static_cast<std::int64_t>(segment));
                        of_numbers.push_back(number);
                        counts.resize(counts.size() + n_texts, 0);
                    }
                    ++counts[static_cast<std::size_t>(row) * n_texts + text];
                }
            }
        }
    }
    return nb::make_tuple(to_numpy(std::move(of_segments)), to_numpy(std::move(of_numbers)),
                          to_numpy(std::move(counts), n_texts));
}

}  // namespace
}  // namespace mtassay

void bind_ngram_numbers(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("number_pairs", &mtassay::number_pairs, "first"_a, "second"_a);
    m.def("count_in_segments", &mtassay::count_in_segments, "numbers"_a, "begins"_a, "ends"_a, nanobind::kw_only(),
          "n_numbers"_a);
}
