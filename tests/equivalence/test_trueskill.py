"""Plays of TrueSkill: compiled equals Python. Only exponentials may differ, in the last bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mtassay.kernels.trueskill import trueskill_plays

native = pytest.importorskip("mtassay._native", reason="not compiled")


def made(
    seed: int, *, n: int, runs: int, plays: int, own_outcomes: bool, met: float = 1.0
) -> tuple[list[Any], dict[str, Any]]:
    """Skills before the plays and random numbers; and outcomes of pairs of which a share `met` was compared."""
    rng = np.random.default_rng(seed)
    n_tables = runs if own_outcomes else 1
    asked = np.triu(rng.random((n_tables, n, n)) < met, 1)
    asked[:, 0, 1:] = True  # everyone was compared with the first
    shares = rng.dirichlet([4, 2, 4], size=(n_tables, n, n))
    skills = [rng.normal(0, 0.3, (runs, n)), rng.uniform(0.05, 0.25, (runs, n)), rng.random((runs, plays, 2))]
    outcomes = {
        "won": shares[..., 0].reshape(-1, n),
        "drawn": shares[..., :2].sum(axis=-1).reshape(-1, n),
        "met": (asked | asked.swapaxes(1, 2)).astype(float).reshape(-1, n),
    }
    return skills, outcomes


@pytest.mark.parametrize("own_outcomes", [False, True])
@pytest.mark.parametrize(("n", "met"), [(2, 1.0), (3, 0.0), (7, 0.5), (14, 1.0)])
@pytest.mark.parametrize("beta", [0.05, 0.7, 400.0])
def test_both_play_the_same(own_outcomes: bool, n: int, met: float, beta: float) -> None:
    skills, outcomes = made(n, n=n, runs=4, plays=300, own_outcomes=own_outcomes, met=met)
    arguments = [*skills, *outcomes.values()]
    before = [argument.copy() for argument in arguments]
    python = trueskill_plays.specification(*skills, **outcomes, beta=beta, margin=0.45 * beta)
    ours = native.trueskill_plays(*skills, **outcomes, beta=beta, margin=0.45 * beta)
    for found, expected, start in zip(ours, python, before[:2], strict=True):
        assert not np.array_equal(expected, start)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    for argument, copy in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(argument, copy)


def test_plays_may_be_made_in_parts() -> None:
    (mu, variance, numbers), outcomes = made(1, n=5, runs=3, plays=40, own_outcomes=False)
    options = {**outcomes, "beta": 1.0, "margin": 0.45}
    for play in (native.trueskill_plays, trueskill_plays.specification):
        whole = play(mu, variance, numbers, **options)
        first_mu, first_variance = play(mu, variance, numbers[:, :17].copy(), **options)
        parts = play(first_mu, first_variance, numbers[:, 17:].copy(), **options)
        np.testing.assert_array_equal(whole, parts)


def test_shapes_that_do_not_fit_are_refused() -> None:
    skills, outcomes = made(1, n=3, runs=2, plays=4, own_outcomes=True)
    names = ("mu", "variance", "numbers", *outcomes)
    good = dict(zip(names, [*skills, *outcomes.values()], strict=True))
    for place, wrong in [
        (1, np.zeros((2, 2))),
        (2, np.zeros((1, 4, 2))),
        (2, np.zeros((2, 4, 3))),
        (3, np.zeros((4, 3))),
        (4, np.zeros((3, 3))),
        (5, np.zeros((6, 2))),
    ]:
        with pytest.raises(ValueError, match=r"fit each other|of one run or of every run"):
            native.trueskill_plays(**{**good, names[place]: wrong}, beta=1.0, margin=0.45)
