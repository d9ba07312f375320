"""Overlapping clusters of systems from human preferences (Stroppa & Owczarzak 2007, over judgements).

For each pair, the statistic is wins - losses. Under the null hypothesis, exchanging the two systems' names in a unit (a
judgement, a screen or a segment) does not change its distribution: every unit's net d becomes +d or -d with probability
½. The nets are whole numbers, so p is exact (``mtassay.stats.sign_flips``); with single judgements this is the sign
test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError, unknown_name
from mtassay.judging.rank_ranges import JUDGEMENT_UNITS
from mtassay.judging.wins import expected_wins
from mtassay.stats.adjust import adjust
from mtassay.stats.clusters import cluster
from mtassay.stats.intervals import check_alpha
from mtassay.stats.sign_flips import exact_p

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


def _nets(preferences: Preferences, rows: Ints, towards: Ints, unit: str) -> Ints:
    """Wins minus losses of each unit of a pair."""
    if unit == "judgement":
        return towards
    groups = (preferences.item if unit == "screen" else preferences.segment)[rows]
    _, group = np.unique(groups, return_inverse=True)
    return np.bincount(group, weights=towards).astype(np.int64)
