// Costs of the extended edit distance; the specification is mtassay/kernels/eed.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

struct EedRates {
    double jump, deletion, insertion;
};

class Eed {
public:
    explicit Eed(const EedRates& rates) : rates_(rates) {}

    void operator()(const Words& hyp, const Words& ref, double* costs) {
        hyp_ = &hyp;
        stride_ = static_cast<std::size_t>(hyp.n) + 1;
        row_.assign(stride_, 1.0);
        row_[0] = 0.0;
        next_.resize(stride_);
        visits_.assign(stride_, -1);
        characters_.clear();
        for (int w = 0; w < ref.n;) {
            int n_rows = 1;  // a jump needs the whole row
            while (n_rows < most_rows && w + n_rows < ref.n && ref.ids[w + n_rows - 1] != space) ++n_rows;
            switch (n_rows) {
                case 1: advance<1>(ref.ids + w); break;
                case 2: advance<2>(ref.ids + w); break;
                case 3: advance<3>(ref.ids + w); break;
                default: advance<most_rows>(ref.ids + w);
            }
            w += n_rows;
            const double ceiling = rates_.jump + least_;
            if (ref.ids[w - 1] == space)
                for (double& cost : next_) cost = std::min(cost, ceiling);
            row_.swap(next_);
        }
        costs[0] = row_[stride_ - 1];
        std::int64_t sum = 0;
        for (const int n : visits_) sum += n >= 0 ? n : 1;
        costs[1] = static_cast<double>(sum);
    }

private:
    static constexpr std::int32_t space = ' ';
    static constexpr int most_rows = 4;

    // Computes K rows from row_, and leaves the last one in next_. A cell depends on the one to its left, so K rows are
    // computed together, each one cell behind the row above it, and the processor works on K cells at once.
    template <int K>
    void advance(const std::int32_t* ref) {
        const int n = hyp_->n;
        const EedRates rates = rates_;
        std::size_t places[K];
        for (int k = 0; k < K; ++k) places[k] = different_from(ref[k]);
        const double* different[K];  // by row, 1 for each character of the hypothesis that differs
        for (int k = 0; k < K; ++k) different[k] = &table_[places[k]];
        const double* const first = row_.data();
        double* const last = next_.data();
        // By row: the current cell, the cell to its left, the lowest cost so far, and the first cell that has it.
        double now[K] = {}, before[K] = {}, least[K] = {};
        int place[K] = {};
        const auto at_edge = [&](int t) {
            for (int k = K - 1; k >= 0; --k) {
                const int i = t - k;
                if (i < 0 || i > n) continue;
                const double above = k == 0 ? first[i] : now[k - 1];
                double cell = above + 1.0;
                if (i > 0) {
                    const double both = (k == 0 ? first[i - 1] : before[k - 1]) + different[k][i - 1];
                    cell = std::min(std::min(both, above + rates.insertion), now[k] + rates.deletion);
                }
                if (i == 0 || cell < least[k]) least[k] = cell, place[k] = i;
                before[k] = now[k];
                now[k] = cell;
                if (k == K - 1) last[i] = cell;
            }
        };
        int t = 0;
        for (; t < K; ++t) at_edge(t);
        for (; t <= n; ++t) {
            double cells[K];
            for (int k = 0; k < K; ++k) {
                const double above = k == 0 ? first[t] : now[k - 1];
                const double both = (k == 0 ? first[t - 1] : before[k - 1]) + different[k][t - k - 1];
                cells[k] = std::min(std::min(both, above + rates.insertion), now[k] + rates.deletion);
            }
            for (int k = 0; k < K; ++k) {
                place[k] = cells[k] < least[k] ? t - k : place[k];
                least[k] = std::min(cells[k], least[k]);
                before[k] = now[k];
                now[k] = cells[k];
            }
            last[t - K + 1] = now[K - 1];
        }
        for (; t < n + K; ++t) at_edge(t);
        for (int k = 0; k < K; ++k) ++visits_[static_cast<std::size_t>(place[k])];
        least_ = least[K - 1];
    }

    // The position in table_ of the list of which characters of the hypothesis differ from this one.
    std::size_t different_from(std::int32_t character) {
        for (std::size_t k = 0; k < characters_.size(); ++k)
            if (characters_[k] == character) return k * stride_;
        const std::size_t start = characters_.size() * stride_;
        characters_.push_back(character);
        if (table_.size() < start + stride_) table_.resize(2 * (start + stride_));
        for (int i = 0; i < hyp_->n; ++i) table_[start + static_cast<std::size_t>(i)] = hyp_->ids[i] != character;
        return start;
    }

    EedRates rates_;
    const Words* hyp_ = nullptr;
    std::size_t stride_ = 0;
    double least_ = 0;
    std::vector<double> row_, next_, table_;
    std::vector<int> visits_;
    std::vector<std::int32_t> characters_;
};

Out2<double> eed_costs(const nb::tuple& pairs_in, double jump, double deletion, double insertion) {
    const Pairs pairs(pairs_in);
    Eed eed({jump, deletion, insertion});
    auto costs = for_each_pair<double>(
        pairs, 2, [&](std::size_t p, double* row) { eed(pairs.hypothesis(p), pairs.reference(p), row); });
    return to_numpy(std::move(costs), 2);
}

}  // namespace
}  // namespace mtassay

void bind_eed(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("eed_costs", &mtassay::eed_costs, "pairs"_a, nanobind::kw_only(), "jump"_a, "deletion"_a, "insertion"_a);
}
