// The walk over pairs of a hypothesis and a group of references, group by group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "ngram_trie.hpp"
#include "pairs.hpp"

namespace mtassay {

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

inline std::size_t checked_order(int order) {
    if (order < 1) throw std::invalid_argument("order must be at least 1");
    return static_cast<std::size_t>(order);
}

// A group of references, texts first .. last - 1, and the pairs that are compared with it.
struct Group {
    std::int64_t first, last;
    const std::size_t* pairs;
    std::size_t n_pairs;
};

// Calls visit(trie, group) for every group that has pairs, with an empty trie that has room for the group's n-grams.
template <typename Visit>
void for_each_group(const GroupedPairs& pairs, int order, Visit visit) {
    const ByKey by_group(pairs.ref_index, pairs.size, pairs.n_groups, [](std::size_t) { return true; });
    Trie<std::uint32_t> small(order);
    Trie<std::uint64_t> large(order);
    for (std::size_t g = 0; g < pairs.n_groups; ++g) {
        const std::size_t begin = by_group.starts[g], end = by_group.starts[g + 1];
        if (begin == end) continue;
        const Group group{pairs.group_offsets[g], pairs.group_offsets[g + 1], &by_group.order[begin], end - begin};
        std::size_t n_tokens = 0, n_ngrams = 0;
        for (std::int64_t t = group.first; t < group.last; ++t) {
            n_tokens += static_cast<std::size_t>(pairs.refs.length(t));
            n_ngrams += count_ngrams(pairs.refs.length(t), order);
        }
        const auto with = [&](auto& trie) {
            trie.reset(n_tokens, n_ngrams);
            visit(trie, group);
        };
        if (small.fits(n_tokens, n_ngrams))
            with(small);
        else
            with(large);
    }
}

}  // namespace mtassay
