"""Cells (a system's output for a segment) with gold, in groups over which results are averaged."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised, magnitude
from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.types import Floats, Ints


#: Groups: all cells together, a group per segment, a group per system.
AVERAGES = ("none", "segment", "system")


class GroupedGold:
    """Gold of outputs (cells: a system and a segment), by group; cells without gold are left out.

    Args:
        gold: shape (systems, segments), NaN if missing.
        average: ``none`` (one group), ``segment`` (a group per segment) or ``system`` (a group per system).
        exact: whether to compare values exactly; otherwise values that differ only by rounding are equal.

    Attributes:
        gold: gold of each cell, shape (n,).
        group: number of each cell's group, ascending from 0, shape (n,); groups without gold are not numbered.

    >>> cells = GroupedGold([[1.0, np.nan], [2.0, 3.0]], average="segment")
    >>> cells.gold.tolist(), cells.group.tolist()
    ([1.0, 2.0, 3.0], [0, 0, 1])
    """

    def __init__(self, gold: Any, *, average: str, exact: bool = False) -> None:
        if average not in AVERAGES:
            raise InputError(unknown_name("averaging", average, AVERAGES))
        values = np.asarray(gold, dtype=np.float64)
        if values.ndim != 2:
            raise InputError(f"gold of segments must have the axes (systems, segments), not {values.ndim} axes")
        self._shape = values.shape
        systems, segments = np.nonzero(~np.isnan(values))
        if average == "segment":
            order = np.lexsort((systems, segments))
            systems, segments = systems[order], segments[order]
        if len(systems) == 0:
            raise InputError("there is no gold: every score is missing")
        self._index = (systems, segments)
        of_cells = values[self._index]
        # Parity: mt-metrics-eval, values are compared as written in files.
        self._exact = exact
        self.gold: Floats = of_cells if exact else equalised(of_cells, scale=magnitude(of_cells))
        names = {"none": np.zeros_like(systems), "segment": segments, "system": systems}[average]
        self.group: Ints = np.cumsum(np.diff(names, prepend=names[0]) != 0)

    def of(self, metrics: Any) -> Floats:
        """Scores of the cells, from (metrics, systems, segments) to (metrics, n); none may be missing."""
        values = np.asarray(metrics, dtype=np.float64)
        if values.ndim != 3 or values.shape[1:] != self._shape:
            raise InputError(f"metrics have shape {values.shape}, which does not fit gold of shape {self._shape}")
        scores: Floats = values[:, self._index[0], self._index[1]]
        missing = np.argwhere(np.isnan(scores))
        if len(missing):
            metric, cell = missing[0].tolist()
            system, segment = (int(index[cell]) + 1 for index in self._index)
            raise InputError(
                f"metric {metric + 1} has no score for system {system}, segment {segment}, which was judged"
            )
        return scores if self._exact else equalised(scores)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group[-1]) + 1

    @cached_property
    def batches(self) -> list[Ints]:
        """For each group size above 1, the cell numbers of all groups of this size, shape (groups, size)."""
        sizes = np.bincount(self.group)
        starts = np.cumsum(sizes) - sizes
        return [starts[sizes == size][:, None] + np.arange(size) for size in np.unique(sizes[sizes > 1]).tolist()]

    def pairs(self, *values: Floats) -> Iterator[tuple[int, tuple[Floats, ...]]]:
        """Differences of values (n,) between all pairs of cells of a group, in batches, with the group's size."""
        for batch in self.batches:
            tables = [of_cells[batch] for of_cells in values]
            size = batch.shape[1]
            for shift in range(1, size):
                yield size, tuple(table[:, shift:] - table[:, :-shift] for table in tables)


def system_level(gold: Any, metrics: Any) -> tuple[Floats, Floats]:
    """Check gold (systems,) and metrics (metrics, systems); systems without gold are left out.

    Values that differ only by rounding are made equal.
    """
    values, scores = np.asarray(gold, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    if values.ndim != 1 or scores.ndim != 2 or scores.shape[1] != len(values):
        raise InputError(
            f"at system level gold has shape (systems,) and metrics (metrics, systems), not {values.shape} "
            f"and {scores.shape}"
        )
    judged = ~np.isnan(values)
    missing = np.argwhere(np.isnan(scores) & judged)
    if len(missing):
        metric, system = missing[0].tolist()
        raise InputError(f"metric {metric + 1} has no score for system {system + 1}, which was judged")
    if judged.sum() < 2:
        raise InputError("fewer than two systems have gold: there is nothing to compare")
    return equalised(values[judged], scale=magnitude(values)), equalised(scores[:, judged])
