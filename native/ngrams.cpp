// Matching n-grams; the specification is mtassay/kernels/ngrams.py.
//
// Pairs are visited group by group: the n-grams of a group are built once per call, in memory that stays in the cache, and
// thrown away. Where hypotheses meet many groups each, blocks of groups are built together.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "ngram_pairs.hpp"
#include "ngram_postings.hpp"
#include "parallel.hpp"

namespace mtassay {
namespace {

struct Job {
    const NgramPairs pairs;
    Counting counting;
    std::vector<std::int64_t> matches;  // (n_pairs, order)

    std::int64_t* row(std::size_t pair) { return &matches[pair * static_cast<std::size_t>(pairs.order)]; }
};

void match_each_group(Job& job) {
    const NgramPairs& pairs = job.pairs;
    match_by_group(
        pairs, [&](auto& trie, std::int64_t t) { trie.add(pairs.refs.begin(t), pairs.refs.length(t)); },
        [&](auto& trie, std::size_t pair) {
            const std::int64_t hyp = pairs.hyp_index[pair];
            trie.match(pairs.hyps.begin(hyp), pairs.hyps.length(hyp), job.counting, job.row(pair));
        });
}

void match_by_block(Job& job) {
    const NgramPairs& pairs = job.pairs;
    Postings postings(pairs.order);
    for (std::size_t first = 0, last = 0; first < pairs.n_groups; first = last) {
        last = postings.block_end(pairs.refs, pairs.group_offsets, first, pairs.n_groups);
        const ByKey by_hyp(pairs.hyp_index, pairs.n_pairs, pairs.hyps.n_texts, [&](std::size_t pair) {
            const auto g = static_cast<std::size_t>(pairs.group_index[pair]);
            return first <= g && g < last;
        });
        postings.build(pairs.refs, pairs.group_offsets, first, last);
        parallel_for(pairs.hyps.n_texts, pairs.threads, [&] {
            return [&, walker = Postings::Walker{}](std::size_t h) mutable {
                if (by_hyp.starts[h] == by_hyp.starts[h + 1]) return;
                const auto hyp = static_cast<std::int64_t>(h);
                postings.match(pairs.hyps.begin(hyp), pairs.hyps.length(hyp), job.counting, walker);
                for (std::size_t k = by_hyp.starts[h]; k < by_hyp.starts[h + 1]; ++k) {
                    const std::size_t pair = by_hyp.order[k];
                    const std::size_t g = static_cast<std::size_t>(pairs.group_index[pair]) - first;
                    for (std::size_t n = 0; n < static_cast<std::size_t>(pairs.order); ++n)
                        job.row(pair)[n] = walker.matches[n * Postings::max_groups + g];
                }
            };
        });
    }
}

Out2<std::int64_t> ngram_matches(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                                 In<std::int64_t> ref_offsets, In<std::int64_t> group_offsets,
                                 In<std::int64_t> hyp_index, In<std::int64_t> group_index, int order, int counting,
                                 int threads) {
    const NgramPairs pairs(TokenView(hyp_ids, hyp_offsets), TokenView(ref_ids, ref_offsets), group_offsets, hyp_index,
                           group_index, order, threads);
    if (counting < clipped || counting > reference) throw std::invalid_argument("no such way of counting");
    Job job{pairs, static_cast<Counting>(counting),
            std::vector<std::int64_t>(pairs.n_pairs * static_cast<std::size_t>(order), 0)};
    {
        const nb::gil_scoped_release unlocked;
        // Blocks pay where a hypothesis meets many groups, as in an N x M matrix.
        if (pairs.n_pairs >= 8 * (pairs.hyps.n_texts + pairs.n_groups))
            match_by_block(job);
        else
            match_each_group(job);
    }
    return to_numpy(std::move(job.matches), static_cast<std::size_t>(order));
}

}  // namespace
}  // namespace mtassay

void bind_ngrams(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ngram_matches", &mtassay::ngram_matches, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a,
          "group_offsets"_a, "hyp_index"_a, "group_index"_a, "order"_a, "counting"_a, "threads"_a,
          "Matched n-grams of pairs (hypothesis, group of references); see mtassay.kernels.ngrams.");
}
