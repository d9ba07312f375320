"""Exact randomisation tests of paired whole numbers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_p_values_of_large_numbers_stay_finite() -> None:
    n = 3000
    p = p_of_sums(np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64), 1)
    assert p.tolist() == [0.0]
    balanced = np.where(np.arange(n) < n // 2 + 27, 1, -1)
    (found,) = p_of_sums(np.zeros(n, dtype=np.int64), balanced, 1)
    # Two-sided normal approximation with continuity correction: z = (54 - 1) / sqrt(3000).
    assert found == pytest.approx(math.erfc(53 / math.sqrt(3000) / math.sqrt(2)), rel=1e-3)
