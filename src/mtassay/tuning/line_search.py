"""The best step along a line through the space of weights, found exactly (Och 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.kernels.envelopes import interval_totals, upper_envelopes

if TYPE_CHECKING:
    from mtassay.tuning.candidates import Candidates
    from mtassay.types import Floats


#: Distance of a point beyond the outermost threshold, as a share of the largest absolute threshold.
_BEYOND = 0.1
#: Intervals narrower than this, relative to their ends, are skipped: rounding of weights and model scores could miss
#: them.
_NARROWEST = 1e-12


class LineStep(NamedTuple):
    """The best step along a line.

    Attributes:
        length: length of the step; 0 is where the line starts.
        gain: the objective there, with its sign changed if lower is better.
        width: width of the interval; the step leads to its middle.
    """

    length: float
    gain: float
    width: float


def line_search(
    candidates: Candidates, scores: Floats, slopes: Floats, *, low: float = -np.inf, high: float = np.inf
) -> LineStep:
    """Find the best step: to the middle of the best interval, the widest one in a tie.

    Args:
        candidates: the candidates.
        scores: model scores where the line starts, shape (n,).
        slopes: changes of model scores along the line, shape (n,).
        low: shortest step allowed.
        high: longest step allowed.
    """
    winners, lefts, starts = upper_envelopes(slopes, scores, offsets=candidates.offsets)
    thresholds, totals = interval_totals(winners, lefts, starts, statistics=candidates.statistics)
    gains = candidates.gain(totals)
    left, right = _ends(thresholds, low, high)
    widths = right - left
    gains = np.where(widths > _NARROWEST * np.maximum(np.abs(left), np.abs(right)), gains, -np.inf)
    best = np.flatnonzero(gains == gains.max())
    chosen = best[widths[best].argmax()]
    length = float(left[chosen] / 2 + right[chosen] / 2)
    return LineStep(length, float(gains[chosen]), float(widths[chosen]))


def _ends(thresholds: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Ends of the intervals between thresholds; the outermost intervals end at a bound, or at a finite distance."""
    reach = float(np.abs(thresholds).max(initial=0.0)) or 1.0
    first, last = (float(thresholds[0]), float(thresholds[-1])) if len(thresholds) else (0.0, 0.0)
    outer_left = low if np.isfinite(low) else min(first, high) - 2 * _BEYOND * reach
    outer_right = high if np.isfinite(high) else max(last, low) + 2 * _BEYOND * reach
    left = np.concatenate([[outer_left], thresholds])
    right = np.concatenate([thresholds, [outer_right]])
    if np.isfinite(low) or np.isfinite(high):
        left, right = np.clip(left, low, high), np.clip(right, low, high)
    return left, right
