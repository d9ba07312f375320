// Exact line search over lists of candidates; see mtassay/kernels/envelopes.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "arrays.hpp"

namespace mtassay {
namespace {

using In2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// No difference of two such numbers is infinite, and so no threshold is undefined.
constexpr double largest = 1e300;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Line {
    double slope, intercept, left;
    std::int64_t candidate;
};

void check_offsets(const In<std::int64_t>& offsets, std::size_t n, const char* message) {
    const std::size_t size = offsets.shape(0);
    bool fits = size > 0 && offsets.data()[0] == 0 && offsets.data()[size - 1] == static_cast<std::int64_t>(n);
    for (std::size_t s = 0; fits && s + 1 < size; ++s) fits = offsets.data()[s] < offsets.data()[s + 1];
    if (!fits) throw std::invalid_argument(message);
}

bool all_finite(const In<double>& values) {
    bool fine = true;
    for (std::size_t i = 0; i < values.shape(0); ++i) fine &= std::fabs(values.data()[i]) <= largest;
    return fine;
}

// Puts a line on top of those of its segment, the last of which has no larger slope; `bottom` is the segment's first.
void add_line(std::vector<Line>& lines, std::size_t bottom, Line line) {
    line.left = -infinity;
    while (lines.size() > bottom) {
        const Line& top = lines.back();
        if (line.slope == top.slope) {
            if (line.intercept <= top.intercept) return;
        } else {
            const double left = (top.intercept - line.intercept) / (line.slope - top.slope);
            if (left > top.left) {
                line.left = left;
                break;
            }
        }
        lines.pop_back();
    }
    if (line.left < infinity) lines.push_back(line);
}

std::tuple<Out1<std::int64_t>, Out1<double>, Out1<std::int64_t>> upper_envelopes(In<double> slopes_in,
                                                                                 In<double> intercepts_in,
                                                                                 In<std::int64_t> offsets_in,
                                                                                 In<std::int32_t> order_in) {
    const std::size_t n = slopes_in.shape(0);
    if (intercepts_in.shape(0) != n || (order_in.shape(0) != 0 && order_in.shape(0) != n))
        throw std::invalid_argument("slopes, intercepts and order differ in length");
    check_offsets(offsets_in, n, "every segment needs candidates, and offsets must span them");
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("too many candidates");

    const double *slopes = slopes_in.data(), *intercepts = intercepts_in.data();
    const std::int64_t* offsets = offsets_in.data();
    const std::int32_t* order = order_in.shape(0) ? order_in.data() : nullptr;
    const std::size_t n_segments = offsets_in.shape(0) - 1;
    std::vector<Line> lines;
    std::vector<std::int64_t> starts{0};
    const char* wrong = nullptr;
    {
        const nb::gil_scoped_release release;
        if (!all_finite(slopes_in) || !all_finite(intercepts_in)) wrong = "slopes and intercepts must be finite";
        std::vector<std::int32_t> sorted;
        for (std::size_t s = 0; s < n_segments && !wrong; ++s) {
            const std::int64_t first = offsets[s], end = offsets[s + 1];
            const std::int32_t* of_segment = order ? order + first : nullptr;
            if (!order) {
                sorted.resize(static_cast<std::size_t>(end - first));
                std::iota(sorted.begin(), sorted.end(), static_cast<std::int32_t>(first));
                std::sort(sorted.begin(), sorted.end(), [slopes](std::int32_t a, std::int32_t b) {
                    return slopes[a] != slopes[b] ? slopes[a] < slopes[b] : a < b;
                });
                of_segment = sorted.data();
            }
            const std::size_t bottom = lines.size();
            for (std::int64_t i = 0; i < end - first; ++i) {
                const std::int64_t candidate = of_segment[i];
                if (candidate < first || candidate >= end) {
                    wrong = "the order must be one inside segments";
                    break;
                }
                add_line(lines, bottom, {slopes[candidate], intercepts[candidate], 0.0, candidate});
            }
            starts.push_back(static_cast<std::int64_t>(lines.size()));
        }
    }
    if (wrong) throw std::invalid_argument(wrong);
    std::vector<std::int64_t> candidates(lines.size());
    std::vector<double> lefts(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) candidates[i] = lines[i].candidate, lefts[i] = lines[i].left;
    return {to_numpy(std::move(candidates)), to_numpy(std::move(lefts)), to_numpy(std::move(starts))};
}

// A place where one winner takes over from the one before it in the envelope; `line` is the new one.
struct Change {
    double place;
    std::size_t line;
};

std::tuple<Out1<double>, Out2<double>> interval_totals(In<std::int64_t> candidates_in, In<double> lefts_in,
                                                       In<std::int64_t> starts_in, In2 statistics_in) {
    const std::size_t n_lines = candidates_in.shape(0), n_columns = statistics_in.shape(1);
    if (lefts_in.shape(0) != n_lines) throw std::invalid_argument("offsets do not span the lines");
    check_offsets(starts_in, n_lines, "offsets do not span the lines, or a segment without candidates");
    check_index(candidates_in, statistics_in.shape(0));
    if (n_columns == 0) throw std::invalid_argument("no statistics");

    const std::int64_t *candidates = candidates_in.data(), *starts = starts_in.data();
    const double *lefts = lefts_in.data(), *statistics = statistics_in.data();
    const auto row = [=](std::size_t line) { return statistics + static_cast<std::size_t>(candidates[line]) * n_columns; };
    std::vector<double> thresholds, totals;
    bool fine = true;
    {
        const nb::gil_scoped_release release;
        std::vector<double> sums(n_columns, 0.0);
        std::vector<Change> changes;
        for (std::size_t s = 0; s + 1 < starts_in.shape(0); ++s) {
            const auto first = static_cast<std::size_t>(starts[s]), end = static_cast<std::size_t>(starts[s + 1]);
            for (std::size_t k = 0; k < n_columns; ++k) sums[k] += row(first)[k];
            for (std::size_t line = first + 1; line < end; ++line) {
                fine &= std::isfinite(lefts[line]);
                if (!std::equal(row(line), row(line) + n_columns, row(line - 1))) changes.push_back({lefts[line], line});
            }
        }
        if (fine) {
            std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
                return a.place != b.place ? a.place < b.place : a.line < b.line;
            });
            thresholds.reserve(changes.size());
            totals.reserve((changes.size() + 1) * n_columns);
            totals.insert(totals.end(), sums.begin(), sums.end());
            for (const Change& change : changes) {
                const double *now = row(change.line), *before = row(change.line - 1);
                for (std::size_t k = 0; k < n_columns; ++k) sums[k] += now[k] - before[k];
                if (thresholds.empty() || thresholds.back() != change.place) {
                    thresholds.push_back(change.place);
                    totals.insert(totals.end(), sums.begin(), sums.end());
                } else {
                    std::copy(sums.begin(), sums.end(), totals.end() - static_cast<std::ptrdiff_t>(n_columns));
                }
            }
        }
    }
    if (!fine) throw std::invalid_argument("thresholds must be finite");
    return {to_numpy(std::move(thresholds)), to_numpy(std::move(totals), n_columns)};
}

}  // namespace
}  // namespace mtassay

void bind_envelopes(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("upper_envelopes", &mtassay::upper_envelopes, "slopes"_a, "intercepts"_a, "offsets"_a, "order"_a,
          "Lines that are on top somewhere, by segment; see mtassay.kernels.envelopes.");
    m.def("interval_totals", &mtassay::interval_totals, "candidates"_a, "lefts"_a, "starts"_a, "statistics"_a,
          "Totals of the winners between thresholds; see mtassay.kernels.envelopes.");
}
