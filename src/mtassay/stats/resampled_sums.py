"""Sums of statistics under resamples: from tables in memory, or added up over a stream of blocks of units.

Both give the same bytes. Sums over a block of units depend only on its statistics and its random numbers, and sums of
blocks are added in the order of the blocks. In memory, a few resamples at a time are computed over all units; in a
stream, all resamples of a block are computed at once, so that its statistics can be discarded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.stats import resamples
from mtassay.stats.blas_threads import single_blas_thread
from mtassay.stats.sample import ChosenBlock, Sample, Scored, WeightedBlock, added

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtassay.stats.procedures import Procedure
    from mtassay.stats.resamples import GivenBlock, PickBlock, SwapBlock
    from mtassay.types import Array, Floats, Statistics


class ResampledSums(ABC):
    """Sums of the statistics of samples under the resamples of a test.

    Attributes:
        samples: one per metric, all with the same systems and units.
        procedure: the test.
    """

    samples: Sequence[Scored]
    procedure: Procedure

    @property
    def n_units(self) -> int:
        """Number of segments or documents."""
        return self.samples[0].n_units

    @cached_property
    def totals(self) -> list[Floats]:
        """Sums over all units, of each sample shape (K, systems, 1)."""
        return [sample.totals().astype(np.float64).T[..., None] for sample in self.samples]

    @abstractmethod
    def swapped(self, numbers: range) -> list[Floats]:
        """Sums over the units that are not swapped, of each sample shape (K, systems, resamples)."""

    @abstractmethod
    def resampled(self, numbers: range) -> list[Floats]:
        """Sums over bootstrap resamples, of each sample shape (K, systems, resamples)."""


class SumsInMemory(ResampledSums):
    """Sums of samples whose statistics are in memory; computed on request."""

    def __init__(self, samples: Sequence[Sample], procedure: Procedure) -> None:
        self.samples = self.in_memory = samples
        self.procedure = procedure
        n_units = samples[0].n_units
        if procedure.rule.swaps:
            self._chosen = [[ChosenBlock(block) for block in sample.blocks()] for sample in samples]
            self._swaps = swaps_of(procedure, n_units)
        else:
            self._weighted = [[WeightedBlock(block) for block in sample.blocks()] for sample in samples]
            self._resamples = resamples.Resamples(
                n_units, procedure.resamples, seed=procedure.seed, theirs=procedure.rule.theirs
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return SumsInMemory, (list(self.in_memory), self.procedure)

    def swapped(self, numbers: range) -> list[Floats]:
        """Sums over the units that are not swapped, of each sample shape (K, systems, resamples)."""
        return added(self._chosen, self._swaps.drawn(numbers))

    def resampled(self, numbers: range) -> list[Floats]:
        """Sums over bootstrap resamples, of each sample shape (K, systems, resamples)."""
        return added(self._weighted, self._resamples.drawn(numbers))


def swaps_of(procedure: Procedure, n_units: int) -> resamples.Swaps | resamples.AllSwaps:
    """The swaps of a test: all possible ones if they are few, else a random sample."""
    if procedure.exact(n_units):
        return resamples.AllSwaps(n_units)
    return resamples.Swaps(n_units, procedure.resamples, seed=procedure.seed, theirs=procedure.rule.theirs)


@dataclass(frozen=True, eq=False)
class BlockDraws:
    """The random numbers of all resamples for one block of units.

    Attributes:
        swaps: swaps of units, some resamples at a time; empty for a bootstrap test.
        picks: picks of bootstrap resamples, some resamples at a time.
    """

    swaps: tuple[SwapBlock | GivenBlock, ...]
    picks: tuple[PickBlock | GivenBlock, ...]


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Sums of the statistics of one block of units under all resamples, for each sample.

    Attributes:
        totals: over all units of the block, shape (systems, K).
        swapped: over the units that are not swapped, shape (K, systems, resamples); empty for a bootstrap test.
        resampled: over bootstrap resamples, shape (K, systems, resamples).
    """

    totals: list[Statistics]
    swapped: list[Floats]
    resampled: list[Floats]

    @property
    def kinds(self) -> tuple[list[Array], list[Array], list[Array]]:
        """All kinds of sums."""
        return self.totals, self.swapped, self.resampled


def block_draws(procedure: Procedure, n_units: int) -> Iterator[BlockDraws]:
    """The random numbers for each block of units in turn, for the test and for bootstrap intervals."""
    counts = resamples.Resamples(n_units, procedure.resamples, seed=procedure.seed)
    picks = [counts.blocks(numbers) for numbers in resamples.blocks(procedure.resamples)]
    if procedure.rule.swaps:
        drawn = swaps_of(procedure, n_units)
        swaps = [drawn.blocks(numbers) for numbers in resamples.blocks(procedure.n_resamples(n_units), at_a_time=4)]
        for of_swaps, of_picks in zip(zip(*swaps, strict=True), zip(*picks, strict=True), strict=True):
            yield BlockDraws(of_swaps, of_picks)
    else:
        for of_picks in zip(*picks, strict=True):
            yield BlockDraws((), of_picks)


def block_sums(statistics: Sequence[Statistics], draws: BlockDraws, *, execution: Execution = SERIAL) -> BlockSums:
    """Sums of one block of units, from the statistics (systems, units, K) of each sample; a pure function."""
    with single_blas_thread:
        return BlockSums(
            [block.sum(axis=1) for block in statistics],
            _under([ChosenBlock(block) for block in statistics], draws.swaps, execution),
            _under([WeightedBlock(block) for block in statistics], draws.picks, execution),
        )


def _under(blocks: Sequence[Callable[[Array], Floats]], draws: Sequence[Any], execution: Execution) -> list[Floats]:
    """Sums of the block under the drawn resamples, for each sample."""

    def sums(draw: Any) -> list[Floats]:
        drawn = draw.draw()  # shared by all samples
        return [block(drawn) for block in blocks]

    parts = execution.map(sums, draws)
    return [np.concatenate(of_sample, axis=-1) for of_sample in zip(*parts, strict=True)]


@dataclass(frozen=True, eq=False)
class SummedSample(Scored):
    """Systems of which only sums of statistics are kept.

    Attributes:
        sums: statistics summed over all units, shape (systems, K).
        units: number of units.
        score: turns sums of statistics into scores, shape (..., K) -> (...).
        sign: 1 if higher scores are better, -1 if lower scores are.
    """

    sums: Statistics
    units: int
    score: Callable[[Array], Floats]
    sign: float = 1.0

    @property
    def n_units(self) -> int:
        """Number of segments or documents."""
        return self.units

    def totals(self) -> Array:
        """Statistics summed over all units, shape (systems, K)."""
        return self.sums


class SumsOfBlocks(ResampledSums):
    """Sums of samples, added up over blocks of units.

    Args:
        procedure: the test; not one with sacreBLEU's resamples, which are drawn for all units together.
        n_units: number of units.
        scoring: function from sums to scores, and its sign, for each sample.
    """

    def __init__(
        self, procedure: Procedure, n_units: int, *, scoring: Sequence[tuple[Callable[[Array], Floats], float]]
    ) -> None:
        if procedure.rule.theirs:
            raise InputError(f"{procedure.kind} draws all segments together: it needs all of them in memory")
        self.procedure = procedure
        self._n_units = n_units
        self._scoring = scoring
        self._sums: BlockSums | None = None

    def add(self, block: BlockSums) -> None:
        """Add the next block."""
        if self._sums is None:
            self._sums = BlockSums(*([np.array(part) for part in parts] for parts in block.kinds))
            return
        for kind, parts in zip(self._sums.kinds, block.kinds, strict=True):
            for sums, part in zip(kind, parts, strict=True):
                sums += part  # in place: there may be many

    @property
    def samples(self) -> list[Scored]:  # type: ignore[override]
        """One per metric."""
        totals = self._complete.totals
        return [SummedSample(sums, self._n_units, *how) for sums, how in zip(totals, self._scoring, strict=True)]

    @property
    def _complete(self) -> BlockSums:
        if self._sums is None:
            raise InputError("there is nothing to resample")
        return self._sums

    def swapped(self, numbers: range) -> list[Floats]:
        """Sums over the units that are not swapped, of each sample shape (K, systems, resamples)."""
        return [sums[..., numbers.start : numbers.stop] for sums in self._complete.swapped]

    def resampled(self, numbers: range) -> list[Floats]:
        """Sums over bootstrap resamples, of each sample shape (K, systems, resamples)."""
        return [sums[..., numbers.start : numbers.stop] for sums in self._complete.resampled]
