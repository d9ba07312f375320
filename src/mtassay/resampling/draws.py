"""Random draws, the same for a seed whatever the number of threads or the size of blocks.

Draws come in blocks of fixed size. A block's generator is made from the seed and the block's number, so blocks may be
drawn in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mtassay.resampling.sample import Array

#: Draws of a block.
BLOCK = 256
#: Draws that can be asked for at most.
MOST_DRAWS = 10_000_000
#: The tests draw from streams of their own.
_SWAPS, _BOOTSTRAP = 0, 1


def check_draws(draws: int) -> int:
    """Return the number of draws, or refuse it."""
    if type(draws) is not int or not 1 <= draws <= MOST_DRAWS:
        raise InputError(f"draws must be a whole number from 1 to {MOST_DRAWS:,}, not {draws!r}")
    return draws


def check_seed(seed: int) -> int:
    """Return the seed, or refuse it."""
    if type(seed) is not int or seed < 0:
        raise InputError(f"the seed must be a whole number that is not negative, not {seed!r}")
    return seed


def blocks(draws: int) -> list[range]:
    """Numbers of the draws, block by block."""
    return [range(first, min(first + BLOCK, draws)) for first in range(0, draws, BLOCK)]


def swaps(n_units: int, block: range, *, seed: int) -> NDArray[np.float32]:
    """For every draw of a block which units change sides, 0 or 1, shape (draws, units)."""
    generator = _generator(seed, _SWAPS, block)
    n_bytes = -(-n_units // 8)
    bits = np.frombuffer(generator.bytes(BLOCK * n_bytes), np.uint8).reshape(BLOCK, n_bytes)[: len(block)]
    return np.unpackbits(bits, axis=1, count=n_units).astype(np.float32)


def all_swaps(n_units: int, block: range) -> NDArray[np.float32]:
    """The swaps whose numbers, written in binary, are those of the block: all of them in 2^units draws."""
    numbers = np.arange(block.start, block.stop, dtype=np.int64)[:, None]
    return ((numbers >> np.arange(n_units)) & 1).astype(np.float32)


def resamples(n_units: int, block: range, *, seed: int) -> NDArray[np.float32]:
    """For every draw of a block how often each unit was drawn, with replacement, shape (draws, units)."""
    picks = _generator(seed, _BOOTSTRAP, block).integers(n_units, size=(BLOCK, n_units))[: len(block)]
    return counts(picks, n_units)


def counts(picks: Array, n_units: int) -> NDArray[np.float32]:
    """How often each unit is among the picks of each row, shape (rows, units)."""
    n_rows = len(picks)
    places = picks + n_units * np.arange(n_rows)[:, None]
    return np.bincount(places.ravel(), minlength=n_rows * n_units).reshape(n_rows, n_units).astype(np.float32)


def _generator(seed: int, stream: int, block: range) -> np.random.Generator:
    key: Sequence[int] = (seed, stream, block.start // BLOCK)
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(key)))
