"""Exact line search over lists of candidates (Och 2003, "Minimum error rate training").

Along a line through the space of weights the model score of a candidate is intercept + slope · x. The candidate that
wins a segment changes only where two lines of its upper envelope meet, so a few differences of statistics give the
totals of the winners for every x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtassay.kernels import kernel

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Offsets


#: Largest number; differences of two such numbers are finite, so that every threshold is defined.
_LARGEST = 1e300


@kernel
def upper_envelopes(slopes: Floats, intercepts: Floats, *, offsets: Offsets) -> tuple[Index, Floats, Offsets]:
    """Find the lines that are on top somewhere, segment by segment, from left to right.

    If several lines are equal, the first counts; a line that touches the envelope in only one point is left out.

    Args:
        slopes: slope of every candidate, shape (n,).
        intercepts: intercept of every candidate, shape (n,).
        offsets: candidates of segment s are offsets[s] to offsets[s + 1], shape (segments + 1,).

    Returns:
        (candidate of every line, x from which the line is on top (-inf for the first of a segment), offsets of the
        segments): shapes (lines,), (lines,) and (segments + 1,).
    """
    _check(slopes, intercepts, offsets)
    order = np.lexsort((slopes, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    candidates: list[int] = []
    lefts: list[float] = []
    starts = [0]
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        bottom = len(candidates)
        for candidate in order[first:end].tolist():
            left = _takes_over(candidate, candidates, lefts, bottom, slopes, intercepts)
            if left < np.inf:
                candidates.append(candidate)
                lefts.append(left)
        starts.append(len(candidates))
    return np.array(candidates, dtype=np.int64), np.array(lefts), np.array(starts, dtype=np.int64)


def _takes_over(
    candidate: int, candidates: list[int], lefts: list[float], bottom: int, slopes: Floats, intercepts: Floats
) -> float:
    """Remove the lines that the candidate's line covers; return the x from which it is on top, inf if it never is."""
    slope, intercept = float(slopes[candidate]), float(intercepts[candidate])
    while len(candidates) > bottom:
        top_slope, top_intercept = float(slopes[candidates[-1]]), float(intercepts[candidates[-1]])
        if slope == top_slope:
            if intercept <= top_intercept:
                return np.inf
        else:
            with np.errstate(over="ignore"):
                left = float(np.float64(top_intercept - intercept) / (slope - top_slope))
            if left > lefts[-1]:
                return left
        candidates.pop()
        lefts.pop()
    return -np.inf


@kernel
def interval_totals(
    candidates: Index, lefts: Floats, starts: Offsets, *, statistics: NDArray[np.float32 | np.float64]
) -> tuple[Floats, Floats]:
    """Summed statistics of the winners between thresholds.

    There is a threshold even if old and new winner have equal statistics: at that very point another candidate may win,
    so it must not become the middle of an interval.

    Args:
        candidates: candidate of every line of the envelopes, from ``upper_envelopes``, shape (lines,).
        lefts: x from which each line is on top, shape (lines,).
        starts: offsets of the segments, shape (segments + 1,).
        statistics: statistics of every candidate, shape (n, K), float32 or float64.

    Returns:
        (thresholds in ascending order, totals of the intervals that they divide): shapes (m,) and (m + 1, K).
    """
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(candidates) or len(lefts) != len(candidates):
        raise ValueError("offsets do not span the lines")
    if (np.diff(starts) < 1).any():
        raise ValueError("a segment without candidates")
    if len(candidates) and (candidates.min() < 0 or candidates.max() >= len(statistics)):
        raise ValueError("index out of range")
    is_first = np.zeros(len(candidates), dtype=bool)
    is_first[starts[:-1]] = True
    later = np.flatnonzero(~is_first)
    if not np.isfinite(lefts[later]).all():
        raise ValueError("thresholds must be finite")
    rows = statistics[candidates].astype(np.float64)
    # Row by row, so that sums are rounded the same in every implementation.
    zero = np.zeros((1, statistics.shape[1]))
    before: Any = np.cumsum(np.concatenate([zero, rows[is_first]]), axis=0)[-1]
    changes = rows[later] - rows[later - 1]
    by_place = np.argsort(lefts[later], kind="stable")
    places = lefts[later][by_place]
    totals = np.cumsum(np.concatenate([before[None], changes[by_place]]), axis=0)
    is_last = np.ones(len(places), dtype=bool)
    is_last[:-1] = places[1:] != places[:-1]
    return places[is_last], totals[np.concatenate([[True], is_last])]


def _check(slopes: Floats, intercepts: Floats, offsets: Offsets) -> None:
    n = len(slopes)
    if len(intercepts) != n:
        raise ValueError("slopes and intercepts differ in length")
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != n or (np.diff(offsets) < 1).any():
        raise ValueError("every segment needs candidates, and offsets must span them")
    if not ((np.abs(slopes) <= _LARGEST).all() and (np.abs(intercepts) <= _LARGEST).all()):
        raise ValueError("slopes and intercepts must be finite")
