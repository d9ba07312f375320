// Words and their ids. Ids count up from 0 in the order in which words first appear.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace mtassay {

// Eight bytes, the first one lowest, whatever the machine's order.
inline std::uint64_t load_eight(const char* p) {
    const auto* u = reinterpret_cast<const unsigned char*>(p);
    return static_cast<std::uint64_t>(u[0]) | static_cast<std::uint64_t>(u[1]) << 8 |
           static_cast<std::uint64_t>(u[2]) << 16 | static_cast<std::uint64_t>(u[3]) << 24 |
           static_cast<std::uint64_t>(u[4]) << 32 | static_cast<std::uint64_t>(u[5]) << 40 |
           static_cast<std::uint64_t>(u[6]) << 48 | static_cast<std::uint64_t>(u[7]) << 56;
}

// A byte string and its key. For up to seven bytes the key is the length and the bytes themselves, so that equal keys mean
// equal words; for longer words it is a hash, with a length that no short word has.
struct Word {
    std::string_view text;
    std::uint64_t key;

    static Word of(std::string_view text) { return {text, key_of(text)}; }

    static std::uint64_t key_of(std::string_view text) {
        if (text.size() > 7) return hash(text) | long_mark;
        std::uint64_t head = 0;
        for (std::size_t i = text.size(); i-- > 0;) head = head << 8 | static_cast<unsigned char>(text[i]);
        return brief_key(text.size(), head);
    }
    // The key of at most seven bytes, which are in `head`, the first one lowest.
    static std::uint64_t brief_key(std::size_t size, std::uint64_t head) {
        return head | static_cast<std::uint64_t>(size) << 56;
    }

    bool is_brief() const { return (key & long_mark) != long_mark; }

private:
    static constexpr std::uint64_t long_mark = 0xFFull << 56;

    static std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
        h = (h ^ value) * 0x9E3779B97F4A7C15ull;
        return h ^ (h >> 32);
    }

    static std::uint64_t hash(std::string_view text) {
        std::uint64_t h = text.size();
        std::size_t i = 0;
        for (; i + 8 < text.size(); i += 8) h = mix(h, load_eight(text.data() + i));
        return mix(h, load_eight(text.data() + text.size() - 8));
    }
};

// Gives equal words equal ids: an open-addressed table over bytes kept in one block. Ids are never removed.
class Interner {
public:
    Interner() : slots_(std::size_t{1} << n_bits_), starts_{0} {}

    std::size_t size() const { return starts_.size() - 1; }

    std::string_view operator[](std::size_t id) const {
        return {bytes_.data() + starts_[id], static_cast<std::size_t>(starts_[id + 1] - starts_[id])};
    }

    // Prefetches the slot of `word`, which will be looked up soon.
    void prefetch([[maybe_unused]] const Word& word) const {
#ifdef __GNUC__
        __builtin_prefetch(&slots_[home(word.key)]);
#endif
    }

    // The id of `word`, or -1.
    std::int32_t find(const Word& word) const { return slots_[locate(word)].id; }

    std::int32_t add(const Word& word) {
        const std::size_t slot = locate(word);
        return slots_[slot].id >= 0 ? slots_[slot].id : add_at(slot, word);
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t id = -1;
    };

    std::size_t home(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> (64 - n_bits_));
    }

    // The slot that holds `word`, or the free slot where it belongs.
    std::size_t locate(const Word& word) const {
        std::size_t slot = home(word.key);
        while (slots_[slot].id >= 0 && !holds(slots_[slot], word)) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    bool holds(const Slot& slot, const Word& word) const {
        return slot.key == word.key &&
               (word.is_brief() || (*this)[static_cast<std::size_t>(slot.id)] == word.text);
    }

    std::int32_t add_at(std::size_t slot, const Word& word) {
        if (size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::overflow_error("more different words than 32-bit ids can count");
        if (2 * (size() + 1) > slots_.size()) {
            grow();
            slot = locate(word);
        }
        const auto id = static_cast<std::int32_t>(size());
        bytes_.resize(starts_.back());  // drops what an earlier call left when it ran out of memory
        bytes_.insert(bytes_.end(), word.text.begin(), word.text.end());
        starts_.push_back(bytes_.size());
        slots_[slot] = {word.key, id};
        return id;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        ++n_bits_;
        for (const Slot& moved : old) {
            if (moved.id < 0) continue;
            std::size_t slot = home(moved.key);
            while (slots_[slot].id >= 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = moved;
        }
    }

    unsigned n_bits_ = 12;
    std::vector<Slot> slots_;            // 2^n_bits_ of them, at least half free
    std::vector<std::uint64_t> starts_;  // word i is bytes_[starts_[i]] .. bytes_[starts_[i + 1] - 1]
    std::vector<char> bytes_;
};

// The token ids of whole words that went through a tokenizer's rule, so that the rule is applied once per distinct word.
class WordMemo {
public:
    // Forgets everything if the words are from another tokenizer, or if the last caller was interrupted.
    void open(const std::string& tokenizer) {
        if (tokenizer == tokenizer_ && words_.size() + 1 == starts_.size()) return;
        *this = WordMemo();
        tokenizer_ = tokenizer;
    }

    void prefetch(const Word& word) const { words_.prefetch(word); }

    bool append(const Word& word, std::vector<std::int32_t>& ids) const {
        const std::int32_t known = words_.find(word);
        if (known < 0) return false;
        const auto i = static_cast<std::size_t>(known);
        for (std::uint64_t k = starts_[i]; k < starts_[i + 1]; ++k) ids.push_back(ids_[k]);
        return true;
    }

    void remember(const Word& word, const std::int32_t* first, const std::int32_t* last) {
        words_.add(word);
        ids_.insert(ids_.end(), first, last);
        starts_.push_back(ids_.size());
    }

private:
    std::string tokenizer_;
    Interner words_;
    std::vector<std::uint64_t> starts_{0};
    std::vector<std::int32_t> ids_;
};

// A lock that is held for a microsecond or two: a thread that finds it taken tries again before it sleeps, which takes
// longer.
class BriefLock {
public:
    void lock() {
        for (int n_tries = 0; n_tries < 100; ++n_tries) {
            if (mutex_.try_lock()) return;
            std::this_thread::yield();
        }
        mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

// Python's Vocabulary. The lock lets threads share one; a thread that holds it never waits for the GIL.
struct Vocabulary {
    Interner words;
    WordMemo memo;
    BriefLock lock;
};

}  // namespace mtassay
