// Small numbers for the distinct words of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mtassay {

class WordNumbers {
public:
    // Numbers the distinct words of a text from 0, in the order in which they first occur.
    void number(const std::int32_t* text, int n, std::vector<int>& numbers) {
        std::size_t size = 16;
        while (size < 2 * static_cast<std::size_t>(n)) size *= 2;
        slots_.assign(size, -1);
        keys_.clear();
        numbers.resize(n);
        for (int i = 0; i < n; ++i) {
            int& slot = slots_[slot_of(text[i])];
            if (slot < 0) {
                slot = static_cast<int>(keys_.size());
                keys_.push_back(text[i]);
            }
            numbers[i] = slot;
        }
    }
    int size() const { return static_cast<int>(keys_.size()); }
    // The number of a word; size() if the text does not have it.
    int find(std::int32_t id) const {
        const int slot = slots_[slot_of(id)];
        return slot < 0 ? size() : slot;
    }

private:
    std::size_t slot_of(std::int32_t id) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (static_cast<std::uint32_t>(id) * 2654435769u >> 7) & mask;
        while (slots_[at] >= 0 && keys_[slots_[at]] != id) at = (at + 1) & mask;
        return at;
    }

    std::vector<int> slots_;
    std::vector<std::int32_t> keys_;
};

}  // namespace mtassay
