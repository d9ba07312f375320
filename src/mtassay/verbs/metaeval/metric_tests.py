"""Tests between all pairs of metrics, on one coefficient in one translation direction.

- ``williams``, ``williams-graham``, ``williams-absolute``: Williams' test of Pearson's r, with signed correlations and
  n − 3 degrees of freedom (mt-metrics-eval, WMT20), absolute ones and n − 2 (Graham & Baldwin 2014), or absolute ones
  and n − 3.
- ``perm-both``: permutes the scores of two metrics (Deutsch et al. 2021), for Pearson's r and pairwise accuracy; for
  acc_eq*, their decisions on each pair.
- ``zou``: intervals of differences of Pearson's r (Zou 2007); a metric is better if the interval lies above 0.
- ``bootstrap``: correlations over resampled systems; at segment level, Pearson's r over resampled segments, and τ over
  the preferences of resampled segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, unknown_name
from mtassay.stats import permutation
from mtassay.stats.correlations import KINDS
from mtassay.stats.grouped_gold import GroupedGold
from mtassay.stats.kendall import WMT_VARIANTS
from mtassay.stats.metric_significance import (
    Bootstrap,
    bootstrap,
    complete,
    metric_clusters,
    pairs_swap_p,
    segment_bootstrap,
    williams,
    zou_intervals,
)
from mtassay.verbs.metaeval.segment_level import SegmentLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mtassay.types import Floats, Ints
    from mtassay.verbs.metaeval.coefficients import Coefficient
    from mtassay.verbs.metaeval.system_level import SystemLevel

#: Variants of Williams' test by name.
_WILLIAMS = {"williams": "signed", "williams-graham": "graham", "williams-absolute": "absolute"}
TESTS = (*_WILLIAMS, "perm-both", "zou", "bootstrap")
#: Default numbers of resamples: of perm-both at system level and for acc_eq*; of all others.
_USUAL_SWAPS, _USUAL_RESAMPLES = 10_000, 1000
_SYSTEM_KINDS = tuple(kind for kind in KINDS if kind not in ("kendall-23", "acc23"))


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricTest:
    """A test between all pairs of metrics in one direction.

    Attributes:
        test: its name, one of ``TESTS``.
        coefficient: the name of the coefficient whose differences were tested.
        n_resamples: number of resamples; 0 if none were needed.
        alpha: significance level.
        p: p-values of the tests that a is better than b, shape (metrics, metrics), NaN on the diagonal; None for
            ``zou``.
        intervals: intervals of differences, first minus second metric, shape (metrics, metrics, 2); None for tests.
        better: whether the first metric is significantly better than the second, bool of shape (metrics, metrics).
        clusters: number of each metric's cluster, from 1, shape (metrics,).
    """

    test: str
    coefficient: str
    n_resamples: int
    alpha: float
    p: Floats | None
    intervals: Floats | None
    better: NDArray[np.bool_]
    clusters: Ints

    @property
    def exact(self) -> bool:
        """Whether p-values of ``perm-both`` are exact."""
        return self.test == "perm-both" and self.n_resamples == 0


def testable(test: str, level: str) -> tuple[str, ...]:
    """Coefficients that a test applies to; Pearson's r of segments only if it is not averaged."""
    if test not in TESTS:
        raise InputError(unknown_name("test between metrics", test, [*TESTS, "none"]))
    if level == "system":
        return {"perm-both": ("pearson", "accuracy"), "bootstrap": _SYSTEM_KINDS}.get(test, ("pearson",))
    return {"perm-both": ("pearson", "acc-eq"), "bootstrap": ("pearson", *WMT_VARIANTS)}.get(test, ("pearson",))


def chosen(coefficients: Sequence[str], test: str, *, level: str, average: str) -> str:
    """The first coefficient that the test applies to."""
    known = testable(test, level)
    averaged = level == "segment" and average != "none"
    for name in coefficients:
        if name in known and not (averaged and name == "pearson"):
            return name
    only = [f"{name} (average none)" if averaged and name == "pearson" else name for name in known]
    raise InputError(f"at {level} level {test} tests only {', '.join(only)}: choose such a coefficient")


def compare_metrics(
    data: SystemLevel | SegmentLevel, coefficient: Coefficient, *, test: str, resamples: int = 0
) -> MetricTest:
    """Test the differences of a coefficient between all pairs of metrics.

    Args:
        data: gold and scores.
        coefficient: its values, as `data` has them.
        test: a name of ``TESTS``.
        resamples: number of resamples for perm-both and bootstrap; 0 for the default, or all permutations if few.
    """
    if len(data.measured.names) < 2:
        raise InputError(f"{test} is a test between metrics: give two or more, not only {data.measured.names[0]}")
    without = [name for name, value in zip(data.measured.names, coefficient.values, strict=True) if np.isnan(value)]
    if without:
        raise InputError(f"gold or metric is constant, so there is nothing to test: {', '.join(without)}")
    alpha, n_resamples = data.alpha, 0
    p: Floats | None = None
    intervals: Floats | None = None
    if test in _WILLIAMS:
        p = williams(*_flat(data), variant=_WILLIAMS[test]).p
    elif test == "zou":
        intervals = zou_intervals(*_flat(data), alpha=alpha)
    elif test == "perm-both":
        p, n_resamples = _swapped(data, coefficient, resamples=resamples)
    else:
        n_resamples = resamples or _USUAL_RESAMPLES
        resampled = _bootstrap(data, coefficient.name, resamples=n_resamples)
        p, intervals = resampled.p(), resampled.difference_intervals(alpha=alpha)
    better = np.asarray(intervals)[..., 0] > TOLERANCE if p is None else p <= alpha
    order = coefficient.order
    ranked = better[np.ix_(order, order)]
    clusters = np.empty(len(order), dtype=np.int64)
    clusters[order] = metric_clusters(1.0 - ranked, alpha=alpha)
    return MetricTest(
        test=test,
        coefficient=coefficient.name,
        n_resamples=n_resamples,
        alpha=alpha,
        p=p,
        intervals=intervals,
        better=better,
        clusters=clusters,
    )


def _flat(data: SystemLevel | SegmentLevel) -> tuple[Any, Any]:
    """Gold (n,) and scores (metrics, n), of systems or of all outputs."""
    if not isinstance(data, SegmentLevel):
        return data.values, data.scores
    cells = GroupedGold(data.values, average="none")
    return cells.gold, cells.of(data.scores)


def _swapped(data: SystemLevel | SegmentLevel, coefficient: Coefficient, *, resamples: int) -> tuple[Floats, int]:
    """P-values of PERM-BOTH, and the number of resamples; 0 if they are exact."""
    values, scores, seed = data.values, data.scores, data.seed
    if isinstance(data, SegmentLevel):
        if coefficient.name == "acc-eq":
            n_resamples = resamples or _USUAL_SWAPS
            how: Any = {"average": data.average, "resamples": n_resamples, "seed": seed, "exact": True}
            p = pairs_swap_p(values, scores, coefficient.epsilon, **how)
            # If all groups have one size, all pairs have the same weight: no resamples are needed.
            even = len({batch.shape[1] for batch in GroupedGold(values, average=data.average).batches}) == 1
            return p, 0 if even else n_resamples
        n_resamples = resamples or _USUAL_RESAMPLES
        return permutation.segment_pearson_p(values, scores, resamples=n_resamples, seed=seed), n_resamples
    few = int((~np.isnan(values)).sum()) <= permutation.MOST_EXACT
    n_resamples = resamples or (0 if few else _USUAL_SWAPS)
    function = permutation.accuracy_p if coefficient.name == "accuracy" else permutation.pearson_p
    return function(values, scores, resamples=n_resamples, seed=seed), n_resamples


def _bootstrap(data: SystemLevel | SegmentLevel, name: str, *, resamples: int) -> Bootstrap:
    if not isinstance(data, SegmentLevel):
        return bootstrap(data.values, data.scores, kind=name, resamples=resamples, seed=data.seed)
    if name in WMT_VARIANTS:
        return complete(data.resampled.tau(name))
    return segment_bootstrap(data.values, data.scores, resamples=resamples, seed=data.seed)
