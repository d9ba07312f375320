"""Strengths of systems by the model of Bradley & Terry 1952.

x is better than y with probability 1 / (1 + exp(θy - θx)); the strengths θ maximise the likelihood of the judgements,
and their mean is 0. A tie counts as half a win for each side.

The maximum exists only if every system has won against every other, directly or through others (Ford 1957). It does not
exist if a system has won or lost all comparisons, or if two groups of systems were never compared. Then `PRIOR` ties
are added to each pair of systems, which keeps all strengths finite, and the result reports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import InputError

if TYPE_CHECKING:
    from mtassay.types import Floats

#: Number of ties added to each pair of systems if strengths would otherwise be infinite.
PRIOR = 0.1
_MOST_STEPS = 200
_TOLERANCE = 1e-12
#: Largest change of a strength in a Newton step, since the curvature is a poor guide far from the maximum.
_LONGEST_STEP = 1.0


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Strengths of systems.

    Attributes:
        strengths: log strengths with mean 0, shape (..., systems); NaN for a system without any comparison.
        finite: whether the likelihood of the judgements has a maximum, bool of shape (...); if not, `PRIOR` was added.
    """

    strengths: Floats
    finite: NDArray[np.bool_]


def bradley_terry(wins: Any, ties: Any = None) -> BradleyTerry:
    """Maximum-likelihood strengths, by Newton's method.

    Args:
        wins: wins[..., x, y]: how often x was better than y, shape (..., systems, systems).
        ties: the same for ties (symmetric); none by default.

    >>> bradley_terry([[0, 3], [1, 0]]).strengths.round(6).tolist()
    [0.549306, -0.549306]
    """
    won = np.asarray(wins, dtype=np.float64)
    won = won if ties is None else won + np.asarray(ties, dtype=np.float64) / 2
    n = won.shape[-1]
    finite = np.asarray(reachable(won > 0).all(axis=(-1, -2)))
    others = ~np.eye(n, dtype=bool)
    informed = np.where(finite[..., None, None], won, won + PRIOR / 2) * others
    strengths = _maximise(informed)
    met = (won * others).sum(axis=-1) + (won * others).sum(axis=-2) > 0
    strengths = np.where(met, strengths, np.nan)
    known = np.maximum(met.sum(axis=-1, keepdims=True), 1)
    return BradleyTerry(strengths - np.nansum(strengths, axis=-1, keepdims=True) / known, finite)


def reachable(leads: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which systems reach which in zero or more steps; shape (..., systems, systems)."""
    n = leads.shape[-1]
    reach = leads | np.eye(n, dtype=bool)
    for _ in range(n.bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return reach


def _maximise(won: Floats) -> Floats:
    """Newton's method on the concave log likelihood; the mean of the strengths is held at 0."""
    n = won.shape[-1]
    met = won + np.swapaxes(won, -1, -2)
    scale = np.maximum(met.sum(axis=(-1, -2)), 1.0)[..., None]
    strengths = np.zeros(won.shape[:-1])
    for _ in range(_MOST_STEPS):
        likely = 1 / (1 + np.exp(np.clip(strengths[..., None, :] - strengths[..., :, None], -500, 500)))
        slope = (won - met * likely).sum(axis=-1) / scale
        if np.abs(slope).max(initial=0.0) < _TOLERANCE:
            return strengths
        bend = met * likely * (1 - likely) / scale[..., None]
        # Only differences of strengths are identified; adding 1/n makes the Hessian invertible.
        curvature = np.eye(n) * bend.sum(axis=-1)[..., None] - bend + 1 / n
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        strengths = strengths + step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
    raise InputError("Bradley-Terry strengths were not found: some systems have too few losses or wins")
