// What makes one TER program differ from another.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace mtassay::ter {

constexpr int max_block = 10;  // words moved by one shift

struct Rules {
    bool beam_on_cost;            // cells are dropped by cost (tercom) or by distance from the diagonal (sacreBLEU)
    int beam;                     // how far from the best cost, or from the diagonal
    int max_distance;             // words that a shift may cross
    std::int64_t max_candidates;  // shifts tried per pair before the search is given up
};

inline Rules rules_of(int variant) {
    switch (variant) {
        case 0: return {false, 25, 50, 1000};
        case 1: return {true, 20, 50, std::numeric_limits<std::int64_t>::max()};
        default: throw std::invalid_argument("variant must be 0 (sacreBLEU) or 1 (tercom)");
    }
}

// A shift exchanges two neighbouring blocks: positions [first, middle) and [middle, last) of the hypothesis.
struct Exchange {
    int first, middle, last;
};

}  // namespace mtassay::ter
