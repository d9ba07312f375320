"""Statistics summed over the segments of each document or domain, block by block.

The blocks are the same as for a stream, so that a test set in memory and a stream give the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.execution import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.table import StatsTable
    from mtassay.types import Floats, Index, Statistics

#: Number of groups whose totals share one array and are scored together.
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
    """Adds up the totals of blocks; the memory it needs grows with the number of groups, not of segments.

    Attributes:
        metrics: the metrics of the totals.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = metrics
        self._numbers: dict[str, int] = {}
        self._parts: list[_Part] = []

    def add(self, block: GroupTotals) -> None:
        """Add the totals of the next block."""
        numbers = np.array([self._numbers.setdefault(label, len(self._numbers)) for label in block.labels])
        while len(self._parts) * _AT_ONCE < len(self._numbers):
            # One array that grows would be copied each time, and both copies would be in memory.
            self._parts.append(_Part(block.totals))
        for number in np.unique(numbers // _AT_ONCE):
            rows = np.flatnonzero(numbers // _AT_ONCE == number)
            self._parts[number].add(numbers[rows] % _AT_ONCE, block, rows)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all groups, in order of first appearance."""
        return tuple(self._numbers)

    @property
    def n_segments(self) -> Index:
        """Number of segments of each group."""
        return np.concatenate([part.n_segments for part in self._parts])[: len(self._numbers)]

    def totals(self) -> list[Statistics]:
        """Sums of all groups under each metric, shape (G, systems, K)."""
        n_groups = len(self._numbers)
        parts = zip(*(part.totals for part in self._parts), strict=True)
        return [np.concatenate(of_metric)[:n_groups] for of_metric in parts]

    def scores(self) -> Floats:
        """Scores of all groups, shape (G, systems, metrics)."""
        n_groups = len(self._numbers)
        scored = [
            [metric.score(part.totals[m][: n_groups - i * _AT_ONCE]) for i, part in enumerate(self._parts)]
            for m, metric in enumerate(self.metrics)
        ]
        return np.stack([np.concatenate(parts) for parts in scored], axis=-1)


class _Part:
    """Totals of ``_AT_ONCE`` consecutive groups."""

    def __init__(self, like: Sequence[Statistics]) -> None:
        self.n_segments = np.zeros(_AT_ONCE, dtype=np.int64)
        self.totals = [np.zeros((_AT_ONCE, *totals.shape[1:]), totals.dtype) for totals in like]

    def add(self, numbers: Index, block: GroupTotals, rows: Index) -> None:
        """Add rows of a block to the groups with these numbers."""
        self.n_segments[numbers] += block.n_segments[rows]
        for totals, of_block in zip(self.totals, block.totals, strict=True):
            totals[numbers] += of_block[rows]


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


def group_sums(labels: Sequence[str], tables: Sequence[StatsTable]) -> GroupSums:
    """Sums of the groups of a test set; arguments as for ``block_group_totals``."""
    sums = GroupSums([table.metric for table in tables])
    for segments in blocks.ranges(len(labels)):
        sums.add(block_group_totals(labels, tables, start=segments.start))
    return sums
