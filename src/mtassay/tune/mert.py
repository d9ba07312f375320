"""Minimum error rate training (Och 2003): exact line searches along coordinates and random directions.

From each start the search goes through all coordinates and some random directions in random order, each time to the
best point of the line. Starts are the weights given, other starts that the caller names, and random ones: half of them
anywhere, then half near the best place so far. After two passes from each, the search goes on from the best places
until a whole pass has not made the objective better.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.scores import LARGEST
from mtassay.errors import InputError
from mtassay.kernels import check_threads
from mtassay.kernels.threads import in_threads
from mtassay.resampling.draws import check_seed
from mtassay.tune.line_search import line_search
from mtassay.tune.result import Round, TuneResult
from mtassay.tune.weights import Bounds, as_array, check_counts, normalised, random_direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mtassay.tune.candidates import Candidates

    Floats = NDArray[np.float64]

#: A smaller part of the objective is rounding.
_LEAST_GAIN = 1e-10
#: Passes from every start, and how many of the best places the search then goes on from to the end: most of what can be
#: gained is gained early, and another start finds more than another pass.
_FIRST_PASSES = 2
_FINISHED = 3
_MOST_PASSES = 100
#: How far the starts near the best point so far are from it at most, as a share of the spread of model scores.
_NEAR = 0.5
#: Features that a random direction changes: few, so that slopes cost little; more were no better.
_DIRECTION_FEATURES = 3


def mert(
    candidates: Candidates,
    weights: Mapping[str, float] | None = None,
    *,
    starts: Sequence[Mapping[str, float]] = (),
    restarts: int = 20,
    random_directions: int = 10,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    seed: int = 12345,
    threads: int = 1,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> TuneResult:
    """Tune weights so that the winners of all segments together score best.

    The result is never worse than any start. It depends on the seed, not on the number of threads.

    Args:
        candidates: what to choose from, with the objective.
        weights: where to start, by name; all alike by default.
        starts: further starts, such as weights tuned towards other metrics.
        restarts: number of random starts besides.
        random_directions: how many are tried in each pass besides the coordinates.
        bounds: least and largest weight by name, None for no bound.
        seed: of the random numbers.
        threads: number of threads; each takes starts.
        progress: wraps the loop over starts, for a progress bar.
    """
    check_options(restarts=restarts, random_directions=random_directions)
    check_seed(seed)
    limits = Bounds(candidates.names, bounds)
    first = as_array(weights, candidates.names)
    if weights is None:
        first = limits.inside(first)
        if not (first.any() or len(limits.free)):
            raise InputError("bounds leave no weight but 0: then no candidate is better than another")
    given = [limits.check(start) for start in (first, *(as_array(start, candidates.names) for start in starts))]
    search = _Search(candidates, limits, random_directions)
    n_starts = len(given) + restarts
    found: list[_Found | None] = [None] * n_starts
    n_far = len(given) + -(-restarts // 2)

    def climb(number: int) -> None:
        rng = np.random.default_rng([seed, number])
        if number < len(given):
            start = given[number]
        elif number < n_far:
            start = search.random_start(given[0], rng)
        else:
            start = search.start_near(_by_gain(found[:n_far])[0].weights, rng)
        found[number] = search.climb(start, rng, passes=_FIRST_PASSES)

    candidates.spreads  # noqa: B018  computed once, before threads ask for them
    rounds = iter(progress(range(n_starts)))
    for n in (n_far, n_starts - n_far):  # all of the first before any of the second, whatever the number of threads
        in_threads(climb, islice(rounds, n), min(check_threads(threads), max(n, 1)))
    firsts = _by_gain(found)[:_FINISHED]
    finished: list[_Found | None] = [None] * len(firsts)

    def finish(number: int) -> None:
        finished[number] = search.climb(firsts[number].weights, np.random.default_rng([seed, n_starts + number]))

    in_threads(finish, range(len(firsts)), min(check_threads(threads), len(firsts)))
    best = _by_gain(finished)[0]
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


def check_options(*, restarts: int, random_directions: int, **_: Any) -> None:
    """Refuse options of ``mert`` that cannot be; bounds wait until the features are known."""
    check_counts(restarts=restarts, random_directions=random_directions)


class _Place:
    """A point of the search.

    Attributes:
        weights: there.
        gain: the objective there.
        scores: model scores of all candidates.
        settled: coordinates along which there is nothing better.
    """

    def __init__(
        self,
        candidates: Candidates,
        weights: Floats,
        gain: float,
        settled: Iterable[int] = (),
        *,
        scores: Floats | None = None,
    ) -> None:
        self.weights = weights
        self.gain = gain
        self.scores = candidates.model_scores(weights) if scores is None else scores
        self.settled = set(settled)


@dataclass(frozen=True, eq=False)
class _Found:
    weights: Floats
    gain_before: float
    gain: float
    n_steps: int


def _by_gain(found: Sequence[_Found | None]) -> list[_Found]:
    """The best one first; equal ones as they stand."""
    return sorted((end for end in found if end is not None), key=lambda end: -end.gain)


class _Search:
    """Climbs from one start; nothing here changes once it is made, so that threads can share it."""

    def __init__(self, candidates: Candidates, bounds: Bounds, n_random: int) -> None:
        self._candidates = candidates
        self._bounds = bounds
        self._n_random = n_random

    def random_start(self, weights: Floats, rng: np.random.Generator) -> Floats:
        """Random weights; where a weight is fixed, the one given."""
        bounds, drawn = self._bounds, random_direction(self._candidates, self._bounds.free, rng)
        both = np.isfinite(bounds.low) & np.isfinite(bounds.high)
        uniform = rng.uniform(size=len(weights))
        drawn[both] = bounds.low[both] + uniform[both] * (bounds.high - bounds.low)[both]
        one = ~both & (np.isfinite(bounds.low) | np.isfinite(bounds.high))
        drawn[one] = np.where(
            np.isfinite(bounds.low), bounds.low + np.abs(drawn), np.minimum(bounds.high, 1e300) - np.abs(drawn)
        )[one]
        return drawn if drawn.any() else weights

    def start_near(self, weights: Floats, rng: np.random.Generator) -> Floats:
        """Weights that change model scores by a part of what they are."""
        spreads = self._candidates.spreads
        direction = random_direction(self._candidates, self._bounds.free, rng)
        size, change = (float(np.sqrt(np.square(spreads * vector).sum())) for vector in (weights, direction))
        if change == 0:
            return weights
        near = self._bounds.inside(weights + direction * (rng.uniform(0.0, _NEAR) * size / change))
        return near if near.any() else weights

    def climb(self, start: Floats, rng: np.random.Generator, *, passes: int = _MOST_PASSES) -> _Found:
        """Go up from a start until a pass over all directions finds nothing better."""
        candidates = self._candidates
        before = candidates.gain_of(candidates.model_scores(start))
        at = _Place(candidates, self._scaled(start, before), before)
        n_steps = 0
        for _ in range(passes):
            there, n = self._go_through(at, rng)
            if not _is_more(there.gain, at.gain):  # steps, if any, were rounding
                break
            at = there
            n_steps += n
        return _Found(at.weights, before, at.gain, n_steps)

    def without_idle(self, found: _Found) -> Floats:
        """The weights found, with 0 for features that tell no two candidates apart, unless that costs something."""
        idle = (self._candidates.spreads == 0) & (self._bounds.low < self._bounds.high)
        weights = np.where(idle, self._bounds.inside(np.zeros(len(idle))), found.weights)
        same = not idle.any() or not weights.any()
        if same or self._candidates.gain_of(self._candidates.model_scores(weights)) < found.gain:
            return found.weights
        return self._scaled(weights, found.gain)

    def _go_through(self, at: _Place, rng: np.random.Generator) -> tuple[_Place, int]:
        """One pass over all directions in random order."""
        candidates, free = self._candidates, self._bounds.free
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
        weights = self._scaled(at.weights, at.gain) if n_steps else at.weights
        gain = candidates.gain_of(candidates.model_scores(weights))
        return _Place(candidates, weights, gain, at.settled), n_steps

    def _step(self, at: _Place, direction: Floats, slopes: Floats) -> _Place | None:
        """The best place along a direction, if it is better."""
        low, high = self._bounds.steps(at.weights, direction)
        if not low < high:
            return None
        step = line_search(self._candidates, at.scores, slopes, low=low, high=high)
        if not _is_more(step.gain, at.gain):
            return None
        weights = self._bounds.inside(at.weights + step.length * direction)
        if not 0 < np.abs(weights).max() <= LARGEST:
            return None
        scores = at.scores + step.length * slopes
        gain = self._candidates.gain_of(scores)
        return _Place(self._candidates, weights, gain, scores=scores) if _is_more(gain, at.gain) else None

    def _scaled(self, weights: Floats, gain: float) -> Floats:
        """Weights of the usual size, unless that costs something."""
        if not self._bounds.scalable:
            return weights
        scaled = normalised(weights)
        candidates = self._candidates
        return scaled if candidates.gain_of(candidates.model_scores(scaled)) >= gain else weights


def _is_more(gain: float, than: float) -> bool:
    return gain > than + _LEAST_GAIN * max(1.0, abs(than)) if np.isfinite(than) else gain > than
