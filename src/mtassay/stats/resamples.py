"""Random numbers for resamples, reproducible from a seed whatever the number of threads or blocks at a time.

Resamples come in blocks of fixed size. A block's generator depends on the seed and the block's number, so blocks can
be generated in any order, and several at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.kernels.resampling import resample_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]
    Weights = NDArray[np.float32]

#: Number of resamples in a block.
BLOCK = 256
#: Largest allowed number of resamples.
MOST_RESAMPLES = 10_000_000
#: Each kind of test has its own stream of random numbers.
_SWAPS, _BOOTSTRAP = 0, 1


def check_resamples(resamples: int) -> int:
    """Return the number of resamples; reject invalid values."""
    if type(resamples) is not int or not 0 <= resamples <= MOST_RESAMPLES:
        raise InputError(
            f"resamples must be a whole number from 1 to {MOST_RESAMPLES:,} (0: the default), not {resamples!r}"
        )
    return resamples


def check_seed(seed: int) -> int:
    """Return the seed; reject invalid values."""
    if type(seed) is not int or seed < 0:
        raise InputError(f"the seed must be a whole number that is not negative, not {seed!r}")
    return seed


def blocks(resamples: int, *, at_a_time: int = 1) -> list[range]:
    """Numbers of the resamples, one or several blocks at a time."""
    size = BLOCK * at_a_time
    return [range(first, min(first + size, resamples)) for first in range(0, resamples, size)]


class Swaps:
    """Which units are swapped, 0 or 1 with probability ½; a block of resamples at a time, shape (resamples, units).

    Args:
        n_units: number of units.
        n_resamples: number of resamples.
        seed: the seed.
        theirs: generate them as sacreBLEU does, all at once.
    """

    def __init__(self, n_units: int, n_resamples: int, *, seed: int, theirs: bool = False) -> None:
        self._n_units = n_units
        self._seed = seed
        self._theirs = _their_swaps(n_units, n_resamples, seed) if theirs else None

    def __call__(self, numbers: range) -> Weights:
        """Draws by number: whole blocks, but for the last."""
        return np.unpackbits(self.bits(numbers), axis=1, count=self._n_units).astype(np.float32)

    def bits(self, numbers: range) -> Bits:
        """The same, eight units to a byte, the first in the highest bit."""
        if self._theirs is not None:
            return np.packbits(self._theirs[numbers.start : numbers.stop], axis=1)
        n_bytes = -(-self._n_units // 8)
        generators = (np.random.Generator(np.random.SFC64(s)) for s in _sequences(self._seed, _SWAPS, numbers))
        drawn = b"".join(generator.bytes(BLOCK * n_bytes) for generator in generators)
        return np.frombuffer(drawn, np.uint8).reshape(-1, n_bytes)[: len(numbers)]


class AllSwaps:
    """All ways of swapping units: the binary digits of a resample's number are its swaps."""

    def __init__(self, n_units: int) -> None:
        self._digits = np.arange(n_units)

    def __call__(self, numbers: range) -> Weights:
        """Draws by number."""
        return ((np.array(numbers)[:, None] >> self._digits) & 1).astype(np.float32)

    def bits(self, numbers: range) -> Bits:
        """The same, eight units to a byte, the first in the highest bit."""
        return np.packbits(self(numbers).astype(bool), axis=1)


class Resamples:
    """How often each unit occurs in a bootstrap resample; arguments as for ``Swaps``."""

    def __init__(self, n_units: int, n_resamples: int, *, seed: int, theirs: bool = False) -> None:
        self._n_units = n_units
        self._seed = seed
        self._theirs = np.random.default_rng(seed).integers(n_units, size=(n_resamples, n_units)) if theirs else None

    def __call__(self, numbers: range) -> Weights:
        """Draws by number: whole blocks, but for the last."""
        if self._theirs is None:
            sequences = _sequences(self._seed, _BOOTSTRAP, numbers)
            states = [int(sequence.generate_state(1, np.uint64)[0]) for sequence in sequences]
            drawn = [resample_counts(self._n_units, BLOCK, state=state) for state in states]
            return np.concatenate(drawn)[: len(numbers)]
        picks = self._theirs[numbers.start : numbers.stop]
        places = picks + self._n_units * np.arange(len(numbers))[:, None]
        counts = np.bincount(places.ravel(), minlength=len(numbers) * self._n_units)
        return counts.reshape(len(numbers), self._n_units).astype(np.float32)


def _their_swaps(n_units: int, n_resamples: int, seed: int) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).integers(2, size=(n_resamples, n_units), dtype=bool)


def _sequences(seed: int, stream: int, numbers: range) -> Iterator[np.random.SeedSequence]:
    """The seed sequence of each block of resamples."""
    for block in range(numbers.start // BLOCK, -(-numbers.stop // BLOCK)):
        yield np.random.SeedSequence((seed, stream, block))
