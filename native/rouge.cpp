// Common subsequences and skip-bigrams of pairs; the specification is mtassay/kernels/rouge.py.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
#include "rouge_summary.hpp"
#include "sorted_positions.hpp"

namespace mtassay {
namespace {

// Longest common subsequence, 64 reference words at a time; memory grows only with the reference.
class Lcs {
public:
    std::int64_t operator()(Words hyp, Words ref) {
        positions_.clear();
        positions_.add(ref.ids, ref.n, 0);
        positions_.sort();
        const auto n_blocks = static_cast<std::size_t>(ref.n + 63) / 64;
        found_.assign(n_blocks, 0);
        column_.assign(n_blocks, ~std::uint64_t{0});
        for (int i = 0; i < hyp.n; ++i) {
            const SortedPositions::Range range = positions_.of(hyp.ids[i]);
            if (range.begin < range.end) step(range);
        }
        std::int64_t length = 0;
        for (std::size_t j = 0; j < positions_.size(); ++j) length += !(column_[j / 64] >> (j % 64) & 1);
        return length;
    }

private:
    void step(SortedPositions::Range range) {
        for (std::size_t k = range.begin; k < range.end; ++k)
            found_[positions_.at(k) / 64] |= std::uint64_t{1} << (positions_.at(k) % 64);
        std::uint64_t carry = 0;
        for (std::size_t b = 0; b < column_.size(); ++b) {
            const std::uint64_t column = column_[b], found = column & found_[b];
            const std::uint64_t partial = column + found, sum = partial + carry;
            carry = (partial < column) | (sum < partial);
            column_[b] = sum | (column - found);
        }
        for (std::size_t k = range.begin; k < range.end; ++k) found_[positions_.at(k) / 64] = 0;
    }

    SortedPositions positions_;
    std::vector<std::uint64_t> found_, column_;  // positions of the word; bits that are 0 where the length grows
};

// Weighted longest common subsequence. The values that depend on the path are carried along, so two rows are enough.
class Wlcs {
public:
    explicit Wlcs(double weight) : weight_(weight) {}

    void operator()(Words hyp, Words ref, double* sizes) {
        const auto n_hyp = static_cast<std::size_t>(hyp.n);
        while (powers_.size() <= static_cast<std::size_t>(std::min(hyp.n, ref.n)))
            powers_.push_back(std::pow(static_cast<double>(powers_.size()), weight_));
        above_.assign(n_hyp + 1, Cell());
        row_.assign(n_hyp + 1, Cell());
        for (int i = 0; i < ref.n; ++i) {
            for (std::size_t j = 0; j < n_hyp; ++j) {
                if (ref.ids[i] == hyp.ids[j]) {
                    row_[j + 1] = extended(above_[j], i);
                } else {
                    row_[j + 1] = above_[j + 1].size >= row_[j].size ? above_[j + 1] : row_[j];
                    row_[j + 1].run = 0;
                }
            }
            above_.swap(row_);
        }
        const Cell& end = above_[n_hyp];
        sizes[0] = end.size;
        sizes[1] = end.closed + powers_[end.ref_run];
    }

private:
    struct Cell {
        double size = 0.0, closed = 0.0;
        std::size_t run = 0, ref_run = 0;
        std::int64_t ref_last = -2;
    };

    Cell extended(const Cell& before, std::int64_t i) const {
        Cell cell;
        cell.size = before.size + powers_[before.run + 1] - powers_[before.run];
        cell.run = before.run + 1;
        const bool in_a_row = before.ref_last == i - 1;
        cell.closed = in_a_row ? before.closed : before.closed + powers_[before.ref_run];
        cell.ref_run = in_a_row ? before.ref_run + 1 : 1;
        cell.ref_last = i;
        return cell;
    }

    double weight_;
    std::vector<double> powers_;
    std::vector<Cell> above_, row_;
};

enum class Unigrams { none, all, all_but_last };

Unigrams unigrams_of(const std::string& name) {
    if (name == "none") return Unigrams::none;
    if (name == "all") return Unigrams::all;
    if (name == "all but last") return Unigrams::all_but_last;
    throw std::invalid_argument("unknown rule for unigrams '" + name + "'");
}

// Clipped matches of skip-bigrams, one first word after another; memory grows only with the lengths.
class SkipBigrams {
public:
    SkipBigrams(std::int64_t gap, Unigrams unigrams) : gap_(gap), unigrams_(unigrams) {}

    std::int64_t operator()(Words hyp, Words ref) {
        positions_.clear();
        positions_.add(ref.ids, ref.n, 0);
        positions_.sort();
        number_words(hyp);
        std::int64_t n_matches = 0;
        for (std::size_t word = 0; word < n_words_; ++word) {
            const std::size_t begin = starts_[word], end = starts_[word + 1];
            if (begin == end) continue;
            for (std::size_t k = begin; k < end; ++k)
                each_second(hyp_, hyp_positions_[k], [&](std::size_t second) { ++counts_[second]; });
            for (std::size_t k = ref_starts_[word]; k < ref_starts_[word + 1]; ++k)
                each_second(ref_, positions_.at(k), [&](std::size_t second) {
                    if (counts_[second] > 0) --counts_[second], ++n_matches;
                });
            for (std::size_t k = begin; k < end; ++k)
                each_second(hyp_, hyp_positions_[k], [&](std::size_t second) { counts_[second] = 0; });
        }
        return n_matches;
    }

private:
    // Words of the reference are numbered from 0; all other words share one further number.
    void number_words(Words hyp) {
        ref_.assign(positions_.size(), 0);
        ref_starts_.clear();
        for (std::size_t k = 0; k < positions_.size(); ++k) {
            if (k == 0 || positions_.word(k) != positions_.word(k - 1)) ref_starts_.push_back(k);
            ref_[positions_.at(k)] = ref_starts_.size() - 1;
        }
        n_words_ = ref_starts_.size();
        ref_starts_.push_back(positions_.size());
        hyp_.clear();
        starts_.assign(n_words_ + 2, 0);
        for (int i = 0; i < hyp.n; ++i) {
            const SortedPositions::Range range = positions_.of(hyp.ids[i]);
            hyp_.push_back(range.begin < range.end ? ref_[positions_.at(range.begin)] : n_words_);
            ++starts_[hyp_.back() + 1];
        }
        for (std::size_t word = 0; word <= n_words_; ++word) starts_[word + 1] += starts_[word];
        hyp_positions_.resize(hyp_.size());
        next_.assign(starts_.begin(), starts_.end());
        for (std::size_t i = 0; i < hyp_.size(); ++i) hyp_positions_[next_[hyp_[i]]++] = i;
        counts_.assign(n_words_ + 2, 0);  // one for words that the reference lacks, one for "nothing"
    }

    template <typename Visit>
    void each_second(const std::vector<std::size_t>& text, std::size_t first, Visit visit) const {
        const std::size_t n = text.size(), rest = n - first - 1;
        const std::size_t n_seconds = gap_ < 0 || static_cast<std::size_t>(gap_) >= rest
                                          ? rest : static_cast<std::size_t>(gap_) + 1;
        for (std::size_t i = first + 1; i <= first + n_seconds; ++i) visit(text[i]);
        if (unigrams_ == Unigrams::all || (unigrams_ == Unigrams::all_but_last && rest > 0)) visit(n_words_ + 1);
    }

    std::int64_t gap_;
    Unigrams unigrams_;
    SortedPositions positions_;
    std::size_t n_words_ = 0;
    std::vector<std::size_t> hyp_, ref_;                             // numbers of the words
    std::vector<std::size_t> starts_, next_, hyp_positions_, ref_starts_;  // by number, the positions of the word
    std::vector<std::int64_t> counts_;
};

Out1<std::int64_t> lcs_lengths(const nb::tuple& pairs_in) {
    const Pairs pairs(pairs_in);
    Lcs lcs;
    return to_numpy(for_each_pair<std::int64_t>(pairs, 1, [&](std::size_t p, std::int64_t* length) {
        *length = lcs(pairs.hypothesis(p), pairs.reference(p));
    }));
}

Out1<std::int64_t> union_lcs_hits(const nb::tuple& pairs_in, const nb::tuple& hyp_ends_in,
                                  const nb::tuple& ref_ends_in) {
    const Pairs pairs(pairs_in);
    const Tokens hyp_ends(hyp_ends_in), ref_ends(ref_ends_in);
    if (hyp_ends.n_texts != pairs.hyps.n_texts || ref_ends.n_texts != pairs.refs.n_texts)
        throw std::invalid_argument("ends of sentences must be given for every text");
    const auto ends_of = [](const Tokens& ends, std::int64_t text) { return Words(ends.begin(text), ends.length(text)); };
    UnionLcs hits;
    return to_numpy(for_each_pair<std::int64_t>(pairs, 1, [&](std::size_t p, std::int64_t* n_hits) {
        *n_hits = hits(pairs.hypothesis(p), ends_of(hyp_ends, pairs.hyp_index[p]), pairs.reference(p),
                       ends_of(ref_ends, pairs.ref_index[p]));
    }));
}

Out2<double> wlcs_sizes(const nb::tuple& pairs_in, double weight) {
    const Pairs pairs(pairs_in);
    Wlcs wlcs(weight);
    auto sizes = for_each_pair<double>(
        pairs, 2, [&](std::size_t p, double* row) { wlcs(pairs.hypothesis(p), pairs.reference(p), row); });
    return to_numpy(std::move(sizes), 2);
}

Out1<std::int64_t> skip_bigram_matches(const nb::tuple& pairs_in, std::int64_t gap, const std::string& unigrams) {
    const Pairs pairs(pairs_in);
    SkipBigrams count(gap, unigrams_of(unigrams));
    return to_numpy(for_each_pair<std::int64_t>(pairs, 1, [&](std::size_t p, std::int64_t* matches) {
        *matches = count(pairs.hypothesis(p), pairs.reference(p));
    }));
}

}  // namespace
}  // namespace mtassay

void bind_rouge(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("lcs_lengths", &mtassay::lcs_lengths, "pairs"_a);
    m.def("union_lcs_hits", &mtassay::union_lcs_hits, "pairs"_a, nanobind::kw_only(), "hyp_ends"_a, "ref_ends"_a);
    m.def("wlcs_sizes", &mtassay::wlcs_sizes, "pairs"_a, nanobind::kw_only(), "weight"_a);
    m.def("skip_bigram_matches", &mtassay::skip_bigram_matches, "pairs"_a, nanobind::kw_only(), "gap"_a, "unigrams"_a);
}
