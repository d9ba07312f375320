"""Bootstrap counts and sums over chosen units: compiled equals Python, and draws are uniform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels.resampling import chosen_sums, resample_counts

native = pytest.importorskip("mtassay._native", reason="not compiled")


@given(st.integers(1, 70), st.lists(st.integers(0, 90), max_size=5), st.integers(0, 2**64 - 1))
def test_both_draw_the_same(n_units: int, n_picks: list[int], state: int) -> None:
    wanted = np.array(n_picks, dtype=np.int64)
    ours = native.resample_counts(wanted, n_units, state=state)
    python = resample_counts.specification(wanted, n_units, state=state)
    assert ours.dtype == python.dtype == np.float32
    np.testing.assert_array_equal(ours, python)
    np.testing.assert_array_equal(ours.sum(axis=1), wanted)


def test_every_unit_is_drawn_as_often() -> None:
    counts = native.resample_counts(np.full(4000, 1000), 1000, state=7).sum(axis=0)
    expected = 4000.0
    # A chi-squared variable with 999 degrees of freedom, five standard deviations.
    assert abs(((counts - expected) ** 2 / expected).sum() - 999) < 5 * np.sqrt(2 * 999)


def test_draws_do_not_depend_on_each_other() -> None:
    counts = native.resample_counts(np.full(2000, 500), 500, state=3).astype(np.float64)
    # Of a Poisson-like count: variance 1 - 1/n, correlation between units -1/(n - 1).
    assert counts.var() == pytest.approx(1 - 1 / 500, abs=0.01)
    correlation = np.corrcoef(counts[:-1].ravel(), counts[1:].ravel())[0, 1]
    assert abs(correlation) < 5 / np.sqrt(counts.size)


def test_bad_numbers_are_refused() -> None:
    for n_units, n_picks in ((0, 1), (2**31 + 1, 1), (1, -1)):
        for kernel in (native.resample_counts, resample_counts.specification):
            with pytest.raises(ValueError, match="units"):
                kernel(np.array([1, n_picks]), n_units, state=0)


@pytest.mark.parametrize("largest", [0, 1, 40, 511, 8191, 2**13, 2**20, 2**25])
@pytest.mark.parametrize(("n_units", "n_columns", "n_resamples"), [(1, 1, 1), (7, 9, 3), (70, 64, 5), (127, 161, 2)])
def test_both_add_up_the_same(largest: int, n_units: int, n_columns: int, n_resamples: int) -> None:
    generator = np.random.default_rng(largest + n_units)
    values = generator.integers(0, largest, size=(n_units, n_columns), dtype=np.uint32, endpoint=True)
    chosen = generator.integers(2, size=(n_resamples, n_units), dtype=np.uint8)
    chosen[0] = 1
    by_definition = np.array([[values[row == 1, c].sum(dtype=np.int64) for row in chosen] for c in range(n_columns)])
    for kernel in (native.chosen_sums, chosen_sums.specification):
        sums = kernel(values, np.packbits(chosen, axis=1))
        assert sums.dtype == np.float64
        np.testing.assert_array_equal(sums, by_definition)


@pytest.mark.parametrize(("n_units", "n_columns", "n_resamples", "n_bytes"), [(9, 1, 1, 1), (8, 1, 1, 2), (8, 0, 1, 1),
                                                                          (8, 1, 0, 1), (0, 1, 1, 0)])  # fmt: skip
def test_what_cannot_be_added_up_is_refused(n_units: int, n_columns: int, n_resamples: int, n_bytes: int) -> None:
    for kernel in (native.chosen_sums, chosen_sums.specification):
        with pytest.raises(ValueError, match=r"bit for every unit|nothing to add up"):
            kernel(np.zeros((n_units, n_columns), np.uint32), np.zeros((n_resamples, n_bytes), np.uint8))
