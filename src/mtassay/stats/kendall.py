"""Kendall's τ in the variants of the WMT metrics tasks, which differ in how they count ties.

Over strict human preferences, with C concordant, D discordant and T tied by the metric:

    wmt12   (C − D − T) / (C + D + T)    a tie counts as the wrong order
    wmt13   (C − D) / (C + D)            ties are ignored, which may favour a metric
    wmt14   (C − D) / (C + D + T)        a tie is half right

Over scores, with T_h tied in gold only, T_m in the metric only and T_hm in both:

    b       (C − D) / √((C + D + T_h)(C + D + T_m))
    c       2 (C − D) / (n² (k − 1) / k), k the smaller number of distinct values of the two scores
    23      (C + T_hm − D − T_h − T_m) / all pairs      Deutsch et al. 2023
    acc23   (C + T_hm) / all pairs                      Deutsch et al. 2023
    darr    pairs whose gold differs by a threshold: (C − rest) / all    WMT17 to WMT20
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised
from mtassay.errors import InputError, unknown_name
from mtassay.stats.grouped_gold import GroupedGold

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.stats.concordance import PairCounts
    from mtassay.types import Floats

WMT_VARIANTS = ("wmt12", "wmt13", "wmt14")


@dataclass(frozen=True, eq=False)
class PreferenceCounts:
    """Agreement of metrics with strict human preferences, each of shape (metrics,).

    Attributes:
        concordant: number of preferences that the metric shares.
        discordant: number of preferences that it reverses.
        tied: number of preferences for which it gives both outputs the same score.
    """

    concordant: Floats
    discordant: Floats
    tied: Floats

    @property
    def tie_share(self) -> Floats:
        """Share of the preferences that a metric ties; reported with every τ."""
        return _ratio(self.tied, self.concordant + self.discordant + self.tied)

    def tau(self, variant: str) -> Floats:
        """τ in a variant of ``WMT_VARIANTS``; NaN if no preference counts."""
        if variant not in WMT_VARIANTS:
            raise InputError(unknown_name("variant of τ", variant, WMT_VARIANTS))
        difference, untied = self.concordant - self.discordant, self.concordant + self.discordant
        if variant == "wmt13":
            return _ratio(difference, untied)
        return _ratio(difference - (self.tied if variant == "wmt12" else 0.0), untied + self.tied)


def preference_counts(preferences: Any, metrics: Any, *, weights: Any = None) -> PreferenceCounts:
    """Compare metrics with strict human preferences.

    Args:
        preferences: arrays (segment, better, worse) of numbers, each of shape (n,).
        metrics: shape (metrics, systems, segments).
        weights: how often each preference counts, shape (n,); once by default.

    >>> scores = np.array([[[1.0, 2.0], [1.0, 3.0]]])
    >>> counts = preference_counts(([0, 1, 1], [0, 1, 0], [1, 0, 1]), scores)
    >>> [counts.tau(variant).item() for variant in WMT_VARIANTS]
    [-0.3333333333333333, 0.0, 0.0]
    """
    segment, better, worse = (np.asarray(column, dtype=np.int64) for column in preferences)
    scores = np.asarray(metrics, dtype=np.float64)
    if scores.ndim != 3:
        raise InputError(f"metrics must have the axes (metrics, systems, segments), not {scores.ndim} axes")
    n_systems, n_segments = scores.shape[1:]
    for column, limit in ((segment, n_segments), (better, n_systems), (worse, n_systems)):
        if len(column) and not 0 <= column.min() <= column.max() < limit:
            raise InputError("a preference names a system or segment that no metric scored")
    first, second = better * n_segments + segment, worse * n_segments + segment
    weight = np.ones(len(segment)) if weights is None else np.asarray(weights, dtype=np.float64)
    sums = np.zeros((3, len(scores)))
    for number, of_metric in enumerate(scores):
        flat = equalised(of_metric).ravel()
        difference = flat[first] - flat[second]
        missing = np.flatnonzero(np.isnan(difference))
        if len(missing):
            raise InputError(
                f"metric {number + 1} lacks a score of segment {int(segment[missing[0]]) + 1}, which was judged"
            )
        sums[:, number] = (difference > 0) @ weight, (difference < 0) @ weight, (difference == 0) @ weight
    return PreferenceCounts(*sums)


@dataclass(frozen=True, eq=False)
class Darr:
    """Direct assessment as relative rankings.

    Attributes:
        tau: τ of each metric, shape (metrics,); NaN without pairs.
        n_pairs: number of pairs that count.
        tie_share: share of them that each metric ties, shape (metrics,).
    """

    tau: Floats
    n_pairs: int
    tie_share: Floats


def darr(gold: Any, metrics: Any, *, average: str = "segment", threshold: float = 25.0, exact: bool = False) -> Darr:
    """τ of pairs whose gold differs by at least `threshold`; every pair that is not concordant is discordant.

    Args:
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        average: groups within which pairs are compared, one of ``grouped_gold.AVERAGES``; all groups count together.
        threshold: smallest difference of gold; with 0, ties in gold are discordant.
        exact: as for ``correlations.averaged``.

    >>> darr([[0.0], [30.0], [31.0]], [[[1.0], [2.0], [2.0]]]).tau.tolist()
    [1.0]
    """
    cells = GroupedGold(gold, average=average, exact=exact)
    scores = cells.of(metrics)
    n_pairs = 0
    concordant, tied = np.zeros(len(scores)), np.zeros(len(scores))
    for _, (gold_difference, *differences) in cells.pairs(cells.gold, *scores):
        counts = np.abs(gold_difference) >= threshold
        n_pairs += int(counts.sum())
        for number, difference in enumerate(differences):
            # Parity: mt-metrics-eval, a gold tie that passes the threshold is never concordant.
            alike = (gold_difference > 0) & (difference > 0) | (gold_difference < 0) & (difference < 0)
            concordant[number] += np.count_nonzero(alike & counts)
            tied[number] += np.count_nonzero((difference == 0) & counts)
    total = np.full(len(scores), float(n_pairs))
    return Darr(_ratio(2 * concordant - total, total), n_pairs, _ratio(tied, total))


def tau_b(counts: PairCounts) -> Floats:
    """τ-b; NaN if gold or metric is constant."""
    untied = counts.concordant + counts.discordant
    both = (untied + counts.gold_ties) * (untied + counts.metric_ties)
    return _ratio(counts.concordant - counts.discordant, np.sqrt(both))


def tau_c(counts: PairCounts) -> Floats:
    """τ-c; NaN if gold or metric is constant."""
    k = counts.n_distinct
    return _ratio(2 * k * (counts.concordant - counts.discordant), counts.n_values**2 * (k - 1))


def tau_23(counts: PairCounts) -> Floats:
    """τ of Deutsch et al. 2023; NaN without pairs."""
    return 2 * acc_23(counts) - 1


def acc_23(counts: PairCounts) -> Floats:
    """Pairwise accuracy with ties of Deutsch et al. 2023; NaN without pairs."""
    return _ratio(counts.concordant + counts.both_ties, counts.total)


#: Variants of τ over scores by name.
OF_COUNTS: dict[str, Callable[[PairCounts], Floats]] = {"b": tau_b, "c": tau_c, "23": tau_23, "acc23": acc_23}


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below != 0)
    return ratio
