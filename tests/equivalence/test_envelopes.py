"""Line search: compiled equals Python to the bit, and both equal what the definition says."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import envelopes

native = pytest.importorskip("mtassay._native", reason="not compiled")
python: Any = SimpleNamespace(
    **{name: getattr(envelopes, name).specification for name in ("upper_envelopes", "interval_totals")}
)

Lists = list[list[tuple[float, float]]]
# Few small numbers: parallel and equal lines, and several that meet in one point; and numbers of any size.
_SMALL = st.integers(-3, 3).map(float)
_ANY = st.floats(-1e300, 1e300) | st.floats(-2, 2) | st.sampled_from([0.1, 0.2, 0.3, 0.1 + 0.2, -0.0, 5e-324, 1e300])


@st.composite
def candidate_lists(draw: st.DrawFn) -> Lists:
    number = draw(st.sampled_from([_SMALL, _ANY]))
    return draw(st.lists(st.lists(st.tuples(number, number), min_size=1, max_size=12), max_size=5))


def _arrays(lists: Lists) -> tuple[Any, Any, Any]:
    lines = np.array([line for lines in lists for line in lines], dtype=np.float64).reshape(-1, 2)
    slopes, intercepts = np.ascontiguousarray(lines[:, 0]), np.ascontiguousarray(lines[:, 1])
    return slopes, intercepts, np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _statistics(n: int, seed: int, kind: type) -> Any:
    # One in three rows is like its neighbour.
    rows = np.random.default_rng(seed).integers(0, 4, (n, 3)) * (0.5 if kind is np.float32 else 0.1)
    rows[1::3] = rows[: len(rows[1::3]) * 3 : 3]
    return rows.astype(kind)


@examples(8)
@given(candidate_lists(), st.integers(0, 9), st.sampled_from([np.float32, np.float64]))
@example([], 0, np.float64)
@example([[(1.0, 1.0)]], 0, np.float64)
@example([[(0.0, 0.0), (5e-324, -1e300)]], 0, np.float64)
def test_both_find_the_same(lists: Lists, seed: int, kind: type) -> None:
    slopes, intercepts, offsets = _arrays(lists)
    expected = python.upper_envelopes(slopes, intercepts, offsets=offsets)
    found = native.upper_envelopes(slopes, intercepts, offsets=offsets)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    statistics = _statistics(len(slopes), seed, kind)
    totals = native.interval_totals(*found, statistics=statistics)
    for ours, theirs in zip(totals, python.interval_totals(*found, statistics=statistics), strict=True):
        assert ours.dtype == theirs.dtype == np.float64
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("size", [1, 2, 50, 300])
def test_long_lists_agree(size: int) -> None:
    rng = np.random.default_rng(size)
    offsets = np.arange(0, 40 * size + 1, size)
    for decimals in (1, 12):
        slopes, intercepts = rng.normal(0, 3, (2, 40 * size)).round(decimals)
        expected = python.upper_envelopes(slopes, intercepts, offsets=offsets)
        for ours, theirs in zip(native.upper_envelopes(slopes, intercepts, offsets=offsets), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
class TestDefinition:
    @examples(4)
    @given(lists=st.lists(st.lists(st.tuples(_SMALL, _SMALL), min_size=1, max_size=8), min_size=1, max_size=4))
    def test_winners_of_every_interval(self, module: Any, lists: Lists) -> None:
        slopes, intercepts, offsets = _arrays(lists)
        statistics = np.eye(len(slopes))  # totals say who has won
        envelopes = module.upper_envelopes(slopes, intercepts, offsets=offsets)
        thresholds, totals = module.interval_totals(*envelopes, statistics=statistics)
        assert (np.diff(thresholds) > 0).all()
        inner = (thresholds[:-1] + thresholds[1:]) / 2
        points = [-100.0, *inner.tolist(), 100.0] if len(thresholds) else [0.0]
        assert len(points) == len(totals) == len(thresholds) + 1
        for x, row in zip(points, totals, strict=True):
            scores = intercepts + slopes * x
            winners = [first + int(np.argmax(scores[first:end])) for first, end in pairwise(offsets)]
            assert np.flatnonzero(row).tolist() == winners

    def test_a_line_that_only_touches_is_left_out(self, module: Any) -> None:
        slopes, intercepts, offsets = _arrays([[(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]])
        candidates, lefts, starts = module.upper_envelopes(slopes, intercepts, offsets=offsets)
        assert (candidates.tolist(), lefts.tolist(), starts.tolist()) == ([0, 2], [-np.inf, 0.0], [0, 2])

    def test_a_change_without_effect_is_a_threshold(self, module: Any) -> None:
        slopes, intercepts, offsets = _arrays([[(-1.0, 0.0), (1.0, 0.0)], [(0.0, 0.0), (1.0, -2.0)]])
        envelopes = module.upper_envelopes(slopes, intercepts, offsets=offsets)
        thresholds, totals = module.interval_totals(*envelopes, statistics=np.array([[1.0], [1.0], [2.0], [5.0]]))
        assert (thresholds.tolist(), totals.tolist()) == ([0.0, 2.0], [[3.0], [3.0], [6.0]])

    def test_bad_arguments_are_refused(self, module: Any) -> None:
        one, offsets = np.zeros(1), np.array([0, 1])
        for slopes, intercepts, bounds, message in (
            (one, np.zeros(2), offsets, "differ in length"),
            (one, one, np.array([0, 2]), "span"),
            (one, one, np.array([0, 0, 1]), "candidates"),
            (one, one, np.array([], dtype=np.int64), "span"),
            (one, np.array([np.nan]), offsets, "finite"),
            (np.array([1e301]), one, offsets, "finite"),
        ):
            with pytest.raises(ValueError, match=message):
                module.upper_envelopes(slopes, intercepts, offsets=bounds)
        for candidates, lefts, starts, message in (
            (np.array([1]), one, offsets, "index"),
            (np.array([0]), np.zeros(2), offsets, "span"),
            (np.array([0]), one, np.array([0, 0, 1]), "candidates"),
            (np.array([0, 0]), np.array([-np.inf, np.nan]), np.array([0, 2]), "finite"),
        ):
            with pytest.raises(ValueError, match=message):
                module.interval_totals(candidates, lefts, starts, statistics=np.ones((1, 2)))
