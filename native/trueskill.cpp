// Plays of TrueSkill; see mtassay/kernels/trueskill.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace mtassay {
namespace {

// Compiles a function, with everything that it calls, a second time for the wider vectors that most processors have. The
// results are the same, since there are no fused operations.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define MTASSAY_WIDE __attribute__((target_clones("avx2", "default"), flatten))
#else
#define MTASSAY_WIDE
#endif

// Number of runs that are computed side by side. The plays of one run depend on each other; those of several runs do not,
// and a loop over runs becomes vector instructions.
constexpr std::size_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

// The input of one run: probabilities of outcomes between two systems, with a row for each system, and random numbers.
struct Lane {
    const double *won, *drawn, *met, *numbers;
};

constexpr double kDensity = 0.3989422804014327;  // φ(0)
double density(double x) { return std::exp(x * x / -2) * kDensity; }
double distribution(double x) { return std::erfc(x * -0.7071067811865476) / 2; }

// A power series of x: the sum of coefficients[k]·x^k.
template <std::size_t n>
inline double series(const std::array<double, n>& coefficients, double x) {
    double sum = coefficients[n - 1];
    for (std::size_t k = n - 1; k-- > 0;) sum = sum * x + coefficients[k];
    return sum;
}

// Coefficients of a series, each the one before divided by next(k).
template <std::size_t n, typename Next>
constexpr std::array<double, n> coefficients(double first, Next next) {
    std::array<double, n> found{};
    for (std::size_t k = 0; k < n; ++k) {
        found[k] = first;
        first /= next(static_cast<double>(k + 1));
    }
    return found;
}

// Within these bounds the series are exact to the last bits; beyond them the standard library is used.
constexpr double kMostExponent = 1, kMostDeviation = 0.5;
// exp(±x) = Σ x^2k/(2k)! ± x·Σ x^2k/(2k + 1)!
constexpr auto kEven = coefficients<10>(1, [](double k) { return (2 * k - 1) * (2 * k); });
constexpr auto kOdd = coefficients<10>(1, [](double k) { return 2 * k * (2 * k + 1); });
// φ(x) = Σ (-x²/2)^k/k!/√2π
constexpr auto kDensities = coefficients<12>(kDensity, [](double k) { return -2 * k; });
// Its integral from 0 to x is x·Σ (-x²/2)^k/k!/(2k + 1)/√2π.
constexpr auto kIntegrals = [] {
    auto found = kDensities;
    for (std::size_t k = 0; k < found.size(); ++k) found[k] /= static_cast<double>(2 * k + 1);
    return found;
}();

// The skills of the runs that play side by side.
class Runs {
  public:
    Runs(std::size_t n, double beta, double margin)
        : n_(n), noise_(2 * beta * beta), margin_(margin), mu_(n), variance_(n), up_(n), down_(n), sums_(n) {}

    void set(std::size_t lane, const double* mu, const double* variance, const Lane& plays) {
        lanes_[lane] = plays;
        for (std::size_t i = 0; i < n_; ++i) {
            mu_[i][lane] = mu[i];
            variance_[i][lane] = variance[i];
        }
    }

    void get(std::size_t lane, double* mu, double* variance) const {
        for (std::size_t i = 0; i < n_; ++i) {
            mu[i] = mu_[i][lane];
            variance[i] = variance_[i][lane];
        }
    }

    MTASSAY_WIDE void play(std::size_t n_plays) {
        for (std::size_t i = 0; i < n_; ++i) exp_both(mu_[i], up_[i], down_[i]);
        for (std::size_t play = 0; play < n_plays; ++play) {
            most_uncertain();
            add_weights();
            choose_opponent(2 * play);
            move(2 * play + 1);
        }
    }

  private:
    // exp(-|a - b|) is the smaller of exp(a)·exp(-b) and exp(-a)·exp(b): two exponentials for a play, not one for
    // every system.
    static void exp_both(const Lanes& mu, Lanes& up, Lanes& down) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double square = mu[lane] * mu[lane];
            const double even = series(kEven, square), odd = mu[lane] * series(kOdd, square);
            up[lane] = even + odd;
            down[lane] = even - odd;
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            if (std::abs(mu[lane]) > kMostExponent) {
                up[lane] = std::exp(mu[lane]);
                down[lane] = std::exp(-mu[lane]);
            }
    }

    // Writes the skills of one of the two systems of a play, and their exponentials.
    void put(const std::array<std::int64_t, kLanes>& system, const Lanes& mu, const Lanes& variance) {
        Lanes up, down;
        exp_both(mu, up, down);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto i = static_cast<std::size_t>(system[lane]);
            mu_[i][lane] = mu[lane];
            variance_[i][lane] = variance[lane];
            up_[i][lane] = up[lane];
            down_[i][lane] = down[lane];
        }
    }

    // Without branches on the comparisons, which would be unpredictable.
    void most_uncertain() {
        Lanes most = variance_[0];
        std::array<std::int64_t, kLanes> first{};
        for (std::size_t i = 1; i < n_; ++i)
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const double other = variance_[i][lane];
                first[lane] = other > most[lane] ? static_cast<std::int64_t>(i) : first[lane];
                most[lane] = other > most[lane] ? other : most[lane];
            }
        first_ = first;
    }

    // Sums of the weights of opponents.
    void add_weights() {
        Lanes up, down, sum{};
        std::array<const double*, kLanes> met;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto x = static_cast<std::size_t>(first_[lane]);
            up[lane] = up_[x][lane];
            down[lane] = down_[x][lane];
            met[lane] = lanes_[lane].met + x * n_;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            Lanes asked;
            for (std::size_t lane = 0; lane < kLanes; ++lane) asked[lane] = met[lane][i];
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                sum[lane] += std::min(up_[i][lane] * down[lane], down_[i][lane] * up[lane]) * asked[lane];
            sums_[i] = sum;
        }
    }

    void choose_opponent(std::size_t number) {
        Lanes aim;
        for (std::size_t lane = 0; lane < kLanes; ++lane) aim[lane] = lanes_[lane].numbers[number] * sums_[n_ - 1][lane];
        std::array<std::int64_t, kLanes> second{};
        for (std::size_t i = 0; i + 1 < n_; ++i)
            for (std::size_t lane = 0; lane < kLanes; ++lane) second[lane] += sums_[i][lane] <= aim[lane];
        second_ = second;
    }

    void move(std::size_t number) {
        Lanes side, mu_x, mu_y, variance_x, variance_y, draw;  // draw: 1 for a draw, else 0
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto x = static_cast<std::size_t>(first_[lane]), y = static_cast<std::size_t>(second_[lane]);
            const double what = lanes_[lane].numbers[number];
            const int is_better = what < lanes_[lane].won[x * n_ + y], is_drawn = what < lanes_[lane].drawn[x * n_ + y];
            side[lane] = 2 * (is_better | is_drawn) - 1;
            draw[lane] = is_drawn & ~is_better;
            mu_x[lane] = mu_[x][lane];
            mu_y[lane] = mu_[y][lane];
            variance_x[lane] = variance_[x][lane];
            variance_y[lane] = variance_[y][lane];
        }
        Lanes c, t, e, v, w;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            c[lane] = 1 / std::sqrt(noise_ + variance_x[lane] + variance_y[lane]);
            t[lane] = side[lane] * (mu_x[lane] - mu_y[lane]) * c[lane];
            e[lane] = margin_ * c[lane];
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double a = e[lane] - t[lane], b = e[lane] + t[lane], d = draw[lane];
            const double high = series(kDensities, a * a), to_a = a * series(kIntegrals, a * a);
            const double low = series(kDensities, b * b), to_b = b * series(kIntegrals, b * b);
            // Both outcomes at once, because a branch would be mispredicted.
            const double over = 1 / (d * (to_a + to_b) + (1 - d) * (0.5 - to_a));
            v[lane] = (d * low + (1 - 2 * d) * high) * over;
            w[lane] = v[lane] * v[lane] + d * (a * high + b * low) * over - (1 - d) * v[lane] * a;
        }
        int n_far = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane) n_far += std::abs(t[lane]) + e[lane] > kMostDeviation;
        if (n_far > 0)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                if (std::abs(t[lane]) + e[lane] > kMostDeviation)
                    move_far(t[lane], e[lane], draw[lane] > 0, v[lane], w[lane]);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double step = side[lane] * v[lane] * c[lane], shrink = c[lane] * c[lane] * w[lane];
            mu_x[lane] += variance_x[lane] * step;
            mu_y[lane] -= variance_y[lane] * step;
            variance_x[lane] *= 1 - variance_x[lane] * shrink;
            variance_y[lane] *= 1 - variance_y[lane] * shrink;
        }
        put(first_, mu_x, variance_x);
        put(second_, mu_y, variance_y);
    }

    static void move_far(double t, double e, bool is_draw, double& v, double& w) {
        const double high = density(e - t);
        if (is_draw) {
            const double low = density(e + t), between = distribution(e - t) - distribution(-e - t);
            v = (low - high) / between;
            w = v * v + ((e - t) * high + (e + t) * low) / between;
        } else {
            v = high / distribution(t - e);
            w = v * (v + t - e);
        }
    }

    std::size_t n_;
    double noise_, margin_;
    std::array<Lane, kLanes> lanes_{};
    std::vector<Lanes> mu_, variance_, up_, down_, sums_;  // of each system
    std::array<std::int64_t, kLanes> first_{}, second_{};  // the two systems of a play
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
        Runs skills(n, beta, margin);
        for (std::size_t first = 0; first < n_runs; first += kLanes) {
            // If fewer runs are left than lanes, the last run fills the other lanes.
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const std::size_t run = std::min(first + lane, n_runs - 1);
                skills.set(lane, &mu[run * n], &variance[run * n],
                           {won.data() + run * step, drawn.data() + run * step, met.data() + run * step,
                            numbers.data() + run * n_plays * 2});
            }
            skills.play(n_plays);
            for (std::size_t run = first; run < std::min(first + kLanes, n_runs); ++run)
                skills.get(run - first, &mu[run * n], &variance[run * n]);
        }
    }
    return {to_numpy(std::move(mu), n), to_numpy(std::move(variance), n)};
}

}  // namespace
}  // namespace mtassay

void bind_trueskill(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("trueskill_plays", &mtassay::trueskill_plays, "mu"_a, "variance"_a, "numbers"_a, nanobind::kw_only(), "won"_a, "drawn"_a, "met"_a,
          "beta"_a, "margin"_a, "Skills after plays; see mtassay.kernels.trueskill.");
}
