// Matching and counting n-grams; the specification is mtassay/kernels/ngrams.py.
//
// Pairs are visited group by group: the n-grams of a group are built once per call, in memory that stays in the cache, and
// thrown away. Where hypotheses meet many groups each, blocks of groups are built together.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "ngram_groups.hpp"
#include "ngram_postings.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

Counting counting_of(const std::string& name) {
    if (name == "clipped") return clipped;
    if (name == "hypothesis") return hypothesis;
    if (name == "reference") return reference;
    throw std::invalid_argument("unknown way of counting '" + name + "'");
}

struct Job {
    const GroupedPairs& pairs;
    int order;
    Counting counting;
    std::vector<std::int64_t> matches;  // (pairs, order)

    std::int64_t* row(std::size_t pair) { return &matches[pair * static_cast<std::size_t>(order)]; }
};

void match_each_group(Job& job) {
    const GroupedPairs& pairs = job.pairs;
    match_by_group(
        pairs, job.order, [&](auto& trie, std::int64_t t) { trie.add(pairs.refs.begin(t), pairs.refs.length(t)); },
        [&](auto& trie, std::size_t pair) {
            const std::int64_t hyp = pairs.hyp_index[pair];
            trie.match(pairs.hyps.begin(hyp), pairs.hyps.length(hyp), job.counting, job.row(pair));
        });
}

void match_by_block(Job& job) {
    const GroupedPairs& pairs = job.pairs;
    Postings postings(job.order);
    Postings::Walker walker;
    for (std::size_t first = 0, last = 0; first < pairs.n_groups; first = last) {
        last = postings.block_end(pairs.refs, pairs.group_offsets, first, pairs.n_groups);
        const ByKey by_hyp(pairs.hyp_index, pairs.size, pairs.hyps.n_texts, [&](std::size_t pair) {
            const auto g = static_cast<std::size_t>(pairs.ref_index[pair]);
            return first <= g && g < last;
        });
        postings.build(pairs.refs, pairs.group_offsets, first, last);
        for (std::size_t h = 0; h < pairs.hyps.n_texts; ++h) {
            if (by_hyp.starts[h] == by_hyp.starts[h + 1]) continue;
            const auto hyp = static_cast<std::int64_t>(h);
            postings.match(pairs.hyps.begin(hyp), pairs.hyps.length(hyp), job.counting, walker);
            for (std::size_t k = by_hyp.starts[h]; k < by_hyp.starts[h + 1]; ++k) {
                const std::size_t pair = by_hyp.order[k];
                const std::size_t g = static_cast<std::size_t>(pairs.ref_index[pair]) - first;
                for (std::size_t n = 0; n < static_cast<std::size_t>(job.order); ++n)
                    job.row(pair)[n] = walker.matches[n * Postings::max_groups + g];
            }
        }
    }
}

Out2<std::int64_t> ngram_matches(const nb::tuple& pairs_in, int order, const std::string& counting) {
    const GroupedPairs pairs(pairs_in);
    const std::size_t n_columns = checked_order(order);
    Job job{pairs, order, counting_of(counting), std::vector<std::int64_t>(pairs.size * n_columns, 0)};
    {
        const nb::gil_scoped_release unlocked;
        // Blocks pay where a hypothesis meets many groups, as in an N x M matrix.
        if (pairs.size >= 8 * (pairs.hyps.n_texts + pairs.n_groups))
            match_by_block(job);
        else
            match_each_group(job);
    }
    return to_numpy(std::move(job.matches), n_columns);
}

std::uint64_t checked_number(std::int64_t value) {
    if (value < 0 || value >= (std::int64_t{1} << 31)) throw std::invalid_argument("number out of range");
    return static_cast<std::uint64_t>(value);
}

// Numbers of different pairs, by open addressing.
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

// For each number, the row in which it was last counted: in this segment if that row is not before the segment's first.
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

void bind_ngrams(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ngram_matches", &mtassay::ngram_matches, "pairs"_a, nanobind::kw_only(), "order"_a, "counting"_a = "clipped");
    m.def("number_pairs", &mtassay::number_pairs, "first"_a, "second"_a);
    m.def("count_in_segments", &mtassay::count_in_segments, "numbers"_a, "begins"_a, "ends"_a, nanobind::kw_only(),
          "n_numbers"_a);
}
