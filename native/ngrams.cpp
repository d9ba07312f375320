// Matching n-grams; the specification is mtassay/kernels/ngrams.py.
//
// Pairs are visited group by group: the n-grams of a group are built once per call, in memory that stays in the cache, and
// thrown away. Where hypotheses meet many groups each, blocks of groups are built together.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "ngram_postings.hpp"
#include "ngram_trie.hpp"
#include "parallel.hpp"

namespace mtassay {
namespace {

// Everything that a call has been given, checked.
struct Job {
    TokenView hyps, refs;
    const std::int64_t* group_offsets;
    std::size_t n_groups;
    const std::int64_t* hyp_index;
    const std::int64_t* group_index;
    std::size_t n_pairs;
    int order;
    Counting counting;
    int threads;
    std::vector<std::int64_t> matches;  // (n_pairs, order)

    std::int64_t* row(std::size_t pair) { return &matches[pair * static_cast<std::size_t>(order)]; }
};

// Items ordered by a key: those of key k are order[starts[k]] .. order[starts[k + 1] - 1].
struct ByKey {
    std::vector<std::size_t> starts, order;

    // Takes the items for which `wanted(item)` holds.
    template <typename Wanted>
    ByKey(const std::int64_t* keys, std::size_t n_items, std::size_t n_keys, Wanted wanted) : starts(n_keys + 1, 0) {
        for (std::size_t i = 0; i < n_items; ++i)
            if (wanted(i)) ++starts[static_cast<std::size_t>(keys[i]) + 1];
        for (std::size_t k = 0; k < n_keys; ++k) starts[k + 1] += starts[k];
        order.resize(starts.back());
        std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
        for (std::size_t i = 0; i < n_items; ++i)
            if (wanted(i)) order[next[static_cast<std::size_t>(keys[i])]++] = i;
    }
};

template <typename AnyTrie>
void match_group(Job& job, AnyTrie& trie, const ByKey& by_group, std::size_t g, std::size_t n_tokens,
                 std::size_t n_ngrams) {
    trie.reset(n_tokens, n_ngrams);
    for (std::int64_t t = job.group_offsets[g]; t < job.group_offsets[g + 1]; ++t)
        trie.add(job.refs.begin(t), job.refs.length(t));
    for (std::size_t k = by_group.starts[g]; k < by_group.starts[g + 1]; ++k) {
        const std::size_t pair = by_group.order[k];
        const std::int64_t hyp = job.hyp_index[pair];
        trie.match(job.hyps.begin(hyp), job.hyps.length(hyp), job.counting, job.row(pair));
    }
}

void match_by_group(Job& job) {
    const ByKey by_group(job.group_index, job.n_pairs, job.n_groups, [](std::size_t) { return true; });
    parallel_for(job.n_groups, job.threads, [&] {
        return [&, small = Trie<std::uint32_t>(job.order), large = Trie<std::uint64_t>(job.order)](std::size_t g) mutable {
            if (by_group.starts[g] == by_group.starts[g + 1]) return;
            std::size_t n_tokens = 0, n_ngrams = 0;
            for (std::int64_t t = job.group_offsets[g]; t < job.group_offsets[g + 1]; ++t) {
                n_tokens += static_cast<std::size_t>(job.refs.length(t));
                n_ngrams += count_ngrams(job.refs.length(t), job.order);
            }
            if (small.fits(n_tokens, n_ngrams))
                match_group(job, small, by_group, g, n_tokens, n_ngrams);
            else
                match_group(job, large, by_group, g, n_tokens, n_ngrams);
        };
    });
}

void match_by_block(Job& job) {
    Postings postings(job.order);
    for (std::size_t first = 0, last = 0; first < job.n_groups; first = last) {
        last = postings.block_end(job.refs, job.group_offsets, first, job.n_groups);
        const ByKey by_hyp(job.hyp_index, job.n_pairs, job.hyps.n_texts, [&](std::size_t pair) {
            const auto g = static_cast<std::size_t>(job.group_index[pair]);
            return first <= g && g < last;
        });
        postings.build(job.refs, job.group_offsets, first, last);
        parallel_for(job.hyps.n_texts, job.threads, [&] {
            return [&, walker = Postings::Walker{}](std::size_t h) mutable {
                if (by_hyp.starts[h] == by_hyp.starts[h + 1]) return;
                const auto hyp = static_cast<std::int64_t>(h);
                postings.match(job.hyps.begin(hyp), job.hyps.length(hyp), job.counting, walker);
                for (std::size_t k = by_hyp.starts[h]; k < by_hyp.starts[h + 1]; ++k) {
                    const std::size_t pair = by_hyp.order[k];
                    const std::size_t g = static_cast<std::size_t>(job.group_index[pair]) - first;
                    for (std::size_t n = 0; n < static_cast<std::size_t>(job.order); ++n)
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
    const TokenView hyps(hyp_ids, hyp_offsets), refs(ref_ids, ref_offsets);
    if (group_offsets.shape(0) == 0) throw std::invalid_argument("group_offsets must hold at least one number");
    const std::size_t n_groups = group_offsets.shape(0) - 1;
    for (std::size_t g = 0; g < n_groups; ++g)
        if (group_offsets.data()[g] < 0 || group_offsets.data()[g] > group_offsets.data()[g + 1] ||
            group_offsets.data()[g + 1] > static_cast<std::int64_t>(refs.n_texts))
            throw std::invalid_argument("group_offsets do not fit the references");
    if (hyp_index.shape(0) != group_index.shape(0)) throw std::invalid_argument("indices differ in length");
    check_index(hyp_index, hyps.n_texts);
    check_index(group_index, n_groups);
    if (order < 1) throw std::invalid_argument("order must be at least 1");
    if (counting < clipped || counting > reference) throw std::invalid_argument("no such way of counting");

    const std::size_t n_pairs = hyp_index.shape(0);
    Job job{hyps, refs, group_offsets.data(), n_groups, hyp_index.data(), group_index.data(), n_pairs, order,
            static_cast<Counting>(counting), threads,
            std::vector<std::int64_t>(n_pairs * static_cast<std::size_t>(order), 0)};
    {
        const nb::gil_scoped_release unlocked;
        // Blocks pay where a hypothesis meets many groups, as in an N x M matrix.
        if (n_pairs >= 8 * (hyps.n_texts + n_groups))
            match_by_block(job);
        else
            match_by_group(job);
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
