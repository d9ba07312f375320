"""Agreement of judges on preferences, by hand and by counting pairs of labels."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.judgements import Preferences
from mtassay.errors import InputError
from mtassay.judging.kappa import (
    Kappa,
    drop_inconsistent_judges,
    find_agreed,
    inter_annotator,
    inter_by_judge,
    intra_annotator,
    intra_by_judge,
)

Row = tuple[int, int, int, int, int]


def judged(rows: list[Row], *, n_judges: int = 3) -> Preferences:
    """From rows of segment, judge, first system, second system and outcome."""
    segment, judge, first, second, outcome = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Preferences(
        ("a", "b", "c"),
        ("1", "2", "3"),
        tuple("xyzuv"[:n_judges]),
        segment,
        judge,
        first=first,
        second=second,
        outcome=outcome,
        item=np.arange(len(rows)),
    )


@st.composite
def labels(draw: st.DrawFn) -> list[Row]:
    pair = st.sampled_from([(x, y) for x in range(3) for y in range(3) if x != y])
    row = st.tuples(st.integers(0, 1), st.integers(0, 2), pair, st.integers(-1, 1))
    return [(segment, judge, x, y, outcome) for segment, judge, (x, y), outcome in draw(st.lists(row, max_size=25))]


def same_item(one: Row, other: Row, rule: str) -> bool:
    if one[0] != other[0]:
        return False
    return one[2:4] == other[2:4] if rule == "official" else {*one[2:4]} == {*other[2:4]}


def equal(one: Row, other: Row) -> bool:
    return one[4] == (other[4] if one[2:4] == other[2:4] else -other[4])


def counted(pairs: list[tuple[Row, Row]], own: list[Row]) -> Kappa:
    return Kappa(sum(equal(a, b) for a, b in pairs), len(pairs), sum(row[4] == 0 for row in own), len(own))


@pytest.mark.parametrize("rule", ["strict", "official"])
@given(rows=labels())
def test_agreement_is_counted_pair_by_pair(rule: str, rows: list[Row]) -> None:
    found = judged(rows)
    pairs = [(a, b) for a, b in combinations(rows, 2) if same_item(a, b, rule)]
    across = [(a, b) for a, b in pairs if a[1] != b[1]]
    alone = [(a, b) for a, b in pairs if a[1] == b[1]]
    groups = {a[:2] for a, _ in alone}
    repeated = [row for row in rows if row[:2] in groups]
    assert inter_annotator(found, rule=rule) == counted(across if rule == "strict" else pairs, rows)
    assert intra_annotator(found, rule=rule) == counted(alone, repeated)
    for judge in range(3):
        of_judge = [(a, b) for a, b in across if judge in (a[1], b[1])]
        assert inter_by_judge(found, rule=rule)[judge] == counted(of_judge, rows)
        own = [(a, b) for a, b in alone if a[1] == judge]
        assert intra_by_judge(found, rule=rule)[judge] == counted(own, [row for row in repeated if row[1] == judge])


def test_kappa_by_hand() -> None:
    found = Kappa(agree=61, comparable=100, ties=1, labels=3)
    assert found.p_agree == 0.61
    assert found.p_chance == pytest.approx(1 / 3)
    # P(A) = .61 and P(E) = 1/3 are those of Song et al. 2013, who print .40; .415 is what they give.
    assert found.kappa_with(1 / 3) == pytest.approx(0.415)
    assert found.kappa == pytest.approx(0.415)


def test_nothing_to_compare_is_not_a_number() -> None:
    nothing = Kappa(0, 0, 0, 0)
    assert np.isnan([nothing.p_agree, nothing.p_chance, nothing.kappa]).all()
    assert np.isnan(Kappa(3, 3, 6, 6).kappa)


def test_judges_of_low_self_agreement_are_dropped() -> None:
    steady: list[Row] = [(s, 0, 0, 1, outcome) for s, outcome in ((0, 1), (0, 1), (1, 0), (1, 0))]
    fickle: list[Row] = [(s, 1, 0, 1, outcome) for s, outcome in ((0, 1), (0, -1), (1, 0), (1, 1))]
    unknown: list[Row] = [(0, 2, 0, 1, 1)]
    kept = drop_inconsistent_judges(judged([*steady, *fickle, *unknown]), least=0.2)
    assert kept.dropped == ("y",)
    assert kept.preferences.judge.tolist() == [0, 0, 0, 0, 2]
    assert drop_inconsistent_judges(judged([*steady, *fickle]), least=0.2, least_pairs=3).dropped == ()


def outcomes(found: Preferences) -> list[Any]:
    rows: list[Any] = np.column_stack([found.segment, found.first, found.second, found.outcome]).tolist()
    return rows


def test_pairs_on_which_judges_agree() -> None:
    alone: list[Row] = [(0, 0, 0, 1, 1), (0, 0, 0, 1, 1)]
    split: list[Row] = [(0, 0, 0, 2, 1), (0, 1, 0, 2, -1)]
    turned: list[Row] = [(1, 0, 0, 1, -1), (1, 1, 1, 0, 1)]
    sixty: list[Row] = [(2, j, 0, 1, outcome) for j, outcome in enumerate((-1, 1, 1, 1, 0))]
    found = judged([*alone, *split, *turned, *sixty], n_judges=5)
    assert outcomes(find_agreed(found).preferences) == [[1, 0, 1, -1], [2, 0, 1, 1]]
    assert outcomes(find_agreed(found, least_share=0.61).preferences) == [[1, 0, 1, -1]]
    # At one half, both sides of the split pair have enough: nothing was agreed.
    assert outcomes(find_agreed(found, least_share=0.5).preferences) == [[1, 0, 1, -1], [2, 0, 1, 1]]
    assert outcomes(find_agreed(found, least_judges=1).preferences)[0] == [0, 0, 1, 1]
    agreed = find_agreed(found)
    assert (agreed.n_judged, agreed.n_shared) == (4, 3)
    assert agreed.labels.segment.tolist() == [1, 1, 2, 2, 2, 2, 2]
    nothing = find_agreed(judged([]))
    assert (len(nothing.preferences), nothing.n_judged, nothing.n_shared) == (0, 0, 0)


def test_a_share_that_is_just_reached() -> None:
    """14 of 25 labels are .56 of them, although 25 times .56 is more than 14 in floating point."""
    assert 0.56 * 25 > 14
    rows = [(0, n % 3, 0, 1, 1 if n < 14 else -1) for n in range(25)]
    assert len(find_agreed(judged(rows), least_share=0.56).preferences) == 1
    assert len(find_agreed(judged(rows), least_share=0.561).preferences) == 0


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match="no rule of agreement named 'loose'"):
        inter_annotator(judged([(0, 0, 0, 1, 1)]), rule="loose")
