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
        rows_.resize((most_rows + 1) * stride_);
        visits_.assign(stride_, -1);
        std::fill_n(rows_.begin(), stride_, 1.0);
        rows_[0] = 0.0;
        for (int w = 0; w < ref.n;) {
            int n_rows = 1;
            while (n_rows < most_rows && w + n_rows < ref.n && ref.ids[w + n_rows - 1] != space) ++n_rows;
            switch (n_rows) {
                case 1: advance<1>(ref.ids + w); break;
                case 2: advance<2>(ref.ids + w); break;
                case 3: advance<3>(ref.ids + w); break;
                default: advance<most_rows>(ref.ids + w);
            }
            w += n_rows;
            double* const last = &rows_[static_cast<std::size_t>(n_rows) * stride_];
            const double ceiling = rates_.jump + least_;
            if (ref.ids[w - 1] == space)
                for (std::size_t i = 0; i < stride_; ++i) last[i] = std::min(last[i], ceiling);
            std::copy_n(last, stride_, rows_.begin());
        }
        costs[0] = rows_[stride_ - 1];
        std::int64_t sum = 0;
        for (const int n : visits_) sum += n >= 0 ? n : 1;
        costs[1] = static_cast<double>(sum);
    }

private:
    static constexpr std::int32_t space = ' ';
    static constexpr int most_rows = 4;

    // Computes K rows from the one before them. A cell waits for the one to its left, so the rows go together, each one
    // cell behind the row above it, and the processor works on K cells at once.
    template <int K>
    void advance(const std::int32_t* ref) {
        Row rows[K];
        for (int k = 0; k < K; ++k) {
            rows[k].above = &rows_[static_cast<std::size_t>(k) * stride_];
            rows[k].cells = &rows_[static_cast<std::size_t>(k + 1) * stride_];
            rows[k].character = ref[k];
        }
        const int n = hyp_->n;
        const EedRates rates = rates_;
        const auto bounded_step = [&](int i) {
            for (int k = 0; k < K; ++k) {
                if (i == k) rows[k].start();
                if (i > k && i - k <= n) rows[k].step(i - k, hyp_->ids[i - k - 1], rates);
            }
        };
        int i = 0;
        for (; i < std::min(K, n + K); ++i) bounded_step(i);
        for (; i <= n; ++i)
            for (int k = 0; k < K; ++k) rows[k].step(i - k, hyp_->ids[i - k - 1], rates);
        for (; i < n + K; ++i) bounded_step(i);
        for (int k = 0; k < K; ++k) ++visits_[static_cast<std::size_t>(rows[k].place)];
        least_ = rows[K - 1].least;
    }

    struct Row {
        const double* above;
        double* cells;
        std::int32_t character;
        double left, least;
        int place;  // the first cell of least cost

        void start() {
            left = least = cells[0] = above[0] + 1.0;
            place = 0;
        }
        void step(int i, std::int32_t hyp_character, const EedRates& rates) {
            const double both = above[i - 1] + (hyp_character != character ? 1.0 : 0.0);
            left = std::min(std::min(both, above[i] + rates.insertion), left + rates.deletion);
            cells[i] = left;
            place = left < least ? i : place;
            least = std::min(least, left);
        }
    };

    EedRates rates_;
    const Words* hyp_ = nullptr;
    std::size_t stride_ = 0;
    double least_ = 0;
    std::vector<double> rows_;
    std::vector<int> visits_;
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
