"""τ over preferences, DARR, tie calibration and pairwise accuracy, by brute force from the definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.stats import kendall
from mtassay.stats import pairwise_accuracy as accuracy
from mtassay.stats import tie_calibration as ties
from mtassay.stats.grouped_gold import AVERAGES
from mtassay.stats.orange import orange


def made(seed: int, *, gaps: bool = True) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(3, size=(4, 5)).astype(float)
    if gaps:
        gold[rng.random(gold.shape) < 0.2] = np.nan
    return gold, rng.integers(6, size=(2, 4, 5)) / 7


def pairs_by_group(gold: Any, metric: Any, average: str) -> list[list[tuple[float, Any]]]:
    """(gold difference, metric difference) of all pairs of each group that has any."""
    found: dict[Any, list[Any]] = {}
    for system, segment in np.argwhere(~np.isnan(gold)).tolist():
        key = {"none": 0, "segment": segment, "system": system}[average]
        found.setdefault(key, []).append((gold[system, segment], metric[system, segment]))
    lists = [[(a[0] - b[0], a[1] - b[1]) for a, b in combinations(cells, 2)] for cells in found.values()]
    return [pairs for pairs in lists if pairs]


def rational(values: Any) -> Any:
    """Values as the fractions that they stand for: differences of fractions have no rounding."""
    return np.vectorize(lambda value: Fraction(value).limit_denominator(1000), otypes=[object])(values)


def accuracy_at(groups: list[list[tuple[float, Any]]], epsilon: Any) -> float:
    shares = []
    for pairs in groups:
        right = [np.sign(h) == (0 if abs(m) <= epsilon else (m > 0) - (m < 0)) for h, m in pairs]
        shares.append(np.mean(right))
    return float(np.mean(shares))


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("seed", range(6))
def test_calibration_finds_the_best_threshold_of_all(average: str, seed: int) -> None:
    gold, scores = made(seed, gaps=seed > 1)
    found = ties.acc_eq(gold, scores, average=average)
    for number, metric in enumerate(scores):
        groups = pairs_by_group(gold, rational(metric), average)
        candidates = sorted({Fraction(0), *(abs(m) for pairs in groups for _, m in pairs)})
        values = [accuracy_at(groups, epsilon) for epsilon in candidates]
        best = max(values)
        assert found.accuracy[number] == pytest.approx(best, abs=1e-12)
        smallest = next(e for e, value in zip(candidates, values, strict=True) if value > best - 1e-9)
        assert found.epsilon[number] == pytest.approx(float(smallest), abs=1e-12)
        assert found.at_zero[number] == pytest.approx(values[0], abs=1e-12)
        assert found.tau_23[number] == pytest.approx(2 * best - 1)


@pytest.mark.parametrize("average", AVERAGES)
def test_right_pairs_average_to_the_accuracy(average: str) -> None:
    gold, scores = made(7)
    found = ties.acc_eq(gold, scores, average=average)
    right, n_pairs = ties.right_pairs(gold, scores, found.epsilon, average=average)
    n_groups = (1 / n_pairs).sum()
    assert (right / n_pairs).sum(axis=1) / n_groups == pytest.approx(found.accuracy)


def test_calibration_without_a_pair() -> None:
    with pytest.raises(InputError, match="no pair"):
        ties.acc_eq([[1.0, 2.0]], [[[1.0, 2.0]]])
    with pytest.raises(InputError, match="no pair"):
        ties.right_pairs([[1.0, 2.0]], [[[1.0, 2.0]]], [0.0])


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("threshold", [0.0, 1.0, 2.0])
def test_darr(average: str, threshold: float) -> None:
    gold, scores = made(8)
    found = kendall.darr(gold, scores, average=average, threshold=threshold)
    for number, metric in enumerate(scores):
        pairs = [pair for group in pairs_by_group(gold, metric, average) for pair in group if abs(pair[0]) >= threshold]
        alike = sum(h * m > 0 for h, m in pairs)
        assert found.n_pairs == len(pairs)
        assert found.tau[number] == pytest.approx((2 * alike - len(pairs)) / len(pairs))
        assert found.tie_share[number] == pytest.approx(np.mean([m == 0 for _, m in pairs]))


def test_darr_without_pairs() -> None:
    found = kendall.darr([[1.0], [2.0]], [[[1.0], [2.0]]], threshold=25.0)
    assert found.n_pairs == 0
    assert np.isnan(found.tau).all()


def test_variants_over_preferences() -> None:
    rng = np.random.default_rng(5)
    scores = rng.integers(4, size=(3, 4, 10)).astype(float)
    segment = rng.integers(10, size=200)
    better, worse = rng.permuted(np.tile(np.arange(4), (200, 1)), axis=1)[:, :2].T
    weights = rng.integers(3, size=200)
    once = kendall.preference_counts((segment, better, worse), scores)
    weighted = kendall.preference_counts((segment, better, worse), scores, weights=weights)
    repeated = kendall.preference_counts([np.repeat(x, weights) for x in (segment, better, worse)], scores)
    for number, metric in enumerate(scores):
        signs = [np.sign(metric[b, s] - metric[w, s]) for s, b, w in zip(segment, better, worse, strict=True)]
        con, dis, tied = (signs.count(sign) for sign in (1, -1, 0))
        assert once.tau("wmt12")[number] == pytest.approx((con - dis - tied) / 200)
        assert once.tau("wmt13")[number] == pytest.approx((con - dis) / (con + dis))
        assert once.tau("wmt14")[number] == pytest.approx((con - dis) / 200)
        assert once.tie_share[number] == tied / 200
    for variant in kendall.WMT_VARIANTS:
        assert weighted.tau(variant).tolist() == repeated.tau(variant).tolist()


def test_preferences_that_cannot_be_counted() -> None:
    scores = np.array([[[1.0], [np.nan]]])
    with pytest.raises(InputError, match="metric 1 lacks a score of segment 1"):
        kendall.preference_counts(([0], [0], [1]), scores)
    with pytest.raises(InputError, match="axes"):
        kendall.preference_counts(([0], [0], [1]), scores[0])
    tied = kendall.preference_counts(([0], [0], [1]), np.zeros((1, 2, 1)))
    assert np.isnan(tied.tau("wmt13")[0])
    assert tied.tau("wmt12")[0] == -1.0
    with pytest.raises(InputError, match="did you mean 'wmt12'"):
        tied.tau("wmt-12")
    for outside in (([1], [0], [1]), ([0], [2], [1]), ([0], [0], [-1])):
        with pytest.raises(InputError, match="a system or segment that no metric scored"):
            kendall.preference_counts(outside, np.zeros((1, 2, 1)))


def test_pairwise_accuracy_counts_ties_with_ties_only() -> None:
    found = accuracy.pairwise_accuracy([1.0, 1.0, 2.0], [[3.0, 3.0, 4.0], [3.0, 2.0, 2.0]])
    assert found.n_agree.tolist() == [3, 0]
    both = found + accuracy.pairwise_accuracy([1.0, 2.0], [[1.0, 2.0], [1.0, 2.0]])
    assert both.values.tolist() == [1.0, 0.25]


def test_sign_flips_come_near_to_all_of_them() -> None:
    rng = np.random.default_rng(2)
    scores = rng.integers(-3, 4, size=(2, 3, 8)).astype(float)
    sampled = accuracy.sign_flip_p(scores, resamples=50_000)
    signs = 1 - 2 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)
    for metric, of_metric in zip(scores, sampled, strict=True):
        for p, (i, j) in zip(of_metric, combinations(range(3), 2), strict=True):
            difference = metric[i] - metric[j]
            exact = np.mean(signs @ difference >= difference.sum())
            assert p == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 50_000))


def test_soft_accuracy_of_gold_itself_and_of_its_opposite() -> None:
    rng = np.random.default_rng(4)
    gold = rng.normal(size=(3, 40)) + np.arange(3)[:, None]
    gold[:, 5] = np.nan
    scores = np.stack([gold, -gold])
    found = accuracy.soft_pairwise_accuracy(gold, scores, resamples=2000)
    assert found[0] == 1.0
    assert found[1] < 0.05
    assert found.tolist() == accuracy.soft_pairwise_accuracy(gold, scores, resamples=2000).tolist()


def test_systems_that_are_the_same_have_p_1() -> None:
    same = np.tile(np.random.default_rng(1).normal(size=30), (2, 1))
    assert accuracy.sign_flip_p(same[None], resamples=100).tolist() == [[1.0]]


def test_soft_accuracy_refuses_what_is_missing() -> None:
    gold = np.array([[1.0, np.nan], [np.nan, 2.0]])
    with pytest.raises(InputError, match="no segment has gold for all systems"):
        accuracy.soft_pairwise_accuracy(gold, np.zeros((1, 2, 2)))
    with pytest.raises(InputError, match="no score for a segment"):
        accuracy.soft_pairwise_accuracy(np.ones((2, 2)), np.full((1, 2, 2), np.nan))
    with pytest.raises(InputError, match="does not fit"):
        accuracy.soft_pairwise_accuracy(np.ones((2, 2)), np.zeros((2, 2)))
    with pytest.raises(InputError, match="one resample"):
        accuracy.sign_flip_p(np.zeros((1, 2, 2)), resamples=0)


def test_orange_ranks_each_reference_among_the_systems() -> None:
    rng = np.random.default_rng(6)
    references, systems = rng.integers(4, size=(2, 3, 5)), rng.integers(4, size=(2, 3, 6, 5))
    found = orange(references, systems)
    for metric in range(2):
        ranks = []
        for reference in range(3):
            for segment in range(5):
                own, others = references[metric, reference, segment], systems[metric, reference, :, segment]
                in_list = sorted([own, *others], reverse=True)
                places = [place for place, score in enumerate(in_list, 1) if score == own]
                ranks.append(np.mean(places))
        assert found.mean_rank[metric] == pytest.approx(np.mean(ranks))
    assert found.values == pytest.approx(found.mean_rank / 7)


def test_orange_needs_two_references() -> None:
    with pytest.raises(InputError, match="two references"):
        orange(np.zeros((1, 1, 2)), np.zeros((1, 1, 3, 2)))
    with pytest.raises(InputError, match="do not match"):
        orange(np.zeros((1, 2, 2)), np.zeros((1, 1, 3, 2)))
    with pytest.raises(InputError, match="every reference"):
        orange(np.full((1, 2, 2), np.nan), np.zeros((1, 2, 3, 2)))
