"""Minimum error rate training (Och 2003): exact line searches along coordinates and random directions.

From each start, a climb takes all coordinates and some random directions in random order, and moves to the best point
of each line, even if that point is only as good as the current one: the objective is constant in large regions, and
lines from the middle of a region meet more of its neighbours than lines from near an edge. A climb ends after two
passes that did not improve the objective. Starts are the given weights, further starts that the caller names, and
random ones: a few of these are drawn anywhere, then most of them near the best place so far, in rounds. With many
segments, climbs are cut short, and only the best ones are continued to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.formats.score_files import LARGEST
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.stats.resamples import check_seed
from mtassay.tuning.line_search import line_search
from mtassay.tuning.result import Round, TuneResult
from mtassay.tuning.weights import Bounds, Ranges, as_array, check_counts, normalised, random_direction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtassay.tuning.candidates import Candidates
    from mtassay.types import Floats


#: Relative differences of the objective that are smaller are rounding.
_LEAST_GAIN = 1e-10
#: A climb ends after `_PATIENCE` passes without a gain, and after `_MOST_PASSES` at the latest.
_PATIENCE = 2
_MOST_PASSES = 100
#: Number of passes from every start, or `_FIRST_PASSES_BY_SEGMENTS` divided by the number of segments if that is more:
#: with few segments, regions of equal score are large and worth crossing; with many, most of the gain comes early, and
#: another start finds more than another pass. The `_FINISHED` best climbs are continued to the end.
_FIRST_PASSES = 2
_FIRST_PASSES_BY_SEGMENTS = 100
_FINISHED = 3
#: One in `_ANYWHERE` random starts is drawn anywhere; the others are near the best place so far, `_ROUND` in a round.
_ANYWHERE = 5
_ROUND = 5
#: With fewer segments than this, there are proportionally more starts near the best place: the regions with the best
#: score are harder to hit.
_FEW_SEGMENTS = 10
#: Smallest and largest distance of these starts from the best place, as powers of 10 of the spread of model scores.
_NEAR = (-1.5, 0.0)
#: Number of features that a random direction changes: few, so that slopes are cheap; more gave no better results.
_DIRECTION_FEATURES = 3


def mert(
    candidates: Candidates,
    weights: Mapping[str, float] | None = None,
    *,
    starts: Sequence[Mapping[str, float]] = (),
    restarts: int = 20,
    random_directions: int = 10,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> TuneResult:
    """Tune weights so that the winners of all segments together score best.

    The result is never worse than any start. It depends on the seed, not on the number of threads.

    Args:
        candidates: the candidates, with the objective.
        weights: weights to start from, by name; all equal by default.
        starts: further starts, such as weights of earlier runs.
        restarts: number of additional random starts.
        random_directions: number of random directions in each pass, in addition to the coordinates.
        bounds: smallest and largest weight by name, None for no bound.
        ranges: ranges from which weights of random starts are drawn, by name; they do not bound the result. Other
            weights are drawn so that each feature has the same influence on model scores.
        seed: seed of the random numbers.
        execution: each thread takes starts.
    """
    check_options(restarts=restarts, random_directions=random_directions, bounds=bounds, ranges=ranges, starts=starts)
    check_seed(seed)
    limits = Bounds(candidates.names, bounds)
    first = as_array(weights, candidates.names)
    if weights is None:
        first = limits.inside(first)
        if not (first.any() or len(limits.free)):
            raise InputError("bounds leave no weight but 0: then no candidate is better than another")
    given = [limits.check(start) for start in (first, *(as_array(start, candidates.names) for start in starts))]
    search = _Search(candidates, limits, random_directions, ranges=Ranges(candidates.names, ranges))
    n_anywhere = len(given) + -(-restarts // _ANYWHERE)
    n_near = len(given) + restarts - n_anywhere
    n_starts = n_anywhere + n_near * max(1, _FEW_SEGMENTS // candidates.n_segments)
    found: list[_Found | None] = [None] * n_starts
    passes = max(_FIRST_PASSES, _FIRST_PASSES_BY_SEGMENTS // candidates.n_segments)

    def climb(number: int) -> None:
        rng = np.random.default_rng([seed, number])
        if number < len(given):
            start = given[number]
        elif number < n_anywhere:
            start = search.random_start(given[0], rng)
        else:  # near the best of earlier rounds; this round does not count, so that threads do not matter
            n_before = number - (number - n_anywhere) % _ROUND
            start = search.start_near(_by_gain(found[:n_before])[0].weights, rng)
        found[number] = search.climb(start, rng, passes=passes)

    candidates.scales  # noqa: B018  computed once, before threads ask for them
    numbers = iter(execution.progress(range(n_starts)))
    for n in (n_anywhere, *[_ROUND] * -(-(n_starts - n_anywhere) // _ROUND)):
        execution.quiet.run(climb, list(islice(numbers, n)))
    firsts = [end for end in _by_gain(found)[:_FINISHED] if not end.complete]

    def finish(number: int) -> _Found:
        return search.climb(firsts[number].weights, np.random.default_rng([seed, n_starts + number]))

    finished = execution.quiet.map(finish, range(len(firsts)))
    best = _by_gain([*found, *finished])[0]
    sign = candidates.metric.sign
    return TuneResult.build(
        "mert",
        candidates,
        start=given[0],
        weights=search.without_idle(best),
        history=tuple(
            Round(f"{name} {number}", sign * end.gain_before, sign * end.gain, end.n_steps)
            for name, ends in (("start", found), ("finish", finished))
            for number, end in enumerate(ends, 1)
            if end is not None
        ),
        options={"restarts": restarts, "random_directions": random_directions, "seed": seed},
    )


def check_options(
    *, restarts: int, random_directions: int, bounds: Any = None, ranges: Any = None, starts: Any = ()
) -> None:
    """Reject invalid options of ``mert``; names are checked later, when the features are known."""
    check_counts(restarts=restarts, random_directions=random_directions)
    for name, ends in (("bounds", bounds), ("ranges", ranges)):
        if not (ends is None or isinstance(ends, Mapping)):
            raise InputError(f"{name} must be pairs of numbers by name of the feature, not {ends!r}")
    if not (isinstance(starts, Sequence) and all(isinstance(start, Mapping) for start in starts)):
        raise InputError(f"starts must be a list of weights by name of the feature, not {starts!r}")


class _Place:
    """A point of the search.

    Attributes:
        weights: its weights.
        gain: the objective, with its sign changed if lower is better.
        scores: model scores of all candidates.
        settled: coordinates along which there is nothing better.
    """

    def __init__(self, weights: Floats, gain: float, scores: Floats, settled: Iterable[int] = ()) -> None:
        self.weights = weights
        self.gain = gain
        self.scores = scores
        self.settled = set(settled)


@dataclass(frozen=True, eq=False)
class _Found:
    """The end of a climb; it is complete unless it was cut short."""

    weights: Floats
    gain_before: float
    gain: float
    n_steps: int
    complete: bool


def _by_gain(found: Sequence[_Found | None]) -> list[_Found]:
    """Climbs by their gain, best first; in a tie, in the given order."""
    return sorted((end for end in found if end is not None), key=lambda end: -end.gain)


class _Search:
    """Climbs from any start; an instance never changes, so that threads can share it."""

    def __init__(self, candidates: Candidates, bounds: Bounds, n_random: int, *, ranges: Ranges) -> None:
        self._candidates = candidates
        self._bounds = bounds
        self._n_random = n_random
        self._ranges = ranges
        self._free = bounds.free

    def random_start(self, weights: Floats, rng: np.random.Generator) -> Floats:
        """Random weights; a fixed weight has its fixed value."""
        bounds, ranges, spreads = self._bounds, self._ranges, self._candidates.spreads
        drawn = random_direction(self._candidates, self._free, rng)
        if ranges.given.any():  # scale the others to have the same influence
            largest = np.maximum(np.abs(ranges.low), np.abs(ranges.high))[ranges.given] * spreads[ranges.given]
            drawn *= float(np.sqrt(np.square(largest).mean())) or 1.0
        uniform = rng.uniform(size=len(weights))
        both = np.isfinite(bounds.low) & np.isfinite(bounds.high)
        drawn[both] = bounds.low[both] + uniform[both] * (bounds.high - bounds.low)[both]
        one = ~both & (np.isfinite(bounds.low) | np.isfinite(bounds.high))
        drawn[one] = np.where(
            np.isfinite(bounds.low), bounds.low + np.abs(drawn), np.minimum(bounds.high, 1e300) - np.abs(drawn)
        )[one]
        low, high = ranges.low[ranges.given], ranges.high[ranges.given]
        drawn[ranges.given] = low + uniform[ranges.given] * (high - low)
        drawn = bounds.inside(drawn)
        return drawn if drawn.any() else weights

    def start_near(self, weights: Floats, rng: np.random.Generator) -> Floats:
        """Weights near the given ones: model scores change by a share of their spread."""
        spreads = self._candidates.spreads
        direction = random_direction(self._candidates, self._free, rng)
        size, change = (float(np.sqrt(np.square(spreads * vector).sum())) for vector in (weights, direction))
        if change == 0:
            return weights
        near = self._bounds.inside(weights + direction * (10 ** rng.uniform(*_NEAR) * size / change))
        return near if near.any() else weights

    def climb(self, start: Floats, rng: np.random.Generator, *, passes: int = _MOST_PASSES) -> _Found:
        """Improve the objective from a start until passes over all directions find nothing better."""
        before = self._candidates.gain_of(self._candidates.model_scores(start))
        first = best = at = self._renewed(start, before)
        n_steps = n_passes = waited = 0
        while n_passes < passes and waited < _PATIENCE:
            at, n = self._go_through(at, rng)
            waited = 0 if _is_more(at.gain, best.gain) else waited + 1
            if at.gain >= best.gain:  # it can be less only by rounding
                best = at
            n_steps += n
            n_passes += 1
        if not _is_more(best.gain, first.gain):  # weights stay as they are unless others are better
            best, n_steps = first, 0
        return _Found(best.weights, before, best.gain, n_steps, complete=waited == _PATIENCE)

    def without_idle(self, found: _Found) -> Floats:
        """The weights found, with 0 for features that never differ inside a segment, unless the objective suffers."""
        idle = (self._candidates.spreads == 0) & (self._bounds.low < self._bounds.high)
        weights = np.where(idle, self._bounds.inside(np.zeros(len(idle))), found.weights)
        same = not idle.any() or not weights.any()
        if same or self._candidates.gain_of(self._candidates.model_scores(weights)) < found.gain:
            return found.weights
        return self._renewed(weights, found.gain).weights

    def _go_through(self, at: _Place, rng: np.random.Generator) -> tuple[_Place, int]:
        """One pass over all directions in random order."""
        candidates, free = self._candidates, self._free
        n_steps = 0
        for which in rng.permutation(len(free) + self._n_random).tolist():
            feature = int(free[which]) if which < len(free) else None
            if feature is None:
                direction = random_direction(candidates, free, rng, n_features=_DIRECTION_FEATURES)
                slopes = candidates.model_scores(direction)
            elif feature in at.settled:
                continue
            else:
                direction = np.zeros(len(at.weights))
                direction[feature] = 1.0
                slopes = candidates.features[feature]
            moved = self._step(at, direction, slopes)
            n_steps += moved is not None
            at = moved or at
            if feature is not None:
                at.settled.add(feature)
        if n_steps:
            at = self._renewed(at.weights, at.gain, settled=at.settled)
        return at, n_steps

    def _step(self, at: _Place, direction: Floats, slopes: Floats) -> _Place | None:
        """The best place along a direction, even if it is only as good as this one; None if there is no such place."""
        low, high = self._bounds.steps(at.weights, direction)
        if not low < high:
            return None
        step = line_search(self._candidates, at.scores, slopes, low=low, high=high)
        if step.length == 0 or _is_more(at.gain, step.gain):
            return None
        moved = at.weights + step.length * direction
        weights = self._bounds.inside(moved)
        if not weights.any() or np.abs(moved).max() > LARGEST:
            return None
        scores = at.scores + step.length * slopes
        if not _is_more(step.gain, at.gain):
            return _Place(weights, at.gain, scores)
        gain = self._candidates.gain_of(scores)
        return _Place(weights, gain, scores) if _is_more(gain, at.gain) else None

    def _renewed(self, weights: Floats, gain: float, *, settled: Iterable[int] = ()) -> _Place:
        """The place of some weights, with new model scores; weights are normalised unless the objective suffers."""
        candidates = self._candidates
        if self._bounds.scalable:
            scaled = normalised(weights)
            scores = candidates.model_scores(scaled)
            there = candidates.gain_of(scores)
            if there >= gain:
                return _Place(scaled, there, scores, settled)
        scores = candidates.model_scores(weights)
        return _Place(weights, candidates.gain_of(scores), scores, settled)


def _is_more(gain: float, than: float) -> bool:
    return gain > than + _LEAST_GAIN * max(1.0, abs(than)) if np.isfinite(than) else gain > than
