// Expected counts of the n-grams of weighted texts, for hypotheses that are compared with the mean of many references.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngram_trie.hpp"
#include "pairs.hpp"

namespace mtassay {

class ExpectedNgrams {
public:
    // Makes room for `n_ngrams` n-grams.
    ExpectedNgrams(int order, std::size_t n_ngrams) : order_(order) {
        std::size_t n_slots = 64;
        while (n_slots < 2 * n_ngrams) n_slots *= 2;
        slots_.resize(n_slots);
        expected_.assign(1, 0.0);
    }

    void add(const std::int32_t* ids, std::int64_t length, double weight) {
        for (std::int64_t start = 0; start < length; ++start) {
            std::uint32_t node = 0;
            for (std::int64_t i = start; i < std::min<std::int64_t>(length, start + order_); ++i) {
                Slot& slot = slots_[find(node, ids[i])];
                if (slot.node == 0) {
                    slot = {key_of(node, ids[i]), static_cast<std::uint32_t>(expected_.size())};
                    expected_.push_back(0.0);
                }
                node = slot.node;
                expected_[node] += weight;
            }
        }
    }

    // Adds the matches of a hypothesis to `matches`, by length of n-grams.
    void match(const std::int32_t* ids, std::int64_t length, double* matches) {
        counts_.resize(expected_.size(), 0);
        seen_.clear();
        for (std::int64_t start = 0; start < length; ++start) {
            std::uint32_t node = 0;
            for (std::int64_t i = start; i < std::min<std::int64_t>(length, start + order_); ++i) {
                node = slots_[find(node, ids[i])].node;
                if (node == 0) break;
                if (counts_[node]++ == 0) seen_.push_back({node, static_cast<std::uint32_t>(i - start)});
            }
        }
        for (const Seen& seen : seen_) {
            matches[seen.depth] += std::min(static_cast<double>(counts_[seen.node]), expected_[seen.node]);
            counts_[seen.node] = 0;
        }
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t node = 0;  // 0 is the root, which is never a child: the slot is free
    };
    struct Seen {
        std::uint32_t node, depth;
    };

    static std::uint64_t key_of(std::uint32_t node, std::int32_t token) {
        return (static_cast<std::uint64_t>(node) << 32) | static_cast<std::uint32_t>(token);
    }
    // The slot of a child, or the free slot where it belongs.
    std::size_t find(std::uint32_t node, std::int32_t token) const {
        const std::uint64_t key = key_of(node, token);
        const std::size_t mask = slots_.size() - 1;
        std::size_t s = static_cast<std::size_t>(((key ^ (key >> 29)) * 0x9E3779B97F4A7C15ull) >> 32) & mask;
        while (slots_[s].node != 0 && slots_[s].key != key) s = (s + 1) & mask;
        return s;
    }

    int order_;
    std::vector<Slot> slots_;
    std::vector<double> expected_;
    std::vector<std::uint32_t> counts_;  // occurrences in the current hypothesis
    std::vector<Seen> seen_;
};

}  // namespace mtassay
