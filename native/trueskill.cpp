// Plays of TrueSkill; see mtassay/kernels/trueskill.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace mtassay {
namespace {

// How likely outcomes are between two systems, a row for each system.
struct Outcomes {
    const double *won, *drawn, *met;
};

double density(double x) { return std::exp(x * x / -2) * 0.3989422804014327; }
double distribution(double x) { return std::erfc(x * -0.7071067811865476) / 2; }

// The skills of one run.
class Run {
  public:
    Run(std::size_t n, double beta, double margin)
        : n_(n), noise_(2 * beta * beta), margin_(margin), up_(n), down_(n), sums_(n) {}

    void play(double* mu, double* variance, const double* numbers, std::size_t n_plays, const Outcomes& outcomes) {
        for (std::size_t i = 0; i < n_; ++i) keep_exp(i, mu[i]);
        for (std::size_t play = 0; play < n_plays; ++play, numbers += 2) {
            const std::size_t x = most_uncertain(variance);
            const std::size_t y = opponent(x, outcomes.met + x * n_, numbers[0]);
            const bool is_better = numbers[1] < outcomes.won[x * n_ + y];
            const bool is_drawn = numbers[1] < outcomes.drawn[x * n_ + y];
            move(x, y, is_better || is_drawn ? 1.0 : -1.0, is_drawn && !is_better, mu, variance);
        }
    }

  private:
    // exp(-|a - b|) is the smaller of exp(a)·exp(-b) and exp(-a)·exp(b): two exponentials for a play, not one for
    // every system.
    void keep_exp(std::size_t i, double mu) {
        up_[i] = std::exp(mu);
        down_[i] = 1 / up_[i];
    }

    // Without branches on the comparisons, which nothing could predict.
    std::size_t most_uncertain(const double* variance) const {
        double most = variance[0];
        for (std::size_t i = 1; i < n_; ++i) most = std::max(most, variance[i]);
        std::size_t x = 0;
        for (std::size_t i = n_; i-- > 0;) x = variance[i] == most ? i : x;
        return x;
    }

    std::size_t opponent(std::size_t x, const double* met, double whom) {
        const double up = up_[x], down = down_[x];
        for (std::size_t i = 0; i < n_; ++i) sums_[i] = std::min(up_[i] * down, down_[i] * up) * met[i];
        for (std::size_t i = 1; i < n_; ++i) sums_[i] += sums_[i - 1];
        const double aim = whom * sums_[n_ - 1];
        std::size_t y = 0;
        for (std::size_t i = 0; i < n_; ++i) y += sums_[i] <= aim;
        return std::min(y, n_ - 1);
    }

    void move(std::size_t x, std::size_t y, double side, bool is_draw, double* mu, double* variance) {
        const double c2 = noise_ + variance[x] + variance[y], c = std::sqrt(c2);
        const double t = side * (mu[x] - mu[y]) / c, e = margin_ / c;
        const double high = density(e - t);
        double v, w;
        if (is_draw) {
            const double low = density(e + t), between = distribution(e - t) - distribution(-e - t);
            v = (low - high) / between;
            w = v * v + ((e - t) * high + (e + t) * low) / between;
        } else {
            v = high / distribution(t - e);
            w = v * (v + t - e);
        }
        const double step = side * v / c;
        mu[x] += variance[x] * step;
        mu[y] -= variance[y] * step;
        variance[x] *= 1 - variance[x] / c2 * w;
        variance[y] *= 1 - variance[y] / c2 * w;
        keep_exp(x, mu[x]);
        keep_exp(y, mu[y]);
    }

    std::size_t n_;
    double noise_, margin_;
    std::vector<double> up_, down_, sums_;
};

std::pair<Out2<double>, Out2<double>> trueskill_plays(const In2<double>& mu_in, const In2<double>& variance_in,
                                                      const In3<double>& numbers, const In2<double>& won,
                                                      const In2<double>& drawn, const In2<double>& met, double beta,
                                                      double margin) {
    const std::size_t n_runs = mu_in.shape(0), n = mu_in.shape(1), n_plays = numbers.shape(1);
    if (n == 0 || variance_in.shape(0) != n_runs || variance_in.shape(1) != n || numbers.shape(0) != n_runs ||
        numbers.shape(2) != 2)
        throw std::invalid_argument("means, variances and random numbers do not fit each other");
    for (const auto* outcome : {&won, &drawn, &met})
        if (outcome->shape(1) != n || (outcome->shape(0) != n && outcome->shape(0) != n_runs * n))
            throw std::invalid_argument("outcomes must be of one run or of every run");
    if (drawn.shape(0) != won.shape(0) || met.shape(0) != won.shape(0))
        throw std::invalid_argument("outcomes do not fit each other");
    std::vector<double> mu(mu_in.data(), mu_in.data() + n_runs * n);
    std::vector<double> variance(variance_in.data(), variance_in.data() + n_runs * n);
    {
        const nb::gil_scoped_release no_gil;
        const std::size_t step = won.shape(0) > n ? n * n : 0;
        Run skills(n, beta, margin);
        for (std::size_t run = 0; run < n_runs; ++run) {
            const Outcomes outcomes{won.data() + run * step, drawn.data() + run * step, met.data() + run * step};
            skills.play(&mu[run * n], &variance[run * n], numbers.data() + run * n_plays * 2, n_plays, outcomes);
        }
    }
    return {to_numpy(std::move(mu), n), to_numpy(std::move(variance), n)};
}

}  // namespace
}  // namespace mtassay

void bind_trueskill(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("trueskill_plays", &mtassay::trueskill_plays, "mu"_a, "variance"_a, "numbers"_a, "won"_a, "drawn"_a, "met"_a,
          "beta"_a, "margin"_a, "Skills after plays; see mtassay.kernels.trueskill.");
}
