// Facts about words and phrases for METEOR's stages, in arrays made by Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"

namespace mtassay::meteor {

// A slice of an array, for loops.
struct Numbers {
    const std::int32_t *first, *last;
    const std::int32_t* begin() const { return first; }
    const std::int32_t* end() const { return last; }
};

// Numbers of many owners laid end to end.
class Lists {
public:
    Lists(In<std::int64_t> offsets, In<std::int32_t> values) : offsets_(offsets), values_(values) {
        const std::size_t n = offsets_.shape(0);
        if (n == 0 || offsets_.data()[0] != 0 || offsets_.data()[n - 1] != static_cast<std::int64_t>(values_.shape(0)))
            throw std::invalid_argument("offsets do not span the values");
    }
    std::size_t size() const { return offsets_.shape(0) - 1; }
    // Where the range of an owner is written.
    const std::int64_t* range(std::int32_t owner) const { return offsets_.data() + owner; }
    Numbers operator[](std::int32_t owner) const {
        const std::int64_t* offset = range(owner);
        return {values_.data() + offset[0], values_.data() + offset[1]};
    }
    bool ascending() const {
        for (std::size_t i = 0; i < size(); ++i)
            if (offsets_.data()[i] > offsets_.data()[i + 1]) return false;
        return true;
    }

private:
    In<std::int64_t> offsets_;
    In<std::int32_t> values_;
};

struct WordFacts {
    In<std::int32_t> sizes;
    In<std::uint8_t> function;
    In<std::int32_t> stems;
    Lists synsets;
    In<std::int32_t> phrase_words;

    explicit WordFacts(const nb::tuple& facts)
        : sizes(nb::cast<In<std::int32_t>>(facts[0])),
          function(nb::cast<In<std::uint8_t>>(facts[1])),
          stems(nb::cast<In<std::int32_t>>(facts[2])),
          synsets(nb::cast<In<std::int64_t>>(facts[3]), nb::cast<In<std::int32_t>>(facts[4])),
          phrase_words(nb::cast<In<std::int32_t>>(facts[5])) {
        const std::size_t n = sizes.shape(0);
        if (function.shape(0) != n || stems.shape(0) != n || synsets.size() != n || phrase_words.shape(0) != n)
            throw std::invalid_argument("facts of words differ in length");
        if (!synsets.ascending()) throw std::invalid_argument("offsets must not decrease");
    }
    void check(Words text) const {
        for (int i = 0; i < text.n; ++i)
            if (text.ids[i] < 0 || static_cast<std::size_t>(text.ids[i]) >= sizes.shape(0))
                throw std::invalid_argument("a word has no facts");
    }
};

// The paraphrase table. It has millions of entries, which are not checked one by one: a number out of range counts as
// absent.
class PhraseTable {
public:
    explicit PhraseTable(const nb::tuple& table)
        : keys_(nb::cast<In<std::int64_t>>(table[0])),
          values_(nb::cast<In<std::int32_t>>(table[1])),
          shift_(nb::cast<int>(table[2])),
          phrase_of_node_(nb::cast<In<std::int32_t>>(table[3])),
          pairs_(nb::cast<In<std::int64_t>>(table[4]), nb::cast<In<std::int32_t>>(table[5])) {
        if (values_.shape(0) != keys_.shape(0) || shift_ < 1 || shift_ > 63)
            throw std::invalid_argument("the table of phrases is damaged");
    }
    bool empty() const { return pairs_.size() == 0; }

    // The node that a word leads to, or -1.
    std::int32_t child(std::int32_t node, std::int32_t word) const {
        const std::int64_t key = key_of(node, word);
        for (std::size_t slot = slot_of(key); slot < keys_.shape(0) && keys_.data()[slot] != -1; ++slot)
            if (keys_.data()[slot] == key) return values_.data()[slot];
        return -1;
    }
    // The phrase that ends in a node, or -1.
    std::int32_t phrase(std::int32_t node) const {
        if (node < 0 || static_cast<std::size_t>(node) >= phrase_of_node_.shape(0)) return -1;
        const std::int32_t phrase = phrase_of_node_.data()[node];
        return phrase >= 0 && static_cast<std::size_t>(phrase) < pairs_.size() ? phrase : -1;
    }
    Numbers paraphrases(std::int32_t phrase) const { return pairs_[phrase]; }

    // The table is far larger than any cache, so entries that will be needed are prefetched during other work.
    void fetch_child(std::int32_t node, std::int32_t word) const { fetch(keys_.data() + slot_of(key_of(node, word))); }
    void fetch_phrase(std::int32_t node) const { fetch(phrase_of_node_.data() + node); }
    void fetch_range(std::int32_t phrase) const { fetch(pairs_.range(phrase)); }
    void fetch_paraphrases(std::int32_t phrase) const { fetch(pairs_[phrase].begin()); }

private:
    static std::int64_t key_of(std::int32_t node, std::int32_t word) {
        return static_cast<std::int64_t>(node) << 32 | word;
    }
    std::size_t slot_of(std::int64_t key) const {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull >> shift_);
    }
    static void fetch(const void* address) {
#ifdef __GNUC__
        __builtin_prefetch(address);
#else
        (void)address;
#endif
    }

    In<std::int64_t> keys_;
    In<std::int32_t> values_;
    int shift_;
    In<std::int32_t> phrase_of_node_;
    Lists pairs_;
};

// A map from numbers to lists of values; emptying it is fast, so that every pair of texts can have its own.
class Multimap {
public:
    struct Entry {
        std::int32_t value, next;
    };
    std::vector<Entry> entries;

    // Empties the map; at most `n` distinct keys may follow.
    void reset(std::size_t n) {
        std::size_t size = 64;
        while (size < 2 * n) size *= 2;
        if (slots_.size() < size) slots_.assign(size, Slot{0, 0, -1});
        if (++stamp_ == 0) {
            slots_.assign(slots_.size(), Slot{0, 0, -1});
            stamp_ = 1;
        }
        entries.clear();
    }
    // Inserts a value before the other values of the key.
    void insert(std::int32_t key, std::int32_t value) {
        Slot& slot = slots_[find(key)];
        if (slot.stamp != stamp_) slot = Slot{key, stamp_, -1};
        entries.push_back({value, slot.head});
        slot.head = static_cast<std::int32_t>(entries.size()) - 1;
    }
    // The first entry of a key, or -1; follow `next`.
    std::int32_t head(std::int32_t key) const {
        const Slot& slot = slots_[find(key)];
        return slot.stamp == stamp_ ? slot.head : -1;
    }

private:
    struct Slot {
        std::int32_t key;
        std::uint32_t stamp;
        std::int32_t head;
    };
    std::size_t find(std::int32_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = (static_cast<std::uint32_t>(key) * 0x9E3779B1u >> 7) & mask;
        while (slots_[slot].stamp == stamp_ && slots_[slot].key != key) slot = (slot + 1) & mask;
        return slot;
    }
    std::vector<Slot> slots_;
    std::uint32_t stamp_ = 0;
};

}  // namespace mtassay::meteor
