"""Segment-level coefficients of metrics in one translation direction.

For preferences: ``wmt12``, ``wmt13`` and ``wmt14``, which differ in how they count metric ties, with intervals from
resampled segments. For scores: ``pearson``, ``spearman``, ``kendall-b``, ``kendall-c``, ``kendall-23``,
``acc23`` and ``acc-eq``, over all outputs together or averaged over segments or systems, and ``darr``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.judging.gold import PreferenceGold, ScoreGold
from mtassay.stats.concordance import pair_counts
from mtassay.stats.correlations import KINDS
from mtassay.stats.correlations import averaged as averaged_correlation
from mtassay.stats.grouped_gold import GroupedGold
from mtassay.stats.kendall import WMT_VARIANTS, darr, preference_counts
from mtassay.stats.resampled_preferences import ResampledPreferences
from mtassay.stats.tie_calibration import acc_eq
from mtassay.verbs.metaeval.coefficients import Coefficient

if TYPE_CHECKING:
    from mtassay.judging.gold import Gold
    from mtassay.types import Floats, Ints
    from mtassay.verbs.metaeval.metric_scores import Measured

OF_PREFERENCES = ("wmt13", "wmt12", "wmt14")
OF_SCORES = (*KINDS, "acc-eq", "darr")


def possible(gold: Gold) -> tuple[str, ...]:
    """Coefficients that these judgements allow."""
    return OF_PREFERENCES if isinstance(gold, PreferenceGold) else OF_SCORES


def usual(gold: Gold) -> tuple[str, ...]:
    """The default coefficients."""
    return ("wmt13",) if isinstance(gold, PreferenceGold) else ("acc-eq", "kendall-b", "pearson")


@dataclass(frozen=True, eq=False)
class SegmentLevel:
    """Gold and scores of the outputs of one direction.

    Attributes:
        gold: the human judgements.
        measured: the metric scores.
        average: the groups to average over, one of ``grouped_gold.AVERAGES``; preferences are all counted together.
        resamples: number of resamples of the preferences; 0 for 1000.
        seed: seed of the resamples.
        alpha: 1 minus the coverage of intervals.
    """

    gold: Gold
    measured: Measured
    average: str
    resamples: int
    seed: int
    alpha: float

    @cached_property
    def preferences(self) -> tuple[Ints, Ints, Ints]:
        """Segment, better and worse system of each strict preference."""
        if isinstance(self.gold, ScoreGold):
            raise InputError("the WMT variants of τ need preferences, but these judgements are scores")
        found = self.gold.strict()
        if not len(found[0]):
            raise InputError("no output was preferred to another: all judgements are ties")
        return found

    @cached_property
    def values(self) -> Floats:
        """Human scores, shape (systems, segments), NaN if missing."""
        if not isinstance(self.gold, ScoreGold) or self.gold.per_segment is None:
            raise InputError("these judgements score whole systems, but the segment level needs scores of segments")
        return self.gold.per_segment

    @cached_property
    def scores(self) -> Floats:
        """Metric scores, higher is better, shape (metrics, systems, segments)."""
        if isinstance(self.gold, ScoreGold):
            return self.measured.checked_segments(~np.isnan(self.values))
        segment, better, worse = self.preferences
        judged = np.zeros((len(self.measured.systems), self.measured.scored.testset.n_segments), dtype=bool)
        judged[better, segment] = judged[worse, segment] = True
        return self.measured.checked_segments(judged)

    @cached_property
    def resampled(self) -> ResampledPreferences:
        """Metric decisions on the preferences of resampled segments."""
        return ResampledPreferences(self.preferences, self.scores, resamples=self.resamples, seed=self.seed)

    def coefficient(self, name: str) -> Coefficient:
        """One coefficient of all metrics."""
        if name in WMT_VARIANTS:
            counts = preference_counts(self.preferences, self.scores)
            # Resampling a single segment gives no information about variance.
            drawn = self.resampled.tau(name) if len(np.unique(self.preferences[0])) > 1 else None
            return Coefficient(name=name, values=counts.tau(name), drawn=drawn, alpha=self.alpha, ties=counts.tie_share)
        if name == "acc-eq":
            calibrated = acc_eq(self.values, self.scores, average=self.average, exact=True)
            return Coefficient(name=name, values=calibrated.accuracy, epsilon=calibrated.epsilon)
        if name == "darr":
            found = darr(self.values, self.scores, average=self.average, exact=True)
            return Coefficient(name=name, values=found.tau, ties=found.tie_share)
        means = averaged_correlation(self.values, self.scores, kind=name, average=self.average, exact=True)
        grouped = self.average != "none"
        return Coefficient(
            name=name,
            values=means.values,
            ties=None if name in ("pearson", "spearman") else self._tie_share,
            n_groups=means.n_groups if grouped else None,
            n_dropped=means.n_dropped if grouped else None,
        )

    @cached_property
    def _tie_share(self) -> Floats:
        """Share of the pairs within groups that each metric ties."""
        cells = GroupedGold(self.values, average=self.average, exact=True)
        scores = cells.of(self.scores)
        counts = pair_counts(cells.group, np.broadcast_to(cells.gold, scores.shape), scores)
        n_pairs = counts.total.sum(axis=1)
        tied = (counts.metric_ties + counts.both_ties).sum(axis=1)
        shares: Floats = np.divide(tied, n_pairs, out=np.full(len(tied), np.nan), where=n_pairs > 0)
        return shares
