"""Randomised tests for pairs of systems.

    ar                approximate randomisation (Graham et al. 2014): units change sides with probability ½, and δ* is
                      compared with δ
    bs                bootstrap (Graham et al. 2014): δ* is shifted to have mean 0 and compared with δ
    pbs               paired bootstrap (Koehn 2004): p = P(δ* ≤ 0)
    riezler-maxwell   as published in 2005: |δ*|, shifted to have mean 0, is compared with |δ|; the absolute value comes
                      before the shift, so half of the draws drop out

δ is the difference of two scores, positive where the first system is the better one, and δ* the same in a draw. All
pairs are tested on the same draws. Among R draws, c of them at least as extreme as what was observed, p = (c + 1) /
(R + 1); differences that are equal up to rounding count, so a system compared with itself has p = 1. Where there are no
more than R ways of changing sides, all of them are taken and p = c / 2^units is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError, did_you_mean
from mtassay.kernels.threads import in_threads
from mtassay.resampling import draws
from mtassay.resampling.sample import WeightedSums, by_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mtassay.resampling.sample import Array, Floats, Sample

    Progress = Callable[[Iterable[range]], Iterable[range]]

#: Names of the tests, and how many sides each can have; the last one is usual.
KINDS = {"ar": (1, 2), "bs": (1, 2), "pbs": (1,), "riezler-maxwell": (2,)}
#: Differences closer than this share of the largest score are equal: they come from rounding.
_TIE = 1e-12
#: Sums of one statistic that are held at once: few enough to stay in the cache, enough to keep NumPy busy.
_AT_ONCE = 8192


@dataclass(frozen=True)
class Procedure:
    """Which test, and how it is drawn.

    Attributes:
        kind: a name from ``KINDS``.
        sides: 1 or 2; None for what is usual.
        draws: how many.
        seed: of the draws.
    """

    kind: str = "ar"
    sides: int | None = None
    draws: int = 10_000
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            hint = did_you_mean(self.kind, KINDS)
            raise InputError(f"no test named '{self.kind}'{hint} (choose from {', '.join(KINDS)})")
        if self.sides is None:
            object.__setattr__(self, "sides", KINDS[self.kind][-1])
        if self.sides not in KINDS[self.kind]:
            raise InputError(f"the test {self.kind} cannot have {self.sides!r} sides, only {KINDS[self.kind][0]}")
        draws.check_draws(self.draws)
        draws.check_seed(self.seed)

    def exact(self, n_units: int) -> bool:
        """Whether every way of changing sides is taken instead of a sample of them."""
        return self.kind == "ar" and 2**n_units <= self.draws

    def n_draws(self, n_units: int) -> int:
        """How many draws are made."""
        return 2**n_units if self.exact(n_units) else self.draws


def all_pairs(n_systems: int) -> Array:
    """Every two systems once, shape (pairs, 2)."""
    return np.column_stack(np.triu_indices(n_systems, k=1))


def pairs_with(baseline: int, n_systems: int) -> Array:
    """A baseline and every other system, shape (pairs, 2)."""
    others = np.delete(np.arange(n_systems), baseline)
    return np.column_stack([np.full_like(others, baseline), others])


def p_values(
    samples: Sequence[Sample],
    procedure: Procedure,
    *,
    pairs: Array | None = None,
    threads: int = 1,
    progress: Progress = iter,
) -> list[Floats]:
    """P-values of pairs of systems, all samples on the same draws.

    Args:
        samples: one per metric, all with the same systems and units.
        procedure: the test.
        pairs: which pairs, shape (pairs, 2); by default all.
        threads: number of threads.
        progress: wraps the loop over blocks of draws.

    Returns:
        For each sample shape (systems, systems): p[x, y] is the p-value of "x is better than y", or of "x and y differ"
        where the test has two sides; NaN where a pair was not asked for.
    """
    n_systems, n_units = samples[0].n_systems, samples[0].n_units
    pairs = all_pairs(n_systems) if pairs is None else pairs
    counts = [np.zeros((len(pairs), 2), dtype=np.int64) for _ in samples]
    lock = Lock()

    def count(sample: int, some: slice, simulated: Floats) -> None:
        found = _extreme(simulated, observed[sample][some], tolerances[sample], procedure)
        with lock:
            counts[sample][some] += found

    scores = [sample.scores() for sample in samples]
    observed = [_differences(of_sample, pairs) for of_sample in scores]
    tolerances = [_TIE * float(np.abs(of_sample).max()) for of_sample in scores]
    if procedure.kind == "ar":
        _swap(samples, procedure, pairs, count, threads=threads, progress=progress)
    else:
        resampled = resampled_scores(samples, procedure.draws, seed=procedure.seed, threads=threads, progress=progress)
        for number, of_sample in enumerate(resampled):
            for some in _slices(len(pairs), procedure.draws):
                count(number, some, _differences(of_sample, pairs[some]))
    n_draws = procedure.n_draws(n_units)
    added = 0 if procedure.exact(n_units) else 1
    return [_matrix((count + added) / (n_draws + added), pairs, n_systems) for count in counts]


def _extreme(simulated: Floats, observed: Floats, tolerance: float, procedure: Procedure) -> Array:
    """How many of the simulated differences are as extreme as the observed ones, in both directions.

    Args:
        simulated: shape (pairs, draws).
        observed: shape (pairs,).
        tolerance: differences that are not larger come from rounding.
        procedure: what is compared with what.

    Returns:
        shape (pairs, 2).
    """
    if procedure.kind == "pbs":
        worse = (simulated <= tolerance).sum(axis=1)
        better = (simulated >= -tolerance).sum(axis=1)
        return np.column_stack([worse, better])
    if procedure.kind == "riezler-maxwell":
        simulated = np.abs(simulated)
    if procedure.kind != "ar":
        simulated = simulated - simulated.mean(axis=1, keepdims=True)
    if procedure.sides == 1:
        up = (simulated >= observed[:, None] - tolerance).sum(axis=1)
        down = (simulated <= observed[:, None] + tolerance).sum(axis=1)
        return np.column_stack([up, down])
    if procedure.kind != "riezler-maxwell":
        simulated = np.abs(simulated)
    both = (simulated >= np.abs(observed)[:, None] - tolerance).sum(axis=1)
    return np.column_stack([both, both])


def _differences(scores: Floats, pairs: Array) -> Floats:
    """First minus second system of each pair, shape (systems, ...) -> (pairs, ...)."""
    difference: Floats = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    return difference


def _slices(n_pairs: int, n_draws: int) -> Iterator[slice]:
    size = max(1, _AT_ONCE // n_draws)
    for first in range(0, n_pairs, size):
        yield slice(first, min(first + size, n_pairs))


def _runs(pairs: Array) -> list[tuple[slice, slice, slice]]:
    """Cut pairs into runs that have one first system and neighbouring second ones: (pairs, first, second).

    NumPy takes neighbours without copying them.
    """
    longest = _AT_ONCE // draws.BLOCK
    runs = []
    start = 0
    while start < len(pairs):
        first, second = pairs[start]
        end = start + 1
        while end < len(pairs) and end - start < longest and tuple(pairs[end]) == (first, second + end - start):
            end += 1
        runs.append((slice(start, end), slice(first, first + 1), slice(second, second + end - start)))
        start = end
    return runs


def _matrix(p: Floats, pairs: Array, n_systems: int) -> Floats:
    matrix = np.full((n_systems, n_systems), np.nan)
    matrix[pairs[:, 0], pairs[:, 1]] = p[:, 0]
    matrix[pairs[:, 1], pairs[:, 0]] = p[:, 1]
    return matrix


def _swap(
    samples: Sequence[Sample],
    procedure: Procedure,
    pairs: Array,
    receive: Callable[[int, slice, Floats], None],
    *,
    threads: int,
    progress: Progress,
) -> None:
    """Let units change sides, and hand on the differences that result: (sample, which pairs, (pairs, draws))."""
    n_units = samples[0].n_units
    sums = [WeightedSums(sample) for sample in samples]
    totals = [sample.totals().astype(np.float64).T[..., None] for sample in samples]
    exact = procedure.exact(n_units)
    runs = _runs(pairs)

    def work(block: range) -> None:
        moved = draws.all_swaps(n_units, block) if exact else draws.swaps(n_units, block, seed=procedure.seed)
        for number, sample in enumerate(samples):
            stays, total = sums[number](moved), totals[number]
            for some, first, second in runs:
                # What the first system gains by the exchange, the second loses.
                gain = stays[:, first] - stays[:, second]
                of_first = sample.score(by_columns(total[:, second] + gain))
                np.subtract(total[:, first], gain, out=gain)
                receive(number, some, sample.sign * (of_first - sample.score(by_columns(gain))))

    in_threads(work, progress(draws.blocks(procedure.n_draws(n_units))), threads)


def resampled_scores(
    samples: Sequence[Sample], n_draws: int, *, seed: int, threads: int = 1, progress: Progress = iter
) -> list[Floats]:
    """Scores of bootstrap resamples, oriented so that higher is better; for each sample shape (systems, draws)."""
    n_units = samples[0].n_units
    sums = [WeightedSums(sample) for sample in samples]
    scores = [np.empty((sample.n_systems, n_draws)) for sample in samples]

    def work(block: range) -> None:
        drawn = draws.resamples(n_units, block, seed=seed)
        for number, sample in enumerate(samples):
            of_block = sample.score(by_columns(sums[number](drawn)))
            scores[number][:, block.start : block.stop] = sample.sign * of_block

    in_threads(work, progress(draws.blocks(n_draws)), threads)
    return scores


def pseudo_statistics(sample: Sample, procedure: Procedure, pair: tuple[int, int]) -> Floats:
    """The differences of one pair in all draws, shape (draws,), as the test compares them with the observed one."""
    pairs = np.array([pair])
    if procedure.kind != "ar":
        [scores] = resampled_scores([sample], procedure.draws, seed=procedure.seed)
        [simulated] = _differences(scores, pairs)
        if procedure.kind == "pbs":
            return simulated
        values = np.abs(simulated) if procedure.kind == "riezler-maxwell" else simulated
        return values - values.mean()
    parts: list[Floats] = []
    _swap([sample], procedure, pairs, lambda _, __, simulated: parts.append(simulated[0]), threads=1, progress=iter)
    return np.concatenate(parts)
