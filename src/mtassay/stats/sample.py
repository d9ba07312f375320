"""Statistics per unit, for resampling, and the function from their sums to scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtassay.execution import blocks
from mtassay.kernels.resampling import chosen_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mtassay.types import Array, Floats, Statistics


#: Whole numbers up to this are exact in float32.
_EXACT_IN_FLOAT32 = 2**24
#: Largest sum that the kernel can hold.
_MOST_CHOSEN = 2**32
#: Number of resamples in a matrix product of fractions; fixed, since the last bits depend on the shape of the product.
_IN_A_PRODUCT = 256


class Scored(ABC):
    """Systems with the sums of their statistics.

    Attributes:
        score: turns sums of statistics into scores, shape (..., K) -> (...).
        sign: 1 if higher scores are better, -1 if lower scores are.
    """

    score: Callable[[Array], Floats]
    sign: float

    @property
    @abstractmethod
    def n_units(self) -> int:
        """Number of segments or documents."""

    @abstractmethod
    def totals(self) -> Array:
        """Statistics summed over all units, shape (systems, K)."""

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return len(self.totals())

    def scores(self) -> Floats:
        """Scores over all units, oriented so that higher is better, shape (systems,)."""
        return self.sign * self.score(self.totals())


@dataclass(frozen=True, eq=False)
class Sample(Scored):
    """The statistics of some systems.

    Attributes:
        statistics: additive statistics, shape (systems, units, K).
        score: turns sums of statistics into scores, shape (..., K) -> (...).
        sign: 1 if higher scores are better, -1 if lower scores are.
    """

    statistics: Array
    score: Callable[[Array], Floats]
    sign: float = 1.0

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return int(self.statistics.shape[0])

    @property
    def n_units(self) -> int:
        """Number of segments or documents."""
        return int(self.statistics.shape[1])

    def grouped(self, groups: Sequence[Array]) -> Sample:
        """The sample with the segments of each group summed into one unit, block after block."""
        n_systems, n_segments, n_columns = self.statistics.shape
        group = np.full(n_segments, len(groups))
        for number, index in enumerate(groups):
            group[index] = number
        sums = np.zeros((n_systems, len(groups) + 1, n_columns), self.statistics.dtype)  # last: segments in no group
        for segments, rows in zip(blocks.ranges(n_segments), self.blocks(), strict=True):
            of_block = group[segments.start : segments.stop]
            by_group = np.argsort(of_block, kind="stable")
            found, first_of_group = np.unique(of_block[by_group], return_index=True)
            sums[:, found] += np.add.reduceat(rows[:, by_group], first_of_group, axis=1)
        return Sample(sums[:, :-1], self.score, self.sign)

    def of_systems(self, systems: Sequence[int] | Array) -> Sample:
        """The sample restricted to some systems."""
        return Sample(self.statistics[systems], self.score, self.sign)

    def blocks(self) -> list[Statistics]:
        """The statistics of each block of units."""
        return [self.statistics[:, units.start : units.stop] for units in blocks.ranges(self.n_units)]

    def totals(self) -> Array:
        """Statistics summed over all units, shape (systems, K)."""
        return blocks.summed(self.statistics)


class _Totals:
    """Sums of the statistics of a block of units, shape (K, systems, resamples): every column is contiguous."""

    def __init__(self, statistics: Statistics) -> None:
        n_systems, n_units, n_columns = statistics.shape
        self._shape = (n_columns, n_systems)
        rows = np.ascontiguousarray(statistics.transpose(2, 0, 1).reshape(-1, n_units))
        # Some rows are equal (reference lengths of all systems, hypothesis lengths in two columns): sum each once.
        self._rows, self._places = _different(rows)
        self._counts = bool(np.issubdtype(self._rows.dtype, np.integer)) and self._rows.min(initial=0) >= 0

    def _complete(self, sums: Floats) -> Floats:
        """Sums of all rows, from those of distinct rows."""
        everything = sums if self._places is None else sums.take(self._places, axis=0)
        return everything.reshape(*self._shape, -1)

    def _product(self, weights: Array) -> Floats:
        """Sums in float64, always for the same number of resamples at once: the last bits of fractions depend on it."""
        rows = self._rows.astype(np.float64, copy=False)
        starts = range(0, len(weights), _IN_A_PRODUCT)
        parts = [rows @ weights[first : first + _IN_A_PRODUCT].astype(np.float64).T for first in starts]
        return self._complete(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1))


class WeightedBlock(_Totals):
    """Sums of a block's statistics under weights of its units, by matrix multiplication.

    Counts are multiplied in float32, which is exact for whole numbers below 2^24 and twice as fast; other statistics
    and larger sums in float64.
    """

    def __init__(self, statistics: Statistics) -> None:
        super().__init__(statistics)
        small = self._counts and self._rows.max(initial=0) < _EXACT_IN_FLOAT32
        self._fast = self._rows.astype(np.float32) if small else None

    def __call__(self, weights: Array) -> Floats:
        """Sums under each row of `weights` (resamples, units)."""
        if self._fast is not None:
            sums = self._fast @ weights.astype(np.float32, copy=False).T
            # No term is negative, so no partial sum was larger than the final one.
            if sums.max(initial=0.0) < _EXACT_IN_FLOAT32:
                return self._complete(sums.astype(np.float64))
        return self._product(weights)


class ChosenBlock(_Totals):
    """Sums of a block's statistics over chosen units: counts by a kernel, others by matrix multiplication."""

    def __init__(self, statistics: Statistics) -> None:
        super().__init__(statistics)
        fit = self._counts and self._rows.sum(axis=1, dtype=np.float64).max(initial=0.0) < _MOST_CHOSEN
        self._by_units = np.ascontiguousarray(self._rows.T, dtype=np.uint32) if fit else None

    def __call__(self, bits: Array) -> Floats:
        """Sums over the units chosen by each row of `bits`, eight units to a byte (resamples, bytes)."""
        if self._by_units is not None:
            return self._complete(chosen_sums(self._by_units, bits))
        return self._product(np.unpackbits(bits, axis=1, count=self._rows.shape[1]))


class WeightedTotals:
    """Sums of the statistics of a sample under weights of its units."""

    def __init__(self, sample: Sample) -> None:
        self._blocks = [WeightedBlock(block) for block in sample.blocks()]

    def __call__(self, weights: Iterable[Array]) -> Floats:
        """Sums under weights (resamples, units) of each block of units in turn, shape (K, systems, resamples)."""
        [sums] = added([self._blocks], weights)
        return sums


def added(samples: Sequence[Sequence[Callable[[Array], Floats]]], drawn: Iterable[Array]) -> list[Floats]:
    """Add up sums over blocks of units, in the order of the blocks.

    Args:
        samples: the blocks of each sample.
        drawn: weights or bits of each block.
    """
    totals: list[Floats] = []
    for blocks_of_samples, of_block in zip(zip(*samples, strict=True), drawn, strict=True):
        parts = [block(of_block) for block in blocks_of_samples]
        totals = [total + part for total, part in zip(totals, parts, strict=True)] if totals else parts
    return totals


def _different(rows: Array) -> tuple[Array, NDArray[np.intp] | None]:
    """The distinct rows, and the index of each row among them; None if all are distinct."""
    numbers: dict[bytes, int] = {}
    places = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], dtype=np.intp)
    if len(numbers) == len(rows):
        return rows, None
    return rows[np.unique(places, return_index=True)[1]], places


def by_columns(sums: Floats) -> Floats:
    """View sums (K, ...) as (..., K), as score functions expect them, without copying."""
    return sums.transpose(*range(1, sums.ndim), 0)
