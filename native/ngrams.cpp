// Matching n-grams; the specification is mtassay/kernels/ngrams.py.
//
// Pairs are visited group by group: the n-grams of a group are built once per call, in memory that stays in the cache, and
// then discarded. If each hypothesis is compared with many groups, blocks of groups are built together.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "expected_ngrams.hpp"
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
    const Tokens &refs = job.pairs.refs, &hyps = job.pairs.hyps;
    for_each_group(job.pairs, job.order, [&](auto& trie, const Group& group) {
        if (group.n_pairs == 1 && group.last == group.first + 1 && job.counting == clipped) {
            const std::int64_t ref = group.first, hyp = job.pairs.hyp_index[*group.pairs];
            return trie.match_alone(refs.begin(ref), refs.length(ref), hyps.begin(hyp), hyps.length(hyp),
                                    job.row(*group.pairs));
        }
        for (std::int64_t t = group.first; t < group.last; ++t) trie.add(refs.begin(t), refs.length(t));
        for (std::size_t k = 0; k < group.n_pairs; ++k) {
            const std::int64_t hyp = job.pairs.hyp_index[group.pairs[k]];
            trie.match(hyps.begin(hyp), hyps.length(hyp), job.counting, job.row(group.pairs[k]));
        }
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
        // Blocks are faster if a hypothesis is compared with many groups, as in an N x M matrix.
        if (pairs.size >= 8 * (pairs.hyps.n_texts + pairs.n_groups))
            match_by_block(job);
        else
            match_each_group(job);
    }
    return to_numpy(std::move(job.matches), n_columns);
}

Out2<double> expected_matches(const nb::tuple& hypotheses_in, const nb::tuple& references_in, const In<double>& weights,
                              int order) {
    const std::size_t n_columns = checked_order(order);
    const Tokens hyps(hypotheses_in), refs(references_in);
    if (weights.shape(0) != refs.n_texts) throw std::invalid_argument("every reference needs a weight");
    std::vector<double> matches(hyps.n_texts * n_columns, 0.0);
    {
        const nb::gil_scoped_release unlocked;
        std::size_t n_ngrams = 0;
        for (std::size_t r = 0; r < refs.n_texts; ++r)
            n_ngrams += count_ngrams(refs.length(static_cast<std::int64_t>(r)), order);
        ExpectedNgrams expected(order, n_ngrams);
        for (std::size_t r = 0; r < refs.n_texts; ++r) {
            const auto text = static_cast<std::int64_t>(r);
            expected.add(refs.begin(text), refs.length(text), weights.data()[r]);
        }
        for (std::size_t h = 0; h < hyps.n_texts; ++h) {
            const auto text = static_cast<std::int64_t>(h);
            expected.match(hyps.begin(text), hyps.length(text), &matches[h * n_columns]);
        }
    }
    return to_numpy(std::move(matches), n_columns);
}

}  // namespace
}  // namespace mtassay

void bind_ngrams(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ngram_matches", &mtassay::ngram_matches, "pairs"_a, nanobind::kw_only(), "order"_a, "counting"_a = "clipped");
    m.def("expected_matches", &mtassay::expected_matches, "hypotheses"_a, "references"_a, nanobind::kw_only(), "weights"_a,
          "order"_a);
}
