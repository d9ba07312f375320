"""Scores of documents and domains, for the verb ``score``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from mtassay.metrics.core.group_totals import GroupSums, group_sums

if TYPE_CHECKING:
    from mtassay.metrics.core.table import StatsTable
    from mtassay.types import Floats, Index


@dataclass(frozen=True, eq=False)
class Group:
    """Scores over the segments of one document or domain.

    Attributes:
        label: the document or domain.
        n_segments: number of segments.
        scores: shape (systems, metrics).
    """

    label: str
    n_segments: int
    scores: Floats


@dataclass(frozen=True, eq=False)
class Groups(Sequence[Group]):
    """Scores of many documents or domains; each `Group` is made on access, since there may be millions.

    Attributes:
        labels: G labels, in order of first appearance.
        n_segments: number of segments of each, shape (G,).
        scores: shape (G, systems, metrics).
    """

    labels: tuple[str, ...]
    n_segments: Index
    scores: Floats

    @overload
    def __getitem__(self, number: int) -> Group: ...
    @overload
    def __getitem__(self, number: slice) -> Groups: ...
    def __getitem__(self, number: int | slice) -> Group | Groups:
        if isinstance(number, slice):
            return Groups(self.labels[number], self.n_segments[number], self.scores[number])
        return Group(self.labels[number], int(self.n_segments[number]), self.scores[number])

    def __len__(self) -> int:
        return len(self.labels)


def groups_of_segments(labels: Sequence[str], tables: Sequence[StatsTable]) -> Groups:
    """Scores of documents or domains by the label of each segment, from one table of statistics per metric."""
    return groups_of(group_sums(labels, tables))


def groups_of(sums: GroupSums) -> Groups:
    """Scores of documents or domains from their sums."""
    return Groups(sums.labels, sums.n_segments, sums.scores())
