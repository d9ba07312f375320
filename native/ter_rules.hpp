// The differences between TER programs.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace mtassay::ter {

constexpr int max_block = 10;  // words moved by one shift

struct Rules {
    bool beam_on_cost;            // cells are dropped by cost (tercom, Moses) or by distance from the diagonal (sacreBLEU)
    int beam;                     // largest distance from the best cost, or from the diagonal
    int max_distance;             // number of words that a shift may cross
    std::int64_t max_candidates;  // sacreBLEU: over all searches of a pair, after which they end; Moses: in one search
    bool moses;                   // targets are given by the word after a gap, and the reference is shifted
};

inline Rules rules_of(const std::string& variant) {
    if (variant == "sacrebleu") return {false, 25, 50, 1000, false};
    if (variant == "tercom") return {true, 20, 50, std::numeric_limits<std::int64_t>::max(), false};
    if (variant == "moses") return {true, 10, 25, 10, true};
    throw std::invalid_argument("unknown variant '" + variant + "'");
}

// A shift exchanges two neighbouring blocks: positions [first, middle) and [middle, last) of the hypothesis.
struct Exchange {
    int first, middle, last;
};

}  // namespace mtassay::ter
