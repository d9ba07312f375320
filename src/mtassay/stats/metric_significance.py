"""Tests between metrics without permutation of scores, intervals, and clusters of metrics.

The correlations of two metrics with the same gold are dependent if the metrics correlate. Williams' test and the
intervals of Zou (2007) take that into account. acc_eq* is tested by swapping the decisions of two metrics on a pair,
which amounts to a binomial test of the pairs that exactly one of them gets right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, unknown_name
from mtassay.stats import resamples as drawing
from mtassay.stats.correlations import correlation
from mtassay.stats.grouped_gold import GroupedGold, system_level
from mtassay.stats.intervals import check_alpha, percentile
from mtassay.stats.tie_calibration import right_pairs
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from mtassay.types import Floats, Ints

#: With fewer systems than this, most resamples have only two or three different systems.
_FEWEST_SYSTEMS = 4
#: Whether correlations are taken as absolute values, and the number subtracted from n for the degrees of freedom:
#: mt-metrics-eval and WMT20; the published example of Graham & Baldwin 2014; the same with the correct n − 3.
WILLIAMS = {"signed": (False, 3), "graham": (True, 2), "absolute": (True, 3)}


@dataclass(frozen=True, eq=False)
class Williams:
    """Williams' test of all pairs of metrics, matrices of shape (metrics, metrics).

    Attributes:
        variant: the name of the variant.
        df: degrees of freedom.
        t: positive if the first metric correlates better; NaN on the diagonal.
        p: one-sided p-value P(T ≥ t) of the test that the first metric is better.
    """

    variant: str
    df: int
    t: Floats
    p: Floats


def williams(gold: Any, metrics: Any, *, variant: str = "signed") -> Williams:
    """Williams' test for differences of Pearson's r between metrics.

    Args:
        gold: shape (systems,), NaN if missing.
        metrics: shape (metrics, systems).
        variant: a name from ``WILLIAMS``.

    >>> found = williams([1.0, 2.0, 3.0, 4.0, 5.0], [[1.0, 2.0, 3.0, 4.0, 6.0], [2.0, 1.0, 3.0, 5.0, 4.0]])
    >>> found.df, bool(found.p[0, 1] < found.p[1, 0])
    (2, True)
    """
    from scipy.stats import t as student  # takes a while to load

    if variant not in WILLIAMS:
        raise InputError(unknown_name("variant of Williams' test", variant, WILLIAMS))
    absolute, lost = WILLIAMS[variant]
    with_gold, between, n = _correlations(gold, metrics)
    if absolute:
        with_gold, between = np.abs(with_gold), np.abs(between)
    r12, r13, r23 = with_gold[:, None], with_gold[None, :], between
    k = np.maximum(1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23, 0.0)
    below = 2 * k * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    # Differences within the tolerance count as 0.
    apart = np.where(np.abs(r12 - r13) > TOLERANCE, r12 - r13, 0.0)
    above = apart * np.sqrt((n - 1) * (1 + r23))
    # Identical metrics do not differ.
    t = np.divide(above, np.sqrt(below), out=np.zeros_like(below), where=below > 0)
    np.fill_diagonal(t, np.nan)
    return Williams(variant, n - lost, t, student.sf(t, n - lost))


def zou_intervals(gold: Any, metrics: Any, *, alpha: float = 0.05) -> Floats:
    """Intervals of Zou (2007) for differences of Pearson's r: first minus second metric.

    Args:
        gold: shape (systems,), NaN if missing.
        metrics: shape (metrics, systems).
        alpha: 1 minus the coverage.

    Returns:
        shape (metrics, metrics, 2), NaN on the diagonal.
    """
    with_gold, between, n = _correlations(gold, metrics)
    found = zou_interval(with_gold[:, None], with_gold[None, :], between, n=n, alpha=alpha)
    found[np.arange(len(found)), np.arange(len(found))] = np.nan
    return found


def zou_interval(r12: Any, r13: Any, r23: Any, *, n: int, alpha: float = 0.05) -> Floats:
    """Interval for r12 − r13, which share a variable, from n cases; arrays are broadcast, shape (..., 2).

    The example of Zou (2007):

    >>> zou_interval(0.396, 0.179, 0.088, n=66).round(3).tolist()
    [-0.093, 0.517]
    """
    from scipy.special import ndtri  # takes a while to load

    if n <= 3:
        raise InputError("intervals of correlations need more than three systems")
    first, second, between = (np.asarray(r, dtype=np.float64) for r in (r12, r13, r23))
    margin = ndtri(1 - check_alpha(alpha) / 2) / np.sqrt(n - 3)

    def bounds(r: Floats) -> tuple[Floats, Floats]:
        with np.errstate(divide="ignore"):  # r = 1 is its own interval
            z = np.arctanh(r)
        return np.tanh(z - margin), np.tanh(z + margin)

    (low1, high1), (low2, high2) = bounds(first), bounds(second)
    shared = (between - first * second / 2) * (1 - first**2 - second**2 - between**2) + between**3
    free = (1 - first**2) * (1 - second**2)
    c = np.divide(shared, free, out=np.zeros(np.broadcast(shared, free).shape), where=free > 0)

    def reach(x: Floats, y: Floats) -> Floats:
        return np.sqrt(np.maximum(x**2 + y**2 - 2 * c * x * y, 0.0))

    difference = first - second
    low = difference - reach(first - low1, high2 - second)
    high = difference + reach(high1 - first, second - low2)
    return np.stack([low, high], axis=-1)


def pairs_swap_p(
    gold: Any,
    metrics: Any,
    epsilon: Any,
    *,
    average: str = "segment",
    resamples: int = 10_000,
    seed: int = 12345,
    exact: bool = False,
) -> Floats:
    """Test differences of acc_eq* by swapping the decisions of two metrics on each pair.

    If all groups have the same number of pairs, the binomial distribution gives exact p-values; otherwise pairs differ
    in weight, and p-values come from resamples.

    Args:
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        epsilon: threshold of each metric, shape (metrics,), as ``tie_calibration.acc_eq`` finds it.
        average: as for ``tie_calibration.acc_eq``.
        resamples: number of resamples, if needed.
        seed: seed of the resamples.
        exact: as for ``tie_calibration.acc_eq``.

    Returns:
        p[a, b], p-value of the test that a is better than b, shape (metrics, metrics), NaN on the diagonal.
    """
    right, n_pairs = right_pairs(gold, metrics, epsilon, average=average, exact=exact)
    sizes, kind = np.unique(n_pairs, return_inverse=True)
    p = np.full((len(right), len(right)), np.nan)
    for a, b in zip(*np.triu_indices(len(right), k=1), strict=True):
        won = np.bincount(kind[right[a] & ~right[b]], minlength=len(sizes))
        lost = np.bincount(kind[right[b] & ~right[a]], minlength=len(sizes))
        p[a, b] = _swapped_p(won, lost, sizes, resamples=resamples, seed=seed)
        p[b, a] = _swapped_p(lost, won, sizes, resamples=resamples, seed=seed)
    return p


def _swapped_p(won: Ints, lost: Ints, sizes: Ints, *, resamples: int, seed: int) -> float:
    """Probability of at least as many wins if wins and losses are equally likely; arrays are by group size."""
    n = won + lost
    if len(sizes) == 1:
        from scipy.stats import binom  # takes a while to load

        return float(binom.sf(won[0] - 1, n[0], 0.5))
    n_resamples = drawing.check_resamples(resamples) or 10_000
    drawn = np.random.default_rng(drawing.check_seed(seed)).binomial(n, 0.5, size=(n_resamples, len(n)))
    weights = sizes.max() / sizes
    tolerance = TOLERANCE * (n @ weights)
    return float(((2 * drawn - n) @ weights >= (won - lost) @ weights - tolerance).mean())


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Correlations of metrics in resamples.

    Attributes:
        resampled: shape (metrics, resamples), without resamples in which gold or a metric is constant.
        n_dropped: number of such resamples.
    """

    resampled: Floats
    n_dropped: int

    def intervals(self, *, alpha: float = 0.05) -> Floats:
        """Percentile intervals of the correlations, shape (metrics, 2)."""
        return percentile(self.resampled, check_alpha(alpha))

    def difference_intervals(self, *, alpha: float = 0.05) -> Floats:
        """Percentile intervals of the difference, first minus second metric, shape (metrics, metrics, 2)."""
        return percentile(self.resampled[:, None] - self.resampled[None, :], check_alpha(alpha))

    def p(self) -> Floats:
        """p[a, b], the share of resamples in which a is not better than b, shape (metrics, metrics)."""
        at_most: Floats = (self.resampled[:, None] <= self.resampled[None, :] + TOLERANCE).mean(axis=2)
        np.fill_diagonal(at_most, np.nan)
        return at_most


def bootstrap(gold: Any, metrics: Any, *, kind: str = "pearson", resamples: int = 1000, seed: int = 12345) -> Bootstrap:
    """Resample systems and correlate again: gold (systems,), metrics (metrics, systems)."""
    values, scores = system_level(gold, metrics)
    if len(values) < _FEWEST_SYSTEMS:
        raise InputError(f"the bootstrap over systems needs {_FEWEST_SYSTEMS} systems or more, not {len(values)}")
    n_resamples = _some(resamples)
    drawn = drawing.Resamples(len(values), n_resamples, seed=drawing.check_seed(seed))
    parts = []
    for numbers in drawing.blocks(n_resamples):
        counts = drawn(numbers).astype(np.int64)
        chosen = np.repeat(np.tile(np.arange(len(values)), len(counts)), counts.ravel()).reshape(counts.shape)
        parts.append(correlation(values[chosen], scores[:, chosen], kind=kind))
    return complete(np.concatenate(parts, axis=1))


def segment_bootstrap(gold: Any, metrics: Any, *, resamples: int = 1000, seed: int = 12345) -> Bootstrap:
    """Resample segments, each with the outputs of all systems, and take Pearson's r over all cells.

    Args:
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        resamples: number of resamples.
        seed: seed of the resamples.
    """
    cells = GroupedGold(gold, average="segment")
    around = cells.gold - cells.gold.mean()
    scores = cells.of(metrics)
    scores = scores - scores.mean(axis=1, keepdims=True)
    one = np.ones((1, len(around)))
    rows = np.concatenate([one, around[None], around[None] ** 2, scores, scores**2, scores * around])
    starts = np.flatnonzero(np.diff(cells.group, prepend=-1))
    sums_under = WeightedSums(np.add.reduceat(rows, starts, axis=1))
    n_resamples = _some(resamples)
    drawn = drawing.Resamples(len(starts), n_resamples, seed=drawing.check_seed(seed))
    parts = []
    for numbers in drawing.blocks(n_resamples):
        sums = sums_under(drawn(numbers))
        n, g, gg = sums[:3]
        m, mm, gm = sums[3:].reshape(3, len(scores), -1)
        of_gold, of_metrics = gg - g**2 / n, mm - m**2 / n
        # Because of rounding, the squares of constant values may not be exactly 0.
        defined = (of_gold > TOLERANCE * gg) & (of_metrics > TOLERANCE * mm)
        below = np.sqrt(np.where(defined, of_gold * of_metrics, 1.0))
        parts.append(np.where(defined, (gm - g * m / n) / below, np.nan))
    return complete(np.concatenate(parts, axis=1))


def metric_clusters(p: Any, *, alpha: float = 0.05) -> Ints:
    """Clusters of metrics, from 1: a metric that is worse than a member of the current cluster starts the next one.

    Args:
        p: p[a, b], p-value of the test that a is better than b, shape (metrics, metrics), the metrics best first.
        alpha: significance level; p = alpha is significant.

    >>> metric_clusters([[np.nan, 0.3, 0.01], [0.7, np.nan, 0.06], [0.99, 0.94, np.nan]]).tolist()
    [1, 1, 2]
    """
    beats = np.asarray(p, dtype=np.float64) <= check_alpha(alpha)
    ranks = np.ones(len(beats), dtype=np.int64)
    first = 0
    for metric in range(1, len(beats)):
        opens = bool(beats[first:metric, metric].any())
        ranks[metric] = ranks[metric - 1] + opens
        first = metric if opens else first
    return ranks


def _correlations(gold: Any, metrics: Any) -> tuple[Floats, Floats, int]:
    """Correlations of metrics with gold and with each other, and the number of systems."""
    values, scores = system_level(gold, metrics)
    if len(values) <= 3:
        raise InputError("differences of correlations need more than three systems")
    with_gold = correlation(values, scores)
    if np.isnan(with_gold).any():
        raise InputError("gold or a metric is constant: it has no correlation to test")
    return with_gold, correlation(scores[:, None], scores[None, :]), len(values)


def _some(resamples: int) -> int:
    return drawing.check_resamples(resamples) or 1000


def complete(resampled: Floats) -> Bootstrap:
    """Resamples (metrics, resamples) in which all metrics have a value."""
    whole = ~np.isnan(resampled).any(axis=0)
    if not whole.any():
        raise InputError("gold or a metric is constant in every resample: its correlation is undefined")
    return Bootstrap(resampled[:, whole], int((~whole).sum()))
