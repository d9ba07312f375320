"""Pairwise accuracy with tie calibration: acc_eq* of Deutsch et al. 2023.

A metric with real-valued scores hardly ever ties. It is given a threshold ε: outputs whose scores differ by at most ε
are tied. Accuracy is the mean over groups of (concordant + tied in both) / pairs, and one ε for all groups is chosen
that makes it largest, among 0 and all differences |d| of the metric. Only two kinds of pairs change as ε grows:
gold ties become right, and pairs in the right order become wrong. Both are sorted once, so the optimum is exact.

Several ε are often equally good: the smallest is reported. τ_23* = 2 acc_eq* − 1 at the same ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE, magnitude
from mtassay.errors import InputError
from mtassay.stats.grouped_gold import GroupedGold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Accuracy of metrics with ties, each of shape (metrics,).

    Attributes:
        accuracy: acc_eq*, the largest accuracy for any threshold.
        epsilon: the smallest threshold that gives it.
        at_zero: accuracy if only equal scores are ties.
    """

    accuracy: Floats
    epsilon: Floats
    at_zero: Floats

    @property
    def tau_23(self) -> Floats:
        """τ_23*, calibrated in the same way."""
        return 2 * self.accuracy - 1


def acc_eq(gold: Any, metrics: Any, *, average: str = "segment", exact: bool = False) -> Calibrated:
    """Tie-calibrated pairwise accuracy.

    Args:
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        average: the groups to average over, one of ``grouped_gold.AVERAGES``; groups of a single cell have no pairs.
        exact: as for ``correlations.averaged``.

    >>> found = acc_eq([[0.0], [0.0], [1.0]], [[[0.1], [0.2], [0.9]]])
    >>> found.accuracy.tolist(), found.epsilon.tolist(), found.at_zero.round(3).tolist()
    ([1.0], [0.1], [0.667])
    """
    cells = GroupedGold(gold, average=average, exact=exact)
    if not cells.batches:
        raise InputError("no group has two cells with gold: there is no pair to compare")
    found = [_calibrated(cells, scores) for scores in cells.of(metrics)]
    return Calibrated(*np.array(found, dtype=np.float64).reshape(-1, 3).T)


def right_pairs(
    gold: Any, metrics: Any, epsilon: Any, *, average: str = "segment", exact: bool = False
) -> tuple[NDArray[np.bool_], Ints]:
    """Which pairs metrics get right when differences up to `epsilon` are ties.

    Args:
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        epsilon: threshold of each metric, shape (metrics,).
        average: as for ``acc_eq``.
        exact: as for ``acc_eq``.

    Returns:
        shape (metrics, pairs); and the number of pairs of each pair's group, shape (pairs,).
    """
    cells = GroupedGold(gold, average=average, exact=exact)
    scores = cells.of(metrics)
    thresholds = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), (len(scores),))
    right: list[list[NDArray[np.bool_]]] = [[] for _ in scores]
    n_pairs = []
    limits = [_limits(epsilon_of, row) for epsilon_of, row in zip(thresholds, scores, strict=True)]
    for size, (gold_difference, *differences) in cells.pairs(cells.gold, *scores):
        outcome = np.sign(gold_difference)
        for of_metric, difference, limit in zip(right, differences, limits, strict=True):
            said = np.where(np.abs(difference) <= limit, 0.0, np.sign(difference))
            of_metric.append((said == outcome).ravel())
        n_pairs.append(np.full(outcome.size, size * (size - 1) // 2))
    if not n_pairs:
        raise InputError("no group has two cells with gold: there is no pair to compare")
    return np.stack([np.concatenate(parts) for parts in right]), np.concatenate(n_pairs)


def _calibrated(cells: GroupedGold, scores: Floats) -> tuple[float, float, float]:
    """Accuracy, ε and accuracy at 0 of one metric."""
    gains, losses = _sorted_changes(cells, scores)
    most = max(gains)
    pairs_of = {size: size * (size - 1) / 2 for size in gains}
    # Every group has the same weight; if all have the same size, sums are whole numbers.
    weight = {size: pairs_of[most] / pairs_of[size] for size in gains}
    n_groups = sum(len(batch) for batch in cells.batches)
    # The best ε is 0 or a point where some pair becomes right.
    candidates = np.unique(np.concatenate([[0.0], *gains.values()]))
    limits = _limits(candidates, scores)
    right = np.zeros(len(candidates))
    for size in gains:
        became_right = np.searchsorted(gains[size], limits, side="right")
        became_wrong = np.searchsorted(losses[size], limits, side="right")
        right += weight[size] * (len(losses[size]) + became_right - became_wrong)
    best = int(np.argmax(right >= right.max() * (1 - TOLERANCE)))
    whole = pairs_of[most] * n_groups
    return float(right[best] / whole), float(candidates[best]), float(right[0] / whole)


def _limits(epsilon: Any, scores: Floats) -> Floats:
    """Largest differences that count as ties under thresholds ε, with a tolerance for rounding.

    With ε = 0 only equal scores are ties.
    """
    limits: Floats = np.where(epsilon > 0, epsilon + TOLERANCE * magnitude(scores), 0.0)
    return limits


def _sorted_changes(cells: GroupedGold, scores: Floats) -> tuple[dict[int, Floats], dict[int, Floats]]:
    """By group size: differences at which gold ties become right, and at which correctly ordered pairs become wrong."""
    gains: dict[int, list[Floats]] = {}
    losses: dict[int, list[Floats]] = {}
    for size, (gold_difference, difference) in cells.pairs(cells.gold, scores):
        distance = np.abs(difference)
        # Multiply signs, since products of tiny differences could underflow to 0.
        in_order = (gold_difference > 0) & (difference > 0) | (gold_difference < 0) & (difference < 0)
        gains.setdefault(size, []).append(distance[gold_difference == 0])
        losses.setdefault(size, []).append(distance[in_order])
    in_sequence = [{size: np.sort(np.concatenate(parts)) for size, parts in of.items()} for of in (gains, losses)]
    return in_sequence[0], in_sequence[1]
