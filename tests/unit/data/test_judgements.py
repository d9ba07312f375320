"""The tables of judgements."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import Preferences, Rankings
from mtassay.errors import InputError


def ranked(screens: list[list[int]]) -> Rankings:
    """Screens of ranks: output k of a screen is of system k, and its segment has the number of the screen."""
    rows = [(item, system, rank) for item, ranks in enumerate(screens) for system, rank in enumerate(ranks)]
    item, system, rank = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    names = tuple(map(str, range(1, len(screens) + 1)))
    return Rankings(
        tuple("abcde"), names, ("j",), item, np.zeros(len(item), dtype=np.int64), system=system, rank=rank, item=item
    )


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=5), min_size=1, max_size=6))
def test_preferences_are_all_pairs_of_a_screen(screens: list[list[int]]) -> None:
    found = ranked(screens).preferences()
    expected = [
        (item, x, y, (ranks[y] > ranks[x]) - (ranks[y] < ranks[x]))
        for item, ranks in enumerate(screens)
        for x, y in combinations(range(len(ranks)), 2)
    ]
    columns = (found.item, found.first, found.second, found.outcome)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert found.segment.tolist() == [item for item, *_ in expected]


def test_rows_of_a_screen_need_not_stand_together() -> None:
    mixed = Rankings(
        ("a", "b", "c"),
        ("1", "2"),
        ("j",),
        segment=np.array([0, 1, 0, 1]),
        judge=np.zeros(4, dtype=np.int64),
        system=np.array([2, 0, 1, 1]),
        rank=np.array([1, 3, 1, 2]),
        item=np.array([0, 1, 0, 1]),
    )
    found = mixed.preferences()
    assert (found.first.tolist(), found.second.tolist(), found.outcome.tolist()) == ([2, 0], [1, 1], [0, -1])


def test_judgements_print_as_one_line() -> None:
    assert repr(ranked([[1, 2], [2, 1]])) == "Rankings(4 rows: 5 systems, 2 segments, 1 judge)"
    assert repr(ranked([[1, 2]]).preferences()) == "Preferences(1 row: 5 systems, 1 segment, 1 judge)"


def test_counts_of_wins_and_ties() -> None:
    found = ranked([[1, 2, 2], [1, 2, 2], [3, 1]]).preferences()
    wins, ties = found.counts()
    assert (wins[0, 1], wins[1, 0], wins[0, 2], wins.sum()) == (2, 1, 2, 5)
    assert (ties[1, 2], ties[2, 1], ties.sum()) == (2, 2, 4)
    assert len(found.strict()) == 5


def test_rows_must_fit() -> None:
    zeros = np.zeros(1, dtype=np.int64)
    with pytest.raises(InputError, match="second has a number without a name"):
        Preferences(("a",), ("1",), ("",), zeros, zeros, first=zeros, second=zeros + 1, outcome=zeros, item=zeros)
    with pytest.raises(InputError, match="outcome differs in length"):
        Preferences(
            ("a", "b"),
            ("1",),
            ("",),
            zeros,
            zeros,
            first=zeros,
            second=zeros + 1,
            outcome=np.zeros(2, dtype=np.int64),
            item=zeros,
        )
