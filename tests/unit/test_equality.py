"""Which scores are equal: values that are equal as fractions are ties wherever scores are compared."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import nextafter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.data import Preferences, Scores, TestSet
from mtassay.equality import TOLERANCE, best_first, equalised, magnitude
from mtassay.judging.assessments import official_clusters, rank_sum_p, segment_scores
from mtassay.judging.rank_ranges import ranges
from mtassay.judging.wins import expected_wins
from mtassay.stats import correlations, kendall, permutation
from mtassay.stats import pairwise_accuracy as accuracy
from mtassay.stats.clusters import cluster
from mtassay.stats.orange import orange
from mtassay.stats.tie_calibration import acc_eq

#: Two outputs of 11 words whose BLEU has the same precisions but for their order, against REFERENCE of 12 words.
REFERENCE = "a b c d e f g h i j k l"
EQUAL_BLEU = ("a a b c b c d e l x f", "e f g j k l c d e g h")


def noisy(value: Fraction, way: int) -> float:
    """A fraction, computed in one of several ways that differ in their last bits."""
    ways = (
        float(value),
        float(value + 1) - 1.0,
        float(value / 3) * 3,
        sum([float(value / 10)] * 10),
        nextafter(float(value), np.inf) if value else 0.0,
    )
    return ways[way]


#: Fractions far from 0, beside the numbers that stand for them.
numbers = st.tuples(st.integers(7, 60).map(lambda n: Fraction(n, 7)), st.integers(0, 4)).map(
    lambda made: (made[0], noisy(*made))
)
lists = st.lists(st.tuples(numbers, numbers), min_size=3, max_size=12)


def split(pairs: Any) -> tuple[list[Fraction], list[Fraction], list[float], list[float]]:
    """Gold and metric as fractions and as numbers."""
    return (
        [gold[0] for gold, _ in pairs],
        [metric[0] for _, metric in pairs],
        [gold[1] for gold, _ in pairs],
        [metric[1] for _, metric in pairs],
    )


def sign(x: Fraction, y: Fraction) -> int:
    return (x > y) - (x < y)


def test_the_two_outputs_have_equal_bleu_by_definition() -> None:
    """The product of (matches + 1) / (n-grams + 1) is 8/297 for both; their scores differ in the last bit."""
    first, second = (precisions(text) for text in EQUAL_BLEU)
    assert np.prod(first) == np.prod(second) == Fraction(8, 297)
    one, other = mtassay.metric("PGBC4:tok=none").segment_scores(EQUAL_BLEU, [[REFERENCE] * 2])
    assert one != other
    assert equalised([one, other]).tolist() == [min(one, other)] * 2


def precisions(text: str) -> Any:
    words, reference = text.split(), REFERENCE.split()
    found = []
    for n in range(1, 5):
        own, known = ([tuple(of[i : i + n]) for i in range(len(of) - n + 1)] for of in (words, reference))
        matches = sum(min(own.count(gram), known.count(gram)) for gram in set(own))
        found.append(Fraction(matches + 1, len(own) + 1))
    return np.array(found, dtype=object)


@given(st.lists(numbers, min_size=1, max_size=30))
def test_equal_fractions_become_equal_and_different_ones_stay_different(made: list[tuple[Fraction, float]]) -> None:
    result = equalised([value for _, value in made])
    for (exact_x, x), (exact_y, y) in combinations(zip([exact for exact, _ in made], result, strict=True), 2):
        assert (x > y, x == y) == (exact_x > exact_y, exact_x == exact_y)
    assert result == pytest.approx([value for _, value in made], rel=TOLERANCE)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20))
def test_any_number(values: list[float]) -> None:
    result = equalised(values)
    given_ = np.array(values, dtype=np.float64)
    assert (np.isnan(result) == np.isnan(given_)).all()
    assert result[np.isinf(given_)].tolist() == given_[np.isinf(given_)].tolist()
    in_order = result[np.argsort(given_)][: np.count_nonzero(~np.isnan(given_))]
    assert (in_order[1:] >= in_order[:-1]).all()
    again = equalised(result)
    assert again[~np.isnan(again)].tolist() == result[~np.isnan(result)].tolist()


def test_values_are_not_changed_without_need() -> None:
    values = np.random.default_rng(1).random((20, 50))
    assert (equalised(values) == values).all()
    assert equalised([]).shape == (0,)
    assert equalised(2.5).tolist() == 2.5


def test_infinite_values_of_both_signs_are_different() -> None:
    assert equalised([np.inf, -np.inf]).tolist() == [np.inf, -np.inf]


def test_scale_is_for_differences() -> None:
    zeros = [0.3 - 0.2 - 0.1, 0.0, 0.1 + 0.2 - 0.3]
    assert len(set(equalised(zeros).tolist())) == 3
    assert len(set(equalised(zeros, scale=magnitude([0.3, np.nan, np.inf])).tolist())) == 1


@given(lists)
def test_correlations(pairs: Any) -> None:
    """τ-b, τ-c, τ_23 and ρ are the same as of the fractions, written as whole numbers, and so are constant rows."""
    gold, metric, gold_numbers, metric_numbers = split(pairs)
    whole = [[int(7 * value) for value in values] for values in (gold, metric)]
    for kind in correlations.KINDS[1:]:
        found = correlations.correlation(gold_numbers, metric_numbers, kind=kind)
        assert found == pytest.approx(correlations.correlation(*whole, kind=kind), nan_ok=True, abs=1e-12)
        tables = [np.array(values)[:, None] for values in (gold_numbers, metric_numbers)]
        of_segment = correlations.averaged(tables[0], tables[1][None], kind=kind, average="segment").values[0]
        assert of_segment == pytest.approx(float(found), nan_ok=True, abs=1e-12)


@given(lists)
def test_pairs(pairs: Any) -> None:
    """acc_eq* at 0, pairwise accuracy, τ over preferences and DARR, counted over fractions."""
    gold, metric, gold_numbers, metric_numbers = split(pairs)
    places = list(combinations(range(len(gold)), 2))
    alike = sum(sign(gold[x], gold[y]) == sign(metric[x], metric[y]) for x, y in places)
    assert accuracy.pairwise_accuracy(gold_numbers, [metric_numbers]).n_agree.tolist() == [alike]
    column, table = np.array(gold_numbers)[:, None], np.array([metric_numbers])[:, :, None]
    assert acc_eq(column, table).at_zero[0] == pytest.approx(alike / len(places))
    tied = sum(metric[x] == metric[y] for x, y in places)
    assert kendall.darr(column, table, threshold=0.0).tie_share[0] == pytest.approx(tied / len(places))
    preferences = [np.zeros(len(places), dtype=int), *np.array(places).T]
    counts = kendall.preference_counts(preferences, table)
    assert (counts.concordant[0], counts.tied[0]) == (sum(metric[x] > metric[y] for x, y in places), tied)


@given(lists)
def test_thresholds_of_acc_eq(pairs: Any) -> None:
    """The best accuracy over all thresholds, with differences of fractions."""
    gold, metric, gold_numbers, metric_numbers = split(pairs)
    places = list(combinations(range(len(gold)), 2))

    def right(epsilon: Fraction) -> int:
        said = [0 if abs(metric[x] - metric[y]) <= epsilon else sign(metric[x], metric[y]) for x, y in places]
        return sum(sign(gold[x], gold[y]) == one for (x, y), one in zip(places, said, strict=True))

    candidates = sorted({Fraction(0), *(abs(metric[x] - metric[y]) for x, y in places)})
    best = max(candidates, key=lambda epsilon: (right(epsilon), -epsilon))
    found = acc_eq(np.array(gold_numbers)[:, None], np.array([metric_numbers])[:, :, None])
    assert found.accuracy[0] == pytest.approx(right(best) / len(places))
    assert found.epsilon[0] == pytest.approx(float(best), abs=1e-12)


@given(lists)
def test_orders(pairs: Any) -> None:
    """Systems, clusters and ranks: equal scores keep the order given and share ranks."""
    exact, _, scores, _ = split(pairs)
    order = sorted(range(len(exact)), key=lambda place: -exact[place])
    assert best_first(scores) == order
    nothing = np.zeros((len(scores), len(scores)), dtype=bool)
    assert cluster(scores, nothing).clusters == (tuple(order),)
    assert official_clusters(scores, nothing + 1.0) == (tuple(order),)
    found = ranges(scores, [scores] * 100)
    assert found.order == order
    assert found.low.tolist() == found.high.tolist() == [1 + sum(y > x for y in exact) for x in exact]


def test_a_reference_that_ties_with_an_output() -> None:
    """ORANGE: the reference and one of two outputs are equal, so that it has rank 1.5 of 3."""
    found = orange([[[0.3], [0.3]]], [[[[0.1 + 0.2], [0.1]]] * 2])
    assert found.mean_rank.tolist() == [1.5]


def test_permutation_of_accuracy() -> None:
    """Two metrics of which one is the other with noise: nothing differs in any draw."""
    gold = [1.0, 2.0, 3.0, 4.0]
    scores = [0.3, 0.3, 0.6, 0.7]
    p = permutation.accuracy_p(gold, [scores, [0.3, 0.1 + 0.2, 0.6, 0.7]])
    assert p[0, 1] == p[1, 0] == 1.0


def test_means_of_assessments() -> None:
    """Three assessments of either output with the same sum, added in another order."""
    given_ = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1]
    assert sum(given_[:3]) != sum(given_[3:])
    zeros = np.zeros(6, dtype=np.int64)
    scores = Scores(
        ("a", "b"),
        ("1",),
        ("x",),
        segment=zeros,
        judge=zeros,
        system=np.array([0, 0, 0, 1, 1, 1]),
        score=np.array(given_),
        aspect="da",
        item=np.array([""] * 6),
    )
    found = segment_scores(scores)
    assert found[0, 0] == found[1, 0]
    assert rank_sum_p(found)[0, 1] == 1.0


def test_expected_wins_of_equal_systems_share_a_rank() -> None:
    """a and b win 1/10, 2/10 and 3/10 of the comparisons with their opponents, in another order."""
    wins = np.zeros((5, 5))
    wins[0, 2:], wins[1, 2:] = (3, 1, 2), (3, 2, 1)
    wins[2:, :2] = 10 - wins[:2, 2:].T
    found = expected_wins(wins)
    assert found[0] != found[1]
    assert found[:2] == pytest.approx(0.2)
    drawn = ranges(found, [found] * 100)
    assert drawn.low[0] == drawn.low[1]
    assert drawn.order.index(0) < drawn.order.index(1)
    assert drawn.fuzzy_ranks()[0] == drawn.fuzzy_ranks()[1]


@pytest.fixture
def equal_systems() -> TestSet:
    """Two systems with precisions 3/4, 5/7, 2/3, 2/5 and 1, 5/7, 1/2, 2/5, whose product is 1/7, and a worse one."""
    texts = {"low": "a b c d e d e f", "high": "a b c d e k l f", "bad": "a b c d e x x x"}
    return TestSet([[REFERENCE]], {name: [text] for name, text in texts.items()})


def test_best_marks_and_order_of_systems(equal_systems: TestSet) -> None:
    result = mtassay.score(equal_systems, metrics=["PGBC4:tok=none"])
    assert result.scores[0, 0] < result.scores[1, 0]
    assert result.best()[:, 0].tolist() == [True, True, False]
    assert not mtassay.score([["a b"]], {"x": ["a c"], "y": ["c b"]}, metrics=["wer"]).best().any()
    assert result.ranked == [0, 1, 2]
    compared = mtassay.compare(equal_systems, metrics=["PGBC4:tok=none"]).comparisons[0]
    assert compared.ranked == [0, 1, 2]
    assert compared.differences[0, 1] == compared.differences[1, 0] == 0.0
    assert mtassay.rank(equal_systems, metrics=["PGBC4:tok=none"]).clusterings[0].clusters == ((0, 1, 2),)


def test_metaevaluation_ties_what_is_computed_and_takes_files_as_they_are(tmp_path: Path) -> None:
    """One preference between the two outputs of equal BLEU, and scores that say the same."""
    one, other = EQUAL_BLEU
    testset = TestSet([[REFERENCE] * 2], {"low": [one, one], "high": [other, other]})
    zeros, ones = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    preferred = Preferences(
        ("low", "high"), ("1", "2"), ("",), np.arange(2), zeros, first=zeros, second=ones, outcome=ones, item=zeros
    )
    found = mtassay.metaeval({"x-y": testset}, judgements=preferred, metrics=["PGBC4:tok=none"], level="segment")
    ties = found.directions[0].coefficients[0].ties
    assert ties is not None
    assert ties.tolist() == [1.0]
    values = mtassay.metric("PGBC4:tok=none").segment_scores(EQUAL_BLEU, [[REFERENCE] * 2])
    path = tmp_path / "bleu.seg.score"
    path.write_text("".join(f"{name}\t{value}\n" * 2 for name, value in zip(("low", "high"), values, strict=True)))
    scored = Scores(
        ("low", "high"),
        ("1", "2"),
        ("",),
        segment=np.array([0, 1, 0, 1]),
        judge=np.zeros(4, dtype=np.int64),
        system=np.array([0, 0, 1, 1]),
        score=np.array([1.0, 2.0, 3.0, 4.0]),
        aspect="da",
        item=np.array([""] * 4),
    )
    metrics = ["PGBC4:tok=none", f"file:{path}"]
    options: Any = {"level": "segment", "correlation": ["acc23"], "average": "segment"}
    of_scores = mtassay.metaeval({"x-y": testset}, judgements=scored, metrics=metrics, **options)
    ties = of_scores.directions[0].coefficients[0].ties
    assert ties is not None
    assert ties.tolist() == [1.0, 0.0]
