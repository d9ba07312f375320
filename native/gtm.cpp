// Match sizes of the General Text Matcher; the specification is mtassay/kernels/gtm.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "places.hpp"

namespace mtassay {
namespace {

// Chooses the runs of one hypothesis after another; memory grows with the sum of the lengths only.
class Matcher {
public:
    std::vector<std::int32_t> chosen;  // lengths of the runs, in the order in which they were chosen

    void clear() {
        places_.clear();
        n_ref_ = 0;
    }
    // References are laid end to end, with a place between that no word has.
    void add_reference(const std::int32_t* words, std::int64_t n) {
        places_.add(words, n, n_ref_);
        n_ref_ += n + 1;
    }
    // Number of words that the texts have in common, all that exponent 1 asks for.
    std::int64_t in_common(const std::int32_t* hyp, std::int64_t n) {
        places_.sort();
        words_.assign(hyp, hyp + n);
        std::sort(words_.begin(), words_.end());
        std::int64_t n_common = 0;
        std::size_t k = 0;
        for (const std::int32_t word : words_) {
            while (k < places_.size() && places_.word(k) < word) ++k;
            if (k == places_.size()) break;
            if (places_.word(k) > word) continue;
            ++n_common;
            ++k;
        }
        return n_common;
    }
    void match(const std::int32_t* hyp, std::int64_t n) {
        chosen.clear();
        places_.sort();
        ranges_.clear();
        for (std::int64_t i = 0; i < n; ++i) ranges_.push_back(places_.of(hyp[i]));
        free_ref_.assign(static_cast<std::size_t>(n_ref_), 1);
        below_.assign(static_cast<std::size_t>(n_ref_) + 1, 0);
        for (std::int32_t longest = sweep(0); longest > 0;) longest = sweep(longest);
    }

private:
    std::int32_t sweep(std::int32_t length) {
        std::int32_t bound = 0;
        for (std::size_t i = ranges_.size(); i-- > 0;) {
            row_.clear();
            for (std::size_t k = ranges_[i].end; k-- > ranges_[i].begin;) {
                const std::size_t j = places_.at(k);
                if (!free_ref_[j]) continue;
                const std::int32_t n = below_[j + 1] + 1;
                if (n == length) {
                    take(i, j, n);
                    row_.clear();
                    break;
                }
                row_.emplace_back(j, n);
                bound = std::max(bound, n);
            }
            for (const auto& cell : row_below_) below_[cell.first] = 0;
            for (const auto& cell : row_) below_[cell.first] = cell.second;
            row_below_.swap(row_);
        }
        for (const auto& cell : row_below_) below_[cell.first] = 0;
        row_below_.clear();
        return bound;
    }

    void take(std::size_t i, std::size_t j, std::int32_t n) {
        chosen.push_back(n);
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
            ranges_[i + k] = {0, 0};
            free_ref_[j + k] = 0;
        }
    }

    Places places_;  // of the words of the references
    std::int64_t n_ref_ = 0;
    std::vector<std::int32_t> words_;  // of the hypothesis, sorted
    std::vector<Places::Range> ranges_;  // of each hypothesis word; empty once it is used
    std::vector<char> free_ref_;
    std::vector<std::int32_t> below_;  // by place, the length of the run from there and the next hypothesis word on
    std::vector<std::pair<std::size_t, std::int32_t>> row_, row_below_;  // what is not 0 in a row
};

// The lengths are added in the order of choice, as the specification adds them: sums have the same rounding.
double size_of(const std::vector<std::int32_t>& runs, double most, double exponent) {
    double total = 0.0;
    for (const std::int32_t run : runs) {
        const double counted = std::min(static_cast<double>(run), most);
        total += std::pow(counted, exponent);
        most -= counted;
    }
    return std::pow(total, 1.0 / exponent);
}

Out1<double> gtm_sizes(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                       In<std::int64_t> ref_offsets, In<std::int64_t> group_offsets, In<std::int64_t> hyp_index,
                       In<std::int64_t> group_index, double exponent, int threads) {
    const TokenView hyps(hyp_ids, hyp_offsets), refs(ref_ids, ref_offsets);
    const std::size_t n_groups = check_groups(group_offsets, refs.n_texts);
    if (hyp_index.shape(0) != group_index.shape(0)) throw std::invalid_argument("indices differ in length");
    check_index(hyp_index, hyps.n_texts);
    check_index(group_index, n_groups);
    if (!(exponent > 0)) throw std::invalid_argument("the exponent must be positive");

    const std::int64_t *hyp_of = hyp_index.data(), *group_of = group_index.data(), *offsets = group_offsets.data();
    std::vector<double> sizes(hyp_index.shape(0));
    {
        const nb::gil_scoped_release release;
        parallel_for(sizes.size(), threads, [&] {
            return [&, matcher = Matcher()](std::size_t p) mutable {
                const std::int64_t h = hyp_of[p], first = offsets[group_of[p]], end = offsets[group_of[p] + 1];
                matcher.clear();
                std::int64_t n_words = 0;
                for (std::int64_t t = first; t < end; ++t) {
                    matcher.add_reference(refs.begin(t), refs.length(t));
                    n_words += refs.length(t);
                }
                const auto n_texts = static_cast<double>(std::max<std::int64_t>(end - first, 1));
                const double mean = static_cast<double>(n_words) / n_texts;
                const double most = std::min(static_cast<double>(hyps.length(h)), mean);
                if (exponent == 1.0) {
                    const std::int64_t n_common = matcher.in_common(hyps.begin(h), hyps.length(h));
                    sizes[p] = std::min(static_cast<double>(n_common), most);
                } else {
                    matcher.match(hyps.begin(h), hyps.length(h));
                    sizes[p] = size_of(matcher.chosen, most, exponent);
                }
            };
        });
    }
    return to_numpy(std::move(sizes));
}

}  // namespace
}  // namespace mtassay

void bind_gtm(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("gtm_sizes", &mtassay::gtm_sizes, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a,
          "group_offsets"_a, "hyp_index"_a, "group_index"_a, "exponent"_a, "threads"_a,
          "Match sizes of pairs (hypothesis, group of references); see mtassay.kernels.gtm.");
}
