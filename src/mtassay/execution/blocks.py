"""Blocks of units, in which statistics are summed, resampled and streamed.

The last bits of a sum of fractions depend on the order of its terms, and random numbers depend on where a generator
starts. Both follow fixed blocks, so that a table in memory, a stream of files and several workers give the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Statistics

#: Number of segments or other units in a block; a multiple of 8, so that the bits of a block are whole bytes.
BLOCK = 8192


def ranges(n_units: int) -> list[range]:
    """The units of each block.

    >>> ranges(20_000)
    [range(0, 8192), range(8192, 16384), range(16384, 20000)]
    """
    return [range(first, min(first + BLOCK, n_units)) for first in range(0, n_units, BLOCK)]


def summed(statistics: Statistics) -> Statistics:
    """Statistics (systems, units, K) summed over units, block after block, shape (systems, K)."""
    # Whole numbers can be added in any order; one sum is faster (0.7 against 1.9 ms for 31 systems x 3000 segments).
    if statistics.dtype == np.int64:
        counts: Statistics = np.einsum("snk->sk", statistics)
        return counts
    totals: Statistics = statistics[:, :BLOCK].sum(axis=1)
    for units in ranges(statistics.shape[1])[1:]:
        totals = totals + statistics[:, units.start : units.stop].sum(axis=1)
    return totals
