"""Counts of units in bootstrap resamples, and sums over chosen units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.kernels import kernel

_STEP = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_ALL_BITS = 2**64 - 1
_MOST_UNITS = 2**31


@kernel
def resample_counts(n_picks: NDArray[np.int64], n_units: int, *, state: int) -> NDArray[np.float32]:
    """Pick units with replacement, and count how often each was picked, for many resamples.

    Numbers come from SplitMix64 (Steele, Lea and Flood 2014), whose n-th number can be computed directly: picks 2j and
    2j + 1 of a resample are the low and the high half of one number, each multiplied by the number of units and shifted
    right by 32 bits. The bias towards any unit is at most one part in 2^32 / units. Resamples do not share numbers.

    Args:
        n_picks: number of picks in each resample, shape (resamples,).
        n_units: number of units, at most 2^31.
        state: start of the sequence, from 0 to 2^64 - 1.

    Returns:
        shape (resamples, n_units).

    >>> resample_counts(np.array([4, 0, 1]), 3, state=7).sum(axis=1)
    array([4., 0., 1.], dtype=float32)
    """
    if not 1 <= n_units <= _MOST_UNITS or n_picks.min(initial=0) < 0:
        raise ValueError("no such number of units or picks")
    counts = np.empty((len(n_picks), n_units), dtype=np.float32)
    first = 1
    for draw, n in enumerate(n_picks.tolist()):
        n_numbers = -(-n // 2)
        numbers: Any = np.arange(first, first + n_numbers, dtype=np.uint64)
        first += n_numbers
        numbers = numbers * np.uint64(_STEP) + np.uint64(state & _ALL_BITS)
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(_FIRST)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(_SECOND)
        numbers = numbers ^ (numbers >> np.uint64(31))
        halves = np.column_stack([numbers & np.uint64(0xFFFFFFFF), numbers >> np.uint64(32)]).ravel()[:n]
        picks = (halves * np.uint64(n_units)) >> np.uint64(32)
        counts[draw] = np.bincount(picks.astype(np.int64), minlength=n_units)
    return counts


@kernel
def chosen_sums(values: NDArray[np.uint32], bits: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Add up the values of the units that are chosen in each resample.

    Args:
        values: shape (units, columns); the sum of each column must be below 2^32.
        bits: a bit for each unit, 1 if it is chosen; eight to a byte, the first in the highest bit; shape
            (resamples, bytes).

    Returns:
        shape (columns, resamples).

    >>> chosen_sums(np.array([[1, 5], [2, 6], [4, 7]], dtype=np.uint32), np.packbits([[1, 0, 1], [0, 1, 0]], axis=1))
    array([[ 5.,  2.],
           [12.,  6.]])
    """
    n_units, n_columns = values.shape
    if bits.shape[1] != -(-n_units // 8):
        raise ValueError("there must be a bit for every unit")
    if not n_units or not n_columns or not len(bits):
        raise ValueError("nothing to add up")
    # Whole numbers up to this are exact in float32, which is twice as fast.
    exact = np.float32 if values.sum(axis=0, dtype=np.uint64).max() < 2**24 else np.float64
    chosen = np.unpackbits(bits, axis=1, count=n_units)
    sums: NDArray[np.float64] = (values.T.astype(exact) @ chosen.T.astype(exact)).astype(np.float64)
    return sums
