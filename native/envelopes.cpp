// Exact line search over lists of candidates; see mtassay/kernels/envelopes.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "arrays.hpp"

namespace mtassay {
namespace {

template <typename T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The difference of two numbers up to this one is finite, so every threshold is defined.
constexpr double largest = 1e300;
// A point below a chord by at most this share of the range of intercepts may in truth lie on it.
constexpr double tolerance = 1e-9;
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

// Lines are treated as points (slope, intercept): the steepness of the chord between two points; infinite if unknown.
double steepness(const Line& from, const Line& to) {
    const double width = to.slope - from.slope;
    const double rise = to.intercept - from.intercept;
    if (!(width > 0) || rise == 0.0) return 0.0;
    const double steep = rise / width;
    return steep == 0.0 ? infinity : steep;
}

// Whether the rounding of a steepness is the usual one, so that the tolerance covers it.
bool is_exact(double steep, double range) {
    return std::isfinite(steep) && range > 1e-280 && (steep == 0.0 || std::fabs(steep) > 1e-300);
}

// Most lines of a segment are far below its envelope, and need not be sorted: as points they lie below the chord between
// two others. Points that are nearly on a chord are kept, so that rounding never decides.
class Sieve {
public:
    // Finds all lines that may be on top somewhere, sorted by slope; lines of equal slope stay in order.
    const std::vector<Line>& sift(const double* slopes, const double* intercepts, std::size_t first, std::size_t end) {
        const std::size_t size = end - first;
        slopes_ = slopes + first, intercepts_ = intercepts + first, first_ = first;
        std::size_t low = 0, high = 0, top = 0;
        double least = slopes_[0], largest_slope = least, highest = intercepts_[0], lowest = highest;
        for (std::size_t i = 1; i < size; ++i) {
            const double slope = slopes_[i], intercept = intercepts_[i];
            if (slope < least) least = slope, low = i;
            if (slope > largest_slope) largest_slope = slope, high = i;
            if (intercept > highest) highest = intercept, top = i;
            lowest = std::min(lowest, intercept);
        }
        range_ = highest - lowest;
        measure(line(low), line(top), line(high), size);
        keep(line(top), size);
        if (peaks_[0] < size) drop_below(line(low), line(peaks_[0]), line(top));
        if (peaks_[1] < size) drop_below(line(top), line(peaks_[1]), line(high));
        std::sort(kept_.begin(), kept_.end(), [](const Line& a, const Line& b) {
            return a.slope != b.slope ? a.slope < b.slope : a.candidate < b.candidate;
        });
        return kept_;
    }

private:
    Line line(std::size_t i) const {
        return {slopes_[i], intercepts_[i], 0.0, static_cast<std::int64_t>(first_ + i)};
    }

    // Heights above the chords from `left` to `top` and from `top` to `right`. The second chord falls and the first does
    // not, so on either side the larger height is the right one; without branches, which would be unpredictable.
    void measure(const Line& left, const Line& top, const Line& right, std::size_t size) {
        heights_.resize(size);
        double rise = steepness(left, top), fall = steepness(top, right);
        if (left.slope == top.slope) rise = fall;
        if (right.slope == top.slope) fall = rise;
        if (!is_exact(rise, range_) || !is_exact(fall, range_)) {
            std::fill(heights_.begin(), heights_.end(), 0.0);
            return;
        }
        double* const heights = heights_.data();
        const double *const slopes = slopes_, *const intercepts = intercepts_;
        for (std::size_t i = 0; i < size; ++i) {
            const double along = slopes[i] - top.slope, up = intercepts[i] - top.intercept;
            const double first = up - rise * along, second = up - fall * along;
            heights[i] = first < second ? second : first;
        }
    }

    // Keeps the points that are not below the chords, and finds the point that is highest above each chord.
    void keep(const Line& top, std::size_t size) {
        indices_.resize(size);
        std::size_t n = 0;
        for (std::size_t i = 0; i < size; ++i) {
            indices_[n] = i;
            n += !(heights_[i] < -tolerance * range_);
        }
        double most[2] = {0.0, 0.0};
        peaks_[0] = peaks_[1] = size;
        kept_.clear();
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = indices_[k];
            const bool side = slopes_[i] > top.slope;
            if (heights_[i] > most[side]) most[side] = heights_[i], peaks_[side] = i;
            kept_.push_back(line(i));
        }
    }

    // Drops points between `left` and `right` that lie below the chords from and to `peak`.
    void drop_below(const Line& left, const Line& peak, const Line& right) {
        const double before = steepness(left, peak), after = steepness(peak, right);
        if (!is_exact(before, range_) || !is_exact(after, range_)) return;
        const auto is_below = [&](const Line& point) {
            if (point.slope < left.slope || point.slope > right.slope) return false;
            const double along = point.slope - peak.slope;
            return point.intercept - peak.intercept - (along > 0 ? after : before) * along < -tolerance * range_;
        };
        kept_.erase(std::remove_if(kept_.begin(), kept_.end(), is_below), kept_.end());
    }

    const double *slopes_ = nullptr, *intercepts_ = nullptr;
    std::size_t first_ = 0, peaks_[2] = {0, 0};
    double range_ = 0.0;
    std::vector<double> heights_;
    std::vector<std::size_t> indices_;
    std::vector<Line> kept_;
};

std::tuple<Out1<std::int64_t>, Out1<double>, Out1<std::int64_t>> upper_envelopes(In<double> slopes_in,
                                                                                 In<double> intercepts_in,
                                                                                 In<std::int64_t> offsets_in) {
    const std::size_t n = slopes_in.shape(0);
    if (intercepts_in.shape(0) != n) throw std::invalid_argument("slopes and intercepts differ in length");
    check_offsets(offsets_in, n, "every segment needs candidates, and offsets must span them");

    const std::int64_t* offsets = offsets_in.data();
    const std::size_t n_segments = offsets_in.shape(0) - 1;
    std::vector<Line> lines;
    std::vector<std::int64_t> starts{0}, candidates;
    std::vector<double> lefts;
    bool fine;
    {
        const nb::gil_scoped_release release;
        fine = all_finite(slopes_in) && all_finite(intercepts_in);
        Sieve sieve;
        lines.reserve(8 * n_segments);
        starts.reserve(n_segments + 1);
        for (std::size_t s = 0; s < n_segments && fine; ++s) {
            const std::size_t bottom = lines.size();
            const auto first = static_cast<std::size_t>(offsets[s]), end = static_cast<std::size_t>(offsets[s + 1]);
            for (const Line& line : sieve.sift(slopes_in.data(), intercepts_in.data(), first, end))
                add_line(lines, bottom, line);
            starts.push_back(static_cast<std::int64_t>(lines.size()));
        }
        candidates.reserve(lines.size()), lefts.reserve(lines.size());
        for (const Line& line : lines) candidates.push_back(line.candidate), lefts.push_back(line.left);
    }
    if (!fine) throw std::invalid_argument("slopes and intercepts must be finite");
    return {to_numpy(std::move(candidates)), to_numpy(std::move(lefts)), to_numpy(std::move(starts))};
}

// A place where one winner takes over from the one before it; `number` is its position in the input.
struct Change {
    double place;
    std::size_t number;
};

// Statistics are float if that is exact, since half as much memory must then be read.
template <typename T>
std::tuple<Out1<double>, Out2<double>> interval_totals(In<std::int64_t> candidates_in, In<double> lefts_in,
                                                       In<std::int64_t> starts_in, In2<T> statistics_in) {
    const std::size_t n_lines = candidates_in.shape(0), n_columns = statistics_in.shape(1);
    if (lefts_in.shape(0) != n_lines) throw std::invalid_argument("offsets do not span the lines");
    check_offsets(starts_in, n_lines, "offsets do not span the lines, or a segment without candidates");
    check_index(candidates_in, statistics_in.shape(0));
    if (n_columns == 0) throw std::invalid_argument("no statistics");

    const std::int64_t *candidates = candidates_in.data(), *starts = starts_in.data();
    const double* lefts = lefts_in.data();
    const T* statistics = statistics_in.data();
    const auto row = [=](std::size_t line) { return statistics + static_cast<std::size_t>(candidates[line]) * n_columns; };
    std::vector<double> thresholds, totals;
    bool fine = true;
    {
        const nb::gil_scoped_release release;
        std::vector<double> sums(n_columns, 0.0), differences;
        std::vector<Change> changes;
        const std::size_t most_changes = n_lines - (starts_in.shape(0) - 1);
        differences.reserve(most_changes * n_columns);
        changes.reserve(most_changes);
        for (std::size_t s = 0; s + 1 < starts_in.shape(0); ++s) {
            const auto first = static_cast<std::size_t>(starts[s]), end = static_cast<std::size_t>(starts[s + 1]);
            for (std::size_t k = 0; k < n_columns; ++k) sums[k] += row(first)[k];
            for (std::size_t line = first + 1; line < end; ++line) {
                const T *before = row(line - 1), *now = row(line);
                fine &= std::isfinite(lefts[line]);
                changes.push_back({lefts[line], changes.size()});
                for (std::size_t k = 0; k < n_columns; ++k) differences.push_back(static_cast<double>(now[k]) - before[k]);
            }
        }
        if (fine) {
            std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
                return a.place != b.place ? a.place < b.place : a.number < b.number;
            });
            thresholds.reserve(changes.size());
            totals.reserve((changes.size() + 1) * n_columns);
            totals.insert(totals.end(), sums.begin(), sums.end());
            for (const Change& change : changes) {
                const double* difference = &differences[change.number * n_columns];
                for (std::size_t k = 0; k < n_columns; ++k) sums[k] += difference[k];
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
    m.def("upper_envelopes", &mtassay::upper_envelopes, "slopes"_a, "intercepts"_a, nanobind::kw_only(), "offsets"_a);
    m.def("interval_totals", &mtassay::interval_totals<float>, "candidates"_a, "lefts"_a, "starts"_a,
          nanobind::kw_only(), "statistics"_a);
    m.def("interval_totals", &mtassay::interval_totals<double>, "candidates"_a, "lefts"_a, "starts"_a,
          nanobind::kw_only(), "statistics"_a);
}
