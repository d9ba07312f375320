"""Random numbers for resamples, reproducible from a seed whatever the number of threads, workers or chunks.

Resamples come in blocks of 256, units in blocks of 8192 (``execution.blocks``). Every pair of such blocks has a
generator of its own, seeded with the seed and the numbers of both blocks, so the random numbers of any units under any
resamples can be drawn alone. A bootstrap resample of several blocks of units is a multinomial sample: first its picks
are split over the blocks of units, by a binomial variable for each block given the blocks before; then each block picks
among its own units. With up to 8192 units it is a plain draw with replacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import blocks as unit_blocks
from mtassay.kernels.resampling import resample_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mtassay.types import Array

    Bits = NDArray[np.uint8]
    Weights = NDArray[np.float32]
    Picks = NDArray[np.int64]

#: Number of resamples in a block.
BLOCK = 256
#: Largest allowed number of resamples.
MOST_RESAMPLES = 10_000_000
#: Each kind of test has its own stream of random numbers.
_SWAPS, _BOOTSTRAP, _SPLIT = 0, 1, 2


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


@dataclass(frozen=True, eq=False)
class SwapBlock:
    """Which units of a block are swapped; it can be sent to another process, and drawn there.

    Attributes:
        seed: the seed.
        numbers: the resamples: whole blocks; only the last block may be incomplete.
        units: number of the block of units.
        n_units: number of units in the block.
    """

    seed: int
    numbers: range
    units: int
    n_units: int

    def draw(self) -> Bits:
        """A row per resample, eight units to a byte, the first in the highest bit."""
        n_bytes = -(-self.n_units // 8)
        sequences = (_sequence(self.seed, _SWAPS, block, self.units) for block in _block_numbers(self.numbers))
        drawn = b"".join(
            np.random.Generator(np.random.SFC64(sequence)).bytes(BLOCK * n_bytes) for sequence in sequences
        )
        return np.frombuffer(drawn, np.uint8).reshape(-1, n_bytes)[: len(self.numbers)]


@dataclass(frozen=True, eq=False)
class PickBlock:
    """How often each unit of a block is picked by bootstrap resamples; it can be sent to another process.

    Attributes:
        seed: the seed.
        numbers: the resamples: whole blocks; only the last block may be incomplete.
        units: number of the block of units.
        n_units: number of units in the block.
        n_picks: number of picks among these units, for each block of resamples shape (256,).
    """

    seed: int
    numbers: range
    units: int
    n_units: int
    n_picks: tuple[Picks, ...]

    def draw(self) -> Weights:
        """A row of counts per resample."""
        counts = [
            resample_counts(n_picks, self.n_units, state=_state(_sequence(self.seed, _BOOTSTRAP, block, self.units)))
            for block, n_picks in zip(_block_numbers(self.numbers), self.n_picks, strict=True)
        ]
        return (counts[0] if len(counts) == 1 else np.concatenate(counts))[: len(self.numbers)]


@dataclass(frozen=True, eq=False)
class GivenBlock:
    """Bits or counts that are already known."""

    drawn: Array

    def draw(self) -> Array:
        """A row per resample."""
        return self.drawn


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
        bits = np.concatenate(list(self.drawn(numbers)), axis=1)
        return np.unpackbits(bits, axis=1, count=self._n_units).astype(np.float32)

    def drawn(self, numbers: range) -> Iterator[Bits]:
        """The same for each block of units in turn, eight units to a byte, the first in the highest bit."""
        return (block.draw() for block in self.blocks(numbers))

    def blocks(self, numbers: range) -> Iterator[SwapBlock | GivenBlock]:
        """What is to be drawn for each block of units in turn."""
        for block, units in enumerate(unit_blocks.ranges(self._n_units)):
            if self._theirs is None:
                yield SwapBlock(self._seed, numbers, block, len(units))
            else:
                their = self._theirs[numbers.start : numbers.stop, units.start : units.stop]
                yield GivenBlock(np.packbits(their, axis=1))


class AllSwaps:
    """All ways of swapping units: the binary digits of a resample's number are its swaps."""

    def __init__(self, n_units: int) -> None:
        self._digits = np.arange(n_units)

    def __call__(self, numbers: range) -> Weights:
        """Draws by number."""
        return ((np.array(numbers)[:, None] >> self._digits) & 1).astype(np.float32)

    def drawn(self, numbers: range) -> Iterator[Bits]:
        """The same for each block of units in turn, eight units to a byte, the first in the highest bit."""
        return (block.draw() for block in self.blocks(numbers))

    def blocks(self, numbers: range) -> Iterator[GivenBlock]:
        """What is to be drawn for each block of units in turn."""
        chosen = self(numbers).astype(bool)
        for units in unit_blocks.ranges(len(self._digits)):
            yield GivenBlock(np.packbits(chosen[:, units.start : units.stop], axis=1))


class Resamples:
    """How often each unit occurs in a bootstrap resample; arguments as for ``Swaps``."""

    def __init__(self, n_units: int, n_resamples: int, *, seed: int, theirs: bool = False) -> None:
        self._n_units = n_units
        self._seed = seed
        self._theirs = np.random.default_rng(seed).integers(n_units, size=(n_resamples, n_units)) if theirs else None

    def __call__(self, numbers: range) -> Weights:
        """Draws by number: whole blocks, but for the last; shape (resamples, units)."""
        drawn = list(self.drawn(numbers))
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn, axis=1)

    def drawn(self, numbers: range) -> Iterator[Weights]:
        """The same for each block of units in turn."""
        return (block.draw() for block in self.blocks(numbers))

    def blocks(self, numbers: range) -> Iterator[PickBlock | GivenBlock]:
        """What is to be drawn for each block of units in turn."""
        if self._theirs is not None:
            counts = _counted(self._theirs[numbers.start : numbers.stop])
            for units in unit_blocks.ranges(self._n_units):
                yield GivenBlock(counts[:, units.start : units.stop])
            return
        splits = [_split(self._n_units, self._seed, block) for block in _block_numbers(numbers)]
        for block, (units, *n_picks) in enumerate(zip(unit_blocks.ranges(self._n_units), *splits, strict=True)):
            yield PickBlock(self._seed, numbers, block, len(units), tuple(n_picks))


def _counted(picks: Picks) -> Weights:
    """How often each unit was picked, from the picks of each resample, shape (resamples, units)."""
    n_resamples, n_units = picks.shape
    places = picks + n_units * np.arange(n_resamples)[:, None]
    counts = np.bincount(places.ravel(), minlength=picks.size)
    return counts.reshape(picks.shape).astype(np.float32)


def _split(n_units: int, seed: int, block: int) -> Iterator[Picks]:
    """Split the picks of a block of resamples over the blocks of units: how many fall on each, shape (256,).

    Each number is binomial, given those before: together they are multinomial.
    """
    generator: np.random.Generator | None = None
    left = np.full(BLOCK, n_units)
    for units in unit_blocks.ranges(n_units):
        if units.stop == n_units:
            yield left
            return
        if generator is None:
            generator = np.random.Generator(np.random.SFC64(_sequence(seed, _SPLIT, block)))
        n_picks = generator.binomial(left, len(units) / (n_units - units.start))
        left = left - n_picks
        yield n_picks


def _their_swaps(n_units: int, n_resamples: int, seed: int) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).integers(2, size=(n_resamples, n_units), dtype=bool)


def _block_numbers(numbers: range) -> range:
    """The numbers of the blocks of some resamples."""
    return range(numbers.start // BLOCK, -(-numbers.stop // BLOCK))


def _sequence(seed: int, stream: int, block: int, units: int = 0) -> np.random.SeedSequence:
    """The seed sequence of a block of resamples and a block of units."""
    # Leave out a zero for the first block of units: it would change the sequences of seeds from 2^32 on.
    return np.random.SeedSequence((seed, stream, block, units) if units else (seed, stream, block))


def _state(sequence: np.random.SeedSequence) -> int:
    return int(sequence.generate_state(1, np.uint64)[0])
