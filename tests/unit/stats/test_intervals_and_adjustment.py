"""Confidence intervals and corrections, against SciPy and the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mtassay.errors import InputError
from mtassay.stats.adjust import adjust
from mtassay.stats.intervals import bca, check_alpha, jackknife, percentile
from mtassay.stats.sample import Sample


def test_percentiles_are_places_in_the_sorted_values() -> None:
    values = np.random.default_rng(1).normal(size=(3, 1001))
    in_order = np.sort(values, axis=1)
    np.testing.assert_allclose(percentile(values, 0.1), in_order[:, [50, 950]], rtol=1e-14)
    # Half-way between two places.
    np.testing.assert_allclose(
        percentile(values, 0.001), (in_order[:, [0, 999]] + in_order[:, [1, 1000]]) / 2, rtol=1e-12
    )


@pytest.mark.parametrize("n", [12, 60])
def test_bca_is_scipys(n: int) -> None:
    data = np.random.default_rng(2).exponential(size=n)
    found = stats.bootstrap(
        (data,), np.mean, n_resamples=4000, method="BCa", vectorized=True, rng=np.random.default_rng(3)
    )
    sample = Sample(np.stack([data, np.ones(n)], axis=-1)[None], lambda totals: totals[..., 0] / totals[..., 1])
    [ours] = bca(found.bootstrap_distribution[None], sample.scores(), jackknife(sample), 0.05)
    # SciPy interpolates quantiles in the same way; its share below the estimate counts ties as ours does.
    np.testing.assert_allclose(ours, found.confidence_interval, rtol=1e-9)


def test_bca_of_equal_resamples_is_that_value() -> None:
    np.testing.assert_array_equal(bca(np.full((1, 50), 3.0), np.array([3.0]), np.full((1, 9), 3.0), 0.05), [[3.0, 3.0]])


def test_jackknife_leaves_out_one_unit_after_the_other() -> None:
    statistics = np.random.default_rng(4).integers(1, 9, size=(2, 5, 2))
    sample = Sample(statistics, lambda totals: totals[..., 0] / totals[..., 1], -1.0)
    for s in range(2):
        for u in range(5):
            rest = np.delete(statistics[s], u, axis=0).sum(axis=0)
            assert jackknife(sample)[s, u] == -(rest[0] / rest[1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    np.testing.assert_allclose(adjust(np.array(p), "bh"), stats.false_discovery_control(p, method="bh"), rtol=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_by_its_definition(p: list[float]) -> None:
    found = adjust(np.array(p), "holm")
    for i, value in enumerate(p):
        # The largest (m - k + 1) p_(k) over the k-th smallest values up to this one.
        below = sorted(other for other in p if other < value) + [value] * sum(other == value for other in p)
        steps = [(len(p) - k) * other for k, other in enumerate(below)]
        first_equal = len([other for other in p if other < value])
        expected = min(1.0, max(steps[: first_equal + 1]))
        assert found[i] == pytest.approx(expected, abs=1e-12)


def test_a_published_example_of_holm() -> None:
    # Holm 1979 as usually quoted: .01, .04, .03, .005 at four comparisons.
    assert adjust(np.array([0.01, 0.04, 0.03, 0.005]), "holm").tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="no adjustment named 'hol'; did you mean 'holm'"):
        adjust(np.array([0.1]), "hol")
    for level in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="alpha must be between 0 and 1"):
            check_alpha(level)
