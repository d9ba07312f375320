"""Plays of TrueSkill, for many runs in parallel; ``mtassay.judging.trueskill`` has the model and its formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtassay.kernels import kernel

if TYPE_CHECKING:
    from mtassay.types import Floats


@kernel
def trueskill_plays(
    mu: Floats,
    variance: Floats,
    numbers: Floats,
    *,
    won: Floats,
    drawn: Floats,
    met: Floats,
    beta: float,
    margin: float,
) -> tuple[Floats, Floats]:
    """Run the plays, and return the skills after them.

    In every play, x is the system with the largest variance (the first one in a tie). It meets y, drawn with weight
    exp(-|μx - μy|) from the systems that x was compared with.

    Args:
        mu: means before, shape (runs, systems).
        variance: variances before, the same shape.
        numbers: uniform random numbers, shape (runs, plays, 2): the first chooses the opponent, the second the outcome.
        won: probability that x is better than y, shape (systems, systems), or (runs · systems, systems) if runs differ.
        drawn: probability that x is better or equal, the same shape.
        met: 1 if x was compared with y, else 0, the same shape.
        beta: the noise of a play.
        margin: the draw margin ε (a play within it is a tie).

    Returns:
        means and variances after the plays.
    """
    mu, variance = mu.copy(), variance.copy()
    run = np.arange(len(mu))
    first_row = mu.shape[1] * run if len(won) > mu.shape[1] else np.zeros_like(run)
    for whom, what in numbers.transpose(1, 2, 0):
        x = variance.argmax(axis=1)
        row = first_row + x
        mu_x = mu[run, x]
        weights = np.abs(mu - mu_x[:, None])
        np.exp(np.negative(weights, out=weights), out=weights)
        weights *= met[row]
        weights.cumsum(axis=1, out=weights)
        y = (weights <= (whom * weights[:, -1])[:, None]).sum(axis=1)
        is_better, is_drawn = what < won[row, y], what < drawn[row, y]
        side = np.where(is_better | is_drawn, 1.0, -1.0)
        var_x, var_y = variance[run, x], variance[run, y]
        c = np.sqrt(2 * beta**2 + var_x + var_y)
        v, w = _moves(side * (mu_x - mu[run, y]) / c, margin / c, is_drawn & ~is_better)
        step = side * v / c
        mu[run, x] += var_x * step
        mu[run, y] -= var_y * step
        variance[run, x] = var_x * (1 - var_x / c**2 * w)
        variance[run, y] = var_y * (1 - var_y / c**2 * w)
    return mu, variance


def _moves(t: Floats, e: Floats, draw: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Changes of means and variances: v and w of the formulas."""
    from scipy.special import ndtr

    low, high = _density(e + t), _density(e - t)
    below = t - e
    at_most = ndtr(below)
    if not draw.any():
        v = high / at_most
        return v, v * (v + below)
    between = ndtr(-below) - ndtr(-e - t)
    v = np.where(draw, low - high, high) / np.where(draw, between, at_most)
    w = np.where(draw, v * v + ((e - t) * high + (e + t) * low) / between, v * (v + below))
    return v, w


def _density(x: Floats) -> Floats:
    scaled: Floats = np.exp(x * x / -2) / np.sqrt(2 * np.pi)
    return scaled
