"""Numbers of pairs that two scores order alike, counted by sorting in O(n log n) for n values in any groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Floats, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class PairCounts:
    """Numbers of pairs within groups by their order in gold and metric, all of shape (rows, groups).

    Attributes:
        concordant: ordered alike.
        discordant: ordered oppositely.
        gold_ties: tied in gold only.
        metric_ties: tied in the metric only.
        both_ties: tied in both.
        n_values: number of values.
        n_distinct: number of distinct values of gold or metric, whichever has fewer.
    """

    concordant: Floats
    discordant: Floats
    gold_ties: Floats
    metric_ties: Floats
    both_ties: Floats
    n_values: Floats
    n_distinct: Floats

    @property
    def total(self) -> Floats:
        """Number of pairs."""
        return self.n_values * (self.n_values - 1) / 2


def coded(group: Ints, values: Floats) -> tuple[Ints, Ints]:
    """Number the distinct values of all groups in ascending order; also returns the group of each number.

    >>> codes, groups = coded(np.array([0, 0, 0, 1]), np.array([2.5, 1.0, 2.5, 0.0]))
    >>> codes.tolist(), groups.tolist()
    ([1, 0, 1, 2], [0, 0, 1])
    """
    order = np.lexsort((values, group))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(group[order]) != 0) | (np.diff(values[order]) != 0)
    codes = np.empty(len(order), dtype=np.int64)
    codes[order] = np.cumsum(new) - 1
    return codes, group[order][new]


def flattened(group: Ints, *values: Floats) -> tuple[Ints, list[Floats]]:
    """Concatenate rows (rows, n), with separate groups for each row."""
    n_rows, n_groups = len(values[0]), int(group[-1]) + 1
    groups = (np.arange(n_rows)[:, None] * n_groups + group).ravel()
    return groups, [rows.ravel() for rows in values]


def pair_counts(group: Ints, gold: Floats, metric: Floats) -> PairCounts:
    """Count pairs within groups.

    Args:
        group: shape (n,), numbers from 0 in order.
        gold: shape (rows, n).
        metric: shape (rows, n).

    >>> counts = pair_counts(np.zeros(4, int), np.array([[1.0, 2, 3, 3]]), np.array([[1.0, 3, 2, 2]]))
    >>> counts.concordant.item(), counts.discordant.item(), counts.both_ties.item()
    (3.0, 2.0, 1.0)
    """
    shape = (len(gold), int(group[-1]) + 1)
    n_groups = shape[0] * shape[1]
    groups, (of_gold, of_metric) = flattened(group, gold, metric)
    gold_codes, group_of_gold = coded(groups, of_gold)
    metric_codes, group_of_metric = coded(groups, of_metric)
    joint = gold_codes * len(group_of_metric) + metric_codes
    order = np.argsort(joint)
    joint, metric_codes = joint[order], metric_codes[order]

    n_values = np.bincount(groups, minlength=n_groups).astype(np.float64)
    gold_tied = _ties(np.bincount(gold_codes), group_of_gold, n_groups)
    metric_tied = _ties(np.bincount(metric_codes), group_of_metric, n_groups)
    starts = np.flatnonzero(np.diff(joint, prepend=-1))
    both = _ties(np.diff(starts, append=len(joint)), group_of_metric[metric_codes[starts]], n_groups)
    discordant = _inversions(metric_codes, group_of_metric, n_groups)
    concordant = n_values * (n_values - 1) / 2 - gold_tied - metric_tied + both - discordant
    distinct = np.minimum(*(np.bincount(of, minlength=n_groups) for of in (group_of_gold, group_of_metric)))
    return PairCounts(
        concordant=concordant.reshape(shape),
        discordant=discordant.reshape(shape),
        gold_ties=(gold_tied - both).reshape(shape),
        metric_ties=(metric_tied - both).reshape(shape),
        both_ties=both.reshape(shape),
        n_values=n_values.reshape(shape),
        n_distinct=distinct.astype(np.float64).reshape(shape),
    )


def _ties(n_equal: Ints, group: Ints, n_groups: int) -> Floats:
    pairs: Floats = np.bincount(group, weights=n_equal * (n_equal - 1.0) / 2, minlength=n_groups).astype(np.float64)
    return pairs


def _inversions(codes: Ints, group: Ints, n_groups: int) -> Floats:
    """Number of pairs of each group in which the earlier code is larger; `group` is the group of each code.

    Proceeds bit by bit, from the highest: codes that agree in all higher bits are adjacent, in their original order,
    and every 1 before a 0 among them is an inversion.
    """
    found = np.zeros(n_groups)
    places = np.arange(len(codes))
    for bit in reversed(range(int(codes.max()).bit_length())):
        ones = (codes >> bit) & 1
        starts = np.flatnonzero(np.diff(codes >> (bit + 1), prepend=-1))
        lengths = np.diff(starts, append=len(codes))
        before = np.cumsum(ones) - ones
        before -= np.repeat(before[starts], lengths)
        is_zero = ones == 0
        found += np.bincount(group[codes[is_zero]], weights=before[is_zero], minlength=n_groups)
        first_one = np.repeat(starts + lengths - np.add.reduceat(ones, starts), lengths)
        moved = np.empty_like(codes)
        moved[np.where(is_zero, places - before, first_one + before)] = codes
        codes = moved
    return found
