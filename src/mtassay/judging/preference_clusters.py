"""Overlapping clusters of systems from human preferences (Stroppa & Owczarzak 2007, over judgements).

For each pair, the statistic is wins - losses. Under the null hypothesis, exchanging the two systems' names in a unit (a
judgement, a screen or a segment) does not change its distribution: every unit's net d becomes +d or -d with probability
½. The nets are whole numbers, so the distribution of their sum is computed exactly by convolution; with single
judgements this is the sign test.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, unknown_name
from mtassay.judging.rank_ranges import JUDGEMENT_UNITS
from mtassay.judging.wins import expected_wins
from mtassay.stats.adjust import adjust
from mtassay.stats.clusters import cluster
from mtassay.stats.intervals import check_alpha

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.data.judgements import Preferences
    from mtassay.stats.clusters import Clustering
    from mtassay.types import Floats, Ints


def human_clusters(
    preferences: Preferences,
    score: Callable[[Any, Any], Floats] = expected_wins,
    *,
    alpha: float = 0.05,
    unit: str = "judgement",
    correction: str = "none",
    p: Floats | None = None,
) -> Clustering:
    """Cluster systems by the two-sided randomisation test of every pair.

    Args:
        preferences: the judgements.
        score: function from wins and ties to the scores that order the clusters.
        alpha: the significance level.
        unit: unit of exchange: ``judgement``, ``screen`` or ``segment``.
        correction: ``none``, ``holm`` or ``bh``, over all pairs.
        p: result of ``randomisation_p``, if already known.
    """
    check_alpha(alpha)
    p = randomisation_p(preferences, unit=unit) if p is None else p
    first, second = np.triu_indices(len(p), k=1)
    corrected = np.ones_like(p)
    corrected[first, second] = corrected[second, first] = adjust(p[first, second], correction)
    wins, ties = preferences.counts()
    scores = np.nan_to_num(score(wins, ties), nan=-np.inf)
    return cluster(scores, (corrected <= alpha) & (wins > wins.T))


def randomisation_p(preferences: Preferences, *, unit: str = "judgement", sides: int = 2) -> Floats:
    """Exact p-values of every pair, shape (systems, systems); 1 on the diagonal and for pairs never compared.

    Args:
        preferences: the judgements; ties do not matter.
        unit: unit of exchange: ``judgement``, ``screen`` or ``segment``.
        sides: 2, or 1 to test that the row is better than the column.
    """
    if unit not in JUDGEMENT_UNITS:
        raise InputError(unknown_name("unit", unit, JUDGEMENT_UNITS))
    if sides not in (1, 2):
        raise InputError(f"a test has 1 or 2 sides, not {sides!r}")
    n = len(preferences.systems)
    low = np.minimum(preferences.first, preferences.second)
    high = np.maximum(preferences.first, preferences.second)
    towards = np.where(preferences.first < preferences.second, preferences.outcome, -preferences.outcome)
    p = np.ones((n, n))
    order = np.argsort(low * n + high, kind="stable")
    pairs, starts = np.unique((low * n + high)[order], return_index=True)
    for pair, rows in zip(pairs.tolist(), np.split(order, starts[1:]), strict=True):
        x, y = divmod(pair, n)
        nets = _nets(preferences, rows, towards[rows], unit)
        p[x, y], p[y, x] = exact_p(nets, sides=sides), exact_p(-nets, sides=sides)
    return p


def exact_p(nets: Any, *, sides: int = 2) -> float:
    """Probability that random signs give these whole numbers a sum at least as large (as far from 0, if two-sided).

    >>> exact_p([1, 1, 1, 1], sides=1), round(exact_p([1, 1, 1, -1], sides=2), 9)
    (0.0625, 0.625)
    """
    values = np.asarray(nets, dtype=np.int64)
    sizes, counts = np.unique(np.abs(values[values != 0]), return_counts=True)
    chances = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        spread = np.zeros(2 * size * count + 1)
        spread[:: 2 * size] = _coin_tosses(count)
        chances = np.convolve(chances, spread)
    # The last element is the largest sum, the middle one is 0.
    middle, total = len(chances) // 2, int(values.sum())
    if sides == 1:
        return min(1.0, float(chances[middle + total :].sum()))
    if total == 0:
        return 1.0
    return min(1.0, 2 * float(chances[middle + abs(total) :].sum()))


def _coin_tosses(n: int) -> Floats:
    """Probabilities of 0 to n heads in n tosses, each rounded once.

    scipy.stats.binom is off by up to 1e-12 for thousands of tosses, and takes 0.6 s to import, twice as long as
    everything else that ``humans`` does.
    """
    ways = accumulate(range(n), lambda ways, k: ways * (n - k) // (k + 1), initial=1)
    total = 2**n
    return np.array([of_k / total for of_k in ways])


def _nets(preferences: Preferences, rows: Ints, towards: Ints, unit: str) -> Ints:
    """Wins minus losses of each unit of a pair."""
    if unit == "judgement":
        return towards
    groups = (preferences.item if unit == "screen" else preferences.segment)[rows]
    _, group = np.unique(groups, return_inverse=True)
    return np.bincount(group, weights=towards).astype(np.int64)
