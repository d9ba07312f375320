"""Shares of preferences, and their paired bootstrap against its exact distribution."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

from mtassay.data.judgements import Preferences, Rankings
from mtassay.errors import InputError
from mtassay.judging.preference_shares import preference_shares


def preferences(outcomes: dict[tuple[int, int], list[int]], names: tuple[str, ...]) -> Preferences:
    rows = [(x, y, outcome) for (x, y), given in outcomes.items() for outcome in given]
    first, second, outcome = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    zeros = np.zeros(len(rows), dtype=np.int64)
    return Preferences(
        names, ("1",), ("",), zeros, zeros, first=first, second=second, outcome=outcome, item=np.arange(len(rows))
    )


def exact_p(wins: int, losses: int, ties: int) -> float:
    """Probability that n judgements, drawn with replacement, have no more wins than losses."""
    n = wins + losses + ties
    shares = (wins / n, losses / n, ties / n)
    total = 0.0
    for w, drawn_l in product(range(n + 1), repeat=2):
        if w + drawn_l <= n and w <= drawn_l:
            t = n - w - drawn_l
            total += comb(n, w) * comb(n - w, drawn_l) * shares[0] ** w * shares[1] ** drawn_l * shares[2] ** t
    return total


def test_shares_count_ties_and_both_orders() -> None:
    found = preference_shares(preferences({(0, 1): [1, 1, 0], (1, 0): [1]}, ("a", "b", "c")))
    assert found.shares[0, 1] == 0.5
    assert found.shares[1, 0] == 0.25
    assert found.n[0, 1] == found.n[1, 0] == 4
    assert np.isnan(found.shares[0, 2])
    assert np.isnan(found.p[2, 0])
    assert {(pair["system"], pair["better_than"]) for pair in found.to_dict()["pairs"]} == {("a", "b"), ("b", "a")}


@pytest.mark.parametrize(("wins", "losses", "ties"), [(12, 5, 8), (3, 3, 0), (9, 1, 2)])
def test_p_against_the_exact_distribution(wins: int, losses: int, ties: int) -> None:
    outcomes = [1] * wins + [-1] * losses + [0] * ties
    found = preference_shares(preferences({(0, 1): outcomes}, ("a", "b")), resamples=40_000)
    assert found.p[0, 1] == pytest.approx(exact_p(wins, losses, ties), abs=0.01)
    assert found.p[1, 0] == pytest.approx(exact_p(losses, wins, ties), abs=0.01)


def test_systems_can_be_chosen_and_the_seed_decides() -> None:
    given = preferences({(0, 1): [1, -1, 1, 0, 1], (1, 2): [1, 1, -1]}, ("a", "b", "c"))
    found = preference_shares(given, ["b", "a"], resamples=500)
    assert found.systems == ("b", "a")
    assert found.shares[1, 0] == 0.6
    assert np.array_equal(found.p, preference_shares(given, ["b", "a"], resamples=500).p, equal_nan=True)
    with pytest.raises(InputError, match=r"no system 'd' \(systems: a, b, c\)"):
        preference_shares(given, ["a", "d"])


def test_rankings_of_five_as_in_the_paper() -> None:
    numbers = np.arange(5)
    ranking = Rankings(
        tuple("abcde"),
        ("1",),
        ("",),
        segment=np.zeros(5, dtype=np.int64),
        judge=np.zeros(5, dtype=np.int64),
        system=numbers,
        rank=numbers + 1,
        item=np.zeros(5, dtype=np.int64),
    )
    found = preference_shares(ranking.preferences(), resamples=100)
    assert np.array_equal(found.shares[np.triu_indices(5, 1)], np.ones(10))
    assert (found.p[np.triu_indices(5, 1)] == 1 / 101).all()
