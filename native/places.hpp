// Where the words of a text stand: sorted, which for segments is as fast as hashing, and searched by halves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mtassay {

class Places {
public:
    // Places of a word, ascending: at(begin) .. at(end - 1).
    struct Range {
        std::size_t begin, end;
    };

    void clear() { sorted_.clear(); }
    // Adds words that stand at `first`, `first` + 1 ...; `sort` is to be called before anything is asked.
    void add(const std::int32_t* words, std::int64_t n, std::int64_t first) {
        if (first + n > std::numeric_limits<std::int32_t>::max() / 2) throw std::invalid_argument("text too long");
        for (std::int64_t j = 0; j < n; ++j) sorted_.emplace_back(words[j], static_cast<std::int32_t>(first + j));
    }
    void sort() { std::sort(sorted_.begin(), sorted_.end()); }

    std::size_t size() const { return sorted_.size(); }
    std::int32_t word(std::size_t k) const { return sorted_[k].first; }
    std::size_t at(std::size_t k) const { return static_cast<std::size_t>(sorted_[k].second); }
    Range of(std::int32_t word) const {
        constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
        const auto begin = std::lower_bound(sorted_.begin(), sorted_.end(), std::make_pair(word, 0));
        const auto end = std::upper_bound(begin, sorted_.end(), std::make_pair(word, last));
        return {static_cast<std::size_t>(begin - sorted_.begin()), static_cast<std::size_t>(end - sorted_.begin())};
    }

private:
    std::vector<std::pair<std::int32_t, std::int32_t>> sorted_;  // (word, place)
};

}  // namespace mtassay
