"""Randomised tests for pairs of systems.

    ar                approximate randomisation (Graham et al. 2014): units are swapped with probability ½, and δ* is
                      compared with δ
    bs                bootstrap (Graham et al. 2014): δ* is shifted to have mean 0 and compared with δ
    pbs               paired bootstrap (Koehn 2004): p = P(δ* ≤ 0)
    riezler-maxwell   as published in 2005: |δ*|, shifted to have mean 0, is compared with |δ|; the absolute value is
                      taken before the shift, so half of the resamples drop out
    multeval          MultEval's rule: ar with >
    sacrebleu-ar      sacreBLEU's --paired-ar and
    sacrebleu-bs      --paired-bs: ar and riezler-maxwell with >, on sacreBLEU's own resamples

δ is the difference of two scores, positive if the first system is better, and δ* the same in a resample. All pairs are
tested on the same resamples. If c of R resamples are at least as extreme as the observed difference,
p = (c + 1) / (R + 1). Differences that are equal up to rounding count, so a system compared with itself has p = 1 (with
tools that count with >, the smallest possible p). If there are no more than R ways of swapping units, ``ar`` takes all
of them, and p = c / 2^units is exact.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, unknown_name
from mtassay.execution import SERIAL, Execution
from mtassay.stats import resamples
from mtassay.stats.blas_threads import single_blas_thread
from mtassay.stats.resampled_sums import ResampledSums, SumsInMemory
from mtassay.stats.sample import Sample, by_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtassay.stats.sample import Scored
    from mtassay.types import Array, Floats

    #: Number of the sample, pairs, and their differences in some resamples.
    Simulated = tuple[int, slice, Floats]

_S = TypeVar("_S")
_R = TypeVar("_R")

#: Number of sums of one statistic held at once: few enough for the cache, enough to keep NumPy busy.
_AT_ONCE = 16_384
#: Number of blocks of resamples computed at once for many pairs.
_BLOCKS = 4


@dataclass(frozen=True, kw_only=True)
class ProcedureKind:
    """The definition of a test.

    Attributes:
        title: name in headings.
        swaps: whether units are swapped between systems; otherwise they are resampled with replacement.
        sides: 1, 2 or both; the last is the default.
        compares: how resamples are compared with the observed difference: ``plain``, ``shifted`` to mean 0, ``folded``
            (the absolute value, then shifted), or by ``sign``.
        strict: whether only more extreme resamples count, not equally extreme ones.
        theirs: whether resamples are generated as sacreBLEU does.
        resamples: default number of resamples.
    """

    title: str
    swaps: bool
    sides: tuple[int, ...]
    compares: str
    strict: bool = False
    theirs: bool = False
    resamples: int = 10_000


PROCEDURES = {
    "ar": ProcedureKind(title="approximate randomisation", swaps=True, sides=(1, 2), compares="plain"),
    "bs": ProcedureKind(title="bootstrap", swaps=False, sides=(1, 2), compares="shifted"),
    "pbs": ProcedureKind(title="paired bootstrap", swaps=False, sides=(1,), compares="sign"),
    "riezler-maxwell": ProcedureKind(
        title="bootstrap of Riezler & Maxwell", swaps=False, sides=(2,), compares="folded"
    ),
    "multeval": ProcedureKind(
        title="MultEval's approximate randomisation", swaps=True, sides=(2,), compares="plain", strict=True
    ),
    "sacrebleu-ar": ProcedureKind(
        title="sacreBLEU's approximate randomisation",
        swaps=True,
        sides=(2,),
        compares="plain",
        strict=True,
        theirs=True,
    ),
    "sacrebleu-bs": ProcedureKind(
        title="sacreBLEU's bootstrap",
        swaps=False,
        sides=(2,),
        compares="folded",
        strict=True,
        theirs=True,
        resamples=1000,
    ),
}

#: Kind and sides of a test by name, which ends in the number of sides if a kind can have either.
NAMED = {
    f"{kind}{sides}" if len(rule.sides) > 1 else kind: (kind, sides)
    for kind, rule in PROCEDURES.items()
    for sides in rule.sides
}


@dataclass(frozen=True)
class Procedure:
    """A test with its number of resamples and seed.

    Attributes:
        kind: a name from ``PROCEDURES``, or from ``NAMED`` if `sides` is None.
        sides: 1 or 2; None for the test's default.
        resamples: number of resamples; 0 for the test's default.
        seed: seed of the resamples.
    """

    kind: str = "ar"
    sides: int | None = None
    resamples: int = 0
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.kind in list(NAMED) and self.sides is None:  # a list, because `kind` may be unhashable
            kind, sides = NAMED[self.kind]
            object.__setattr__(self, "kind", kind)
            object.__setattr__(self, "sides", sides)
        if self.kind not in list(PROCEDURES):
            if self.kind in list(NAMED):
                raise InputError(f"the name {self.kind} says how many sides the test has: leave out the sides")
            known = sorted({*PROCEDURES, *NAMED})
            raise InputError(unknown_name("test", self.kind, known))
        if self.sides is None:
            object.__setattr__(self, "sides", self.rule.sides[-1])
        if type(self.sides) is not int or self.sides not in self.rule.sides:
            possible = " or ".join(map(str, self.rule.sides))
            raise InputError(f"the sides of {self.kind} are {possible}, not {self.sides!r}")
        resamples.check_seed(self.seed)
        object.__setattr__(self, "resamples", resamples.check_resamples(self.resamples) or self.rule.resamples)

    @property
    def rule(self) -> ProcedureKind:
        """The definition of this test."""
        return PROCEDURES[self.kind]

    @property
    def title(self) -> str:
        """The test's name in words."""
        return f"one-sided {self.rule.title}" if self.sides == 1 and self.kind != "pbs" else self.rule.title

    def exact(self, n_units: int) -> bool:
        """Whether all ways of swapping units are enumerated instead of sampled."""
        return self.kind == "ar" and 2**n_units <= self.resamples

    def n_resamples(self, n_units: int) -> int:
        """Number of resamples for this number of units."""
        return 2**n_units if self.exact(n_units) else self.resamples

    def smallest_p(self, n_units: int) -> float:
        """The smallest possible p-value: with one extreme resample if swaps are enumerated, with none otherwise."""
        return 1 / (self.n_resamples(n_units) + (not self.exact(n_units)))

    def p_value(self, n_extreme: Any, n_units: int) -> Any:
        """The p-value for a number of extreme resamples, or an array of p-values for an array of numbers."""
        added = 0 if self.exact(n_units) else 1
        return (n_extreme + added) / (self.n_resamples(n_units) + added)


def all_pairs(n_systems: int) -> Array:
    """Every pair of systems once, shape (pairs, 2)."""
    return np.column_stack(np.triu_indices(n_systems, k=1))


def pairs_with(baseline: int, n_systems: int) -> Array:
    """Pairs of a baseline with every other system, shape (pairs, 2)."""
    others = np.delete(np.arange(n_systems), baseline)
    return np.column_stack([np.full_like(others, baseline), others])


def p_values(
    samples: Sequence[Sample],
    procedure: Procedure,
    *,
    pairs: Array | None = None,
    execution: Execution = SERIAL,
) -> list[Floats]:
    """P-values of pairs of systems, all samples on the same resamples.

    Args:
        samples: one per metric, all with the same systems and units.
        procedure: the test.
        pairs: pairs to test, shape (pairs, 2); by default all.
        execution: how blocks of resamples are run.

    Returns:
        For each sample, shape (systems, systems): p[x, y] is the p-value of the test that x is better than y, or that
        they differ if the test is two-sided; NaN for pairs that were not tested.
    """
    return p_values_of_sums(SumsInMemory(samples, procedure), pairs=pairs, execution=execution)


def p_values_of_sums(sums: ResampledSums, *, pairs: Array | None = None, execution: Execution = SERIAL) -> list[Floats]:
    """P-values of pairs of systems, from sums under resamples; arguments and result as for ``p_values``."""
    samples, procedure = sums.samples, sums.procedure
    n_systems, n_units = samples[0].n_systems, samples[0].n_units
    if n_units < 2 and not procedure.rule.swaps:
        raise InputError("a single segment or document cannot be resampled: the bootstrap needs several")
    pairs = all_pairs(n_systems) if pairs is None else pairs
    scores = [sample.scores() for sample in samples]
    test = _PairTest(
        sums,
        pairs,
        observed=[_differences(of_sample, pairs) for of_sample in scores],
        tolerances=[_tolerance(of_sample, procedure) for of_sample in scores],
    )
    counts = [np.zeros((len(pairs), 2), dtype=np.int64) for _ in samples]
    if procedure.rule.swaps:
        for of_block in _map_blocks(_extreme_in_block, test, _swap_blocks(sums, pairs), execution):
            for count, found in zip(counts, of_block, strict=True):
                count += found
    else:
        for sample, some, simulated in _resampled(sums, pairs, execution=execution):
            counts[sample][some] = test.n_extreme(sample, some, simulated)
    return [_matrix(procedure.p_value(count, n_units), pairs, n_systems) for count in counts]


@dataclass(frozen=True, eq=False)
class _PairTest:
    """A test of pairs: what all blocks of resamples share.

    Attributes:
        sums: the samples and the test.
        pairs: shape (pairs, 2).
        observed: the differences of each sample, shape (pairs,).
        tolerances: the largest difference that counts as rounding, for each sample.
    """

    sums: ResampledSums
    pairs: Array
    _: KW_ONLY
    observed: list[Floats]
    tolerances: list[float]

    def n_extreme(self, sample: int, some: slice, simulated: Floats) -> Array:
        """Number of extreme resamples of some pairs in each direction, shape (pairs, 2)."""
        extreme = _extreme(simulated, self.observed[sample][some], self.tolerances[sample], self.sums.procedure)
        return np.column_stack([direction.sum(axis=1) for direction in extreme])


def _extreme_in_block(test: _PairTest, numbers: range) -> list[Array]:
    """Numbers of extreme resamples in a block of swaps, for each sample of shape (pairs, 2)."""
    counts = [np.zeros((len(test.pairs), 2), dtype=np.int64) for _ in test.observed]
    for sample, some, simulated in _swapped(test.sums, test.pairs, numbers):
        counts[sample][some] = test.n_extreme(sample, some, simulated)
    return counts


@dataclass(frozen=True, eq=False)
class PseudoStatistics:
    """Observed and resampled differences of one pair.

    Attributes:
        observed: the difference δ of the two scores.
        values: δ* in every resample, shifted or folded as the test requires, shape (resamples,).
        extreme: which resamples count, shape (resamples,); if one-sided, in favour of the first system.
        p: the p-value.
    """

    observed: float
    values: Floats
    extreme: Array
    p: float


def pseudo_statistics(sums: ResampledSums, pair: tuple[int, int]) -> list[PseudoStatistics]:
    """The differences of one pair in all resamples, the same as in ``p_values``, of each sample."""
    parts: list[list[Floats]] = [[] for _ in sums.samples]
    for number, _, differences in _simulated(sums, np.array([pair])):
        parts[number].append(differences[0])
    return [
        _pseudo_statistics(sample, sums.procedure, pair, np.concatenate(simulated))
        for sample, simulated in zip(sums.samples, parts, strict=True)
    ]


def _pseudo_statistics(
    sample: Scored, procedure: Procedure, pair: tuple[int, int], simulated: Floats
) -> PseudoStatistics:
    scores = sample.scores()
    observed = _differences(scores, np.array([pair]))
    extreme = _extreme(simulated[None], observed, _tolerance(scores, procedure), procedure)[0][0]
    p = procedure.p_value(int(extreme.sum()), sample.n_units)
    return PseudoStatistics(float(observed[0]), _compared(simulated, procedure), extreme, float(p))


def exchanged_p_values(sample: Sample, procedure: Procedure, kept: Array) -> tuple[Floats, Floats]:
    """Test two systems between which some units were exchanged before the test, in several ways at once.

    Each way is tested as by ``p_values``. Swapping exchanged units gives the same differences as swapping the given
    ones, so all ways share the resamples of a test that swaps; a bootstrap resamples the systems of every way.

    Args:
        sample: of two systems.
        procedure: the test.
        kept: which units stay with their system, bool of shape (ways, units).

    Returns:
        The difference between the first and the second system in each way, positive if the first is better, shape
        (ways,); and p-values of "the first is better" and "the second is better", shape (ways, 2).
    """
    if not procedure.rule.swaps:
        first, second = sample.statistics
        rows = [np.where(kept[..., None], *sides) for sides in ((first, second), (second, first))]
        exchanged = Sample(np.concatenate(rows), sample.score, sample.sign)
        pairs = np.arange(2 * len(kept)).reshape(2, -1).T
        [p] = p_values([exchanged], procedure, pairs=pairs)
        return _differences(exchanged.scores(), pairs), np.column_stack([p[tuple(pairs.T)], p[tuple(pairs.T[::-1])]])
    sums = kept.astype(np.float64) @ sample.statistics.astype(np.float64)
    scores = sample.sign * sample.score(sums + (sample.totals()[:, None] - sums)[::-1])
    observed: Floats = scores[0] - scores[1]
    parts = [simulated for _, _, simulated in _simulated(SumsInMemory([sample], procedure), all_pairs(2))]
    extreme = _extreme(np.concatenate(parts, axis=1), observed, _tolerance(scores, procedure), procedure)
    n_extreme = np.column_stack([direction.sum(axis=1) for direction in extreme])
    return observed, procedure.p_value(n_extreme, sample.n_units)


def resampled_scores(samples: Sequence[Sample], procedure: Procedure, *, execution: Execution = SERIAL) -> list[Floats]:
    """Scores of bootstrap resamples, oriented so that higher is better; for each sample shape (systems, resamples)."""
    return resampled_scores_of_sums(SumsInMemory(samples, procedure), execution=execution)


def resampled_scores_of_sums(sums: ResampledSums, *, execution: Execution = SERIAL) -> list[Floats]:
    """Scores of bootstrap resamples from their sums; result as for ``resampled_scores``."""
    n_resamples = sums.procedure.resamples
    scores = [np.empty((sample.n_systems, n_resamples)) for sample in sums.samples]
    blocks = resamples.blocks(n_resamples)
    for block, of_block in zip(blocks, _map_blocks(_scores_in_block, sums, blocks, execution), strict=True):
        for of_sample, found in zip(scores, of_block, strict=True):
            of_sample[:, block.start : block.stop] = found
    return scores


def _scores_in_block(sums: ResampledSums, block: range) -> list[Floats]:
    """Scores of a block of bootstrap resamples, for each sample of shape (systems, resamples)."""
    summed = zip(sums.samples, sums.resampled(block), strict=True)
    return [sample.sign * sample.score(by_columns(of_sample)) for sample, of_sample in summed]


def _map_blocks(
    function: Callable[[_S, range], _R], shared: _S, blocks: list[range], execution: Execution
) -> Iterator[_R]:
    """Results of blocks of resamples, in order. BLAS starts no threads of its own (see ``single_blas_thread``)."""
    with single_blas_thread:
        yield from execution.map_chunks(function, blocks, shared=shared)


def _simulated(sums: ResampledSums, pairs: Array) -> Iterator[Simulated]:
    """Resampled differences: in blocks of resamples if units are swapped, else all of a pair at once."""
    if not sums.procedure.rule.swaps:
        yield from _resampled(sums, pairs)
        return
    with single_blas_thread:
        for numbers in _swap_blocks(sums, pairs):
            yield from _swapped(sums, pairs, numbers)


def _resampled(sums: ResampledSums, pairs: Array, *, execution: Execution = SERIAL) -> Iterator[Simulated]:
    """Differences in all bootstrap resamples, a pair at a time."""
    for number, scores in enumerate(resampled_scores_of_sums(sums, execution=execution)):
        for pair in range(len(pairs)):
            some = slice(pair, pair + 1)
            yield number, some, _differences(scores, pairs[some])


def _swapped(sums: ResampledSums, pairs: Array, numbers: range) -> Iterator[Simulated]:
    """Differences in a block of swaps, some pairs at a time."""
    runs = _runs(pairs)
    for number, (sample, sums_kept) in enumerate(zip(sums.samples, sums.swapped(numbers), strict=True)):
        sums_given = sums.totals[number] - sums_kept
        for some, first, second in runs:
            # Each system keeps some of its units and takes the rest from the other system.
            of_first = sample.score(by_columns(sums_kept[:, first] + sums_given[:, second]))
            of_second = sample.score(by_columns(sums_kept[:, second] + sums_given[:, first]))
            yield number, some, sample.sign * (of_first - of_second)


def _swap_blocks(sums: ResampledSums, pairs: Array) -> list[range]:
    n_resamples = sums.procedure.n_resamples(sums.n_units)
    return resamples.blocks(n_resamples, at_a_time=_blocks_at_a_time(len(pairs)))


def _runs(pairs: Array) -> list[tuple[slice, slice, slice]]:
    """Split pairs into runs with one first system and neighbouring second systems: (pairs, first, second).

    NumPy slices neighbours without copying them.
    """
    longest = max(1, _AT_ONCE // (_BLOCKS * resamples.BLOCK))
    runs = []
    start = 0
    while start < len(pairs):
        first, second = pairs[start].tolist()
        end = start + 1
        while end < len(pairs) and end - start < longest and pairs[end].tolist() == [first, second + end - start]:
            end += 1
        runs.append((slice(start, end), slice(first, first + 1), slice(second, second + end - start)))
        start = end
    return runs


def _blocks_at_a_time(n_pairs: int) -> int:
    """Number of blocks computed at once: more if there are few pairs."""
    return max(_BLOCKS, _AT_ONCE // (resamples.BLOCK * n_pairs))


def _compared(simulated: Floats, procedure: Procedure) -> Floats:
    """Transform simulated differences (..., resamples) for the comparison with the observed one."""
    if procedure.rule.compares == "folded":
        simulated = np.abs(simulated)
    if procedure.rule.compares in {"folded", "shifted"}:
        simulated = simulated - simulated.mean(axis=-1, keepdims=True)
    return simulated


def _tolerance(scores: Floats, procedure: Procedure) -> float:
    """Largest difference that counts as rounding."""
    # Parity: sacreBLEU and MultEval compare exactly.
    return 0.0 if procedure.rule.strict else TOLERANCE * float(np.abs(scores).max())


def _extreme(simulated: Floats, observed: Floats, tolerance: float, procedure: Procedure) -> list[Array]:
    """Which simulated differences are as extreme as the observed ones, in both directions.

    Args:
        simulated: shape (pairs, resamples).
        observed: shape (pairs,).
        tolerance: largest difference that counts as rounding.
        procedure: the test.

    Returns:
        In favour of the first and of the second system, shape (pairs, resamples) each.
    """
    rule = procedure.rule

    def reaches(values: Floats, least: Floats | float) -> Array:
        return values > least - tolerance if rule.strict else values >= least - tolerance

    if rule.compares == "sign":
        return [reaches(-simulated, 0.0), reaches(simulated, 0.0)]
    compared = _compared(simulated, procedure)
    if procedure.sides == 1:
        return [reaches(compared, observed[:, None]), reaches(-compared, -observed[:, None])]
    size = compared if rule.compares == "folded" else np.abs(compared)
    return [reaches(size, np.abs(observed)[:, None])] * 2


def _differences(scores: Floats, pairs: Array) -> Floats:
    """First minus second system of each pair, shape (systems, ...) -> (pairs, ...)."""
    difference: Floats = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return difference


def _matrix(p: Floats, pairs: Array, n_systems: int) -> Floats:
    matrix = np.full((n_systems, n_systems), np.nan)
    matrix[pairs[:, 0], pairs[:, 1]] = p[:, 0]
    matrix[pairs[:, 1], pairs[:, 0]] = p[:, 1]
    return matrix
