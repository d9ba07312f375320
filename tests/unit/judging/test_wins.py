"""Scores of systems from preferences, against their definitions."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from mtassay.equality import equalised
from mtassay.errors import InputError
from mtassay.judging.bradley_terry import PRIOR, bradley_terry
from mtassay.judging.feedback_arcs import arcs, cost, feedback_arc_order
from mtassay.judging.wins import METHODS, expected_wins, method


def symmetric(matrix: Any) -> Any:
    lower = np.tril(matrix, k=-1)
    return lower + lower.T


@st.composite
def counts(draw: st.DrawFn, *, least: int = 2, most: int = 5, largest: int = 6) -> tuple[Any, Any]:
    n = draw(st.integers(least, most))
    wins, ties = (draw(arrays(np.int64, (n, n), elements=st.integers(0, largest))) for _ in range(2))
    np.fill_diagonal(wins, 0)
    return wins.astype(np.float64), symmetric(ties).astype(np.float64)


def by_definition(name: str, wins: Any, ties: Any, x: int) -> float:
    others = [y for y in range(len(wins)) if y != x]
    w, lost, e = ([table[y] for y in others] for table in (wins[x], wins[:, x], ties[x]))
    if name == "wins":
        return sum(w) / (sum(w) + sum(lost)) if sum(w) + sum(lost) else np.nan
    if name == "wins+ties":
        return (sum(w) + sum(e)) / (sum(w) + sum(lost) + sum(e)) if sum(w) + sum(lost) + sum(e) else np.nan
    shares = []
    for won, loss, tied in zip(w, lost, e, strict=True):
        if name == "expected-wins" and won + loss:
            shares.append(won / (won + loss))
        elif name == "net-wins" and won + loss + tied:
            shares.append((won - loss) / (won + loss + tied))
        elif name == "soccer" and won + loss + tied:
            shares.append((won + tied / 2) / (won + loss + tied))
    return sum(shares) / len(shares) if shares else np.nan


@pytest.mark.parametrize("name", [name for name in METHODS if name != "bradley-terry"])
@given(given_counts=counts())
def test_scores_are_what_the_definitions_say(name: str, given_counts: tuple[Any, Any]) -> None:
    wins, ties = given_counts
    expected = [by_definition(name, wins, ties, x) for x in range(len(wins))]
    np.testing.assert_allclose(method(name)(wins, ties), expected, rtol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_leading_axes_are_independent(name: str) -> None:
    rng = np.random.default_rng(7)
    wins = rng.integers(1, 9, (3, 2, 4, 4)) * (1.0 - np.eye(4))
    ties = rng.integers(0, 5, (3, 2, 4, 4)).astype(np.float64)
    ties = np.tril(ties, k=-1) + np.swapaxes(np.tril(ties, k=-1), -1, -2)
    together = method(name)(wins, ties)
    for place in np.ndindex(3, 2):
        np.testing.assert_allclose(together[place], method(name)(wins[place], ties[place]), rtol=1e-9, atol=1e-12)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="no human score named 'soccr'; did you mean 'soccer'"):
        method("soccr")
    with pytest.raises(InputError, match="no weight of arcs named 'row'"):
        feedback_arc_order([[0, 1], [0, 0]], weight="row")


def negative_log_likelihood(strengths: Any, wins: Any) -> float:
    return float((wins * np.log1p(np.exp(strengths[None, :] - strengths[:, None]))).sum())


@given(given_counts=counts(most=4))
def test_bradley_terry_maximises_the_likelihood(given_counts: tuple[Any, Any]) -> None:
    wins, ties = given_counts
    wins = wins + (1 - np.eye(len(wins)))
    found = bradley_terry(wins, ties)
    assert found.finite
    expected = minimize(negative_log_likelihood, np.zeros(len(wins)), args=(wins + ties / 2,), tol=1e-10).x
    np.testing.assert_allclose(found.strengths, expected - expected.mean(), atol=1e-4)
    assert found.strengths.sum() == pytest.approx(0, abs=1e-9)


def test_two_systems_have_a_closed_form() -> None:
    strengths = bradley_terry([[0, 30], [10, 0]], [[0, 8], [8, 0]]).strengths
    assert strengths[0] - strengths[1] == pytest.approx(np.log(34 / 14))


def test_an_undefeated_system_stays_finite_and_first() -> None:
    found = bradley_terry([[0, 5, 5], [0, 0, 3], [0, 2, 0]])
    assert not found.finite
    assert np.isfinite(found.strengths).all()
    assert found.strengths.argmax() == 0
    wins = np.array([[0.0, 5, 5], [0, 0, 3], [0, 2, 0]]) + PRIOR / 2 * (1 - np.eye(3))
    expected = minimize(negative_log_likelihood, np.zeros(3), args=(wins,), tol=1e-10).x
    np.testing.assert_allclose(found.strengths, expected - expected.mean(), atol=1e-3)


def test_a_system_without_comparisons_has_no_strength() -> None:
    strengths = bradley_terry([[0, 3, 0], [1, 0, 0], [0, 0, 0]]).strengths
    assert np.isnan(strengths[2])
    assert np.isfinite(strengths[:2]).all()
    assert strengths[:2].sum() == pytest.approx(0)


def test_groups_that_never_met_stay_finite() -> None:
    found = bradley_terry([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]])
    assert not found.finite
    assert np.isfinite(found.strengths).all()


@pytest.mark.parametrize("weight", ["raw", "net"])
@given(given_counts=counts(most=6, largest=4))
def test_no_order_contradicts_less(weight: str, given_counts: tuple[Any, Any]) -> None:
    wins, ties = given_counts
    weights = arcs(wins, ties, weight=weight)
    found = feedback_arc_order(wins, ties, weight=weight)
    assert sorted(found.order) == list(range(len(wins)))
    assert found.cost == pytest.approx(cost(found.order, weights))
    costs = {order: cost(order, weights) for order in permutations(range(len(wins)))}
    least = min(costs.values())
    assert found.cost == pytest.approx(least, abs=1e-9)
    preferred = np.nan_to_num(equalised(expected_wins(wins)), nan=-1.0)
    best = [order for order, value in costs.items() if value <= least + 1e-9]
    assert found.order == min(best, key=lambda order: [(-preferred[system], system) for system in order])


def test_seven_systems_in_circles() -> None:
    rng = np.random.default_rng(3)
    wins = rng.integers(0, 30, (7, 7)) * (1.0 - np.eye(7))
    weights = arcs(wins)
    least = min(cost(order, weights) for order in permutations(range(7)))
    assert feedback_arc_order(wins).cost == pytest.approx(least)
    assert least > 0
