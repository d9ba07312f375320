// Edits of many pairs without shifts: those of the word error rate by kind, and those of CDER. The specification is
// src/mtassay/kernels/edits.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bit_rows.hpp"
#include "pairs.hpp"
#include "position_bits.hpp"

namespace mtassay {
namespace {

enum class Ties { substitutions, gaps };

Ties ties_of(const std::string& name) {
    if (name == "substitutions") return Ties::substitutions;
    if (name == "gaps") return Ties::gaps;
    throw std::invalid_argument("unknown rule for ties '" + name + "'");
}

// Follows a cheapest path from its end to its start, and calls visit(operation) for every step: ' ', S, I or D.
class EditPath {
public:
    template <typename Visit>
    void follow(Words hyp, Words ref, Ties ties, Visit visit) {
        int n_common = 0;  // number of common words at the start
        if (ties == Ties::gaps)
            while (n_common < hyp.n && n_common < ref.n && hyp.ids[n_common] == ref.ids[n_common]) ++n_common;
        hyp = Words(hyp.ids + n_common, hyp.n - n_common);
        ref = Words(ref.ids + n_common, ref.n - n_common);
        // Under both rules the path matches equal last words.
        for (; hyp.n > 0 && ref.n > 0 && hyp.ids[hyp.n - 1] == ref.ids[ref.n - 1]; --hyp.n, --ref.n) visit(' ');
        if (hyp.n > 0 && ref.n > 0) {
            if (ref.n <= 64)
                walk<1>(hyp, ref, ties, visit);
            else
                walk<0>(hyp, ref, ties, visit);
        }
        for (; ref.n > 0; --ref.n) visit('D');
        for (; hyp.n > 0; --hyp.n) visit('I');
        for (; n_common > 0; --n_common) visit(' ');
    }

private:
    // Follows the path to an edge of the matrix; `hyp` and `ref` are then the remaining parts of the texts.
    template <int W, typename Visit>
    void walk(Words& hyp, Words& ref, Ties ties, Visit& visit) {
        width_ = (static_cast<std::size_t>(ref.n) + 63) / 64;
        positions_.set(ref.ids, ref.n, width_);
        // For long texts only some rows are kept, and the rows between them are computed again.
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
            walk_block(hyp, ref, b * block_, ties, visit);
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

    template <typename Visit>
    void walk_block(Words& hyp, Words& ref, int first, Ties ties, Visit& visit) const {
        while (hyp.n > first && ref.n > 0) {
            const std::size_t column = (ref.n - 1) / 64, at = (hyp.n - first) * width_ + column;
            const int bit = (ref.n - 1) % 64;
            const bool same = hyp.ids[hyp.n - 1] == ref.ids[ref.n - 1];
            const char gap = ties == Ties::gaps ? gap_first(at, bit) : substitution_first(at, bit, same);
            hyp.n -= gap != 'D';
            ref.n -= gap != 'I';
            visit(gap != 0 ? gap : same ? ' ' : 'S');
        }
    }

    // The next step: D, I, or 0 for a step over both words.
    char substitution_first(std::size_t at, int bit, bool same) const {
        if (same || !(level_[at] >> bit & 1)) return 0;
        return down_[at - width_] >> bit & 1 ? 'I' : 'D';
    }
    char gap_first(std::size_t at, int bit) const {
        if (up_[at] >> bit & 1) return 'D';
        return down_[at - width_] >> bit & 1 ? 'I' : 0;
    }

    std::size_t width_ = 0;
    int block_ = 0;
    PositionBits positions_;
    std::vector<Bits> up_, down_, level_, kept_up_, kept_down_;
};

// Every row of CDER's matrix has only two values, its lowest cost and that plus one, so one bit per hypothesis position
// is enough: whether the cost there is the lowest.
class CderCounter {
public:
    void count(const Words& hyp, const Words& ref, std::int64_t* counts) {
        width_ = static_cast<std::size_t>(hyp.n) / 64 + 1;
        positions_.set(hyp.ids, hyp.n, width_);
        least_.assign(width_, 0);
        least_[0] = 1;
        std::int64_t cost = 0;
        for (int j = 0; j < ref.n; ++j) {
            const Bits* match = positions_.of(ref.ids[j]);
            if (any_match(match)) {
                // Only a match from a cell of lowest cost is free.
                shift([&](std::size_t k) { return least_[k] & match[k]; }, [](Bits) { return Bits{0}; });
            } else {
                // One more edit: a substitution or deletion from a cell of lowest cost, or a match from another cell.
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

    // Shifts the bits that `from` returns by one position, and adds the old bits that `stay` keeps.
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

Out2<std::int64_t> word_edits(const nb::tuple& pairs_in, const std::string& ties_name) {
    const Ties ties = ties_of(ties_name);
    const Pairs pairs(pairs_in);
    EditPath path;
    auto rows = for_each_pair<std::int64_t>(pairs, 3, [&](std::size_t p, std::int64_t* row) {
        path.follow(pairs.hypothesis(p), pairs.reference(p), ties, [&](char operation) {
            row[0] += operation == 'S';
            row[1] += operation == 'I';
            row[2] += operation == 'D';
        });
    });
    return to_numpy(std::move(rows), 3);
}

std::string word_trace(const In<std::int32_t>& hypothesis, const In<std::int32_t>& reference,
                       const std::string& ties_name) {
    const Ties ties = ties_of(ties_name);
    std::string operations;
    EditPath path;
    path.follow(Words(hypothesis), Words(reference), ties, [&](char operation) { operations += operation; });
    std::reverse(operations.begin(), operations.end());
    return operations;
}

Out2<std::int64_t> cder_edits(const nb::tuple& pairs_in) {
    const Pairs pairs(pairs_in);
    CderCounter counter;
    auto rows = for_each_pair<std::int64_t>(pairs, 1, [&](std::size_t p, std::int64_t* row) {
        counter.count(pairs.hypothesis(p), pairs.reference(p), row);
    });
    return to_numpy(std::move(rows), 1);
}

}  // namespace
}  // namespace mtassay

void bind_edits(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("word_edits", &mtassay::word_edits, "pairs"_a, nanobind::kw_only(), "ties"_a);
    m.def("word_trace", &mtassay::word_trace, "hypothesis"_a, "reference"_a, nanobind::kw_only(), "ties"_a);
    m.def("cder_edits", &mtassay::cder_edits, "pairs"_a);
}
