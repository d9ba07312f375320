// The n-grams of one group of references, for one hypothesis after another.
//
// The n-grams of a group of references form a trie: a node is an n-gram, its children are the n-grams one token longer.
// Tokens of the references are renumbered 1, 2, 3 ... (the alphabet of the group), unigrams are the nodes 1, 2, 3 ..., and
// all longer n-grams are in one hash table keyed by (node, token), whose slots are the nodes. A lookup is exact whatever
// the ids are, and a position of the hypothesis is abandoned at the first n-gram that the references lack. Work goes level
// by level, so that the lookups of one level do not wait for each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace mtassay {

// See mtassay/kernels/ngrams.py.
enum Counting { clipped = 0, hypothesis = 1, reference = 2 };

inline std::size_t count_ngrams(std::int64_t length, int order) {
    std::size_t n = 0;
    for (int k = 1; k <= order && k <= length; ++k) n += static_cast<std::size_t>(length - k + 1);
    return n;
}

// Renumbers the tokens of a group: 1, 2, 3 ... in order of appearance; 0 is any other token.
class Alphabet {
public:
    void reset(std::size_t n_tokens) {
        std::size_t n_slots = 16;
        while (n_slots < 2 * n_tokens) n_slots *= 2;
        slots_.assign(n_slots, Slot{0, 0});
        shift_ = 64;
        for (std::size_t n = n_slots; n > 1; n /= 2) --shift_;
        size_ = 0;
    }
    std::uint32_t add(std::int32_t token) {
        Slot& slot = find(token);
        if (slot.number == 0) slot = Slot{token, ++size_};
        return slot.number;
    }
    std::uint32_t operator[](std::int32_t token) { return find(token).number; }
    std::uint32_t size() const { return size_; }

private:
    struct Slot {
        std::int32_t token;
        std::uint32_t number;
    };
    Slot& find(std::int32_t token) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t s = static_cast<std::size_t>((static_cast<std::uint32_t>(token) * 0x9E3779B97F4A7C15ull) >> shift_);
        while ((slots_[s].number != 0) & (slots_[s].token != token)) s = (s + 1) & mask;
        return slots_[s];
    }
    std::vector<Slot> slots_;
    int shift_ = 64;
    std::uint32_t size_ = 0;
};

// Key is std::uint32_t if nodes and alphabet are small enough to share 32 bits, else std::uint64_t.
template <typename Key>
class Trie {
public:
    static constexpr int token_bits = sizeof(Key) == 4 ? 11 : 32;
    static bool fits(std::size_t n_tokens, std::size_t n_ngrams) {
        return sizeof(Key) == 8 || (n_tokens < (1u << token_bits) && n_tokens + n_slots(n_ngrams) < (1u << 21));
    }

    explicit Trie(int order) : order_(order) {}

    // Empties the trie and makes room for texts of `n_tokens` tokens and `n_ngrams` n-grams altogether.
    void reset(std::size_t n_tokens, std::size_t n_ngrams) {
        alphabet_.reset(n_tokens);
        first_slot_ = n_tokens + 1;
        keys_.assign(n_slots(n_ngrams), 0);
        shift_ = 64;
        for (std::size_t n = keys_.size(); n > 1; n /= 2) --shift_;
        left_.assign(first_slot_ + keys_.size(), 0);
        n_texts_ = 0;
    }

    // Adds the n-grams of one reference text; a node keeps the largest count over texts.
    void add(const std::int32_t* ids, std::int64_t length) {
        add(ids, length, [](std::uint32_t, std::uint32_t, std::uint32_t) {});
    }
    // The same for n-grams with weights: (length, order_) numbers, by first token and length minus 1.
    void add(const std::int32_t* ids, std::int64_t length, const double* weights) {
        weights_.resize(left_.size());
        const auto order = static_cast<std::size_t>(order_);
        add(ids, length, [&](std::uint32_t node, std::uint32_t start, std::uint32_t depth) {
            weights_[node] = weights[start * order + depth];
        });
    }

    // Adds the matches of one hypothesis to `matches` (order_ numbers).
    void match(const std::int32_t* ids, std::int64_t length, Counting counting, std::int64_t* matches) {
        switch (counting) {
            case clipped: return match<clipped>(ids, static_cast<std::uint32_t>(length), matches);
            case hypothesis: return match<hypothesis>(ids, static_cast<std::uint32_t>(length), matches);
            case reference: return match<reference>(ids, static_cast<std::uint32_t>(length), matches);
        }
    }
    // Adds the clipped matches of one reference and one hypothesis to `matches` (order_ numbers), in an empty trie, which is
    // useless afterwards. N-grams of the reference are added only if the hypothesis has all but their last token.
    void match_alone(const std::int32_t* ref, std::int64_t ref_length, const std::int32_t* hyp, std::int64_t hyp_length,
                     std::int64_t* matches) {
        refs_.start(ref, ref_length, [&](std::int32_t token) { return alphabet_.add(token); });
        hyps_.start(hyp, hyp_length, [&](std::int32_t token) { return alphabet_[token]; });
        std::int32_t* const left = left_.data();
        for (std::uint32_t a = 0; a < refs_.n_alive; ++a) ++left[refs_.nodes[a]];
        matches[0] += hyps_.take(left, [](std::uint32_t& node, std::uint32_t) { return node != 0; });
        Key* const keys = keys_.data();
        const std::size_t mask = keys_.size() - 1;
        const int shift = shift_;
        const auto first_slot = static_cast<std::uint32_t>(first_slot_);
        for (std::uint32_t depth = 1; depth < static_cast<std::uint32_t>(order_); ++depth) {
            hyps_.drop_last(depth);
            refs_.drop_last(depth);
            if (!hyps_.n_alive) return;
            refs_.keep_met(left);
            for (std::uint32_t a = 0; a < refs_.n_alive; ++a) {
                const Key key = key_of(refs_.nodes[a], refs_.tokens[refs_.at[a] + depth]);
                const std::size_t slot = find(keys, mask, shift, key);
                keys[slot] = key;
                refs_.nodes[a] = static_cast<std::uint32_t>(first_slot + slot);
                ++left[first_slot + slot];
            }
            const std::uint32_t* const tokens = hyps_.tokens.data() + depth;
            matches[depth] += hyps_.take(left, [&](std::uint32_t& node, std::uint32_t start) {
                const Key key = key_of(node, tokens[start]);
                const std::size_t slot = find(keys, mask, shift, key);
                node = static_cast<std::uint32_t>(first_slot + slot);
                return keys[slot] == key;
            });
        }
    }
    // Adds the weights of the clipped matches of one hypothesis to `sums` (order_ numbers), from left to right.
    void match_weights(const std::int32_t* ids, std::int64_t length, double* sums) {
        match<clipped>(ids, static_cast<std::uint32_t>(length), sums);
    }

private:
    static std::size_t n_slots(std::size_t n_ngrams) {
        std::size_t n = 16;
        while (n < 2 * n_ngrams) n *= 2;
        return n;
    }
    static Key key_of(std::uint32_t node, std::uint32_t token) {
        return (static_cast<Key>(node) << token_bits) | token;
    }
    // The slot of a key, or the empty slot where it would go. No key is 0, since no node is. Both conditions are in one
    // branch: the first slot nearly always ends the search, but by which condition is unpredictable.
    static std::size_t find(const Key* keys, std::size_t mask, int shift, Key key) {
        std::size_t s = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> shift);
        while ((keys[s] != key) & (keys[s] != 0)) s = (s + 1) & mask;
        return s;
    }
    void start_walk(std::size_t length) {
        if (length > tokens_.size()) {
            tokens_.resize(length);
            node_.resize(length + 1);
            at_.resize(length + 1);
            touched_.resize((length + 1) * static_cast<std::size_t>(order_) + 1);
        }
    }
    template <typename Each>
    void add(const std::int32_t* ids, std::int64_t length, Each each) {
        if (++n_texts_ == 1) return count(ids, static_cast<std::uint32_t>(length), left_.data(), each);
        in_text_.assign(left_.size(), 0);
        count(ids, static_cast<std::uint32_t>(length), in_text_.data(), each);
        for (std::size_t node = 0; node < left_.size(); ++node) left_[node] = std::max(left_[node], in_text_[node]);
    }
    // Adds the n-grams of a text to `counts`, and new ones to the trie; calls each(node, start, length - 1).
    template <typename Each>
    void count(const std::int32_t* ids, std::uint32_t length, std::int32_t* counts, Each each) {
        start_walk(length);
        // Local pointers and numbers, here and below: the compiler may then keep them in registers.
        std::uint32_t *const tokens = tokens_.data(), *const nodes = node_.data();
        Key* const keys = keys_.data();
        const std::size_t mask = keys_.size() - 1;
        const int shift = shift_;
        const auto first_slot = static_cast<std::uint32_t>(first_slot_);
        for (std::uint32_t i = 0; i < length; ++i) {
            nodes[i] = tokens[i] = alphabet_.add(ids[i]);
            ++counts[nodes[i]];
            each(nodes[i], i, 0);
        }
        for (std::uint32_t depth = 1; depth < static_cast<std::uint32_t>(order_) && depth < length; ++depth)
            for (std::uint32_t i = 0; i + depth < length; ++i) {
                const Key key = key_of(nodes[i], tokens[i + depth]);
                const std::size_t slot = find(keys, mask, shift, key);
                keys[slot] = key;
                nodes[i] = static_cast<std::uint32_t>(first_slot + slot);
                ++counts[nodes[i]];
                each(nodes[i], i, depth);
            }
    }
    // Sum is std::int64_t if matches are counted, double if their weights are added.
    template <Counting counting, typename Sum>
    void match(const std::int32_t* ids, std::uint32_t length, Sum* matches) {
        start_walk(length);
        std::uint32_t *const tokens = tokens_.data(), *const nodes = node_.data(), *const at = at_.data();
        Walk<counting, Sum> walk{left_.data(), touched_.data(), weights_.data(), 0, 0};
        for (std::uint32_t i = 0; i < length; ++i) tokens[i] = alphabet_[ids[i]];
        std::uint32_t n_alive = 0;
        for (std::uint32_t i = 0; i < length; ++i) {
            at[n_alive] = i;
            nodes[n_alive] = tokens[i];
            const bool found = tokens[i] != 0;
            walk.visit(tokens[i], found);
            n_alive += found;
        }
        matches[0] += walk.take();
        const Key* const keys = keys_.data();
        const std::size_t mask = keys_.size() - 1;
        const int shift = shift_;
        const auto first_slot = static_cast<std::uint32_t>(first_slot_);
        for (std::uint32_t depth = 1; depth < static_cast<std::uint32_t>(order_); ++depth) {
            std::uint32_t n_next = 0;
            for (std::uint32_t a = 0; a < n_alive && at[a] + depth < length; ++a) {
                const std::uint32_t start = at[a];
                const Key key = key_of(nodes[a], tokens[start + depth]);
                const std::size_t slot = find(keys, mask, shift, key);
                const bool found = keys[slot] == key;
                const auto node = static_cast<std::uint32_t>(first_slot + slot);
                at[n_next] = start;
                nodes[n_next] = node;
                walk.visit(node, found);
                n_next += found;
            }
            n_alive = n_next;
            matches[depth] += walk.take();
        }
        walk.undo();
    }

    // Marks a count in `left_` as that of an n-gram that the hypothesis has.
    static constexpr std::int32_t met = 1 << 30;

    // Start positions of the n-grams of a text that are still followed, and their nodes.
    struct Walkers {
        std::vector<std::uint32_t> tokens, nodes, at;
        std::uint32_t n_alive = 0;

        template <typename Number>
        void start(const std::int32_t* ids, std::int64_t length, Number number) {
            n_alive = static_cast<std::uint32_t>(length);
            tokens.resize(n_alive);
            nodes.resize(n_alive);
            at.resize(n_alive);
            for (std::uint32_t i = 0; i < n_alive; ++i) {
                nodes[i] = tokens[i] = number(ids[i]);
                at[i] = i;
            }
        }
        // Leaves out the n-grams at the end of the text, which have no token at this distance from their first.
        void drop_last(std::uint32_t distance) {
            while (n_alive && at[n_alive - 1] + distance >= tokens.size()) --n_alive;
        }
        void keep_met(const std::int32_t* left) {
            std::uint32_t *const to = nodes.data(), *const places = at.data();
            std::uint32_t n_kept = 0;
            for (std::uint32_t a = 0; a < n_alive; ++a) {
                const std::uint32_t node = to[a];
                to[n_kept] = node;
                places[n_kept] = places[a];
                n_kept += (left[node] & met) != 0;
            }
            n_alive = n_kept;
        }
        // Keeps the n-grams for which find(node, start) is true; find may change the node. Each uses up one occurrence in
        // the references while there are any left; returns how many did.
        template <typename Find>
        std::int64_t take(std::int32_t* left, Find find) {
            std::uint32_t *const to = nodes.data(), *const places = at.data();
            std::uint32_t n_kept = 0;
            std::int64_t n_taken = 0;
            for (std::uint32_t a = 0; a < n_alive; ++a) {
                std::uint32_t node = to[a];
                const std::uint32_t start = places[a];
                const bool found = find(node, start);
                to[n_kept] = node;
                places[n_kept] = start;
                n_kept += found;
                const std::int32_t before = left[node];
                const bool taken = found & ((before & ~met) != 0);
                left[node] = (before - taken) | (found ? met : 0);
                n_taken += taken;
            }
            n_alive = n_kept;
            return n_taken;
        }
    };

    // Counts the n-grams that one hypothesis shares with the references. `visit` has no branch for the usual case, since
    // it would be unpredictable.
    template <Counting counting, typename Sum>
    struct Walk {
        std::int32_t* left;
        std::uint32_t* touched;
        const double* weights;
        std::size_t n_touched;
        Sum sum;

        void visit(std::uint32_t node, bool found) {
            if (counting == hypothesis) {
                sum += found;
                return;
            }
            touched[n_touched] = node;
            n_touched += found;
            const std::int32_t before = left[node];
            if (counting == reference) {
                left[node] = before > 0 ? -before : before;
                sum += found && before > 0 ? before : 0;
            } else {
                left[node] = before - found;
                const bool matched = found & (before > 0);
                if constexpr (std::is_same_v<Sum, double>)
                    sum += matched ? weights[node] : 0.0;
                else
                    sum += matched;
            }
        }
        Sum take() {
            const Sum taken = sum;
            sum = 0;
            return taken;
        }
        void undo() {
            for (std::size_t t = 0; t < n_touched; ++t)
                left[touched[t]] = counting == reference ? std::abs(left[touched[t]]) : left[touched[t]] + 1;
        }
    };

    int order_;
    Alphabet alphabet_;
    std::vector<Key> keys_;
    int shift_ = 64;
    std::size_t first_slot_ = 0;
    std::vector<std::int32_t> left_;     // count in the references, minus what the current hypothesis has used
    std::vector<std::int32_t> in_text_;  // count in the reference text that is being added
    std::vector<double> weights_;        // weights of the n-grams, if they have any
    std::vector<std::uint32_t> tokens_, node_, at_, touched_;
    Walkers refs_, hyps_;
    std::size_t n_texts_ = 0;
};

}  // namespace mtassay
