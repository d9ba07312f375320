"""Sums of values under the weights of many resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.stats.blas_threads import single_blas_thread

if TYPE_CHECKING:
    from mtassay.types import Floats

#: Number of resamples multiplied at once: their weights stay in the cache.
_AT_ONCE = 64


class WeightedSums:
    """Weighted sums by matrix multiplication in float64.

    Args:
        rows: values to sum, shape (rows, units).
    """

    def __init__(self, rows: Floats) -> None:
        self._columns = np.ascontiguousarray(rows.T)
        self._weights = np.empty((_AT_ONCE, len(self._columns)))

    def __call__(self, weights: Any) -> Floats:
        """Sums under each row of `weights` (resamples, units), shape (rows, resamples)."""
        sums = np.empty((len(weights), self._columns.shape[1]))
        with single_blas_thread:
            for first in range(0, len(weights), _AT_ONCE):
                some = weights[first : first + _AT_ONCE]
                self._weights[: len(some)] = some
                np.matmul(self._weights[: len(some)], self._columns, out=sums[first : first + len(some)])
        return np.ascontiguousarray(sums.T)
