"""Tests of every pair of systems on judgements of people."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from mtassay.data.judgements import Preferences, Rankings, Scores
from mtassay.errors import InputError
from mtassay.judging.pairwise_tests import human_tests


def scores(values: list[list[float]], *, judges: tuple[str, ...] = ("",), aspect: str = "adequacy") -> Scores:
    """From a score per system and segment; judges take turns."""
    table = np.array(values)
    n_systems, n_segments = table.shape
    system, segment = (axis.ravel() for axis in np.indices(table.shape))
    return Scores(
        tuple(f"s{number}" for number in range(n_systems)),
        tuple(str(number + 1) for number in range(n_segments)),
        judges,
        segment,
        segment % len(judges),
        system=system,
        score=table.ravel(),
        aspect=aspect,
        item=np.full(table.size, ""),
    )


def preferences(rows: list[tuple[int, int, int]], n_systems: int) -> Preferences:
    """From rows of first, second and outcome."""
    first, second, outcome = (np.array(column) for column in zip(*rows, strict=True))
    zeros = np.zeros(len(rows), dtype=np.int64)
    systems = tuple(f"s{number}" for number in range(n_systems))
    return Preferences(
        systems, ("1",), ("",), zeros, zeros, first=first, second=second, outcome=outcome, item=np.arange(len(rows))
    )


def test_preferences_without_ties_are_a_sign_test() -> None:
    rows = [(0, 1, 1)] * 8 + [(1, 0, 1)] * 2 + [(0, 1, 0)] * 5
    tests = human_tests(preferences(rows, 3))
    assert tests.p[0, 1] == pytest.approx(sum(comb(10, wins) for wins in (8, 9, 10)) / 2**10)
    assert np.isnan(tests.p[2]).all()
    np.testing.assert_array_equal(tests.judged, [[False, True, False], [True, False, False], [False, False, False]])
    assert tests.conclusions(0.1)[:2, :2].tolist() == [[0, 1], [-1, 0]]
    assert (tests.kind, tests.n_judgements) == ("randomisation", 15)


def test_rankings_become_preferences() -> None:
    items = np.repeat(np.arange(6), 2)
    zeros = np.zeros(12, dtype=np.int64)
    ranked = Rankings(
        ("a", "b"), ("1",), ("",), zeros, zeros, system=np.tile([0, 1], 6), rank=np.tile([1, 2], 6), item=items
    )
    assert human_tests(ranked).p[0, 1] == pytest.approx(2**-6)


def test_scores_without_judges_are_taken_as_they_are() -> None:
    generator = np.random.default_rng(3)
    values = generator.normal([[0.0], [0.4], [1.0]], size=(3, 40))
    tests = human_tests(scores(values.tolist()))
    for x, y in ((0, 1), (2, 0), (1, 2)):
        expected = mannwhitneyu(values[x], values[y], alternative="greater", method="asymptotic").pvalue
        assert tests.p[x, y] == pytest.approx(expected, abs=1e-12)
    assert tests.scores == pytest.approx(values.mean(axis=1))


def test_named_judges_are_standardised() -> None:
    generator = np.random.default_rng(4)
    values = generator.normal([[0.0], [1.0]], size=(2, 30))
    of_b = np.arange(30) % 2 == 1
    skewed = np.where(of_b, 10 * values + 50, values)
    tests = human_tests(scores(skewed.tolist(), judges=("a", "b")))
    z = values.copy()
    for chosen in (of_b, ~of_b):
        z[:, chosen] = (values[:, chosen] - values[:, chosen].mean()) / values[:, chosen].std(ddof=1)
    expected = mannwhitneyu(z[1], z[0], alternative="greater", method="asymptotic").pvalue
    assert tests.p[1, 0] == pytest.approx(expected, abs=1e-12)


def test_scores_of_errors_are_turned() -> None:
    values = [[1.0, 2.0, 1.0, 3.0], [5.0, 7.0, 6.0, 8.0]]
    turned = human_tests(replace(scores(values), higher_is_better=False))
    np.testing.assert_allclose(turned.p, human_tests(scores(values)).p.T)
    assert turned.scores[0] > turned.scores[1]


def test_fluency_decides_where_adequacy_does_not() -> None:
    level = np.arange(20.0)
    adequacy = scores([level.tolist(), (level + 0.5).tolist(), (level + 30).tolist()])
    fluency = scores([(level + 30).tolist(), level.tolist(), (level - 30).tolist()], aspect="fluency")
    together = human_tests(adequacy, fluency)
    assert human_tests(adequacy).conclusions(0.05)[0].tolist() == [0, 0, -1]
    assert together.conclusions(0.05)[0].tolist() == [0, 1, -1]
    assert together.n_judgements == 120


def test_systems_keep_their_p_values_when_some_are_chosen() -> None:
    values = np.random.default_rng(5).normal(size=(4, 20)).tolist()
    tests = human_tests(scores(values))
    some = tests.select(["s3", "s1"])
    assert some.p[0, 1] == tests.p[3, 1]
    assert some.scores.tolist() == tests.scores[[3, 1]].tolist()


class TestWhatIsRefused:
    def test_fluency_beside_preferences(self) -> None:
        with pytest.raises(InputError, match="these judgements are preferences"):
            human_tests(preferences([(0, 1, 1)], 2), scores([[1.0, 2.0]]))
        with pytest.raises(InputError, match="fluency must be scores"):
            human_tests(scores([[1.0, 2.0]]), preferences([(0, 1, 1)], 2))

    def test_other_systems(self) -> None:
        with pytest.raises(InputError, match="only one of them has s1"):
            human_tests(scores([[1.0, 2.0], [1.0, 3.0]]), scores([[1.0, 2.0]]))

    def test_scores_of_whole_systems(self) -> None:
        with pytest.raises(InputError, match="give scores of segments"):
            human_tests(replace(scores([[1.0], [2.0]]), segments=("",)))

    def test_scores_that_are_not_numbers(self) -> None:
        with pytest.raises(InputError, match="a score is not a number"):
            human_tests(scores([[1.0, float("nan")], [2.0, 3.0]]))

    def test_a_system_that_nobody_judged(self) -> None:
        with pytest.raises(InputError, match="named 's11'; did you mean 's1'"):
            human_tests(scores([[1.0], [2.0]])).select(["s11"])


def test_judgements_are_counted_of_the_systems_selected() -> None:
    rows = [(0, 1, 1)] * 3 + [(2, 0, 0)] * 4 + [(1, 2, -1)] * 5
    tests = human_tests(preferences(rows, 3))
    assert tests.n_judgements == 12
    for chosen, expected in ((["s2", "s0"], 4), (["s0", "s1"], 3), (["s2", "s1"], 5), (["s2", "s1", "s0"], 12)):
        assert tests.select(chosen).n_judgements == expected
    scored = human_tests(scores([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert (scored.n_judgements, scored.select(["s2", "s0"]).n_judgements) == (6, 4)


def test_the_unit_is_known_and_of_preferences_only() -> None:
    wins = preferences([(0, 1, 1)] * 3, 2)
    assert human_tests(wins).title == "exact randomisation over judgements"
    # Each of these judgements has a screen of its own.
    assert human_tests(wins, unit="screen").title == "exact randomisation over judgements"
    one_screen = replace(wins, item=np.zeros_like(wins.item))
    assert human_tests(one_screen, unit="screen").title == "exact randomisation over screens"
    assert human_tests(wins, unit="segment").title == "exact randomisation over segments"
    table = scores([[1.0, 2.0], [3.0, 4.0]])
    assert human_tests(table).title == "rank-sum test over segment scores"
    with pytest.raises(InputError, match="the unit 'segment' is for preferences"):
        human_tests(table, unit="segment")
