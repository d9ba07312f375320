"""TrueSkill of WMT, against a plain play-by-play reading of its rules."""

from __future__ import annotations

from math import erf, exp, pi, sqrt
from typing import Any

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.judging.trueskill import trueskill

WINS = [[0, 30, 40], [10, 0, 25], [5, 15, 0]]
TIES = [[0, 5, 0], [5, 0, 8], [0, 8, 0]]


def phi(x: float) -> float:
    return exp(-x * x / 2) / sqrt(2 * pi)


def cdf(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2


def one_run(wins: Any, ties: Any, *, seed: int, run: int, plays: int) -> list[float]:
    n = len(wins)
    margin_in_beta = 0.318639363964375 * sqrt(2)  # the normal quantile of .625
    beta = 0.5 * plays / 40
    mu, variance = [0.0] * n, [0.25] * n
    numbers = np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, 2, run)))).random((plays, 2))
    for whom, what in numbers.tolist():
        x = max(range(n), key=lambda s: (variance[s], -s))
        met = [wins[x][y] + wins[y][x] + ties[x][y] for y in range(n)]
        weights = [exp(-abs(mu[x] - mu[y])) if met[y] else 0.0 for y in range(n)]
        aim, y = whom * sum(weights), 0
        while weights[y] == 0 or aim >= sum(weights[: y + 1]):
            y += 1
        won, tied = wins[x][y] / met[y], ties[x][y] / met[y]
        if what >= won + tied:
            x, y = y, x
        c = sqrt(2 * beta**2 + variance[x] + variance[y])
        t, e = (mu[x] - mu[y]) / c, margin_in_beta * beta / c
        if won <= what < won + tied:
            between = cdf(e - t) - cdf(-e - t)
            v = (phi(-e - t) - phi(e - t)) / between
            w = v * v + ((e - t) * phi(e - t) + (e + t) * phi(e + t)) / between
        else:
            v = phi(t - e) / cdf(t - e)
            w = v * (v + t - e)
        mu[x], mu[y] = mu[x] + variance[x] / c * v, mu[y] - variance[y] / c * v
        variance[x], variance[y] = (
            variance[x] * (1 - variance[x] / c**2 * w),
            variance[y] * (1 - variance[y] / c**2 * w),
        )
    return mu


def test_runs_follow_the_rules_play_by_play() -> None:
    found = trueskill(WINS, TIES, runs=3, seed=5)
    n_plays = 30 + 40 + 10 + 25 + 5 + 15 + 5 + 8
    for run in range(3):
        assert found.runs[run] == pytest.approx(one_run(WINS, TIES, seed=5, run=run, plays=n_plays), rel=1e-9)
    assert found.scores == pytest.approx(found.runs.mean(axis=0))


def test_a_run_is_the_same_however_many_there_are() -> None:
    assert (trueskill(WINS, TIES, runs=2).runs == trueskill(WINS, TIES, runs=5).runs[:2]).all()


def test_judgements_of_each_run() -> None:
    repeated = trueskill(np.array([WINS] * 4), np.array([TIES] * 4), runs=4)
    assert (repeated.runs == trueskill(WINS, TIES, runs=4).runs).all()
    with pytest.raises(InputError, match="judgements for 4 runs of TrueSkill, but 5"):
        trueskill(np.array([WINS] * 4), np.array([TIES] * 4), runs=5)


def test_better_systems_have_more_skill() -> None:
    assert (np.diff(trueskill(WINS, TIES, runs=50).scores) < 0).all()


def test_pairs_that_never_met_are_never_drawn() -> None:
    found = trueskill([[0, 9, 0], [1, 0, 0], [0, 6, 0]], np.zeros((3, 3)), runs=50)
    assert np.isfinite(found.runs).all()
    assert found.scores.argmin() == 1


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(InputError, match="a comparison of every system"):
        trueskill([[0, 9, 0], [1, 0, 0], [0, 0, 0]], np.zeros((3, 3)), runs=2)
    # In the second run, the third system has no comparison.
    wins = [[[0, 3, 1], [2, 0, 0], [0, 0, 0]], [[0, 4, 0], [2, 0, 0], [0, 0, 0]]]
    with pytest.raises(InputError, match="a system has so few comparisons that a resample has none of them"):
        trueskill(wins, np.zeros((2, 3, 3)), runs=2)
    with pytest.raises(InputError, match="at least 1, not 0"):
        trueskill(WINS, TIES, runs=0)
