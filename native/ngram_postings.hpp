// The n-grams of many groups of references, for hypotheses that are compared with most of them (MBR decoding, reranking).
//
// One trie holds a block of groups, and every node lists the groups that have its n-gram, with their counts. A hypothesis
// then costs one walk, and one addition for every n-gram that it shares with a group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "ngram_trie.hpp"

namespace mtassay {

class Postings {
public:
    // A block is small enough for the cache, and for memory whatever the texts.
    static constexpr std::size_t max_groups = 256, max_ngrams = std::size_t{1} << 20;

    explicit Postings(int order) : order_(order) {}

    // The end of a block of groups that begins with `first`; a block has at least one group.
    std::size_t block_end(const Tokens& refs, const std::int64_t* group_offsets, std::size_t first,
                          std::size_t n_groups) const {
        std::size_t n_ngrams = 0, last = first;
        do {
            for (std::int64_t t = group_offsets[last]; t < group_offsets[last + 1]; ++t)
                n_ngrams += count_ngrams(refs.length(t), order_);
            ++last;
        } while (last < n_groups && last - first < max_groups && n_ngrams < max_ngrams);
        return last;
    }

    // Holds the groups first .. last - 1; group g is reference texts group_offsets[g] .. group_offsets[g + 1] - 1.
    void build(const Tokens& refs, const std::int64_t* group_offsets, std::size_t first, std::size_t last) {
        std::size_t n_ngrams = 0;
        for (std::int64_t t = group_offsets[first]; t < group_offsets[last]; ++t)
            n_ngrams += count_ngrams(refs.length(t), order_);
        std::size_t n_slots = 64;
        while (n_slots < 2 * n_ngrams) n_slots *= 2;
        slots_.assign(n_slots, Slot{});
        nodes_.assign(1, Node{});
        std::vector<Entry> entries;
        std::vector<std::uint32_t> of_group;
        for (std::size_t g = first; g < last; ++g) {
            of_group.clear();
            for (std::int64_t t = group_offsets[g]; t < group_offsets[g + 1]; ++t)
                add_text(refs.begin(t), refs.length(t), t + 1, g - first + 1, of_group);
            for (const std::uint32_t node : of_group)
                entries.push_back({node, {static_cast<std::uint32_t>(g - first), nodes_[node].count}});
        }
        list_by_node(entries);
    }

    // Buffers of a walk.
    struct Walker {
        std::vector<std::uint32_t> seen;           // occurrences in the current hypothesis, by node
        std::vector<std::uint32_t> nodes, depths;  // the distinct n-grams of the hypothesis that some group has
        std::vector<std::int64_t> matches;         // (order, max_groups)
    };

    // Leaves the matches of one hypothesis with every group in walker.matches.
    void match(const std::int32_t* ids, std::int64_t length, Counting counting, Walker& walker) const {
        walk(ids, length, walker);
        walker.matches.assign(static_cast<std::size_t>(order_) * max_groups, 0);
        for (std::size_t k = 0; k < walker.nodes.size(); ++k) {
            const std::uint32_t node = walker.nodes[k], count = walker.seen[node];
            walker.seen[node] = 0;
            std::int64_t* const row = &walker.matches[walker.depths[k] * max_groups];
            const Posting *p = &postings_[starts_[node]], *const end = p + (starts_[node + 1] - starts_[node]);
            if (counting == clipped)
                for (; p < end; ++p) row[p->group] += std::min(count, p->count);
            else if (counting == hypothesis)
                for (; p < end; ++p) row[p->group] += count;
            else
                for (; p < end; ++p) row[p->group] += p->count;
        }
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t node = 0;  // 0 is the root, which is never a child: the slot is free
    };
    // While groups are added: the count in the latest group and in the latest text.
    struct Node {
        std::size_t group = 0;
        std::int64_t text = 0;
        std::uint32_t count = 0, in_text = 0;
    };
    struct Posting {
        std::uint32_t group, count;
    };
    struct Entry {
        std::uint32_t node;
        Posting posting;
    };

    // The slot of a child, or the free slot where it belongs.
    std::size_t find(std::uint64_t key) const {
        std::size_t s = static_cast<std::size_t>(((key ^ (key >> 29)) * 0x9E3779B97F4A7C15ull) >> 32) & (slots_.size() - 1);
        while (slots_[s].node != 0 && slots_[s].key != key) s = (s + 1) & (slots_.size() - 1);
        return s;
    }
    static std::uint64_t key_of(std::uint32_t node, std::int32_t token) {
        return (static_cast<std::uint64_t>(node) << 32) | static_cast<std::uint32_t>(token);
    }

    void add_text(const std::int32_t* ids, std::int64_t length, std::int64_t text, std::size_t group,
                  std::vector<std::uint32_t>& of_group) {
        for (std::int64_t start = 0; start < length; ++start) {
            std::uint32_t node = 0;
            for (std::int64_t i = start; i < std::min<std::int64_t>(length, start + order_); ++i) {
                const std::uint64_t key = key_of(node, ids[i]);
                Slot& slot = slots_[find(key)];
                if (slot.node == 0) {
                    slot = Slot{key, static_cast<std::uint32_t>(nodes_.size())};
                    nodes_.push_back(Node{});
                }
                node = slot.node;
                Node& here = nodes_[node];
                if (here.group != group) {
                    here.group = group;
                    here.count = 0;
                    of_group.push_back(node);
                }
                if (here.text != text) {
                    here.text = text;
                    here.in_text = 0;
                }
                here.count = std::max(here.count, ++here.in_text);
            }
        }
    }

    void list_by_node(const std::vector<Entry>& entries) {
        starts_.assign(nodes_.size() + 1, 0);
        for (const Entry& entry : entries) ++starts_[entry.node + 1];
        for (std::size_t n = 0; n < nodes_.size(); ++n) starts_[n + 1] += starts_[n];
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        postings_.resize(entries.size() + 1);  // one more, so that every start is an element
        for (const Entry& entry : entries) postings_[next[entry.node]++] = entry.posting;
    }

    void walk(const std::int32_t* ids, std::int64_t length, Walker& walker) const {
        walker.seen.resize(nodes_.size(), 0);
        walker.nodes.clear();
        walker.depths.clear();
        for (std::int64_t start = 0; start < length; ++start) {
            std::uint32_t node = 0;
            for (std::int64_t i = start; i < std::min<std::int64_t>(length, start + order_); ++i) {
                node = slots_[find(key_of(node, ids[i]))].node;
                if (node == 0) break;
                if (walker.seen[node]++ == 0) {
                    walker.nodes.push_back(node);
                    walker.depths.push_back(static_cast<std::uint32_t>(i - start));
                }
            }
        }
    }

    int order_;
    std::vector<Slot> slots_;
    std::vector<Node> nodes_;
    std::vector<std::size_t> starts_;
    std::vector<Posting> postings_;
};

}  // namespace mtassay
