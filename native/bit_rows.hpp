// Rows of an edit-distance matrix as bits, 64 positions of a text at a time (Myers 1999, Hyyrö 2003). The bits of a row
// show how the cost changes from one position to the next: +1 in `up`, -1 in `down`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mtassay {

using Bits = std::uint64_t;

inline int count_bits(Bits x) {
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return static_cast<int>((x * 0x0101010101010101ull) >> 56);
}

// Turns one row into the next. `match` has the positions of the next word; `level`, if not null, receives the positions
// where the new cost equals the old cost at the position before.
// W: machine words per row; 0 if their number is known only at run time, as `width`.
template <int W>
void advance_row(const Bits* match, Bits* up, Bits* down, Bits* level, std::size_t width) {
    Bits carry_up = 1, carry_down = 0;
    for (std::size_t k = 0; k < (W > 0 ? static_cast<std::size_t>(W) : width); ++k) {
        const Bits same = match[k] | carry_down;
        const Bits flat = (((same & up[k]) + up[k]) ^ up[k]) | same | down[k];
        Bits more = down[k] | ~(flat | up[k]);
        Bits less = flat & up[k];
        if (W != 1) {
            const Bits next_up = more >> 63, next_down = less >> 63;
            more = (more << 1) | carry_up;
            less = (less << 1) | carry_down;
            carry_up = next_up;
            carry_down = next_down;
        } else {
            more = (more << 1) | 1;
            less <<= 1;
        }
        up[k] = less | ~(flat | more);
        down[k] = more & flat;
        if (level != nullptr) level[k] = flat;
    }
}

}  // namespace mtassay
