"""Power of significance tests, by simulation on the statistics of a pilot test set.

A trial makes a test set of n units and runs the test on it: units are drawn from the pilot with replacement, and in
some of them the outputs of the two systems are exchanged, which gives the pair a difference of the wanted size. At
effect e:

    e = 0        every unit is exchanged with probability ½: no difference, the null hypothesis of randomisation
    0 < e < 1    every unit is exchanged with probability (1 - e) / 2: about e times the observed difference
    e = 1        no unit is exchanged: the pair as observed
    1 < e ≤ 2    units in which the better system is worse are exchanged with probability e - 1; at e = 2 the better
                 system has the better output in every unit

Exchanging keeps both outputs of every unit, so the noise (the size of differences between single outputs) stays that of
the pilot. It needs only the statistics of a metric.

Errors of sign and size (type S and M) are those of Gelman & Carlin 2014.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.stats.blas_threads import single_blas_thread
from mtassay.stats.procedures import exchanged_p_values
from mtassay.stats.sample import Sample

if TYPE_CHECKING:
    from mtassay.stats.procedures import Procedure
    from mtassay.types import Array, Bools, Floats

#: Trials have their own stream of random numbers; those of the tests are 0 and 1.
_STREAM = 2
#: Differences to simulate to find the smallest detectable one, as multiples of its value for a normal distribution.
_MULTIPLES = np.array([0.5, 0.75, 0.9, 1.0, 1.1, 1.3, 1.7])
_OBSERVED, _LARGEST = 1.0, 2.0
_normal = NormalDist()
#: Number of trials in a chunk.
_TRIALS_AT_ONCE = 10


@dataclass(frozen=True)
class Design:
    """What is simulated.

    Attributes:
        procedure: the test; its seed is that of the simulation.
        sizes: numbers of segments or documents.
        trials: number of simulated test sets of each size.
        alpha: significance level; p-values up to it are significant.
        power: wanted probability of finding a difference.
    """

    procedure: Procedure
    sizes: tuple[int, ...]
    trials: int
    alpha: float
    power: float


@dataclass(frozen=True, eq=False)
class PowerCurve:
    """Results for one pair; arrays have an element for each size, NaN if undefined.

    Attributes:
        difference: the true difference in the simulation.
        power: share of trials that find it: significant, and for a one-sided test, in favour of the better system.
        wrong_sign: type S, share of significant trials in which the worse system is ahead.
        exaggeration: type M, mean size of significant differences as a multiple of the true one.
        detectable: smallest difference that is found with the probability of the design.
        needed: size from which on the true difference is found with that probability, interpolated; the smallest
            simulated size if that is enough, NaN if the largest one is not.
    """

    difference: float
    power: Floats
    wrong_sign: Floats
    exaggeration: Floats
    detectable: Floats
    needed: float


class Effects:
    """Pairs with differences of any size, made from one pair.

    Args:
        sample: sample of two systems; the first must not be worse than the second.
    """

    def __init__(self, sample: Sample) -> None:
        first, second = totals = sample.totals().astype(np.float64)
        change = (sample.statistics[1] - sample.statistics[0]).astype(np.float64)
        exchanged = totals[:, None] + np.stack([change, -change])
        observed = _difference(sample, totals)
        # Exchanging a unit's outputs reverses its contribution to the difference, so half of the change is the
        # contribution.
        added = (observed - _difference(sample, exchanged)) / 2
        self._behind = added < 0
        #: Root mean square difference of a unit's outputs, in scores.
        self.spread = float(sample.n_units * np.sqrt(np.mean(added**2)))
        gained = change[self._behind].sum(axis=0)
        middle = (first + second) / 2
        corners = np.array([[middle, middle], [first, second], [first + gained, second - gained]])
        self._effects = np.linspace(0, _LARGEST, 401)
        lower = np.minimum(self._effects.astype(np.int64), 1)
        share = (self._effects - lower)[:, None, None]
        path = (1 - share) * corners[lower] + share * corners[lower + 1]
        self._differences = np.maximum.accumulate(_difference(sample, path.transpose(1, 0, 2)))

    @property
    def largest(self) -> float:
        """The largest difference that exchanging can give."""
        return float(self._differences[-1])

    def of(self, differences: Floats) -> Floats:
        """The effects that give these differences."""
        effects: Floats = np.interp(differences, self._differences, self._effects)
        return effects

    def kept(self, effects: Floats, drawn: Array, chance: Floats) -> Bools:
        """Which of the drawn units keep their outputs, shape (effects, drawn).

        Args:
            effects: shape (effects,).
            drawn: numbers of units, shape (drawn,).
            chance: random numbers from 0 to 1, shape (drawn,).
        """
        towards_none = chance < np.maximum(1 - effects, 0)[:, None] / 2
        beyond = (chance < np.maximum(effects - 1, 0)[:, None]) & self._behind[drawn]
        return ~(towards_none | beyond)


def simulate_power(
    sample: Sample,
    design: Design,
    *,
    difference: float | None = None,
    execution: Execution = SERIAL,
) -> PowerCurve:
    """The power of a test for one pair.

    Args:
        sample: the pilot, with two systems; the first must not be worse than the second.
        design: what is simulated.
        difference: true difference in the simulation, positive; None for the observed one.
        execution: how trials are run.
    """
    pairs = Effects(sample)
    if difference is not None and difference > pairs.largest:
        raise InputError(
            f"a difference of {difference:g} cannot be simulated: exchanging outputs gives {pairs.largest:.4g} at most"
        )
    true = _difference(sample, sample.totals()).item() if difference is None else difference
    effect = _OBSERVED if difference is None else pairs.of(np.array(difference)).item()
    differences = [np.array([true, *_candidates(pairs, design, n)]) for n in design.sizes]
    effects = [np.array([effect, *pairs.of(some[1:])]) for some in differences]
    statistics = _compact(sample.statistics)
    simulation = _Simulation(design, Sample(statistics, sample.score, sample.sign), pairs, effects)
    items = [
        _Trials(place, range(first, min(first + _TRIALS_AT_ONCE, design.trials)))
        for place in range(len(design.sizes))
        for first in range(0, design.trials, _TRIALS_AT_ONCE)
    ]
    with single_blas_thread:
        found = list(execution.map_chunks(_simulated_trials, items, shared=simulation))
    shape = (len(design.sizes), design.trials, 1 + len(_MULTIPLES))
    seen, right, wrong = (np.concatenate(parts).reshape(shape) for parts in zip(*found, strict=True))
    significant = right | wrong
    power = (significant if design.procedure.sides == 2 else right).mean(axis=1)
    n_found = np.where(significant[..., 0].any(axis=1) & (true > 0), significant[..., 0].sum(axis=1), np.nan)
    return PowerCurve(
        difference=true,
        power=power[:, 0],
        wrong_sign=wrong[..., 0].sum(axis=1) / n_found,
        exaggeration=(np.abs(seen) * significant)[..., 0].sum(axis=1) / n_found / (true or np.nan),
        detectable=np.array([_detectable(*found, design) for found in zip(differences, power, strict=True)]),
        needed=_needed_size(power[:, 0], design),
    )


class _Simulation(NamedTuple):
    """What all trials share: the pilot in compact form, and the effects for each number of units."""

    design: Design
    pilot: Sample
    pairs: Effects
    effects: list[Floats]


class _Trials(NamedTuple):
    """Some trials with one number of units."""

    place: int
    numbers: range


def _simulated_trials(simulation: _Simulation, trials: _Trials) -> tuple[Floats, Bools, Bools]:
    """Observed differences, and whether they are significant with the right and the wrong sign, (trials, effects)."""
    design, pilot, pairs, _ = simulation
    effects = simulation.effects[trials.place]
    seen = np.empty((len(trials.numbers), len(effects)))
    p = np.empty((*seen.shape, 2))
    for row, number in enumerate(trials.numbers):
        generator, procedure = _drawing(design, trials.place, number)
        drawn = generator.integers(pilot.n_units, size=design.sizes[trials.place])
        kept = pairs.kept(effects, drawn, generator.random(len(drawn)))
        testset = Sample(pilot.statistics[:, drawn], pilot.score, pilot.sign)
        seen[row], p[row] = exchanged_p_values(testset, procedure, kept)
    right, wrong = (p[..., 0] <= design.alpha) & (seen > 0), (p[..., 1] <= design.alpha) & (seen < 0)
    return seen, right, wrong


def _drawing(design: Design, place: int, number: int) -> tuple[np.random.Generator, Procedure]:
    """Random numbers of one trial, and the test with resamples of its own; both do not depend on other trials."""
    sequence = np.random.SeedSequence((design.procedure.seed, _STREAM, design.sizes[place], number))
    generator = np.random.Generator(np.random.SFC64(sequence))
    return generator, replace(design.procedure, seed=int(generator.integers(2**63)))


def _compact(statistics: Array) -> Array:
    """Counts in fewer bytes, to save time for copying; other statistics unchanged."""
    small = np.issubdtype(statistics.dtype, np.integer) and np.abs(statistics).max(initial=0) < 2**31
    return statistics.astype(np.int32) if small else statistics


def _candidates(pairs: Effects, design: Design, n: int) -> Floats:
    """Differences around the one that the test would find with the wanted power if differences were normal."""
    sides = design.procedure.sides or 1
    # The lower tail, since 1 - α is 1 for a tiny α. The smallest float cannot be divided.
    z = _normal.inv_cdf(design.power) - _normal.inv_cdf(design.alpha / sides or design.alpha)
    # Exchanging keeps the mean square, so the variance is spread² - Δ²: Δ = z · sqrt((spread² - Δ²) / n).
    middle = z * pairs.spread / np.sqrt(n + z**2)
    candidates: Floats = np.minimum(_MULTIPLES * middle, pairs.largest)
    return candidates


def _detectable(differences: Floats, power: Floats, design: Design) -> float:
    """The smallest difference with the wanted power; interpolated linearly in probits, as for a normal distribution."""
    order = np.argsort(differences, kind="stable")
    found = np.array([design.alpha, *np.maximum.accumulate(power[order])])
    reached = found >= design.power
    if not reached.any():
        return float("nan")
    at = int(reached.argmax())
    below, above = np.array([0.0, *differences[order]])[[at - 1, at]].tolist()
    return float(below + (above - below) * _share_of_way(found[at - 1], found[at], design))


def _needed_size(power: Floats, design: Design) -> float:
    """The size with the wanted power; interpolated in probits over the square root of the size, as `_detectable`."""
    too_few = np.flatnonzero(power < design.power)
    if not len(too_few):
        return float(design.sizes[0])
    at = int(too_few[-1]) + 1
    if at == len(design.sizes):
        return float("nan")
    below, above = np.sqrt(design.sizes[at - 1 : at + 1]).tolist()
    return float((below + (above - below) * _share_of_way(power[at - 1], power[at], design)) ** 2)


def _share_of_way(below: float, above: float, design: Design) -> float:
    """How far the wanted power is from one power to another, from 0 to 1; linear in probits."""
    least = 0.5 / design.trials
    low, high, wanted = (
        _normal.inv_cdf(float(value)) for value in np.clip([below, above, design.power], least, 1 - least)
    )
    return (wanted - low) / (high - low) if high > low else 1.0


def _difference(sample: Sample, totals: Array) -> Floats:
    """Oriented difference of the two systems, totals (2, ..., K) -> (...)."""
    first, second = sample.sign * sample.score(totals)
    return np.asarray(first - second)
