"""Rank ranges, clusters and fuzzy ranks from resampled judgements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mtassay.data.judgements import Preferences
from mtassay.errors import InputError
from mtassay.judging.preference_clusters import human_clusters, randomisation_p
from mtassay.judging.rank_ranges import fuzzy_ranks, ranges, rank_ranges, resampled_counts
from mtassay.judging.wins import expected_wins, win_ratio


def preferences(rows: list[tuple[int, int, int, int]], n: int = 3, segments: list[int] | None = None) -> Preferences:
    """From rows of screen, first system, second system and outcome."""
    item, first, second, outcome = np.array(rows, dtype=np.int64).T
    segment = np.array(segments if segments is not None else item, dtype=np.int64)
    names = tuple(str(number) for number in range(int(segment.max()) + 1))
    systems = tuple("abcdefgh"[:n])
    return Preferences(
        systems, names, ("",), segment, np.zeros_like(item), first=first, second=second, outcome=outcome, item=item
    )


@pytest.fixture
def screens() -> Preferences:
    """Forty screens of three systems; 0 is mostly better than 1, and 1 than 2."""
    rng = np.random.default_rng(1)
    rows = []
    for item in range(40):
        quality = np.array([1.0, 0.6, 0.0]) + rng.normal(0, 0.6, 3)
        for x, y in ((0, 1), (2, 0), (1, 2)):
            outcome = 0 if abs(quality[x] - quality[y]) < 0.1 else int(np.sign(quality[x] - quality[y]))
            rows.append((item, x, y, outcome))
    return preferences(rows)


def test_draws_are_sums_over_drawn_screens(screens: Preferences) -> None:
    """Every draw has as many screens as there are, so every pair as many judgements as before."""
    for wins, ties in resampled_counts(screens, resamples=300):
        met = wins + np.swapaxes(wins, 1, 2) + ties
        assert (met == 40 * (1 - np.eye(3))).all()
        assert (ties == np.swapaxes(ties, 1, 2)).all()


def test_draws_centre_on_the_counts(screens: Preferences) -> None:
    for unit in ("screen", "judgement"):
        drawn = list(resampled_counts(screens, resamples=4000, unit=unit))
        wins, ties = (np.concatenate([pair[k] for pair in drawn]).mean(axis=0) for k in (0, 1))
        expected_win, expected_tie = screens.counts()
        np.testing.assert_allclose(wins, expected_win, atol=0.4)
        np.testing.assert_allclose(ties, expected_tie, atol=0.4)


def test_single_judgements_vary_as_binomial_numbers() -> None:
    one_pair = preferences([(item, 0, 1, 1 if item < 30 else -1) for item in range(100)], n=2)
    wins = np.concatenate([wins for wins, _ in resampled_counts(one_pair, resamples=5000)])
    assert wins[:, 0, 1].var() == pytest.approx(100 * 0.3 * 0.7, rel=0.1)
    assert (wins.sum(axis=(1, 2)) == 100).all()


@pytest.mark.parametrize("unit", ["screen", "judgement"])
def test_first_draws_do_not_depend_on_how_many_follow(screens: Preferences, unit: str) -> None:
    few = rank_ranges(screens, resamples=100, unit=unit)
    many = rank_ranges(screens, resamples=600, unit=unit)
    assert (few.drawn == many.drawn[:100]).all()
    assert (few.drawn != rank_ranges(screens, resamples=100, unit=unit, seed=1).drawn).any()


def test_ranges_leave_out_the_tails() -> None:
    drawn = np.array([[2.0, 1.0]] * 97 + [[1.0, 2.0]] * 3)
    assert ranges([2, 1], drawn, confidence=0.95).high.tolist() == [1, 2]
    assert ranges([2, 1], drawn, confidence=0.96).high.tolist() == [2, 2]
    assert ranges([2, 1], drawn, confidence=0.96).low.tolist() == [1, 1]


def test_equal_scores_share_the_better_rank() -> None:
    found = ranges([1, 1], np.ones((50, 2)))
    assert found.low.tolist() == found.high.tolist() == [1, 1]
    assert found.clusters() == ((0, 1),)


def clusters_of(low: list[int], high: list[int], **options: Any) -> tuple[tuple[int, ...], ...]:
    """Two runs of each system: its best and its worst rank stand for the range."""
    found = ranges(-np.arange(len(low)), np.zeros((50, len(low))))
    return type(found)(found.scores, found.drawn, np.array(low), np.array(high), 0.95).clusters(**options)


def test_clusters_do_not_overlap() -> None:
    assert clusters_of([1, 2, 2, 4], [1, 3, 3, 4]) == ((0,), (1, 2), (3,))
    # The range of the first reaches below that of the second.
    assert clusters_of([1, 2, 3], [3, 2, 3]) == ((0, 1, 2),)
    assert clusters_of([1, 2, 3], [3, 2, 3], last_only=True) == ((0, 1), (2,))


def test_fuzzy_ranks_by_hand() -> None:
    drawn = np.array([[3.0, 2.0, 1.0]] * 60 + [[2.0, 3.0, 1.0]] * 40)
    found = ranges([3, 2, 1], drawn)
    assert found.alike().tolist() == [[True, True, False], [True, True, False], [False, False, True]]
    assert found.fuzzy_ranks().tolist() == [1.5, 1.5, 3.0]
    assert fuzzy_ranks([1, 1, 0], np.eye(3)).tolist() == [1.5, 1.5, 3.0]


def test_a_system_that_was_not_drawn_is_last() -> None:
    rare = preferences([(item, 0, 1, 1 if item % 2 else -1) for item in range(30)] + [(30, 2, 0, 1)])
    found = rank_ranges(rare, win_ratio, resamples=200)
    assert (found.drawn[:, 2] == -np.inf).any()
    assert found.high[2] == 3


def test_what_cannot_be_drawn_is_refused(screens: Preferences) -> None:
    with pytest.raises(InputError, match="no unit named 'screens'; did you mean 'screen'"):
        rank_ranges(screens, unit="screens")
    with pytest.raises(InputError, match="no judgements"):
        rank_ranges(screens.rows([]))
    with pytest.raises(InputError, match="2 resamples are too few"):
        rank_ranges(screens, resamples=2)


def test_p_of_pairs() -> None:
    rows = [(item, 0, 1, 1) for item in range(8)] + [(item, 1, 0, 1) for item in range(8, 10)] + [(10, 0, 1, 0)]
    p = randomisation_p(preferences(rows), unit="judgement")
    assert p[0, 1] == p[1, 0] == pytest.approx(2 * (45 + 10 + 1) / 1024)
    assert (np.diag(p) == 1).all()
    assert p[0, 2] == 1
    one_sided = randomisation_p(preferences(rows), sides=1)
    assert one_sided[0, 1] == pytest.approx(56 / 1024)
    assert one_sided[1, 0] == pytest.approx(1 - (10 + 1) / 1024)


def test_units_are_exchanged_whole() -> None:
    rows = [(0, 0, 1, 1), (0, 0, 1, 1), (1, 0, 1, 1), (2, 1, 0, -1)]
    judgements = preferences(rows, n=2, segments=[0, 0, 0, 1])
    assert randomisation_p(judgements, unit="judgement")[0, 1] == pytest.approx(2 / 16)
    assert randomisation_p(judgements, unit="screen")[0, 1] == pytest.approx(2 / 8)
    assert randomisation_p(judgements, unit="segment")[0, 1] == pytest.approx(2 / 4)
    with pytest.raises(InputError, match="no unit named 'word'"):
        randomisation_p(judgements, unit="word")
    with pytest.raises(InputError, match="1 or 2 sides"):
        randomisation_p(judgements, sides=3)


def test_clusters_of_people() -> None:
    rows = [(item, 0, 2, 1) for item in range(10)] + [(item, 0, 1, (-1) ** item) for item in range(10)]
    rows += [(item, 1, 2, 1 if item < 7 else -1) for item in range(10)]
    found = human_clusters(preferences(rows))
    assert found.clusters == ((0, 1), (1, 2))
    assert found.scores.tolist() == expected_wins(*preferences(rows).counts()).tolist()
    assert human_clusters(preferences(rows), alpha=0.001).clusters == ((0, 1, 2),)
    assert human_clusters(preferences(rows), alpha=0.003, correction="holm").clusters == ((0, 1, 2),)
    assert human_clusters(preferences(rows), alpha=0.003).clusters == ((0, 1), (1, 2))
    # A p-value at the level is significant.
    at_the_level = np.array([[1, 0.05], [0.05, 1]])
    assert human_clusters(preferences([(0, 0, 1, 1)], n=2), alpha=0.05, p=at_the_level).clusters == ((0,), (1,))
