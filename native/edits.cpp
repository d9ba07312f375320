// Edits of many pairs without shifts: the word error rate's by kind, and those of CDER. The readable version is
// src/mtassay/kernels/edits.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bit_rows.hpp"
#include "pairs.hpp"
#include "position_bits.hpp"

namespace mtassay {
namespace {

// Counts substitutions, insertions and deletions of the cheapest path: from the end, over both words where that is
// possible, else over a hypothesis word, else over a reference word.
class EditCounter {
public:
    static constexpr std::size_t n_columns = 3;

    void count(Words hyp, Words ref, std::int64_t* counts) {
        // The path goes over equal last words in any case.
        for (; hyp.n > 0 && ref.n > 0 && hyp.ids[hyp.n - 1] == ref.ids[ref.n - 1]; --hyp.n) --ref.n;
        if (hyp.n > 0 && ref.n > 0) {
            if (ref.n <= 64)
                follow<1>(hyp, ref, counts);
            else
                follow<0>(hyp, ref, counts);
        }
        counts[1] += hyp.n;
        counts[2] += ref.n;
    }

private:
    // Follows the path to an edge of the matrix; `hyp` and `ref` are then what is left of the texts.
    template <int W>
    void follow(Words& hyp, Words& ref, std::int64_t* counts) {
        width_ = (static_cast<std::size_t>(ref.n) + 63) / 64;
        positions_.set(ref.ids, ref.n, width_);
        // Of long texts only some rows are kept, and those between are computed again.
        block_ = W == 1 ? hyp.n : std::max(64, static_cast<int>(std::sqrt(static_cast<double>(hyp.n))));
        const std::size_t size = (static_cast<std::size_t>(block_) + 1) * width_;
        if (up_.size() < size) up_.resize(size), down_.resize(size), level_.resize(size);
        std::fill_n(up_.begin(), width_, ~Bits{0});
        std::fill_n(down_.begin(), width_, Bits{0});
        const int n_blocks = (hyp.n + block_ - 1) / block_;
        kept_up_.resize(n_blocks * width_);
        kept_down_.resize(n_blocks * width_);
        for (int b = 0; b < n_blocks; ++b) {
            std::copy_n(up_.begin(), width_, &kept_up_[b * width_]);
            std::copy_n(down_.begin(), width_, &kept_down_[b * width_]);
            fill_block<W>(hyp, b);
            if (b + 1 == n_blocks) break;
            std::copy_n(&up_[block_ * width_], width_, up_.begin());
            std::copy_n(&down_[block_ * width_], width_, down_.begin());
        }
        for (int b = n_blocks - 1; b >= 0 && ref.n > 0; --b) {
            if (b + 1 < n_blocks) {
                std::copy_n(&kept_up_[b * width_], width_, up_.begin());
                std::copy_n(&kept_down_[b * width_], width_, down_.begin());
                fill_block<W>(hyp, b);
            }
            follow_block(hyp, ref, b * block_, counts);
        }
    }

    // Computes the rows of a block from its first one.
    template <int W>
    void fill_block(const Words& hyp, int b) {
        const int first = b * block_, last = std::min(hyp.n, first + block_);
        for (int i = first; i < last; ++i) {
            const std::size_t at = (i - first) * width_;
            std::copy_n(&up_[at], width_, &up_[at + width_]);
            std::copy_n(&down_[at], width_, &down_[at + width_]);
            advance_row<W>(positions_.of(hyp.ids[i]), &up_[at + width_], &down_[at + width_], &level_[at + width_],
                           width_);
        }
    }

    void follow_block(Words& hyp, Words& ref, int first, std::int64_t* counts) const {
        while (hyp.n > first && ref.n > 0) {
            const std::size_t column = (ref.n - 1) / 64, at = (hyp.n - first) * width_ + column;
            const int bit = (ref.n - 1) % 64;
            const bool level = level_[at] >> bit & 1, same = hyp.ids[hyp.n - 1] == ref.ids[ref.n - 1];
            if (!level || same) {
                counts[0] += !same;
                --hyp.n, --ref.n;
            } else if (down_[at - width_] >> bit & 1) {
                ++counts[1];
                --hyp.n;
            } else {
                ++counts[2];
                --ref.n;
            }
        }
    }

    std::size_t width_ = 0;
    int block_ = 0;
    PositionBits positions_;
    std::vector<Bits> up_, down_, level_, kept_up_, kept_down_;
};

// Every row of CDER's matrix holds only its least cost and that plus one, so that one bit per hypothesis position tells
// all of it: whether the cost there is the least.
class CderCounter {
public:
    static constexpr std::size_t n_columns = 1;

    void count(const Words& hyp, const Words& ref, std::int64_t* counts) {
        width_ = static_cast<std::size_t>(hyp.n) / 64 + 1;
        positions_.set(hyp.ids, hyp.n, width_);
        least_.assign(width_, 0);
        least_[0] = 1;
        std::int64_t cost = 0;
        for (int j = 0; j < ref.n; ++j) {
            const Bits* match = positions_.of(ref.ids[j]);
            if (any_match(match)) {
                // Only a match from a cell of least cost is free.
                shift([&](std::size_t k) { return least_[k] & match[k]; }, [](Bits) { return Bits{0}; });
            } else {
                // One more edit: over both words or the reference word from a cell of least cost, or a match from others.
                ++cost;
                shift([&](std::size_t k) { return least_[k] | match[k]; }, [](Bits before) { return before; });
            }
        }
        counts[0] = cost + ((least_[hyp.n / 64] >> (hyp.n % 64) & 1) ? 0 : 1);
    }

private:
    bool any_match(const Bits* match) const {
        for (std::size_t k = 0; k < width_; ++k)
            if (least_[k] & match[k]) return true;
        return false;
    }

    // Moves what `from` gives by one position, and adds what `stay` leaves of the old bits.
    template <typename From, typename Stay>
    void shift(From from, Stay stay) {
        Bits carry = 0;
        for (std::size_t k = 0; k < width_; ++k) {
            const Bits moved = from(k);
            least_[k] = stay(least_[k]) | moved << 1 | carry;
            carry = moved >> 63;
        }
    }

    std::size_t width_ = 0;
    PositionBits positions_;
    std::vector<Bits> least_;
};

template <typename Counter>
Out2<std::int64_t> count_pairs(const nb::tuple& pairs_in) {
    const Pairs pairs(pairs_in);
    Counter counter;
    auto rows = for_each_pair<std::int64_t>(pairs, Counter::n_columns, [&](std::size_t p, std::int64_t* row) {
        counter.count(pairs.hypothesis(p), pairs.reference(p), row);
    });
    return to_numpy(std::move(rows), Counter::n_columns);
}

}  // namespace
}  // namespace mtassay

void bind_edits(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("word_edits", &mtassay::count_pairs<mtassay::EditCounter>, "pairs"_a);
    m.def("cder_edits", &mtassay::count_pairs<mtassay::CderCounter>, "pairs"_a);
}
