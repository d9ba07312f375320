"""Exact randomisation tests of paired whole numbers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.stats import sign_flips
from mtassay.stats.sign_flips import exact_p, p_of_sums


@given(differences=st.lists(st.integers(-4, 4), max_size=9), sides=st.sampled_from([1, 2]))
def test_exact_p_counts_all_signs(differences: list[int], sides: int) -> None:
    sums = [
        sum(sign * abs(one) for sign, one in zip(signs, differences, strict=True))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    far = sum(differences) if sides == 1 else abs(sum(differences))
    expected = sum((one if sides == 1 else abs(one)) >= far for one in sums) / len(sums)
    found = exact_p(np.array(differences, dtype=np.int64), sides=sides)
    assert found == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.integers(-3, 3).filter(bool), min_size=1, max_size=8))
def test_p_values_are_those_of_all_exchanges(differences: list[int]) -> None:
    sums = [
        abs(sum(sign * size for sign, size in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(value >= abs(sum(differences)) for value in sums) / len(sums)
    (found,) = p_of_sums(np.zeros(len(differences), dtype=np.int64), np.array(differences), 1)
    assert found == pytest.approx(expected, rel=1e-12)


def test_p_values_of_many_items_are_those_of_each() -> None:
    item, difference = np.array([0, 0, 0, 2, 2, 3, 3, 3, 3]), np.array([1, 1, 1, 2, -1, 1, 1, -1, 1])
    alone = [exact_p(difference[item == n]) for n in range(4)]
    np.testing.assert_allclose(p_of_sums(item, difference, 4), alone, rtol=1e-12)


@given(differences=st.lists(st.integers(-9, 9), max_size=9), sides=st.sampled_from([1, 2]))
def test_sampling_takes_all_exchanges_of_few_units(differences: list[int], sides: int) -> None:
    given = np.array(differences, dtype=np.int64)
    exact = exact_p(given, sides=sides)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_flips, "_MOST_PRODUCTS", 0)
        assert exact_p(given, sides=sides) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("sides", [1, 2])
def test_sampled_p_values_are_near_exact_ones(monkeypatch: pytest.MonkeyPatch, sides: int) -> None:
    """On both sides of the switch: as far from each other as 10,000 resamples may be."""
    rng = np.random.default_rng(1)
    for shift in (0, 10, 30):
        drawn = rng.integers(-100, 101, size=200) + shift
        differences = drawn[drawn != 0]
        exact = exact_p(differences, sides=sides)
        with monkeypatch.context() as patch:
            patch.setattr(sign_flips, "_MOST_PRODUCTS", 0)
            sampled = exact_p(differences, sides=sides)
            [of_item] = p_of_sums(np.zeros(len(differences), dtype=np.int64), differences, 1)
        assert sampled == pytest.approx(exact, abs=4 * math.sqrt(exact / 10_000) + 1e-4)
        assert sampled != exact
        assert of_item == sampled or sides == 1


def test_large_differences_take_little_time() -> None:
    """The convolution of the first took two minutes; of one n-gram repeated thousands of times, longer."""
    differences = np.random.default_rng(2).integers(-5000, 5001, size=200)
    z = (abs(differences.sum()) - 1) / math.sqrt((differences**2).sum())
    assert exact_p(differences) == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.02)
    repeated = np.arange(38_000, 37_980, -1)
    assert p_of_sums(np.zeros(20, dtype=np.int64), repeated, 1).tolist() == [1 / 10_001]
    assert exact_p(repeated[:10]) == 2 / 2**10


def test_p_values_of_large_numbers_stay_finite() -> None:
    n = 3000
    p = p_of_sums(np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64), 1)
    assert p.tolist() == [0.0]
    balanced = np.where(np.arange(n) < n // 2 + 27, 1, -1)
    (found,) = p_of_sums(np.zeros(n, dtype=np.int64), balanced, 1)
    # Two-sided normal approximation with continuity correction: z = (54 - 1) / sqrt(3000).
    assert found == pytest.approx(math.erfc(53 / math.sqrt(3000) / math.sqrt(2)), rel=1e-3)
