"""Plays of TrueSkill: compiled equals Python. Only exponentials may differ, in the last bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mtassay.kernels import trueskill

native = pytest.importorskip("mtassay._native", reason="not compiled")


def made(seed: int, *, n: int, runs: int, plays: int, own_outcomes: bool, met: float = 1.0) -> list[Any]:
    """Arguments: skills before the plays, random numbers, and outcomes of pairs of which a share `met` was compared."""
    rng = np.random.default_rng(seed)
    n_tables = runs if own_outcomes else 1
    asked = np.triu(rng.random((n_tables, n, n)) < met, 1)
    asked[:, 0, 1:] = True  # everyone was compared with the first
    shares = rng.dirichlet([4, 2, 4], size=(n_tables, n, n))
    return [
        rng.normal(0, 0.3, (runs, n)),
        rng.uniform(0.05, 0.25, (runs, n)),
        rng.random((runs, plays, 2)),
        shares[..., 0].reshape(-1, n),
        shares[..., :2].sum(axis=-1).reshape(-1, n),
        (asked | asked.swapaxes(1, 2)).astype(float).reshape(-1, n),
    ]


@pytest.mark.parametrize("own_outcomes", [False, True])
@pytest.mark.parametrize(("n", "met"), [(2, 1.0), (3, 0.0), (7, 0.5), (14, 1.0)])
@pytest.mark.parametrize("beta", [0.05, 0.7, 400.0])
def test_both_play_the_same(own_outcomes: bool, n: int, met: float, beta: float) -> None:
    arguments = made(n, n=n, runs=4, plays=300, own_outcomes=own_outcomes, met=met)
    before = [argument.copy() for argument in arguments]
    python = trueskill.trueskill_plays(*arguments, beta, 0.45 * beta)
    ours = native.trueskill_plays(*arguments, beta, 0.45 * beta)
    for found, expected, start in zip(ours, python, before[:2], strict=True):
        assert not np.array_equal(expected, start)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    for argument, copy in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(argument, copy)


def test_plays_may_be_made_in_parts() -> None:
    mu, variance, numbers, *outcomes = made(1, n=5, runs=3, plays=40, own_outcomes=False)
    for kernels in (native, trueskill):
        whole = kernels.trueskill_plays(mu, variance, numbers, *outcomes, 1.0, 0.45)
        first = kernels.trueskill_plays(mu, variance, numbers[:, :17].copy(), *outcomes, 1.0, 0.45)
        parts = kernels.trueskill_plays(*first, numbers[:, 17:].copy(), *outcomes, 1.0, 0.45)
        np.testing.assert_array_equal(whole, parts)


def test_shapes_that_do_not_fit_are_refused() -> None:
    good = made(1, n=3, runs=2, plays=4, own_outcomes=True)
    for place, wrong in [
        (1, np.zeros((2, 2))),
        (2, np.zeros((1, 4, 2))),
        (2, np.zeros((2, 4, 3))),
        (3, np.zeros((4, 3))),
        (4, np.zeros((3, 3))),
        (5, np.zeros((6, 2))),
    ]:
        with pytest.raises(ValueError, match=r"fit each other|of one run or of every run"):
            native.trueskill_plays(*good[:place], wrong, *good[place + 1 :], 1.0, 0.45)
