// The positions of every word of a text, sorted by word, with binary search; for segments this is as fast as hashing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace mtassay {

class SortedPositions {
public:
    // The positions of a word, ascending: at(begin) .. at(end - 1).
    struct Range {
        std::size_t begin, end;
        std::size_t size() const { return end - begin; }
    };

    void clear() { sorted_.clear(); }
    // Adds words at positions `first`, `first` + 1 ...; call `sort` before any lookup.
    void add(const std::int32_t* words, std::int64_t n, std::int64_t first) {
        if (first + n > std::numeric_limits<std::int32_t>::max() / 2) throw std::invalid_argument("text too long");
        for (std::int64_t j = 0; j < n; ++j) sorted_.push_back(entry(words[j], static_cast<std::uint32_t>(first + j)));
    }
    void sort() { std::sort(sorted_.begin(), sorted_.end()); }

    std::size_t size() const { return sorted_.size(); }
    // Entry k, in the order of words as unsigned numbers.
    std::uint32_t word(std::size_t k) const { return static_cast<std::uint32_t>(sorted_[k] >> 32); }
    std::size_t at(std::size_t k) const { return static_cast<std::size_t>(sorted_[k] & 0xFFFFFFFFu); }
    Range of(std::int32_t word) const {
        const auto begin = std::lower_bound(sorted_.begin(), sorted_.end(), entry(word, 0));
        const auto end = std::upper_bound(begin, sorted_.end(), entry(word, 0xFFFFFFFFu));
        return {static_cast<std::size_t>(begin - sorted_.begin()), static_cast<std::size_t>(end - sorted_.begin())};
    }
    // Number of words that the text has in common with others, each occurrence counted once.
    std::int64_t in_common(const std::int32_t* words, std::int64_t n) {
        others_.assign(words, words + n);  // unsigned, as positions are sorted
        std::sort(others_.begin(), others_.end());
        std::int64_t n_common = 0;
        std::size_t k = 0;
        for (const std::uint32_t other : others_) {
            while (k < size() && word(k) < other) ++k;
            if (k == size()) break;
            if (word(k) > other) continue;
            ++n_common;
            ++k;
        }
        return n_common;
    }

private:
    static std::uint64_t entry(std::int32_t word, std::uint32_t position) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(word)) << 32 | position;
    }

    std::vector<std::uint64_t> sorted_;  // word, then position
    std::vector<std::uint32_t> others_;
};

}  // namespace mtassay
