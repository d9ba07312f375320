// Matches between semantic frames; the specification is mtassay/kernels/frames.py.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

constexpr double less = 1e-6;  // weight of the other arguments relative to predicates when frames are aligned

void check_offsets(const In<std::int64_t>& offsets, std::size_t limit, std::int64_t least) {
    if (offsets.shape(0) == 0 || offsets.data()[0] != 0 ||
        offsets.data()[offsets.shape(0) - 1] != static_cast<std::int64_t>(limit))
        throw std::invalid_argument("offsets do not span the frames");
    for (std::size_t i = 0; i + 1 < offsets.shape(0); ++i)
        if (offsets.data()[i + 1] - offsets.data()[i] < least)
            throw std::invalid_argument("offsets of frames are too close");
}

// Frames of many texts, unpacked from the Python tuple of the same name.
class Frames {
    In<std::int64_t> keys_in_;
    In<double> weights_in_;
    In<std::int64_t> frame_offsets_in_;
    In<double> coverage_in_;
    In<std::int64_t> text_offsets_in_;

public:
    const Tokens arguments;
    const std::int64_t* keys;
    const double* weights;
    const std::int64_t* frame_offsets;
    const double* coverage;
    const std::int64_t* text_offsets;
    std::size_t n_texts;

    explicit Frames(const nb::tuple& given)
        : keys_in_(nb::cast<In<std::int64_t>>(given[1])),
          weights_in_(nb::cast<In<double>>(given[2])),
          frame_offsets_in_(nb::cast<In<std::int64_t>>(given[3])),
          coverage_in_(nb::cast<In<double>>(given[4])),
          text_offsets_in_(nb::cast<In<std::int64_t>>(given[5])),
          arguments(nb::cast<nb::tuple>(given[0])),
          keys(keys_in_.data()),
          weights(weights_in_.data()),
          frame_offsets(frame_offsets_in_.data()),
          coverage(coverage_in_.data()),
          text_offsets(text_offsets_in_.data()),
          n_texts(text_offsets_in_.shape(0) - 1) {
        if (keys_in_.shape(0) != arguments.n_texts || weights_in_.shape(0) != arguments.n_texts)
            throw std::invalid_argument("every argument needs a key and a weight");
        check_offsets(frame_offsets_in_, arguments.n_texts, 1);
        if (coverage_in_.shape(0) + 1 != frame_offsets_in_.shape(0))
            throw std::invalid_argument("every frame needs a coverage");
        check_offsets(text_offsets_in_, coverage_in_.shape(0), 0);
    }
    Frames(const Frames&) = delete;

    void check_words() const {
        for (std::size_t i = 0; i < arguments.n_tokens; ++i)
            if (arguments.ids[i] < 0) throw std::invalid_argument("ids of words must not be negative");
    }
    // The sum of the weights of all arguments of a frame.
    double whole(std::int64_t frame) const {
        double total = 0.0;
        for (std::int64_t a = frame_offsets[frame]; a < frame_offsets[frame + 1]; ++a) total += weights[a];
        return total;
    }
    double covered(std::int64_t text) const {
        double total = 0.0;
        for (std::int64_t f = text_offsets[text]; f < text_offsets[text + 1]; ++f) total += coverage[f];
        return total;
    }
};

// Weights of rows and columns, in memory that is used again.
struct Matrix {
    std::size_t n_rows = 0, n_columns = 0;
    std::vector<double> values;

    void reset(std::size_t rows, std::size_t columns) {
        n_rows = rows;
        n_columns = columns;
        values.assign(rows * columns, 0.0);
    }
    double& at(std::size_t i, std::size_t j) { return values[i * n_columns + j]; }
};

// The one-to-one assignment with the largest sum of weights: the Hungarian method with potentials.
class Assignment {
public:
    std::vector<std::pair<std::size_t, std::size_t>> pairs;  // rows ascending

    void solve(Matrix& weights) {
        pairs.clear();
        const bool swapped = weights.n_rows > weights.n_columns;
        const std::size_t n_rows = swapped ? weights.n_columns : weights.n_rows;
        const std::size_t n_columns = swapped ? weights.n_rows : weights.n_columns;
        const double infinity = std::numeric_limits<double>::infinity();
        of_row_.assign(n_rows + 1, 0.0);
        of_column_.assign(n_columns + 1, 0.0);
        owner_.assign(n_columns + 1, 0);
        way_.assign(n_columns + 1, 0);
        for (std::size_t row = 1; row <= n_rows; ++row) {
            owner_[0] = row;
            std::size_t column = 0;
            slack_.assign(n_columns + 1, infinity);
            seen_.assign(n_columns + 1, 0);
            while (owner_[column]) {
                seen_[column] = 1;
                const std::size_t i = owner_[column];
                double delta = infinity;
                std::size_t following = 0;
                for (std::size_t j = 1; j <= n_columns; ++j) {
                    if (seen_[j]) continue;
                    const double weight = swapped ? weights.at(j - 1, i - 1) : weights.at(i - 1, j - 1);
                    const double cost = -weight - of_row_[i] - of_column_[j];
                    if (cost < slack_[j]) {
                        slack_[j] = cost;
                        way_[j] = column;
                    }
                    if (slack_[j] < delta) {
                        delta = slack_[j];
                        following = j;
                    }
                }
                for (std::size_t j = 0; j <= n_columns; ++j) {
                    if (seen_[j]) {
                        of_row_[owner_[j]] += delta;
                        of_column_[j] -= delta;
                    } else {
                        slack_[j] -= delta;
                    }
                }
                column = following;
            }
            while (column) {
                owner_[column] = owner_[way_[column]];
                column = way_[column];
            }
        }
        for (std::size_t j = 1; j <= n_columns; ++j) {
            if (!owner_[j]) continue;
            if (swapped) pairs.emplace_back(j - 1, owner_[j] - 1);
            else pairs.emplace_back(owner_[j] - 1, j - 1);
        }
        std::sort(pairs.begin(), pairs.end());
    }

private:
    std::vector<double> of_row_, of_column_, slack_;
    std::vector<std::size_t> owner_, way_;
    std::vector<char> seen_;
};

class Matcher {
public:
    Matcher(const Frames& hyps, const Frames& refs, const float* vectors, std::size_t n_words, std::size_t n_dimensions)
        : hyps_(hyps), refs_(refs), vectors_(vectors), n_words_(n_words), n_dimensions_(n_dimensions) {}

    void match(std::int64_t hyp, std::int64_t ref, double* found) {
        const std::int64_t first_hyp = hyps_.text_offsets[hyp], first_ref = refs_.text_offsets[ref];
        weights_.reset(static_cast<std::size_t>(hyps_.text_offsets[hyp + 1] - first_hyp),
                       static_cast<std::size_t>(refs_.text_offsets[ref + 1] - first_ref));
        matched_.reset(weights_.n_rows, weights_.n_columns);
        for (std::size_t i = 0; i < weights_.n_rows; ++i)
            for (std::size_t k = 0; k < weights_.n_columns; ++k)
                compare(first_hyp + static_cast<std::int64_t>(i), first_ref + static_cast<std::int64_t>(k),
                        weights_.at(i, k), matched_.at(i, k));
        found[1] = hyps_.covered(hyp);
        found[3] = refs_.covered(ref);
        frames_.solve(weights_);
        for (const auto& [i, k] : frames_.pairs) {
            if (!(weights_.at(i, k) > 0)) continue;
            add(hyps_, first_hyp + static_cast<std::int64_t>(i), matched_.at(i, k), found[0]);
            add(refs_, first_ref + static_cast<std::int64_t>(k), matched_.at(i, k), found[2]);
        }
    }

private:
    static void add(const Frames& frames, std::int64_t frame, double matched, double& sum) {
        const double whole = frames.whole(frame);
        if (whole > 0) sum += frames.coverage[frame] * matched / whole;
    }

    // The weight by which two frames are aligned, and the sum of their matches; both stay 0 if predicates differ.
    void compare(std::int64_t f, std::int64_t g, double& weight, double& matched) {
        const std::int64_t a = hyps_.frame_offsets[f], b = refs_.frame_offsets[g];
        const double of_predicates = similarity(a, b);
        if (!(of_predicates > 0)) return;
        table_.reset(static_cast<std::size_t>(hyps_.frame_offsets[f + 1] - a - 1),
                     static_cast<std::size_t>(refs_.frame_offsets[g + 1] - b - 1));
        for (std::size_t i = 0; i < table_.n_rows; ++i)
            for (std::size_t j = 0; j < table_.n_columns; ++j) {
                const std::int64_t x = a + 1 + static_cast<std::int64_t>(i), y = b + 1 + static_cast<std::int64_t>(j);
                if (hyps_.keys[x] == refs_.keys[y]) table_.at(i, j) = similarity(x, y);
            }
        arguments_.solve(table_);
        double plain = 0.0, weighted = 0.0;
        for (const auto& [i, j] : arguments_.pairs) {
            plain += table_.at(i, j);
            weighted += hyps_.weights[a + 1 + static_cast<std::int64_t>(i)] * table_.at(i, j);
        }
        weight = of_predicates + less * plain;
        matched = hyps_.weights[a] * of_predicates + weighted;
    }

    double similarity(std::int64_t a, std::int64_t b) {
        const std::int32_t *one = hyps_.arguments.begin(a), *other = refs_.arguments.begin(b);
        const std::int64_t n = hyps_.arguments.length(a), m = refs_.arguments.length(b);
        if (n == 0 || m == 0) return 0.0;
        if (n_words_ == 0) return 2.0 * static_cast<double>(in_common(one, n, other, m)) / static_cast<double>(n + m);
        const double precision = nearest(one, n, other, m), recall = nearest(other, m, one, n);
        return precision + recall > 0 ? 2.0 * precision * recall / (precision + recall) : 0.0;
    }

    // Number of words in common, each counted as often as both arguments have it.
    std::int64_t in_common(const std::int32_t* one, std::int64_t n, const std::int32_t* other, std::int64_t m) {
        if (n == 1 && m == 1) return *one == *other;
        ours_.assign(one, one + n);
        theirs_.assign(other, other + m);
        std::sort(ours_.begin(), ours_.end());
        std::sort(theirs_.begin(), theirs_.end());
        std::int64_t n_common = 0;
        for (std::size_t i = 0, j = 0; i < ours_.size() && j < theirs_.size();) {
            if (ours_[i] == theirs_[j]) ++n_common;
            const bool both = ours_[i] == theirs_[j], ours_first = ours_[i] < theirs_[j];
            if (both || ours_first) ++i;
            if (both || !ours_first) ++j;
        }
        return n_common;
    }

    // Mean over words of the largest cosine with a word of the other argument, at least 0.
    double nearest(const std::int32_t* ours, std::int64_t n, const std::int32_t* theirs, std::int64_t m) const {
        double total = 0.0;
        for (std::int64_t i = 0; i < n; ++i) {
            double best = 0.0;
            for (std::int64_t j = 0; j < m; ++j) best = std::max(best, cosine(ours[i], theirs[j]));
            total += best;
        }
        return total / static_cast<double>(n);
    }

    double cosine(std::int32_t one, std::int32_t other) const {
        if (one == other) return 1.0;
        if (static_cast<std::size_t>(std::max(one, other)) >= n_words_) return 0.0;
        const float* x = vectors_ + static_cast<std::size_t>(one) * n_dimensions_;
        const float* y = vectors_ + static_cast<std::size_t>(other) * n_dimensions_;
        double total = 0.0;
        for (std::size_t d = 0; d < n_dimensions_; ++d) total += static_cast<double>(x[d]) * static_cast<double>(y[d]);
        return total;
    }

    const Frames &hyps_, &refs_;
    const float* vectors_;
    std::size_t n_words_, n_dimensions_;
    Matrix weights_, matched_, table_;
    Assignment frames_, arguments_;
    std::vector<std::int32_t> ours_, theirs_;
};

Out2<double> frame_matches(const nb::tuple& hypotheses, const nb::tuple& references, const In<std::int64_t>& hyp_index,
                           const In<std::int64_t>& ref_index, const In2<float>& vectors) {
    const Frames hyps(hypotheses), refs(references);
    if (hyp_index.shape(0) != ref_index.shape(0))
        throw std::invalid_argument("hyp_index and ref_index differ in length");
    check_index(hyp_index, hyps.n_texts);
    check_index(ref_index, refs.n_texts);
    hyps.check_words();
    refs.check_words();
    std::vector<double> found(hyp_index.shape(0) * 4, 0.0);
    {
        const nb::gil_scoped_release release;
        Matcher matcher(hyps, refs, vectors.data(), vectors.shape(0), vectors.shape(1));
        for (std::size_t p = 0; p < hyp_index.shape(0); ++p)
            matcher.match(hyp_index.data()[p], ref_index.data()[p], found.data() + 4 * p);
    }
    return to_numpy(std::move(found), 4);
}

}  // namespace
}  // namespace mtassay

void bind_frames(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("frame_matches", &mtassay::frame_matches, "hypotheses"_a, "references"_a, nanobind::kw_only(), "hyp_index"_a,
          "ref_index"_a, "vectors"_a);
}
