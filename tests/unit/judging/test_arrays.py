"""Judgements and a test set as arrays: names of systems and segments become the numbers that all verbs use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mtassay.data import Preferences, Rankings, Scores, TestSet
from mtassay.errors import InputError
from mtassay.judging.arrays import preferences_between, preferences_or_scores, score_table, segment_places
from mtassay.judging.gold import gold_of
from mtassay.judging.learning_targets import human_pairs, human_scores
from mtassay.judging.methods import OF_SCORES
from mtassay.judging.normalisation import NORMALISATIONS, normalised
from mtassay.judging.pairwise_tests import human_tests
from mtassay.verbs.humans import humans

TEXTS = TestSet([["r"] * 4], {name: ["o"] * 4 for name in ("x", "y", "z")}, ids=["d1", "d2", "d3", "d4"])


def scores(segments: tuple[str, ...] = ("4", "2"), judges: tuple[str, ...] = ("j", "k")) -> Scores:
    """Two segments of "z", "x" and a system that the test set does not have, scored by two judges."""
    system, segment, judge = np.array([(s, g, j) for s in range(3) for g in range(2) for j in range(2)]).T
    score = np.array([1.0, 5, 2, 9, 4, 4, 8, 3, 7, 6, 0, 2])
    item = np.full(12, "")
    return Scores(
        ("z", "x", "odd"), segments, judges, segment, judge, system=system, score=score, aspect="da", item=item
    )


def preferences() -> Preferences:
    first, second, segment, outcome = np.array([(0, 1, 0, 1), (1, 0, 1, 1), (2, 1, 1, -1), (0, 1, 1, 0)]).T
    zeros = np.zeros(4, dtype=np.int64)
    columns = {"first": first, "second": second, "outcome": outcome, "item": np.arange(4)}
    return Preferences(("z", "x", "odd"), ("4", "2"), ("",), segment, zeros, **columns)


def test_scores_are_placed_by_number_and_by_id() -> None:
    expected = np.full((3, 4), np.nan)
    expected[0, [3, 1]], expected[2, [3, 1]] = [4, 5.5], [3, 5.5]
    for segments in (("4", "2"), ("d4", "d2")):
        np.testing.assert_array_equal(score_table(scores(segments), TEXTS.systems, testset=TEXTS), expected)
        np.testing.assert_array_equal(human_scores(TEXTS, scores(segments)), expected)
        found: Any = gold_of(TEXTS, scores(segments), method="mean")
        assert (found.systems, found.left_out, found.unjudged) == (("x", "z"), ("odd",), ("y",))
        np.testing.assert_array_equal(found.per_segment, expected[[0, 2]])
    np.testing.assert_array_equal(score_table(scores(), ["odd", "z"]), [[6.5, 1], [3, 5.5]])


@pytest.mark.parametrize("method", ["z", "even"])
def test_judges_without_names_have_no_scale_of_their_own(method: str) -> None:
    nameless = replace(scores(), judges=("", ""))
    said = f"{method} normalises the scores of each judge, but these scores name no judges"
    with pytest.raises(InputError, match=said):
        human_scores(TEXTS, nameless, normalise=method)
    with pytest.raises(InputError, match=said):
        gold_of(TEXTS, nameless, method=method)


def test_scores_of_whole_systems_are_no_scores_of_segments() -> None:
    with pytest.raises(InputError, match="these judgements score whole systems, but scores of segments are needed"):
        human_scores(TEXTS, scores(segments=("", "1")))


@pytest.mark.parametrize("method", NORMALISATIONS)
def test_all_verbs_normalise_alike(method: str) -> None:
    table = score_table(normalised(scores(), method).scores, ["x", "z"], testset=TEXTS)
    found: Any = gold_of(TEXTS, scores(), method=method)
    np.testing.assert_array_equal(found.per_segment, table)
    np.testing.assert_array_equal(human_scores(TEXTS, scores(), normalise=method)[[0, 2]], table)
    ranked = humans(scores(), method=method, systems=["x", "z"], resamples=20).aspects[0].columns[0]
    np.testing.assert_allclose(ranked.scores, np.nanmean(table, axis=1), rtol=1e-12)
    if method == "z":  # what tests of pairs take where judges are named
        np.testing.assert_array_equal(human_tests(scores()).scores[[1, 0]], ranked.scores)
    assert OF_SCORES is NORMALISATIONS


def test_preferences_get_the_numbers_of_the_test_set() -> None:
    found = preferences_between(preferences(), TEXTS.systems, testset=TEXTS)
    assert (found.systems, len(found.segments)) == (("x", "y", "z"), 4)
    rows = np.array([found.segment, found.first, found.second, found.outcome]).T.tolist()
    assert rows == [[3, 2, 0, 1], [1, 0, 2, 1], [1, 2, 0, 0]]
    better, worse, segment = human_pairs(TEXTS, preferences())
    assert (better.tolist(), worse.tolist(), segment.tolist()) == ([2, 0], [0, 2], [3, 1])
    gold: Any = gold_of(TEXTS, preferences())
    assert (gold.method, gold.systems, gold.preferences.segment.tolist()) == ("expected-wins", ("x", "z"), [3, 1, 1])
    assert len(preferences_between(preferences(), ["y", "x"])) == 0


def test_rankings_are_preferences_and_other_things_are_refused() -> None:
    zeros = np.zeros(2, dtype=np.int64)
    ranked = Rankings(("x", "y"), ("1",), ("",), zeros, zeros, system=np.arange(2), rank=np.array([2, 1]), item=zeros)
    found = preferences_or_scores(ranked)
    assert isinstance(found, Preferences)
    assert found.outcome.tolist() == [-1]
    for verb in (preferences_or_scores, human_tests, lambda odd: gold_of(TEXTS, odd)):
        with pytest.raises(InputError, match="rankings, preferences, scores or spans, not str"):
            verb("x y")


def test_segments_that_are_not_there() -> None:
    for segments, said in ((("5", "2"), "have segment '5', which"), (("d9", "2"), "'d9'"), (("0", "2"), "'0'")):
        with pytest.raises(InputError, match=said):
            segment_places(scores(segments), TEXTS)
    with pytest.raises(InputError, match="mean the same segment"):
        human_scores(TEXTS, replace(scores(), segments=("d2", "2")))
    with pytest.raises(InputError, match="segment 'd2', which is several times in the test set"):
        segment_places(scores(("d2", "1")), replace(TEXTS, ids=("d1", "d2", "d3", "d2")))
