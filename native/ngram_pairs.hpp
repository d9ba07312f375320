// Pairs (hypothesis, group of references), and the walk over them group by group.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "ngram_trie.hpp"
#include "parallel.hpp"

namespace mtassay {

// What a call has been given, checked.
struct NgramPairs {
    TokenView hyps, refs;
    const std::int64_t* group_offsets;  // group g is reference texts group_offsets[g] .. group_offsets[g + 1] - 1
    std::size_t n_groups;
    const std::int64_t* hyp_index;
    const std::int64_t* group_index;
    std::size_t n_pairs;
    int order;
    int threads;

    NgramPairs(const TokenView& hyps_in, const TokenView& refs_in, const In<std::int64_t>& group_offsets_in,
               const In<std::int64_t>& hyp_index_in, const In<std::int64_t>& group_index_in, int order_in, int threads_in)
        : hyps(hyps_in), refs(refs_in), group_offsets(group_offsets_in.data()),
          n_groups(check_groups(group_offsets_in, refs_in.n_texts)), hyp_index(hyp_index_in.data()),
          group_index(group_index_in.data()), n_pairs(hyp_index_in.shape(0)), order(order_in), threads(threads_in) {
        if (group_index_in.shape(0) != n_pairs) throw std::invalid_argument("indices differ in length");
        check_index(hyp_index_in, hyps.n_texts);
        check_index(group_index_in, n_groups);
        if (order < 1) throw std::invalid_argument("order must be at least 1");
    }
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

// Builds the trie of every group that is asked for: calls add(trie, text) for its reference texts, then match(trie, pair)
// for its pairs.
template <typename Add, typename Match>
void match_by_group(const NgramPairs& pairs, Add add, Match match) {
    const ByKey by_group(pairs.group_index, pairs.n_pairs, pairs.n_groups, [](std::size_t) { return true; });
    parallel_for(pairs.n_groups, pairs.threads, [&] {
        return [&, small = Trie<std::uint32_t>(pairs.order), large = Trie<std::uint64_t>(pairs.order)](
                   std::size_t g) mutable {
            if (by_group.starts[g] == by_group.starts[g + 1]) return;
            const std::int64_t first = pairs.group_offsets[g], last = pairs.group_offsets[g + 1];
            std::size_t n_tokens = 0, n_ngrams = 0;
            for (std::int64_t t = first; t < last; ++t) {
                n_tokens += static_cast<std::size_t>(pairs.refs.length(t));
                n_ngrams += count_ngrams(pairs.refs.length(t), pairs.order);
            }
            const auto visit = [&](auto& trie) {
                trie.reset(n_tokens, n_ngrams);
                for (std::int64_t t = first; t < last; ++t) add(trie, t);
                for (std::size_t k = by_group.starts[g]; k < by_group.starts[g + 1]; ++k) match(trie, by_group.order[k]);
            };
            if (small.fits(n_tokens, n_ngrams))
                visit(small);
            else
                visit(large);
        };
    });
}

}  // namespace mtassay
