// Costs of CharacTER; the specification is mtassay/kernels/character.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bit_rows.hpp"
#include "pairs.hpp"
#include "position_bits.hpp"
#include "sorted_positions.hpp"

namespace mtassay {
namespace {

// Edit distances of many texts to one text. The rows of one text are kept, so that a text with the same beginning can
// start from them.
class Distances {
public:
    void set_reference(const std::int32_t* ref, int n) {
        n_ref_ = n;
        width_ = std::max<std::size_t>(1, (static_cast<std::size_t>(n) + 63) / 64);
        positions_.set(ref, n, width_);
    }
    // Keeps the rows of `hyp`, and returns its distance.
    int keep(const std::int32_t* hyp, int n) {
        up_.resize((static_cast<std::size_t>(n) + 1) * width_);
        down_.resize(up_.size());
        std::fill_n(up_.begin(), width_, ~Bits{0});
        std::fill_n(down_.begin(), width_, Bits{0});
        for (int i = 0; i < n; ++i) {
            const std::size_t at = static_cast<std::size_t>(i) * width_;
            std::copy_n(&up_[at], width_, &up_[at + width_]);
            std::copy_n(&down_[at], width_, &down_[at + width_]);
            advance(hyp[i], &up_[at + width_], &down_[at + width_]);
        }
        const std::size_t last = static_cast<std::size_t>(n) * width_;
        return n + total(&up_[last], &down_[last]);
    }
    // The distance of a text whose first `n_alike` words are those of the kept text.
    int after(const std::int32_t* hyp, int n, int n_alike) {
        const std::size_t at = static_cast<std::size_t>(n_alike) * width_;
        next_up_.assign(&up_[at], &up_[at] + width_);
        next_down_.assign(&down_[at], &down_[at] + width_);
        for (int i = n_alike; i < n; ++i) advance(hyp[i], next_up_.data(), next_down_.data());
        return n + total(next_up_.data(), next_down_.data());
    }
    // The distance of one text.
    int of(const std::int32_t* hyp, int n) {
        next_up_.assign(width_, ~Bits{0});
        next_down_.assign(width_, 0);
        for (int i = 0; i < n; ++i) advance(hyp[i], next_up_.data(), next_down_.data());
        return n + total(next_up_.data(), next_down_.data());
    }

private:
    void advance(std::int32_t token, Bits* up, Bits* down) {
        if (width_ == 1)
            advance_row<1>(positions_.of(token), up, down, nullptr, 1);
        else
            advance_row<0>(positions_.of(token), up, down, nullptr, width_);
    }
    // The change of the cost from one end of a row to the other.
    int total(const Bits* up, const Bits* down) const {
        int sum = 0;
        for (int first = 0; first < n_ref_; first += 64) {
            const Bits mask = n_ref_ - first >= 64 ? ~Bits{0} : (Bits{1} << (n_ref_ - first)) - 1;
            sum += count_bits(up[first / 64] & mask) - count_bits(down[first / 64] & mask);
        }
        return sum;
    }

    int n_ref_ = 0;
    std::size_t width_ = 1;
    PositionBits positions_;
    std::vector<Bits> up_, down_, next_up_, next_down_;
};

class CharacTer {
public:
    explicit CharacTer(const Tokens& words) : words_(words) {}

    void operator()(const Words& hyp, const Words& ref, double* costs) {
        for (int i = 0; i < hyp.n; ++i) check(hyp.ids[i]);
        for (int j = 0; j < ref.n; ++j) check(ref.ids[j]);
        shift_words(hyp, ref);
        join(current_.data(), hyp.n, hyp_characters_);
        join(ref.ids, ref.n, ref_characters_);
        of_characters_.set_reference(ref_characters_.data(), static_cast<int>(ref_characters_.size()));
        const int edits = of_characters_.of(hyp_characters_.data(), static_cast<int>(hyp_characters_.size()));
        costs[0] = edits + shift_cost(hyp);
        costs[1] = static_cast<double>(hyp_characters_.size());
    }

private:
    void check(std::int32_t word) const {
        if (word < 0 || static_cast<std::size_t>(word) >= words_.n_texts) throw std::invalid_argument("no such word");
    }

    // Leaves the shifted words in current_.
    void shift_words(const Words& hyp, const Words& ref) {
        current_.assign(hyp.ids, hyp.ids + hyp.n);
        in_ref_.clear();
        in_ref_.add(ref.ids, ref.n, 0);
        in_ref_.sort();
        of_words_.set_reference(ref.ids, ref.n);
        for (;;) {
            best_cost_ = of_words_.keep(current_.data(), hyp.n);
            found_ = false;
            for (int start = 0; start < hyp.n; ++start) {
                const auto range = in_ref_.of(current_[start]);
                for (std::size_t k = range.begin; k < range.end; ++k) {
                    const int target = static_cast<int>(in_ref_.at(k));
                    if (target != start) try_shift(ref, start, target);
                }
            }
            if (!found_) return;
            current_.swap(best_);
        }
    }

    void try_shift(const Words& ref, int start, int target) {
        const int n = static_cast<int>(current_.size());
        int length = 1;
        while (start + length < n && target + length < ref.n && current_[start + length] == ref.ids[target + length])
            ++length;
        shifted_ = current_;
        const auto begin = shifted_.begin();
        const int place = std::min(target, n - length);
        if (place < start)
            std::rotate(begin + place, begin + start, begin + start + length);
        else
            std::rotate(begin + start, begin + start + length, begin + place + length);
        const int cost = of_words_.after(shifted_.data(), n, std::min(start, place));
        if (cost < best_cost_ || (found_ && cost == best_cost_ && after_best())) {
            best_cost_ = cost;
            best_ = shifted_;
            found_ = true;
        }
    }

    // Whether the shifted text comes after the best one in the order of code points.
    bool after_best() const {
        for (std::size_t i = 0; i < shifted_.size(); ++i) {
            if (shifted_[i] == best_[i]) continue;
            const std::int32_t *a = words_.begin(shifted_[i]), *b = words_.begin(best_[i]);
            return std::lexicographical_compare(b, b + words_.length(best_[i]), a, a + words_.length(shifted_[i]));
        }
        return false;
    }

    void join(const std::int32_t* text, int n, std::vector<std::int32_t>& characters) const {
        characters.clear();
        for (int i = 0; i < n; ++i) {
            if (i > 0) characters.push_back(' ');
            const std::int32_t* word = words_.begin(text[i]);
            characters.insert(characters.end(), word, word + words_.length(text[i]));
        }
    }

    double shift_cost(const Words& hyp) const {
        double cost = 0.0;
        for (int first = 0; first < hyp.n;) {
            int length = 0;
            if (hyp.ids[first] != current_[first]) {
                const auto place = std::find(current_.begin() + first + 1, current_.end(), hyp.ids[first]);
                const auto n_after = static_cast<int>(current_.end() - place);
                std::int64_t n_characters = 0;
                for (; length < n_after && first + length < hyp.n && hyp.ids[first + length] == place[length]; ++length)
                    n_characters += words_.length(hyp.ids[first + length]);
                if (length > 0) cost += static_cast<double>(n_characters) / length;
            }
            first += std::max(1, length);
        }
        return cost;
    }

    const Tokens& words_;
    SortedPositions in_ref_;
    Distances of_words_, of_characters_;
    int best_cost_ = 0;
    bool found_ = false;  // whether some shift lowers the cost
    std::vector<std::int32_t> current_, shifted_, best_, hyp_characters_, ref_characters_;
};

Out2<double> character_costs(const nb::tuple& pairs_in, const nb::tuple& words_in) {
    const Pairs pairs(pairs_in);
    const Tokens words(words_in);
    CharacTer character(words);
    auto costs = for_each_pair<double>(
        pairs, 2, [&](std::size_t p, double* row) { character(pairs.hypothesis(p), pairs.reference(p), row); });
    return to_numpy(std::move(costs), 2);
}

}  // namespace
}  // namespace mtassay

void bind_character(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("character_costs", &mtassay::character_costs, "pairs"_a, nanobind::kw_only(), "words"_a);
}
