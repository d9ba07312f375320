// Matching n-grams; the specification is mtassay/kernels/ngrams.py.
//
// The n-grams of a group of references form a trie: a node is an n-gram, its children are the n-grams one token longer.
// All edges of the trie live in one small hash table keyed by (node, token), so a lookup is exact whatever the ids are, and
// a walk from a hypothesis position stops at the first n-gram that the references lack. Pairs are visited group by group:
// each trie is built once per call, in memory that stays in the cache, and thrown away.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"

namespace mtassay {
namespace {

enum Counting { clipped = 0, hypothesis = 1, reference = 2 };

class Trie {
public:
    explicit Trie(int order) : order_(order) {}

    // Empties the trie and makes room for `n_nodes` n-grams.
    void reset(std::size_t n_nodes) {
        std::size_t n_slots = 64;
        while (n_slots < 2 * n_nodes) n_slots *= 2;
        if (n_slots > slots_.size()) {
            slots_.assign(n_slots, Slot{});
            generation_ = 0;
        }
        mask_ = n_slots - 1;
        // Slots carry the generation that wrote them, so emptying costs nothing until the counter wraps.
        if (++generation_ == 0) {
            std::fill(slots_.begin(), slots_.end(), Slot{});
            generation_ = 1;
        }
        nodes_.clear();
        nodes_.push_back(Node{});
        text_ = 0;
    }

    // Adds the n-grams of one reference text; a node keeps the largest count over texts.
    void add(const std::int32_t* ids, std::int64_t length) {
        ++text_;
        for (std::int64_t start = 0; start < length; ++start) {
            const std::int64_t end = std::min<std::int64_t>(length, start + order_);
            std::uint32_t node = 0;
            for (std::int64_t i = start; i < end; ++i) {
                node = child_or_new(node, ids[i]);
                Node& here = nodes_[node];
                if (here.text != text_) {
                    here.text = text_;
                    here.in_text = 0;
                }
                here.count = std::max(here.count, ++here.in_text);
            }
        }
        touched_.assign(nodes_.size(), Touch{});
        visit_ = 0;
    }

    // Adds the matches of one hypothesis to `matches` (order_ numbers).
    void match(const std::int32_t* ids, std::int64_t length, Counting counting, std::int64_t* matches) {
        if (++visit_ == 0) {
            std::fill(touched_.begin(), touched_.end(), Touch{});
            visit_ = 1;
        }
        for (std::int64_t start = 0; start < length; ++start) {
            const std::int64_t end = std::min<std::int64_t>(length, start + order_);
            std::uint32_t node = 0;
            for (std::int64_t i = start; i < end; ++i) {
                node = child(node, ids[i]);
                if (node == 0) break;
                matches[i - start] += matched(node, counting);
            }
        }
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t node = 0;
        std::uint32_t generation = 0;
    };
    struct Node {
        std::uint32_t count = 0;
        std::uint32_t in_text = 0;
        std::uint32_t text = 0;
    };
    // How often the hypothesis at hand has shown a node.
    struct Touch {
        std::uint32_t visit = 0;
        std::uint32_t seen = 0;
    };

    static std::uint64_t key_of(std::uint32_t node, std::int32_t token) {
        return (static_cast<std::uint64_t>(node) << 32) | static_cast<std::uint32_t>(token);
    }
    std::size_t slot_of(std::uint64_t key) const {
        std::uint64_t mixed = (key ^ (key >> 29)) * 0x9E3779B97F4A7C15ull;
        return static_cast<std::size_t>(mixed >> 32) & mask_;
    }
    std::uint32_t child(std::uint32_t node, std::int32_t token) const {
        const std::uint64_t key = key_of(node, token);
        for (std::size_t s = slot_of(key);; s = (s + 1) & mask_) {
            const Slot& slot = slots_[s];
            if (slot.generation != generation_) return 0;
            if (slot.key == key) return slot.node;
        }
    }
    std::uint32_t child_or_new(std::uint32_t node, std::int32_t token) {
        const std::uint64_t key = key_of(node, token);
        for (std::size_t s = slot_of(key);; s = (s + 1) & mask_) {
            Slot& slot = slots_[s];
            if (slot.generation != generation_) {
                slot = Slot{key, static_cast<std::uint32_t>(nodes_.size()), generation_};
                nodes_.push_back(Node{});
                return slot.node;
            }
            if (slot.key == key) return slot.node;
        }
    }
    std::int64_t matched(std::uint32_t node, Counting counting) {
        if (counting == hypothesis) return 1;
        Touch& touch = touched_[node];
        if (touch.visit != visit_) touch = Touch{visit_, 0};
        ++touch.seen;
        if (counting == reference) return touch.seen == 1 ? nodes_[node].count : 0;
        return touch.seen <= nodes_[node].count ? 1 : 0;
    }

    int order_;
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint32_t generation_ = 0;
    std::vector<Node> nodes_;
    std::uint32_t text_ = 0;
    std::vector<Touch> touched_;
    std::uint32_t visit_ = 0;
};

struct Groups {
    const std::int64_t* offsets;
    std::size_t n_groups;
};

// Pair numbers ordered by group: pairs of group g are order[starts[g]] .. order[starts[g + 1] - 1].
struct ByGroup {
    std::vector<std::size_t> starts;
    std::vector<std::size_t> order;

    ByGroup(const std::int64_t* group_index, std::size_t n_pairs, std::size_t n_groups)
        : starts(n_groups + 1, 0), order(n_pairs) {
        for (std::size_t p = 0; p < n_pairs; ++p) ++starts[static_cast<std::size_t>(group_index[p]) + 1];
        for (std::size_t g = 0; g < n_groups; ++g) starts[g + 1] += starts[g];
        std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
        for (std::size_t p = 0; p < n_pairs; ++p) order[next[static_cast<std::size_t>(group_index[p])]++] = p;
    }
};

std::size_t count_ngrams(std::int64_t length, int order) {
    std::size_t n = 0;
    for (int k = 1; k <= order && k <= length; ++k) n += static_cast<std::size_t>(length - k + 1);
    return n;
}

Out2<std::int64_t> ngram_matches(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                                 In<std::int64_t> ref_offsets, In<std::int64_t> group_offsets,
                                 In<std::int64_t> hyp_index, In<std::int64_t> group_index, int order, int counting,
                                 int threads) {
    const TokenView hyps(hyp_ids, hyp_offsets), refs(ref_ids, ref_offsets);
    if (group_offsets.shape(0) == 0) throw std::invalid_argument("group_offsets must hold at least one number");
    const Groups groups{group_offsets.data(), group_offsets.shape(0) - 1};
    for (std::size_t g = 0; g < groups.n_groups; ++g)
        if (groups.offsets[g] < 0 || groups.offsets[g] > groups.offsets[g + 1] ||
            groups.offsets[g + 1] > static_cast<std::int64_t>(refs.n_texts))
            throw std::invalid_argument("group_offsets do not fit the references");
    if (hyp_index.shape(0) != group_index.shape(0)) throw std::invalid_argument("indices differ in length");
    check_index(hyp_index, hyps.n_texts);
    check_index(group_index, groups.n_groups);
    if (order < 1) throw std::invalid_argument("order must be at least 1");
    if (counting < clipped || counting > reference) throw std::invalid_argument("no such way of counting");

    const std::size_t n_pairs = hyp_index.shape(0);
    std::vector<std::int64_t> matches(n_pairs * static_cast<std::size_t>(order), 0);
    {
        nb::gil_scoped_release unlocked;
        const ByGroup by_group(group_index.data(), n_pairs, groups.n_groups);
        parallel_for(groups.n_groups, threads, [&] {
            return [&, trie = Trie(order)](std::size_t g) mutable {
                if (by_group.starts[g] == by_group.starts[g + 1]) return;
                std::size_t n_nodes = 1;
                for (std::int64_t t = groups.offsets[g]; t < groups.offsets[g + 1]; ++t)
                    n_nodes += count_ngrams(refs.length(t), order);
                trie.reset(n_nodes);
                for (std::int64_t t = groups.offsets[g]; t < groups.offsets[g + 1]; ++t)
                    trie.add(refs.begin(t), refs.length(t));
                for (std::size_t k = by_group.starts[g]; k < by_group.starts[g + 1]; ++k) {
                    const std::size_t pair = by_group.order[k];
                    const std::int64_t hyp = hyp_index.data()[pair];
                    trie.match(hyps.begin(hyp), hyps.length(hyp), static_cast<Counting>(counting),
                               &matches[pair * static_cast<std::size_t>(order)]);
                }
            };
        });
    }
    return to_numpy(std::move(matches), static_cast<std::size_t>(order));
}

}  // namespace
}  // namespace mtassay

void bind_ngrams(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ngram_matches", &mtassay::ngram_matches, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a,
          "group_offsets"_a, "hyp_index"_a, "group_index"_a, "order"_a, "counting"_a, "threads"_a);
}
