"""System-level coefficients of metrics in one translation direction.

- ``spearman``, ``pearson``, ``kendall-b``, ``kendall-c``: correlation of metric scores with human scores.
- ``clusters``, ``fuzzy``: Pearson's r with cluster ranks and with fuzzy ranks (Macháček & Bojar 2013). The rank of a
  cluster is that of its best system.
- ``accuracy``: share of the pairs of systems that the metric orders as the human judgements do.
- ``soft-accuracy``: the same with p-values instead of orders; needs human and metric scores of segments.
- ``orange``: mean rank of references among the systems; needs no judgements, but two references.

Intervals come from resampled judgements. Coefficients that need p-values or human ranks have no intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import alike
from mtassay.errors import InputError
from mtassay.judging.gold import PreferenceGold, ScoreGold
from mtassay.judging.rank_ranges import ranges
from mtassay.stats.correlations import correlation, system_correlation
from mtassay.stats.pairwise_accuracy import pairwise_accuracy, soft_pairwise_accuracy
from mtassay.verbs.metaeval.coefficients import Coefficient

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.judging.gold import Gold
    from mtassay.judging.rank_ranges import RankRanges
    from mtassay.types import Floats
    from mtassay.verbs.metaeval.metric_scores import Measured

COEFFICIENTS = (
    *("spearman", "pearson", "kendall-b", "kendall-c"),
    *("clusters", "fuzzy", "accuracy", "soft-accuracy", "orange"),
)
_CORRELATIONS = COEFFICIENTS[:4]
#: Default number of resamples for soft pairwise accuracy.
_SOFT_DRAWS = 10_000


def possible(gold: Gold) -> tuple[str, ...]:
    """Coefficients that these judgements allow."""
    if isinstance(gold, ScoreGold) and gold.per_segment is not None:
        return COEFFICIENTS
    without = ("soft-accuracy",) if isinstance(gold, PreferenceGold) else ("soft-accuracy", "clusters", "fuzzy")
    return tuple(name for name in COEFFICIENTS if name not in without)


def usual(gold: Gold) -> tuple[str, ...]:
    """The default coefficients."""
    shown = ("spearman", "pearson", "kendall-b", "accuracy", "clusters", "fuzzy")
    return tuple(name for name in shown if name in possible(gold))


@dataclass(frozen=True, eq=False)
class SystemLevel:
    """Gold and scores of the systems of one direction.

    Attributes:
        gold: the human judgements.
        measured: the metric scores.
        resamples: number of resamples for soft pairwise accuracy; 0 for 10,000.
        seed: seed of these resamples.
        alpha: 1 minus the coverage of intervals.
    """

    gold: Gold
    measured: Measured
    resamples: int
    seed: int
    alpha: float

    @cached_property
    def values(self) -> Floats:
        """Human scores of the systems that have one."""
        return self.gold.system_scores[self._judged]

    @cached_property
    def scores(self) -> Floats:
        """Metric scores of these systems, higher is better, shape (metrics, systems)."""
        return self.measured.checked_systems()[:, self._judged]

    @property
    def _judged(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.gold.system_scores)

    @cached_property
    def _drawn(self) -> Floats | None:
        return None if self.gold.drawn is None else self.gold.drawn[:, self._judged]

    @property
    def _spread(self) -> Floats | None:
        """Resamples for intervals; None for a single screen or segment, which gives no information about variance."""
        return self._drawn if self.gold.n_units > 1 else None

    @cached_property
    def _ranges(self) -> RankRanges:
        if self._drawn is None:
            raise InputError("clusters and fuzzy ranks need judgements of segments, which can be resampled")
        # A system missing from a resample is last in it.
        return ranges(self.values, np.nan_to_num(self._drawn, nan=-np.inf), confidence=1 - self.alpha)

    def coefficient(self, name: str) -> Coefficient:
        """One coefficient of all metrics."""
        if name in _CORRELATIONS:
            found = system_correlation(self.values, self.scores, kind=name)
            drawn = None
            if self._spread is not None:
                drawn = correlation(self._spread, self.scores[:, None], kind=name)
            return Coefficient(name=name, values=found, drawn=drawn, alpha=self.alpha)
        if name == "accuracy":
            return self._accuracy()
        if name == "soft-accuracy":
            return self._soft_accuracy()
        if name == "orange":
            return Coefficient(name=name, values=self.measured.orange().values)
        ranks = self._cluster_ranks() if name == "clusters" else self._ranges.fuzzy_ranks()
        return Coefficient(name=name, values=system_correlation(-ranks, self.scores))

    def _cluster_ranks(self) -> Floats:
        ranks = np.empty(len(self.values))
        above = 0
        for members in self._ranges.clusters():
            ranks[list(members)] = above + 1
            above += len(members)
        return ranks

    def _accuracy(self) -> Coefficient:
        if len(self.values) < 2 or alike(self.values.max(), self.values.min()):
            # The judgements order no pair, so there is nothing to agree with.
            return Coefficient(name="accuracy", values=np.full(len(self.scores), np.nan))
        values = pairwise_accuracy(self.values, self.scores).values
        drawn = None
        if self._spread is not None:
            whole = self._spread[~np.isnan(self._spread).any(axis=1)]
            drawn = np.array([pairwise_accuracy(row, self.scores).values for row in whole]).reshape(-1, len(values)).T
        return Coefficient(name="accuracy", values=values, drawn=drawn, alpha=self.alpha)

    def _soft_accuracy(self) -> Coefficient:
        if not isinstance(self.gold, ScoreGold) or self.gold.per_segment is None:
            raise InputError("soft pairwise accuracy needs human scores of segments")
        judged = np.broadcast_to(~np.isnan(self.gold.per_segment).any(axis=0), self.gold.per_segment.shape)
        measured, chosen = self.measured.with_segments()
        scores = measured.checked_segments(judged)
        resamples = self.resamples or _SOFT_DRAWS
        values = np.full(len(self.measured.names), np.nan)
        values[chosen] = soft_pairwise_accuracy(self.gold.per_segment, scores, resamples=resamples, seed=self.seed)
        return Coefficient(name="soft-accuracy", values=values, n_resamples=resamples)
