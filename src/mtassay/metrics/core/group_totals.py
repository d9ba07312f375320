"""Statistics summed over the segments of each document or domain, block by block.

The blocks are those of a stream, so that a test set in memory and a stream give the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.execution import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.metrics.core.table import StatsTable
    from mtassay.types import Floats, Index, Statistics

#: Number of groups scored at once: what metrics hold meanwhile is some megabytes.
_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class GroupTotals:
    """Statistics summed over groups of segments.

    Attributes:
        labels: G labels, in order of first appearance.
        n_segments: number of segments of each, shape (G,).
        totals: sums of each metric, shape (G, systems, K).
    """

    labels: tuple[str, ...]
    n_segments: Index
    totals: tuple[Statistics, ...]


class GroupSums:
    """Adds up the totals of blocks; its size grows with the number of groups, not of segments."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._n_segments = np.zeros(0, dtype=np.int64)
        self._totals: list[Statistics] = []

    def add(self, block: GroupTotals) -> None:
        """Add the totals of the next block."""
        numbers = [self._numbers.setdefault(label, len(self._numbers)) for label in block.labels]
        if not self._totals:
            self._totals = [np.zeros((0, *totals.shape[1:]), totals.dtype) for totals in block.totals]
        if len(self._numbers) > len(self._n_segments):
            n_groups = max(len(self._numbers), len(self._n_segments) * 3 // 2)
            self._n_segments, *self._totals = (_grown(array, n_groups) for array in (self._n_segments, *self._totals))
        self._n_segments[numbers] += block.n_segments
        for totals, of_block in zip(self._totals, block.totals, strict=True):
            totals[numbers] += of_block

    @property
    def totals(self) -> GroupTotals:
        """The totals of all blocks so far."""
        n_groups = len(self._numbers)
        return GroupTotals(
            tuple(self._numbers), self._n_segments[:n_groups], tuple(totals[:n_groups] for totals in self._totals)
        )


def block_group_totals(labels: Sequence[str], tables: Sequence[StatsTable], *, start: int = 0) -> GroupTotals:
    """Totals of the groups of one block.

    Args:
        labels: the label of each segment of the test set.
        tables: statistics of the test set, one table per metric.
        start: the first segment of the block, counted from 0.
    """
    known: dict[str, int] = {}
    numbers = np.array([known.setdefault(label, len(known)) for label in labels[start : start + blocks.BLOCK]])
    by_group = np.argsort(numbers, kind="stable")
    n_segments = np.bincount(numbers)
    first_of_group = np.cumsum(n_segments) - n_segments
    totals = []
    for table in tables:
        table.metric.check_level("scores of documents, domains and other parts")
        rows = table.statistics[:, start : start + blocks.BLOCK][:, by_group]
        totals.append(np.add.reduceat(rows, first_of_group, axis=1).transpose(1, 0, 2))
    return GroupTotals(tuple(known), n_segments, tuple(totals))


def table_group_totals(labels: Sequence[str], tables: Sequence[StatsTable]) -> GroupTotals:
    """Totals of the groups of a test set; arguments as for ``block_group_totals``."""
    sums = GroupSums()
    for segments in blocks.ranges(len(labels)):
        sums.add(block_group_totals(labels, tables, start=segments.start))
    return sums.totals


def group_scores(tables: Sequence[StatsTable], groups: GroupTotals) -> Floats:
    """Scores of groups, shape (G, systems, metrics)."""
    starts = range(0, len(groups.labels), _AT_ONCE)
    return np.stack(
        [
            np.concatenate([table.metric.score(totals[start : start + _AT_ONCE]) for start in starts])
            for table, totals in zip(tables, groups.totals, strict=True)
        ],
        axis=-1,
    )


def _grown(array: Statistics, n_groups: int) -> Statistics:
    grown = np.zeros((n_groups, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
