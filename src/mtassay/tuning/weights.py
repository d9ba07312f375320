"""Weights as arrays: where a search starts, how far it may go, and how weights are scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtassay.data.formats.score_files import LARGEST
from mtassay.data.formats.weights import check_names
from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.tuning.candidates import Candidates
    from mtassay.types import Floats


#: Largest absolute value of the ends of bounds and ranges.
_LARGEST_END = 1e9
#: Largest value of options that are counts: starts, directions, samples, epochs.
MOST = 1_000_000


def as_array(weights: Mapping[str, float] | None, names: Sequence[str]) -> Floats:
    """Weights in the order of the features; all equal if none are given.

    >>> as_array(None, ["lm", "tm"]).tolist()
    [0.5, 0.5]
    """
    if weights is None:
        return np.full(len(names), 1.0 / len(names))
    check_names(weights, names, "the weights")
    array = np.array([float(weights[name]) for name in names])
    fine = np.abs(array) <= LARGEST
    if not fine.all():
        name = names[int(np.flatnonzero(~fine)[0])]
        raise InputError(
            f"the weight of '{name}' is {weights[name]}; every weight needs a finite value up to {LARGEST:g}"
        )
    if not array.any():
        raise InputError("all weights are 0: then no candidate is better than another")
    return array


def normalised(weights: Floats) -> Floats:
    """Weights scaled so that their absolute values add up to 1, as mert's do; the winners stay the same.

    >>> normalised(np.array([1.0, -3.0])).tolist()
    [0.25, -0.75]
    """
    size = float(np.abs(weights).sum())
    return weights / size if size > 0 else weights


def check_counts(*, least: int = 0, **counts: int) -> None:
    """Reject options that are not whole numbers, are too small, or so large that memory would not suffice."""
    for name, value in counts.items():
        if type(value) is not int or not least <= value <= MOST:
            raise InputError(f"{name} must be a whole number from {least} to {MOST:,}, not {value!r}")


class _Ends:
    """A lower and an upper end for every feature, arrays of shape (K,); infinite if none is given."""

    what: str

    def __init__(self, names: Sequence[str], given: Mapping[str, tuple[float | None, float | None]] | None) -> None:
        given = given or {}
        for name in given:
            if name not in names:
                raise InputError(f"{self.what}: {unknown_name('feature', name, names)}")
        ends = [given.get(name, (None, None)) for name in names]
        self.low = np.array([-np.inf if low is None else float(low) for low, _ in ends])
        self.high = np.array([np.inf if high is None else float(high) for _, high in ends])
        for k, name in enumerate(names):
            for end, none in ((self.low[k], -np.inf), (self.high[k], np.inf)):
                if end != none and not abs(end) <= _LARGEST_END:
                    raise InputError(
                        f"{self.what} of '{name}': {end:g} is beyond {_LARGEST_END:g}; only ratios of weights matter"
                    )
            if not self.low[k] <= self.high[k]:
                raise InputError(f"{self.what} of '{name}': {self.low[k]:g} is not below {self.high[k]:g}")
        self._names = names


class Ranges(_Ends):
    """The ranges from which weights of random starts are drawn.

    Args:
        names: names of the features.
        given: (from, to) by name; weights of other features are drawn as usual.

    >>> Ranges(["lm", "w"], {"w": (-1, 0)}).given.tolist()
    [False, True]
    """

    what = "ranges"

    def __init__(self, names: Sequence[str], given: Mapping[str, tuple[float, float]] | None) -> None:
        super().__init__(names, given)
        self.given = np.isfinite(self.low) | np.isfinite(self.high)
        for k in np.flatnonzero(np.isinf(self.low) != np.isinf(self.high)).tolist():
            raise InputError(f"ranges of '{names[k]}' need two ends, such as 0 and 1")


class Bounds(_Ends):
    """The smallest and the largest weight of every feature.

    Args:
        names: names of the features.
        given: (smallest, largest) by name; a feature that is not named has no bounds, and equal bounds fix a weight.

    >>> Bounds(["lm", "w"], {"lm": (0, None)}).low.tolist()
    [0.0, -inf]
    """

    what = "bounds"

    def __init__(self, names: Sequence[str], given: Mapping[str, tuple[float | None, float | None]] | None) -> None:
        super().__init__(names, given)
        self._none = not (np.isfinite(self.low).any() or np.isfinite(self.high).any())

    @property
    def free(self) -> NDArray[np.int64]:
        """Features whose weight may change."""
        return np.flatnonzero(self.low < self.high)

    @property
    def scalable(self) -> bool:
        """Whether all weights may be multiplied by a positive number: every bound is 0 or infinite."""
        ends = np.concatenate([self.low, self.high])
        return bool((np.isinf(ends) | (ends == 0)).all())

    def check(self, weights: Floats) -> Floats:
        """Reject weights outside the bounds, and return others unchanged."""
        outside = np.flatnonzero((weights < self.low) | (weights > self.high))
        if len(outside):
            k = int(outside[0])
            raise InputError(
                f"the weight of '{self._names[k]}' is {weights[k]:g} at the start, outside its bounds "
                f"{self.low[k]:g} and {self.high[k]:g}"
            )
        return weights

    def steps(self, weights: Floats, direction: Floats) -> tuple[float, float]:
        """The longest steps backward (negative) and forward along a direction that stay within the bounds."""
        moving = direction != 0
        if self._none or not moving.any():
            return -np.inf, np.inf
        to_low = (self.low - weights)[moving] / direction[moving]
        to_high = (self.high - weights)[moving] / direction[moving]
        return float(np.minimum(to_low, to_high).max()), float(np.maximum(to_low, to_high).min())

    def inside(self, weights: Floats) -> Floats:
        """The nearest weights within the bounds, limited to values that can be computed with."""
        if self._none:  # then weights are scaled
            return weights
        return np.clip(weights, np.maximum(self.low, -LARGEST), np.minimum(self.high, LARGEST))


def random_direction(
    candidates: Candidates, free: NDArray[np.int64], rng: np.random.Generator, *, n_features: int | None = None
) -> Floats:
    """A random direction in which every feature has the same influence on model scores, whatever its scale.

    Args:
        candidates: the candidates with the features.
        free: the features whose weights may change.
        rng: generator of random numbers.
        n_features: number of features that change, chosen at random; all by default.
    """
    chosen = free if n_features is None else rng.permutation(free)[:n_features]
    direction = np.zeros(len(candidates.names))
    direction[chosen] = rng.standard_normal(len(chosen)) * candidates.scales[chosen]
    return direction
