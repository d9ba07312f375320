"""Uncertainty of correlations: intervals over resampled segments, and the test of Albrecht & Hwa 2007.

The paper resamples outputs with replacement a thousand times, reports the mean correlation over these trials, and
compares two metrics by a paired t-test over the trials at 99.8 %. Trials are not new data, so with enough of them this
test finds any difference significant; it is here only for comparison with the paper. The meaningful interval resamples
segments, because the outputs of one segment share their source and references.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised
from mtassay.stats.resamples import check_seed

if TYPE_CHECKING:
    from mtassay.types import Floats


TRIALS, PAPER_LEVEL, LEVEL = 1000, 0.002, 0.05


@dataclass(frozen=True)
class Difference:
    """Spearman's ρ of one metric minus that of another, on the same outputs.

    Attributes:
        value: the difference.
        low: lower end of the 95 % interval over resamples of segments.
        high: upper end of that interval.
        t: statistic of the paper's paired t-test over trials that resample outputs; NaN if a metric is constant.
        p: two-sided p-value of that test; NaN if a metric is constant.
    """

    value: float
    low: float
    high: float
    t: float
    p: float

    @property
    def significant_in_paper(self) -> bool:
        """Whether the paper would call the difference significant (99.8 %)."""
        return self.p <= PAPER_LEVEL


@dataclass(frozen=True, eq=False)
class Trials:
    """Correlations of metrics in many resamples.

    Attributes:
        values: correlations over all outputs, shape (metrics,).
        by_segment: correlations in resamples of segments, shape (trials, metrics).
        by_output: correlations in resamples of outputs, shape (trials, metrics).
    """

    values: Floats
    by_segment: Floats
    by_output: Floats

    def difference(self, one: int, other: int) -> Difference:
        """Compare two of the metrics."""
        from scipy.stats import t as student

        drawn = self.by_segment[:, one] - self.by_segment[:, other]
        low, high = _interval(drawn)
        trials = _known(self.by_output[:, one] - self.by_output[:, other])
        t = p = float("nan")
        if len(trials) > 1:
            deviation = float(trials.std(ddof=1))
            t = float(trials.mean()) / (deviation / np.sqrt(len(trials))) if deviation > 0 else 0.0
            p = 2 * float(student.sf(abs(t), len(trials) - 1))
        return Difference(float(self.values[one] - self.values[other]), low, high, t, p)

    def interval(self, metric: int) -> tuple[float, float]:
        """The 95 % interval of a metric's correlation over resamples of segments."""
        return _interval(self.by_segment[:, metric])

    def in_paper(self, metric: int) -> float:
        """The correlation as the paper reports it: the mean over resamples of outputs in which it is defined."""
        known = _known(self.by_output[:, metric])
        return float(known.mean()) if len(known) else float("nan")


def number(value: float) -> float | None:
    """A value for JSON: None if it is not finite.

    >>> number(0.5), number(float("nan"))
    (0.5, None)
    """
    return float(value) if np.isfinite(value) else None


def _known(values: Floats) -> Floats:
    """The values without those of resamples in which gold or a metric is constant and has no correlation."""
    return values[np.isfinite(values)]


def _interval(values: Floats) -> tuple[float, float]:
    """The ends of the middle 95 %; NaN if a metric is constant and has no correlation."""
    there = _known(values)
    if not len(there):
        return float("nan"), float("nan")
    low, high = np.quantile(there, [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)


def trials(gold: Any, scores: Any, *, n_trials: int = TRIALS, seed: int = 12345) -> Trials:
    """Spearman's ρ of metrics with human scores, over all outputs and in resamples.

    Args:
        gold: human scores, NaN if missing, shape (systems, segments).
        scores: scores of metrics, shape (metrics, systems, segments); a missing score (NaN) counts as the lowest, so
            that all metrics are compared on the same outputs.
        n_trials: number of resamples of each kind.
        seed: seed of the resamples.
    """
    human, metrics = np.asarray(gold, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    systems, segments = np.nonzero(np.isfinite(human))
    y, x = human[systems, segments], np.nan_to_num(metrics[:, systems, segments], nan=-np.inf)
    there, own = np.unique(segments, return_inverse=True)
    places = [np.unique(equalised(values), return_inverse=True)[1] for values in (y, *x)]
    rng = np.random.default_rng(check_seed(seed))
    by_segment, by_output = np.empty((n_trials, len(x))), np.empty((n_trials, len(x)))
    for trial in range(n_trials):
        drawn = np.bincount(rng.integers(0, len(there), len(there)), minlength=len(there))
        by_segment[trial] = _weighted(places, drawn[own])
        by_output[trial] = _weighted(places, np.bincount(rng.integers(0, len(y), len(y)), minlength=len(y)))
    return Trials(_weighted(places, np.ones(len(y), dtype=np.int64)), by_segment, by_output)


def _weighted(places: list[Any], counts: Any) -> Floats:
    """Spearman's ρ of the first variable with each of the others, where each output counts `counts` times.

    A variable is given by the places of its values among its distinct values. Ranks follow from the number of outputs
    at each place, so that nothing is sorted again.
    """
    n = counts.sum()
    ranks = []
    for place in places:
        at = np.bincount(place, counts)
        ranks.append((np.cumsum(at) - at / 2)[place] - n / 2)
    gold, *metrics = ranks
    found = np.full(len(metrics), np.nan)
    own = (counts * gold**2).sum()
    for number, metric in enumerate(metrics):
        product = own * (counts * metric**2).sum()
        if product > 0:
            found[number] = (counts * gold * metric).sum() / np.sqrt(product)
    return found
