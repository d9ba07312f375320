"""Scores of assessors: standardisation, quality control, rank-sum tests, alpha."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel, wilcoxon

from mtassay.data.judgements import Scores
from mtassay.errors import InputError
from mtassay.judging.alpha import alpha_by_judge, krippendorff_alpha
from mtassay.judging.assessments import (
    combined_p,
    conclusions,
    even_out,
    official_clusters,
    rank_sum_p,
    segment_scores,
    standardise,
    system_scores,
)
from mtassay.judging.quality_control import control_pairs, degraded_p, drop_careless, drop_inconsistent, repeats_p


def assessed(rows: Sequence[tuple[int, int, int, float, str]], *, higher_is_better: bool = True) -> Scores:
    """From rows of judge, system, segment, score and kind."""
    judge, system, segment, score, kind = (list(column) for column in zip(*rows, strict=True))
    return Scores(
        tuple(f"s{number}" for number in range(max(system) + 1)),
        tuple(str(number) for number in range(max(segment) + 1)),
        tuple(f"j{number}" for number in range(max(judge) + 1)),
        np.array(segment),
        np.array(judge),
        system=np.array(system),
        score=np.array(score, dtype=np.float64),
        aspect="da",
        item=np.array(kind),
        higher_is_better=higher_is_better,
    )


def test_each_assessor_is_standardised_over_all_rows() -> None:
    scores = assessed([(0, 0, 0, 10, "SYSTEM"), (0, 1, 0, 20, "SYSTEM"), (0, 1, 0, 60, "REF"), (1, 0, 0, 5, "SYSTEM")])
    kept = standardise(scores)
    deviation = np.sqrt((20**2 + 10**2 + 30**2) / 2)
    assert kept.scores.score == pytest.approx([-20 / deviation, -10 / deviation, 30 / deviation])
    assert kept.dropped == ("j1",)


def test_assessors_who_always_say_the_same_are_dropped() -> None:
    scores = assessed([(0, 0, n, 0.1, "") for n in range(7)] + [(1, 0, 0, 1, ""), (1, 0, 1, 3, "")])
    kept = standardise(scores)
    assert kept.dropped == ("j0",)
    assert kept.scores.score == pytest.approx([-np.sqrt(0.5), np.sqrt(0.5)])


def test_segments_are_means_and_systems_means_of_those() -> None:
    rows = [
        (0, 0, 0, 1.0, ""),
        (1, 0, 0, 3.0, ""),
        (0, 0, 1, 8.0, ""),
        (0, 1, 1, 4.0, "SYSTEM"),
        (0, 1, 0, 99, "BAD-REF"),
    ]
    per_segment = segment_scores(assessed(rows))
    np.testing.assert_array_equal(per_segment, [[2.0, 8.0], [np.nan, 4.0]])
    assert system_scores(per_segment).tolist() == [5.0, 4.0]
    assert np.isnan(system_scores([[np.nan]])).all()


def test_places_in_an_assessors_own_distribution() -> None:
    rows = [(0, 0, n, score, "") for n, score in enumerate([1, 2, 2, 5])] + [(1, 0, 0, 70, ""), (1, 0, 1, 90, "")]
    assert even_out(assessed(rows)).score.tolist() == [0.125, 0.5, 0.5, 0.875, 0.25, 0.75]


@given(
    one=st.lists(st.integers(0, 5), min_size=1, max_size=12), other=st.lists(st.integers(0, 5), min_size=1, max_size=12)
)
def test_rank_sum_by_its_definition(one: list[int], other: list[int]) -> None:
    table = np.full((2, 12), np.nan)
    table[0, : len(one)], table[1, : len(other)] = one, other
    p = rank_sum_p(table)
    pooled = [*one, *other]
    if len(set(pooled)) == 1:
        assert (p == 1).all()
        return
    n, n_pairs = len(pooled), len(one) * len(other)
    ties = sum(pooled.count(value) ** 3 - pooled.count(value) for value in set(pooled))
    deviation = math.sqrt(n_pairs / 12 * (n + 1 - ties / (n * (n - 1))))
    surplus = sum((x > y) + (x == y) / 2 for x in one for y in other) - n_pairs / 2
    for found, towards in ((p[0, 1], surplus), (p[1, 0], -surplus)):
        assert found == pytest.approx(math.erfc((towards - 0.5) / deviation / math.sqrt(2)) / 2, rel=1e-12)


def test_a_system_without_scores_is_not_told_apart() -> None:
    assert (rank_sum_p([[1, 2, 3], [np.nan] * 3]) == 1).all()


def test_adequacy_decides_before_fluency() -> None:
    adequacy = np.array([[1, 0.01, 0.3], [0.99, 1, 0.6], [0.7, 0.4, 1]])
    fluency = np.array([[1, 0.98, 0.04], [0.02, 1, 0.5], [0.96, 0.5, 1]])
    p = combined_p(adequacy, fluency)
    assert conclusions(p).tolist() == [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]
    assert p[1, 2] == 0.5
    with pytest.raises(InputError, match="the same systems"):
        combined_p(adequacy, fluency[:2, :2])


def test_p_values_at_the_level_are_significant() -> None:
    p = np.array([[1, 0.05], [0.95, 1]])
    assert conclusions(p, alpha=0.05).tolist() == [[0, 1], [-1, 0]]
    assert combined_p(p, [[1, 0.5], [0.5, 1]]).tolist() == p.tolist()
    assert official_clusters([2, 1], p) == ((0,), (1,))


def test_official_clusters_look_at_one_system_only() -> None:
    better = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    p = np.where(better, 0.01, 0.5)
    assert official_clusters([4, 3, 2, 1], p) == ((0, 1), (2,), (3,))
    p[0, 2] = 0.5
    assert official_clusters([4, 3, 2, 1], p) == ((0, 1), (2,), (3,))


def careful_and_careless(spoilt: str, gap: float) -> Scores:
    """Judge 0 gives control items another score by `gap`, judge 1 gives anything; judge 2 sees none."""
    rng = np.random.default_rng(4)
    rows: list[tuple[int, int, int, float, str]] = []
    for segment in range(25):
        quality = float(rng.uniform(30, 90))
        rows += [(0, 0, segment, quality, "SYSTEM"), (0, 0, segment, quality - gap + rng.normal(0, 3), spoilt)]
        rows += [(1, 0, segment, float(rng.uniform(0, 100)), kind) for kind in ("SYSTEM", spoilt)]
        rows.append((2, 0, segment, quality, "SYSTEM"))
    return assessed(rows)


def test_degraded_items_must_score_lower() -> None:
    scores = careful_and_careless("BAD-REF", 30)
    p = degraded_p(scores)
    assert p[0] < 1e-4
    assert p[1] > 0.05
    assert np.isnan(p[2])
    assert drop_careless(scores).dropped == ("j1", "j2")
    turned = Scores(**{**vars(scores), "score": -scores.score, "higher_is_better": False})
    assert degraded_p(turned)[:2] == pytest.approx(p[:2])


@pytest.mark.parametrize("judge", [0, 1])
def test_control_tests_are_those_of_scipy(judge: int) -> None:
    for kind, p_of, sides in (("BAD-REF", degraded_p, "greater"), ("REPEAT", repeats_p, "two-sided")):
        scores = careful_and_careless(kind, 2)
        own = scores.score[scores.judge == judge]
        kinds = scores.item[scores.judge == judge]
        outputs, controls = own[kinds == "SYSTEM"], own[kinds == kind]
        expected = ttest_rel(outputs, controls, alternative=sides).pvalue
        assert p_of(scores)[judge] == pytest.approx(expected, rel=1e-9)
        expected = wilcoxon(outputs, controls, alternative=sides).pvalue
        assert p_of(scores, test="signed-rank")[judge] == pytest.approx(expected, rel=1e-9)


def test_a_single_control_item_proves_nothing() -> None:
    scores = assessed([(0, 0, 0, 80, ""), (0, 0, 0, 10, "BAD"), (0, 0, 1, 5, "")])
    assert np.isnan(degraded_p(scores)).all()
    assert drop_careless(scores).dropped == ("j0",)
    # Differences without a deviation leave no doubt.
    twice = assessed([(0, 0, n, score, kind) for n in range(2) for score, kind in ((80, ""), (10, "BAD"))])
    assert degraded_p(twice).tolist() == [0.0]


def test_controls_are_paired_within_a_hit_and_pooled_over_language_pairs() -> None:
    rows: list[tuple[int, int, int, float, str]] = []
    for output, degraded in ((50, 40), (80, 75), (60, 62)):
        rows += [(0, 0, 0, output, "SYSTEM"), (0, 0, 0, degraded, "BAD_REF")]
    scores = replace(assessed(rows), hit=np.repeat([0, 1, 2], 2))
    assert degraded_p(scores) == pytest.approx([ttest_rel([50, 80, 60], [40, 75, 62], alternative="greater").pvalue])
    # In one HIT, all three belong to the first output.
    assert degraded_p(replace(scores, hit=None)) == pytest.approx(
        [ttest_rel([50, 50, 50], [40, 75, 62], alternative="greater").pvalue]
    )
    other = assessed([(0, 0, n, score, kind) for n in (0, 1) for score, kind in ((90 + n, "TGT"), (20, "BAD"))])
    expected = ttest_rel([50, 80, 60, 90, 91], [40, 75, 62, 20, 20], alternative="greater").pvalue
    assert degraded_p(replace(scores, other_pairs=(other,))) == pytest.approx([expected])
    # Scores are of one language pair only.
    np.testing.assert_array_equal(segment_scores(replace(scores, other_pairs=(other,))), segment_scores(scores))


def test_repeats_count_in_scores() -> None:
    rows = [(0, 0, 0, 10, "SYSTEM"), (0, 0, 0, 20, "REPEAT"), (0, 0, 0, 0, "BAD_REF"), (0, 0, 0, 99, "REF")]
    assert segment_scores(assessed(rows)).tolist() == [[15.0]]


def test_repeats_must_score_alike() -> None:
    same, other = careful_and_careless("REPEAT", 0), careful_and_careless("REPEAT", 30)
    assert repeats_p(same)[0] > 0.05
    assert drop_inconsistent(same).dropped == ()
    assert drop_inconsistent(other).dropped == ("j0",)


def test_repeats_that_are_all_equal_are_no_difference() -> None:
    scores = assessed([(0, 0, n, 5.0 * n, kind) for n in range(4) for kind in ("", "REPEAT")])
    assert repeats_p(scores).tolist() == [1.0]


def test_control_items_find_their_outputs() -> None:
    rows = [(0, 0, 0, 1, "BAD-REF"), (0, 0, 0, 2, "SYSTEM"), (1, 0, 0, 3, "SYSTEM"), (0, 1, 0, 4, "BAD-REF")]
    outputs, controls = control_pairs(assessed([*rows, (0, 0, 0, 9.0, "SYSTEM")]), ("BAD-REF",))
    assert (outputs.tolist(), controls.tolist()) == ([1], [0])


#: Krippendorff 2011, "Computing Krippendorff's alpha-reliability": four observers, twelve units; alpha is .849.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def table(values: list[list[Any]]) -> Scores:
    return assessed(
        [(j, 0, u, value, "") for j, row in enumerate(values) for u, value in enumerate(row) if value is not None]
    )


def test_standardised_scores_of_judges_with_other_scales_are_equal() -> None:
    """Three times the same distances from the mean, in other units: rounding must not tell their z-scores apart."""
    values = np.array([1.0, 2.0, 4.0, 7.0])
    scales = (1.0, 0.1, 1 / 3, 0.7)
    rows = [(j, 0, u, value * scale, "") for j, scale in enumerate(scales) for u, value in enumerate(values.tolist())]
    plain = [(values * scale - (values * scale).mean()) / (values * scale).std(ddof=1) for scale in scales]
    assert len(np.unique(plain)) > 4
    found = standardise(assessed(rows)).scores.score
    assert len(np.unique(found)) == 4
    np.testing.assert_allclose(found, np.ravel(plain))


def test_alpha_of_the_published_example() -> None:
    assert round(krippendorff_alpha(table(PUBLISHED)), 3) == 0.849


def test_alpha_by_its_definition() -> None:
    rng = np.random.default_rng(2)
    values = [[None if rng.random() < 0.3 else float(rng.integers(0, 9)) for _ in range(8)] for _ in range(3)]
    units = [[value for row in values if (value := row[u]) is not None] for u in range(8)]
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]
    n = len(every)
    observed = sum(2 * sum((a - b) ** 2 for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in units) / n
    by_chance = 2 * sum((a - b) ** 2 for a, b in combinations(every, 2)) / (n * (n - 1))
    assert krippendorff_alpha(table(values)) == pytest.approx(1 - observed / by_chance)
    for j in range(3):
        gaps = [
            np.mean([(own - value) ** 2 for k, row in enumerate(values) if k != j and (value := row[u]) is not None])
            for u in range(8)
            if (own := values[j][u]) is not None and sum(row[u] is not None for row in values) > 1
        ]
        assert alpha_by_judge(table(values))[j] == pytest.approx(1 - np.mean(gaps) / by_chance)


def test_alpha_of_a_judge_who_scored_an_output_twice() -> None:
    """A judge's own second score of an output is not one of the others that the first is compared with."""
    rows = [(0, 0, 0, 1.0, ""), (0, 0, 0, 4.0, ""), (1, 0, 0, 2.0, ""), (0, 0, 1, 5.0, ""), (1, 0, 1, 7.0, "")]
    every = [1.0, 4.0, 2.0, 5.0, 7.0]
    by_chance = np.mean([(a - b) ** 2 for a, b in combinations(every, 2)])
    gaps = [[1.0, 4.0, 4.0], [(1 + 4) / 2, 4.0]]
    expected = [1 - np.mean(of_judge) / by_chance for of_judge in gaps]
    assert alpha_by_judge(assessed(rows)).tolist() == pytest.approx(expected)


def test_alpha_needs_scores_that_can_be_compared() -> None:
    assert np.isnan(krippendorff_alpha(table([[1, 2, None], [None, None, 3]])))
    assert np.isnan(krippendorff_alpha(table([[1, 1], [1, 1]])))
    assert np.isnan(alpha_by_judge(table([[1, 1], [1, 1]]))).all()
    assert krippendorff_alpha(table([[1, 2], [1, 2]])) == 1
