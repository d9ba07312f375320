"""The line search finds the true optimum: of every interval by brute force, and of a dense scan."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.metrics import parse
from mtassay.tuning.candidates import Candidates
from mtassay.tuning.line_search import line_search

#: Columns: hypothesis and reference length, matches, n-grams.
METRICS = ["PAC1:tok=none", "PGBC1^u:tok=none"]


@st.composite
def problems(draw: st.DrawFn) -> tuple[Candidates, Any, Any]:
    """Lists of candidates, their model scores and slopes: ties, parallel lines and single candidates among them."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    n = sum(sizes)
    number = st.integers(-3, 3).map(float) if draw(st.booleans()) else st.floats(-3, 3).map(lambda x: round(x, 2))
    lines = draw(st.lists(st.tuples(number, number), min_size=n, max_size=n))
    counts = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(3, 6)), min_size=n, max_size=n))
    statistics = np.array([[length, 4, matches, length] for matches, length in counts], dtype=np.float64)
    intercepts, slopes = np.array(lines).T.copy()
    offsets = np.cumsum([0, *sizes])
    metric = parse(draw(st.sampled_from(METRICS)))
    return Candidates(metric, ("slope",), slopes[None], statistics, offsets), intercepts, slopes


def _objective(candidates: Candidates, intercepts: Any, slopes: Any, x: float) -> float:
    """By the definition, with exact arithmetic: who wins, and how all winners together score."""
    totals = np.zeros(candidates.statistics.shape[1])
    for first, end in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True):
        scores = [Fraction(intercepts[i]) + Fraction(slopes[i]) * Fraction(x) for i in range(first, end)]
        totals += candidates.statistics[first + scores.index(max(scores))]
    return float(candidates.metric.score(totals))


def _points(candidates: Candidates, intercepts: Any, slopes: Any) -> list[float]:
    """One point between any two places where any two lines of a segment meet."""
    meetings = set()
    for first, end in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True):
        for i, j in combinations(range(first, end), 2):
            if slopes[i] != slopes[j]:
                meetings.add(Fraction(intercepts[i] - intercepts[j]) / Fraction(slopes[j] - slopes[i]))
    places = sorted(meetings)
    inner = [float((one + other) / 2) for one, other in pairwise(places) if other - one > 1e-9]
    return [float(places[0]) - 1, *inner, float(places[-1]) + 1] if places else [0.0]


@examples(8)
@given(problems())
def test_the_optimum_of_all_intervals(problem: tuple[Candidates, Any, Any]) -> None:
    candidates, intercepts, slopes = problem
    step = line_search(candidates, intercepts, slopes)
    best = max(_objective(candidates, intercepts, slopes, x) for x in _points(candidates, intercepts, slopes))
    assert step.gain == pytest.approx(best, abs=1e-9)
    assume(step.width > 1e-6)
    assert _objective(candidates, intercepts, slopes, step.length) == pytest.approx(step.gain, abs=1e-9)


@examples(4)
@given(problems(), st.floats(-4, 3), st.floats(0.5, 6))
def test_no_point_of_a_dense_scan_is_better(problem: tuple[Candidates, Any, Any], low: float, span: float) -> None:
    candidates, intercepts, slopes = problem
    step = line_search(candidates, intercepts, slopes, low=low, high=low + span)
    assert low <= step.length <= low + span
    for x in np.linspace(low, low + span, 201)[1:-1] + np.pi * 1e-6:
        scores = intercepts + slopes * x
        assert candidates.gain_of(scores) <= step.gain + 1e-9


def test_no_step_to_a_point_where_another_wins() -> None:
    # Second and third are as good, on either side of 0, where the first wins because it is listed first.
    slopes = np.array([0.0, 1.0, -1.0])
    statistics = np.array([[4, 4, good, 4] for good in (0, 1, 1)], dtype=np.float64)
    candidates = Candidates(parse(METRICS[0]), ("x",), slopes[None], statistics, np.array([0, 3]))
    step = line_search(candidates, np.zeros(3), slopes)
    assert step.gain == _objective(candidates, np.zeros(3), slopes, step.length) == 25.0


def test_the_widest_of_equally_good_intervals() -> None:
    # Good from 1 to 2 and from 5 to 9.
    slopes, intercepts = np.array([0.0, 1, 2, 3, 4]), np.array([0.0, -1, -3, -8, -17])
    statistics = np.array([[4, 4, good, 4] for good in (0, 1, 0, 1, 0)], dtype=np.float64)
    candidates = Candidates(parse(METRICS[0]), ("x",), slopes[None], statistics, np.array([0, 5]))
    assert line_search(candidates, intercepts, slopes) == (7.0, 25.0, 4.0)
    assert line_search(candidates, intercepts, slopes, high=5.5) == (1.5, 25.0, 1.0)
    assert line_search(candidates, intercepts, slopes, low=9.0).gain == 0.0


def test_a_metric_of_which_less_is_better() -> None:
    slopes = np.array([1.0, -1.0])
    statistics = np.array([[1.0, 4, 4], [3.0, 4, 4]])
    metric = parse("wer")
    candidates = Candidates(metric, ("x",), slopes[None], statistics[:, : len(metric.columns)], np.array([0, 2]))
    step = line_search(candidates, np.zeros(2), slopes)
    assert step.length > 0
    assert step.gain == -metric.score(statistics[0, : len(metric.columns)])
