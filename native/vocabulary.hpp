// Words and their ids. Ids count up from 0 in the order in which words first appear.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mtassay {

// Gives equal byte strings equal ids. An open-addressed table over bytes kept in one block; no id is ever taken back.
class Interner {
public:
    Interner() : slots_(1024), starts_{0} {}

    std::size_t size() const { return starts_.size() - 1; }

    std::string_view operator[](std::size_t id) const {
        return {bytes_.data() + starts_[id], static_cast<std::size_t>(starts_[id + 1] - starts_[id])};
    }

    // The id of `word`, or -1.
    std::int32_t find(std::string_view word) const { return slots_[locate(word, hash(word))].id; }

    std::int32_t add(std::string_view word) {
        const std::uint32_t tag = hash(word);
        std::size_t slot = locate(word, tag);
        if (slots_[slot].id >= 0) return slots_[slot].id;
        if (size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::overflow_error("more different words than 32-bit ids can count");
        if (2 * (size() + 1) > slots_.size()) {
            grow();
            slot = locate(word, tag);
        }
        const auto id = static_cast<std::int32_t>(size());
        bytes_.resize(starts_.back());  // drops what an earlier call left when it ran out of memory
        bytes_.insert(bytes_.end(), word.begin(), word.end());
        starts_.push_back(bytes_.size());
        slots_[slot] = {tag, id};
        return id;
    }

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::int32_t id = -1;
    };

    static std::uint64_t load(const char* p) {
        std::uint64_t value;
        std::memcpy(&value, p, 8);
        return value;
    }

    static std::uint64_t load_short(const char* p, std::size_t n) {
        if (n >= 4) {
            std::uint32_t head, tail;
            std::memcpy(&head, p, 4);
            std::memcpy(&tail, p + n - 4, 4);
            return (static_cast<std::uint64_t>(tail) << 32) | head;
        }
        if (n == 0) return 0;
        const auto* u = reinterpret_cast<const unsigned char*>(p);
        return u[0] | (static_cast<std::uint64_t>(u[n / 2]) << 8) | (static_cast<std::uint64_t>(u[n - 1]) << 16);
    }

    static std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
        h = (h ^ value) * 0x9E3779B97F4A7C15ull;
        return h ^ (h >> 32);
    }

    static std::uint32_t hash(std::string_view word) {
        const char* p = word.data();
        std::size_t n = word.size();
        std::uint64_t h = 0xD6E8FEB86659FD93ull * (n + 1);
        if (n <= 8) {
            h = mix(h, load_short(p, n));
        } else {
            for (; n > 8; p += 8, n -= 8) h = mix(h, load(p));
            h = mix(h, load(p + n - 8));
        }
        return static_cast<std::uint32_t>((h * 0xD6E8FEB86659FD93ull) >> 32);
    }

    // The slot that holds `word`, or the free slot where it belongs.
    std::size_t locate(std::string_view word, std::uint32_t tag) const {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = tag & mask;; slot = (slot + 1) & mask) {
            const Slot& here = slots_[slot];
            if (here.id < 0 || (here.tag == tag && (*this)[static_cast<std::size_t>(here.id)] == word)) return slot;
        }
    }

    void grow() {
        std::vector<Slot> larger(4 * slots_.size());
        const std::size_t mask = larger.size() - 1;
        for (const Slot& old : slots_) {
            if (old.id < 0) continue;
            std::size_t slot = old.tag & mask;
            while (larger[slot].id >= 0) slot = (slot + 1) & mask;
            larger[slot] = old;
        }
        slots_.swap(larger);
    }

    std::vector<Slot> slots_;             // a power of two of them, at least half free
    std::vector<std::uint64_t> starts_;   // word i is bytes_[starts_[i]] .. bytes_[starts_[i + 1] - 1]
    std::vector<char> bytes_;
};

// The token ids of whole words that a tokenizer had to work on, so that it works on each different word once.
class WordMemo {
public:
    // Forgets everything if the words came from another tokenizer, or if the last caller was stopped half-way.
    void open(const std::string& tokenizer) {
        if (tokenizer == tokenizer_ && words_.size() + 1 == starts_.size()) return;
        *this = WordMemo();
        tokenizer_ = tokenizer;
    }

    bool append(std::string_view word, std::vector<std::int32_t>& ids) const {
        const std::int32_t known = words_.find(word);
        if (known < 0) return false;
        const auto i = static_cast<std::size_t>(known);
        for (std::uint64_t k = starts_[i]; k < starts_[i + 1]; ++k) ids.push_back(ids_[k]);
        return true;
    }

    void remember(std::string_view word, const std::int32_t* first, const std::int32_t* last) {
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

// What Python sees as Vocabulary. The lock lets threads share one; whoever holds it never waits for the GIL.
struct Vocabulary {
    Interner words;
    WordMemo memo;
    std::mutex lock;
};

}  // namespace mtassay
