"""Statistics per unit, to be resampled, and the function from their sums to scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtassay.kernels.resampling import chosen_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.types import Array, Floats


#: Whole numbers up to this are exact in float32.
_EXACT_IN_FLOAT32 = 2**24
#: Largest sum that the kernel can hold.
_MOST_CHOSEN = 2**32


@dataclass(frozen=True, eq=False)
class Sample:
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
        """The sample with the segments of each group summed into one unit."""
        added = np.stack([self.statistics[:, index].sum(axis=1) for index in groups], axis=1)
        return Sample(added, self.score, self.sign)

    def of_systems(self, systems: Sequence[int] | Array) -> Sample:
        """The sample restricted to some systems."""
        return Sample(self.statistics[systems], self.score, self.sign)

    def totals(self) -> Array:
        """Statistics summed over all units, shape (systems, K)."""
        totals: Array = self.statistics.sum(axis=1)
        return totals

    def scores(self) -> Floats:
        """Scores over all units, oriented so that higher is better, shape (systems,)."""
        return self.sign * self.score(self.totals())


class _Totals:
    """Sums of statistics over units, shape (K, systems, resamples): every column of statistics is contiguous."""

    def __init__(self, sample: Sample) -> None:
        n_systems, n_units, n_columns = sample.statistics.shape
        self._shape = (n_columns, n_systems)
        rows = np.ascontiguousarray(sample.statistics.transpose(2, 0, 1).reshape(-1, n_units))
        # Some rows are equal (reference lengths of all systems, hypothesis lengths in two columns): sum each once.
        self._rows, self._places = _different(rows)
        self._counts = bool(np.issubdtype(self._rows.dtype, np.integer)) and self._rows.min(initial=0) >= 0

    def _complete(self, sums: Floats) -> Floats:
        """Sums of all rows, from those of distinct rows."""
        everything = sums if self._places is None else sums.take(self._places, axis=0)
        return everything.reshape(*self._shape, -1)


class WeightedTotals(_Totals):
    """Sums of statistics under weights of the units, by matrix multiplication.

    Counts are multiplied in float32, which is exact for whole numbers below 2^24 and twice as fast; other statistics
    and larger sums in float64.
    """

    def __init__(self, sample: Sample) -> None:
        super().__init__(sample)
        small = self._counts and self._rows.max(initial=0) < _EXACT_IN_FLOAT32
        self._fast = self._rows.astype(np.float32) if small else None
        self._exact: Floats | None = None

    def __call__(self, weights: Array) -> Floats:
        """Sums under each row of `weights` (resamples, units)."""
        if self._fast is not None:
            sums = self._fast @ weights.astype(np.float32, copy=False).T
            # No term is negative, so no partial sum was larger than the final one.
            if sums.max(initial=0.0) < _EXACT_IN_FLOAT32:
                return self._complete(sums.astype(np.float64))
        if self._exact is None:
            self._exact = self._rows.astype(np.float64)
        return self._complete(self._exact @ weights.astype(np.float64).T)


class ChosenTotals(_Totals):
    """Sums of statistics over chosen units: counts by a kernel, other statistics by matrix multiplication."""

    def __init__(self, sample: Sample) -> None:
        super().__init__(sample)
        fit = self._counts and self._rows.sum(axis=1, dtype=np.float64).max(initial=0.0) < _MOST_CHOSEN
        self._by_units = np.ascontiguousarray(self._rows.T, dtype=np.uint32) if fit else None

    def __call__(self, bits: Array) -> Floats:
        """Sums over the units chosen by each row of `bits`, eight units to a byte (resamples, bytes)."""
        if self._by_units is not None:
            return self._complete(chosen_sums(self._by_units, bits))
        chosen = np.unpackbits(bits, axis=1, count=self._rows.shape[1])
        return self._complete(self._rows.astype(np.float64) @ chosen.T.astype(np.float64))


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
