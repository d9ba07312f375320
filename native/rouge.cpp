// Common subsequences and skip-bigrams of pairs; the specification is mtassay/kernels/rouge.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "places.hpp"

namespace mtassay {
namespace {

struct Text {
    const std::int32_t* words;
    std::size_t n;
};

// Longest common subsequence, 64 reference words at a time; memory grows with the reference only.
class Lcs {
public:
    std::int64_t operator()(Text hyp, Text ref) {
        places_.clear();
        places_.add(ref.words, static_cast<std::int64_t>(ref.n), 0);
        places_.sort();
        const std::size_t n_blocks = (ref.n + 63) / 64;
        found_.assign(n_blocks, 0);
        column_.assign(n_blocks, ~std::uint64_t{0});
        for (std::size_t i = 0; i < hyp.n; ++i) {
            const Places::Range range = places_.of(hyp.words[i]);
            if (range.begin < range.end) step(range);
        }
        std::int64_t length = 0;
        for (std::size_t j = 0; j < ref.n; ++j) length += !(column_[j / 64] >> (j % 64) & 1);
        return length;
    }

private:
    void step(Places::Range range) {
        for (std::size_t k = range.begin; k < range.end; ++k)
            found_[places_.at(k) / 64] |= std::uint64_t{1} << (places_.at(k) % 64);
        std::uint64_t carry = 0;
        for (std::size_t b = 0; b < column_.size(); ++b) {
            const std::uint64_t column = column_[b], found = column & found_[b];
            const std::uint64_t partial = column + found, sum = partial + carry;
            carry = (partial < column) | (sum < partial);
            column_[b] = sum | (column - found);
        }
        for (std::size_t k = range.begin; k < range.end; ++k) found_[places_.at(k) / 64] = 0;
    }

    Places places_;
    std::vector<std::uint64_t> found_, column_;  // where the word stands; 0 where the length grows
};

// Weighted longest common subsequence. What the specification would read off the path is carried along it, so two rows
// are enough.
class Wlcs {
public:
    explicit Wlcs(double weight) : weight_(weight) {}

    void operator()(Text hyp, Text ref, double* sizes) {
        while (powers_.size() <= std::min(hyp.n, ref.n))
            powers_.push_back(std::pow(static_cast<double>(powers_.size()), weight_));
        above_.assign(hyp.n + 1, Cell());
        row_.assign(hyp.n + 1, Cell());
        for (std::size_t i = 0; i < ref.n; ++i) {
            for (std::size_t j = 0; j < hyp.n; ++j) {
                if (ref.words[i] == hyp.words[j]) {
                    row_[j + 1] = extended(above_[j], static_cast<std::int64_t>(i));
                } else {
                    row_[j + 1] = above_[j + 1].size >= row_[j].size ? above_[j + 1] : row_[j];
                    row_[j + 1].run = 0;
                }
            }
            above_.swap(row_);
        }
        const Cell& end = above_[hyp.n];
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

enum Unigrams { no_unigrams = 0, all_unigrams = 1, all_but_last = 2 };

// Clipped matches of skip-bigrams, one first word after another; memory grows with the lengths only.
class SkipBigrams {
public:
    SkipBigrams(std::int64_t gap, Unigrams unigrams) : gap_(gap), unigrams_(unigrams) {}

    std::int64_t operator()(Text hyp, Text ref) {
        places_.clear();
        places_.add(ref.words, static_cast<std::int64_t>(ref.n), 0);
        places_.sort();
        number_words(hyp, ref);
        std::int64_t n_matches = 0;
        for (std::size_t word = 0; word < n_words_; ++word) {
            const std::size_t begin = starts_[word], end = starts_[word + 1];
            if (begin == end) continue;
            for (std::size_t k = begin; k < end; ++k)
                each_second(hyp_, hyp_places_[k], [&](std::size_t second) { ++counts_[second]; });
            for (std::size_t k = ref_starts_[word]; k < ref_starts_[word + 1]; ++k)
                each_second(ref_, places_.at(k), [&](std::size_t second) {
                    if (counts_[second] > 0) --counts_[second], ++n_matches;
                });
            for (std::size_t k = begin; k < end; ++k)
                each_second(hyp_, hyp_places_[k], [&](std::size_t second) { counts_[second] = 0; });
        }
        return n_matches;
    }

private:
    // Words of the reference get numbers from 0 on; all others one that no reference word has.
    void number_words(Text hyp, Text ref) {
        ref_.assign(ref.n, 0);
        ref_starts_.clear();
        for (std::size_t k = 0; k < places_.size(); ++k) {
            if (k == 0 || places_.word(k) != places_.word(k - 1)) ref_starts_.push_back(k);
            ref_[places_.at(k)] = ref_starts_.size() - 1;
        }
        n_words_ = ref_starts_.size();
        ref_starts_.push_back(places_.size());
        hyp_.clear();
        starts_.assign(n_words_ + 2, 0);
        for (std::size_t i = 0; i < hyp.n; ++i) {
            const Places::Range range = places_.of(hyp.words[i]);
            hyp_.push_back(range.begin < range.end ? ref_[places_.at(range.begin)] : n_words_);
            ++starts_[hyp_.back() + 1];
        }
        for (std::size_t word = 0; word <= n_words_; ++word) starts_[word + 1] += starts_[word];
        hyp_places_.resize(hyp.n);
        next_.assign(starts_.begin(), starts_.end());
        for (std::size_t i = 0; i < hyp.n; ++i) hyp_places_[next_[hyp_[i]]++] = i;
        counts_.assign(n_words_ + 2, 0);  // one for words that the reference lacks, one for "nothing"
    }

    template <typename Visit>
    void each_second(const std::vector<std::size_t>& text, std::size_t first, Visit visit) const {
        const std::size_t n = text.size(), rest = n - first - 1;
        const std::size_t n_seconds = gap_ < 0 || static_cast<std::size_t>(gap_) >= rest
                                          ? rest : static_cast<std::size_t>(gap_) + 1;
        for (std::size_t i = first + 1; i <= first + n_seconds; ++i) visit(text[i]);
        if (unigrams_ == all_unigrams || (unigrams_ == all_but_last && rest > 0)) visit(n_words_ + 1);
    }

    std::int64_t gap_;
    Unigrams unigrams_;
    Places places_;
    std::size_t n_words_ = 0;
    std::vector<std::size_t> hyp_, ref_;                             // numbers of the words
    std::vector<std::size_t> starts_, next_, hyp_places_, ref_starts_;  // by number, where the word stands
    std::vector<std::int64_t> counts_;
};

// Pairs of texts, checked.
struct Pairs {
    TokenView hyps, refs;
    const std::int64_t *hyp_of, *ref_of;
    std::size_t n;

    Pairs(const In<std::int32_t>& hyp_ids, const In<std::int64_t>& hyp_offsets, const In<std::int32_t>& ref_ids,
          const In<std::int64_t>& ref_offsets, const In<std::int64_t>& hyp_index, const In<std::int64_t>& ref_index)
        : hyps(hyp_ids, hyp_offsets), refs(ref_ids, ref_offsets), hyp_of(hyp_index.data()), ref_of(ref_index.data()),
          n(hyp_index.shape(0)) {
        if (hyp_index.shape(0) != ref_index.shape(0))
            throw std::invalid_argument("hyp_index and ref_index differ in length");
        check_index(hyp_index, hyps.n_texts);
        check_index(ref_index, refs.n_texts);
    }
    Text hyp(std::size_t p) const { return text(hyps, hyp_of[p]); }
    Text ref(std::size_t p) const { return text(refs, ref_of[p]); }

private:
    static Text text(const TokenView& view, std::int64_t i) {
        return {view.begin(i), static_cast<std::size_t>(view.length(i))};
    }
};

Out1<std::int64_t> lcs_lengths(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                               In<std::int64_t> ref_offsets, In<std::int64_t> hyp_index, In<std::int64_t> ref_index,
                               int threads) {
    const Pairs pairs(hyp_ids, hyp_offsets, ref_ids, ref_offsets, hyp_index, ref_index);
    std::vector<std::int64_t> lengths(pairs.n);
    {
        const nb::gil_scoped_release release;
        parallel_for(pairs.n, threads, [&] {
            return [&, lcs = Lcs()](std::size_t p) mutable { lengths[p] = lcs(pairs.hyp(p), pairs.ref(p)); };
        });
    }
    return to_numpy(std::move(lengths));
}

Out2<double> wlcs_sizes(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                        In<std::int64_t> ref_offsets, In<std::int64_t> hyp_index, In<std::int64_t> ref_index,
                        double weight, int threads) {
    const Pairs pairs(hyp_ids, hyp_offsets, ref_ids, ref_offsets, hyp_index, ref_index);
    std::vector<double> sizes(2 * pairs.n);
    {
        const nb::gil_scoped_release release;
        parallel_for(pairs.n, threads, [&] {
            return [&, wlcs = Wlcs(weight)](std::size_t p) mutable {
                wlcs(pairs.hyp(p), pairs.ref(p), &sizes[2 * p]);
            };
        });
    }
    return to_numpy(std::move(sizes), 2);
}

Out1<std::int64_t> skip_bigram_matches(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets,
                                       In<std::int32_t> ref_ids, In<std::int64_t> ref_offsets,
                                       In<std::int64_t> hyp_index, In<std::int64_t> ref_index, std::int64_t gap,
                                       int unigrams, int threads) {
    const Pairs pairs(hyp_ids, hyp_offsets, ref_ids, ref_offsets, hyp_index, ref_index);
    if (unigrams < no_unigrams || unigrams > all_but_last) throw std::invalid_argument("no such rule for unigrams");
    std::vector<std::int64_t> matches(pairs.n);
    {
        const nb::gil_scoped_release release;
        parallel_for(pairs.n, threads, [&] {
            return [&, count = SkipBigrams(gap, static_cast<Unigrams>(unigrams))](std::size_t p) mutable {
                matches[p] = count(pairs.hyp(p), pairs.ref(p));
            };
        });
    }
    return to_numpy(std::move(matches));
}

}  // namespace
}  // namespace mtassay

void bind_rouge(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("lcs_lengths", &mtassay::lcs_lengths, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a,
          "hyp_index"_a, "ref_index"_a, "threads"_a, "Longest common subsequences; see mtassay.kernels.rouge.");
    m.def("wlcs_sizes", &mtassay::wlcs_sizes, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a,
          "hyp_index"_a, "ref_index"_a, "weight"_a, "threads"_a,
          "Weighted longest common subsequences; see mtassay.kernels.rouge.");
    m.def("skip_bigram_matches", &mtassay::skip_bigram_matches, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a,
          "ref_offsets"_a, "hyp_index"_a, "ref_index"_a, "gap"_a, "unigrams"_a, "threads"_a,
          "Matches of skip-bigrams; see mtassay.kernels.rouge.");
}
