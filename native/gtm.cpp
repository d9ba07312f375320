// Match sizes of the General Text Matcher; the specification is mtassay/kernels/gtm.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
#include "sorted_positions.hpp"

namespace mtassay {
namespace {

// Chooses the runs of one hypothesis after another; memory is proportional to the sum of the lengths.
class Matcher {
public:
    std::vector<std::int32_t> chosen;  // lengths of the runs, in the order in which they were chosen

    void clear() {
        positions_.clear();
        n_ref_ = 0;
    }
    // References are laid end to end, with an unused position between them.
    void add_reference(const std::int32_t* words, std::int64_t n) {
        positions_.add(words, n, n_ref_);
        n_ref_ += n + 1;
    }
    // Number of words that the texts have in common, which is all that exponent 1 needs.
    std::int64_t in_common(const std::int32_t* hyp, std::int64_t n) {
        positions_.sort();
        return positions_.in_common(hyp, n);
    }
    void match(const std::int32_t* hyp, std::int64_t n) {
        chosen.clear();
        positions_.sort();
        ranges_.clear();
        for (std::int64_t i = 0; i < n; ++i) ranges_.push_back(positions_.of(hyp[i]));
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
                const std::size_t j = positions_.at(k);
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

    SortedPositions positions_;  // of the words of the references
    std::int64_t n_ref_ = 0;
    std::vector<SortedPositions::Range> ranges_;  // of each hypothesis word; empty once it is used
    std::vector<char> free_ref_;
    std::vector<std::int32_t> below_;  // by position, the length of the run that begins there and at the next hypothesis word
    std::vector<std::pair<std::size_t, std::int32_t>> row_, row_below_;  // the entries of a row that are not 0
};

// Lengths are added in the order in which they were chosen, as in the specification, so that sums are rounded the same.
double size_of(const std::vector<std::int32_t>& runs, double most, double exponent) {
    double total = 0.0;
    for (const std::int32_t run : runs) {
        const double counted = std::min(static_cast<double>(run), most);
        total += std::pow(counted, exponent);
        most -= counted;
    }
    return std::pow(total, 1.0 / exponent);
}

Out1<double> gtm_sizes(const nb::tuple& pairs_in, double exponent) {
    const GroupedPairs pairs(pairs_in);
    if (!(exponent > 0)) throw std::invalid_argument("the exponent must be positive");
    Matcher matcher;
    return to_numpy(for_each_pair<double>(pairs, 1, [&](std::size_t p, double* size) {
        const std::int64_t g = pairs.ref_index[p], first = pairs.group_offsets[g], end = pairs.group_offsets[g + 1];
        matcher.clear();
        std::int64_t n_ref_words = 0;
        for (std::int64_t t = first; t < end; ++t) {
            matcher.add_reference(pairs.refs.begin(t), pairs.refs.length(t));
            n_ref_words += pairs.refs.length(t);
        }
        const std::int32_t* hyp = pairs.hyps.begin(pairs.hyp_index[p]);
        const std::int64_t n_hyp_words = pairs.hyps.length(pairs.hyp_index[p]);
        const double mean = static_cast<double>(n_ref_words) / static_cast<double>(std::max<std::int64_t>(end - first, 1));
        const double most = std::min(static_cast<double>(n_hyp_words), mean);
        if (exponent == 1.0) {
            *size = std::min(static_cast<double>(matcher.in_common(hyp, n_hyp_words)), most);
        } else {
            matcher.match(hyp, n_hyp_words);
            *size = size_of(matcher.chosen, most, exponent);
        }
    }));
}

}  // namespace
}  // namespace mtassay

void bind_gtm(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("gtm_sizes", &mtassay::gtm_sizes, "pairs"_a, nanobind::kw_only(), "exponent"_a);
}
