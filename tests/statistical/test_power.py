"""Simulated power against textbooks, where differences of segment scores are normally distributed.

Seeds were fixed before the first run. A rate is compared with the range that a binomial variable of that many trials
leaves with a probability of 1 %.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import integrate, stats

import mtassay
from mtassay.analysis.power import Design, simulate_power
from mtassay.sample import sample_path
from mtassay.stats.procedures import Procedure
from mtassay.stats.sample import Sample

pytestmark = pytest.mark.slow

ALPHA, POWER = 0.05, 0.8
N_PILOT, N_TRIALS, N_RESAMPLES = 4000, 2000, 399
SIZES = (25, 100, 400)
#: Of the pilot, in standard deviations.
EFFECT = 0.15


@cache
def pilot() -> Sample:
    """Scores of segments whose differences have exactly the wanted mean, and standard deviation 1."""
    generator = np.random.default_rng(20_261_117)
    difference = generator.standard_normal(N_PILOT)
    difference = (difference - difference.mean()) / difference.std() + EFFECT
    worse = generator.standard_normal(N_PILOT)
    scores = np.stack([worse + difference, worse])
    return Sample(np.stack([scores, np.ones_like(scores)], axis=-1), lambda totals: totals[..., 0] / totals[..., 1])


def design(kind: str, sizes: tuple[int, ...] = SIZES, *, sides: int | None = None) -> Design:
    return Design(Procedure(kind, sides, resamples=N_RESAMPLES, seed=7), sizes, N_TRIALS, ALPHA, POWER)


def textbook_power(n: int, effect: float, sides: int) -> float:
    """Of Student's paired test, by the noncentral t distribution."""
    critical, shift = stats.t.ppf(1 - ALPHA / sides, n - 1), effect * np.sqrt(n)
    upper = stats.nct.sf(critical, n - 1, shift)
    return float(upper + (stats.nct.cdf(-critical, n - 1, shift) if sides == 2 else 0.0))


def is_rate(share: float, expected: float, *, slack: float = 0.0) -> bool:
    """Whether a share of trials can come from that probability, give or take what an approximation costs."""
    low, high = stats.binom.ppf([0.005, 0.995], N_TRIALS, expected) / N_TRIALS
    return bool(low - slack <= share <= high + slack)


@pytest.mark.parametrize("n", [20, 100])
def test_without_a_difference_power_is_the_significance_level(n: int) -> None:
    found = simulate_power(pilot(), design("ar", (n,)), difference=0.0)
    assert is_rate(found.power[0], ALPHA)


@pytest.mark.parametrize("spec", ["bleu", "chrf", "ter"])
def test_without_a_difference_power_of_metrics_is_the_significance_level(spec: str) -> None:
    """Of a pair of the built-in sample whose outputs are exchanged at random."""
    texts = mtassay.load(sample_path())
    [table] = mtassay.score(texts, metrics=[spec]).tables
    pair = [table.systems.index(name) for name in ("atlas", "cobalt")]
    of_pair = Sample(table.statistics[pair], table.metric.score, table.metric.sign)
    found = simulate_power(of_pair, design("ar", (50,)), difference=0.0)
    assert is_rate(found.power[0], ALPHA)


@pytest.mark.parametrize(("kind", "sides"), [("ar", 2), ("ar", 1)])
def test_power_is_that_of_students_test(kind: str, sides: int) -> None:
    found = simulate_power(pilot(), design(kind, sides=sides))
    for n, power in zip(SIZES, found.power, strict=True):
        assert is_rate(power, textbook_power(n, EFFECT, sides), slack=0.005)


def test_a_bootstrap_has_the_same_power_where_segments_are_many() -> None:
    found = simulate_power(pilot(), design("bs", (400,)))
    assert is_rate(found.power[0], textbook_power(400, EFFECT, 2), slack=0.005)


def test_detectable_differences_follow_the_formula() -> None:
    """(z₁₋α⸝₂ + z_power) σ / √n, within the error that so many trials have."""
    z = stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(POWER)
    found = simulate_power(pilot(), design("ar", (400, 900)))
    # A share of .8 has this standard error, and power rises with φ(.84) per standard error of the difference.
    error = np.sqrt(POWER * (1 - POWER) / N_TRIALS) / stats.norm.pdf(stats.norm.ppf(POWER)) / z
    for n, detectable in zip((400, 900), found.detectable, strict=True):
        # Exchanged outputs keep the mean square, 1 + EFFECT², and not the variance.
        assert detectable == pytest.approx(z / np.sqrt(n), rel=3 * error + EFFECT**2)


def test_errors_of_sign_and_size_are_those_of_gelman_and_carlin() -> None:
    """By integration over a normal estimate that is one standard error above zero."""
    n = 44
    found = simulate_power(pilot(), design("ar", (n,)), difference=1 / np.sqrt(n))
    critical = stats.norm.ppf(1 - ALPHA / 2)
    wrong = stats.norm.cdf(-critical - 1)
    power = wrong + stats.norm.sf(critical - 1)
    size = sum(
        integrate.quad(lambda x: abs(x) * stats.norm.pdf(x, loc=1), *ends)[0]
        for ends in ((-np.inf, -critical), (critical, np.inf))
    )
    assert is_rate(found.power[0], power, slack=0.01)
    assert found.wrong_sign[0] == pytest.approx(wrong / power, abs=0.01)
    assert found.exaggeration[0] == pytest.approx(size / power, rel=0.05)
