"""Correlation of metrics with gold, over all cells (outputs of segments) or averaged over groups.

    pearson     r
    spearman    r of ranks; ties get their average rank
    kendall-b   τ-b, kendall-c τ-c, kendall-23 and acc23 the variants with ties of Deutsch et al. (``kendall``)

A group in which gold or metric is constant has no correlation: averages leave it out and report how many they omit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import alike, equalised
from mtassay.errors import InputError, unknown_name
from mtassay.stats.concordance import coded, flattened, pair_counts
from mtassay.stats.grouped_gold import GroupedGold, system_level
from mtassay.stats.kendall import OF_COUNTS

if TYPE_CHECKING:
    from mtassay.types import Floats, Ints

_KENDALL = {"kendall-b": "b", "kendall-c": "c", "kendall-23": "23", "acc23": "acc23"}
KINDS = ("pearson", "spearman", *_KENDALL)


@dataclass(frozen=True, eq=False)
class Averaged:
    """Correlations of metrics.

    Attributes:
        values: mean over groups, shape (metrics,); NaN if no group has a correlation.
        n_groups: number of groups in the mean, shape (metrics,).
        n_dropped: number of groups without a correlation, shape (metrics,).
    """

    values: Floats
    n_groups: Ints
    n_dropped: Ints


def correlation(gold: Any, metrics: Any, *, kind: str = "pearson") -> Floats:
    """Correlation along the last axis.

    Args:
        gold: shape (..., n).
        metrics: shape (..., n); other axes are broadcast.
        kind: one of ``KINDS``.

    Returns:
        shape (...); NaN if gold or metric is constant.

    >>> correlation([1, 2, 3], [[1, 2, 4], [3, 3, 1]], kind="spearman").round(3).tolist()
    [1.0, -0.866]
    """
    both = np.broadcast_arrays(equalised(gold), equalised(metrics))
    n = both[0].shape[-1]
    rows = [np.ascontiguousarray(values).reshape(-1, n) for values in both]
    found = by_group(np.zeros(n, dtype=np.int64), rows[0], rows[1], kind=kind)
    return found.reshape(both[0].shape[:-1])


def system_correlation(gold: Any, metrics: Any, *, kind: str = "pearson") -> Floats:
    """Correlations at system level: gold (systems,), metrics (metrics, systems) -> (metrics,)."""
    return correlation(*system_level(gold, metrics), kind=kind)


def averaged(gold: Any, metrics: Any, *, kind: str = "pearson", average: str = "none", exact: bool = False) -> Averaged:
    """Correlations at segment level.

    Args:
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        kind: one of ``KINDS``.
        average: the groups to average over, one of ``grouped_gold.AVERAGES``.
        exact: compare values exactly, as mt-metrics-eval does, even if they differ only by rounding.

    >>> found = averaged([[1, 1], [1, 2], [1, 3]], [[[1, 1], [2, 3], [3, 2]]], average="segment")
    >>> found.values.round(9).tolist(), found.n_groups.tolist(), found.n_dropped.tolist()
    ([0.5], [1], [1])
    """
    cells = GroupedGold(gold, average=average, exact=exact)
    scores = cells.of(metrics)
    found = by_group(cells.group, np.broadcast_to(cells.gold, scores.shape), scores, kind=kind)
    kept = ~np.isnan(found)
    n_kept = kept.sum(axis=1)
    sums = np.where(kept, found, 0.0).sum(axis=1)
    values = np.divide(sums, n_kept, out=np.full(len(found), np.nan), where=n_kept > 0)
    return Averaged(values, n_kept, found.shape[1] - n_kept)


def p_values(gold: Any, metrics: Any, *, kind: str = "pearson") -> Floats:
    """Two-sided p-values of correlations at system level, from scipy.stats; NaN for a constant metric.

    Args:
        gold: shape (systems,).
        metrics: shape (metrics, systems).
        kind: pearson, spearman, kendall-b or kendall-c.
    """
    from scipy import stats  # takes a while to load

    tests = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall-b": lambda x, y: stats.kendalltau(x, y, variant="b"),
        "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c"),
    }
    if kind not in tests:
        raise InputError(f"{kind} has no p-value; choose from {', '.join(tests)}")
    values, scores = system_level(gold, metrics)
    defined = ~np.isnan(correlation(values, scores, kind=kind))
    p = [tests[kind](values, row).pvalue if known else np.nan for row, known in zip(scores, defined, strict=True)]
    return np.array(p, dtype=np.float64)


def by_group(group: Ints, gold: Floats, metric: Floats, *, kind: str) -> Floats:
    """Correlations within groups.

    Args:
        group: shape (n,), numbers from 0 in order.
        gold: shape (rows, n).
        metric: shape (rows, n).
        kind: one of ``KINDS``.

    Returns:
        shape (rows, groups).
    """
    if kind not in KINDS:
        raise InputError(unknown_name("correlation", kind, KINDS))
    if kind in _KENDALL:
        return OF_COUNTS[_KENDALL[kind]](pair_counts(group, gold, metric))
    if kind == "spearman":
        gold, metric = _ranks(group, gold), _ranks(group, metric)
    return _pearson(group, gold, metric)


def _pearson(group: Ints, gold: Floats, metric: Floats) -> Floats:
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(starts, append=len(group))
    centred, squares = [], []
    constant = np.zeros((len(gold), len(starts)), dtype=bool)
    for values in (gold, metric):
        constant |= alike(np.maximum.reduceat(values, starts, axis=1), np.minimum.reduceat(values, starts, axis=1))
        around = values - (np.add.reduceat(values, starts, axis=1) / sizes)[:, group]
        centred.append(around)
        squares.append(np.add.reduceat(around**2, starts, axis=1))
    products = np.add.reduceat(centred[0] * centred[1], starts, axis=1)
    # Because of rounding, the squares of a constant group may not be exactly 0.
    below = np.sqrt(squares[0]) * np.sqrt(squares[1])
    r = np.divide(products, below, out=np.full(products.shape, np.nan), where=~constant & (below > 0))
    clipped: Floats = np.clip(r, -1.0, 1.0)
    return clipped


def _ranks(group: Ints, values: Floats) -> Floats:
    """Ranks within groups from 1; ties get their average rank; shape (rows, n)."""
    groups, (flat,) = flattened(group, values)
    codes, group_of_code = coded(groups, flat)
    n_equal = np.bincount(codes)
    sizes = np.bincount(groups)
    before = (np.cumsum(sizes) - sizes)[group_of_code]
    ranks = np.cumsum(n_equal) - (n_equal - 1) / 2 - before
    ranked: Floats = ranks[codes].reshape(values.shape)
    return ranked
