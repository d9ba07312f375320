"""Correlations against scipy and against their definitions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mtassay.errors import InputError
from mtassay.stats import correlations, kendall
from mtassay.stats.concordance import pair_counts
from mtassay.stats.grouped_gold import AVERAGES

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall-b": lambda x, y: stats.kendalltau(x, y, variant="b").statistic,
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}


def made(*, seed: int, n_values: int = 5, shape: tuple[int, ...] = (4, 6), metrics: int = 3) -> tuple[Any, Any]:
    """Gold with ties and gaps, and metrics with ties."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(n_values, size=shape).astype(float)
    gold[rng.random(shape) < 0.2] = np.nan
    scores = rng.integers(n_values, size=(metrics, *shape)) / 3
    return gold, scores


def groups(gold: Any, metric: Any, average: str) -> list[tuple[Any, Any]]:
    """Gold and metric of the cells of each group."""
    parts: dict[str, list[Any]] = {
        "none": [np.s_[:, :]],
        "segment": [np.s_[:, j] for j in range(gold.shape[1])],
        "system": [np.s_[i, :] for i in range(gold.shape[0])],
    }
    judged = ~np.isnan(gold)
    return [(gold[part][judged[part]], metric[part][judged[part]]) for part in parts[average] if judged[part].any()]


def is_constant(values: Any) -> bool:
    return len(set(values.tolist())) < 2


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("kind", SCIPY)
@pytest.mark.parametrize("seed", range(4))
def test_averages_are_those_of_scipy(kind: str, average: str, seed: int) -> None:
    gold, scores = made(seed=seed, n_values=2 + seed)
    found = correlations.averaged(gold, scores, kind=kind, average=average)
    for number, metric in enumerate(scores):
        parts = groups(gold, metric, average)
        kept = [SCIPY[kind](x, y) for x, y in parts if not (is_constant(x) or is_constant(y))]
        assert found.n_groups[number] == len(kept)
        assert found.n_dropped[number] == len(parts) - len(kept)
        assert found.values[number] == pytest.approx(np.mean(kept) if kept else np.nan, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("kind", SCIPY)
def test_p_values_are_those_of_scipy(kind: str) -> None:
    rng = np.random.default_rng(3)
    gold, scores = rng.normal(size=9), rng.normal(size=(2, 9))
    tests = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}
    test = tests.get(kind, lambda x, y: stats.kendalltau(x, y, variant=kind[-1]))
    assert correlations.p_values(gold, scores, kind=kind).tolist() == [test(gold, row).pvalue for row in scores]
    assert np.isnan(correlations.p_values(gold, np.ones((1, 9)), kind=kind)[0])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=40))
def test_pairs_are_counted_as_if_one_by_one(rows: list[tuple[int, int, int]]) -> None:
    rows.sort(key=lambda row: row[0])
    group = np.cumsum(np.diff([row[0] for row in rows], prepend=rows[0][0]) != 0)
    gold, metric = (np.array([[row[column] for row in rows]], dtype=float) for column in (1, 2))
    found = pair_counts(group, gold, metric)
    expected = np.zeros((5, group[-1] + 1))
    for i, j in combinations(range(len(rows)), 2):
        if group[i] == group[j]:
            h, m = np.sign(gold[0, i] - gold[0, j]), np.sign(metric[0, i] - metric[0, j])
            place = 0 if h * m > 0 else 1 if h * m < 0 else 4 if h == m else 2 if h == 0 else 3
            expected[place, group[i]] += 1
    names = ("concordant", "discordant", "gold_ties", "metric_ties", "both_ties")
    for name, of_groups in zip(names, expected, strict=True):
        assert getattr(found, name)[0].tolist() == of_groups.tolist(), name
    assert found.total[0].tolist() == expected.sum(axis=0).tolist()


def test_correlation_broadcasts_rows() -> None:
    rng = np.random.default_rng(0)
    gold, scores = rng.normal(size=(7, 1, 5)), rng.normal(size=(3, 5))
    for kind in correlations.KINDS:
        found = correlations.correlation(gold, scores, kind=kind)
        assert found.shape == (7, 3)
        alone = correlations.correlation(gold[4, 0], scores[1], kind=kind)
        assert found[4, 1] == pytest.approx(float(alone), abs=1e-14)


def test_variants_with_ties() -> None:
    counts = pair_counts(np.zeros(5, int), np.array([[1.0, 1, 2, 3, 3]]), np.array([[1.0, 1, 1, 5, 4]]))
    # 6 concordant, none discordant, 1 tied in gold, 2 in the metric, 1 in both.
    assert kendall.acc_23(counts).item() == 0.7
    assert kendall.tau_23(counts).item() == pytest.approx((6 + 1 - 1 - 2) / 10)


def test_large_offsets_leave_correlations_alone() -> None:
    rng = np.random.default_rng(1)
    gold, scores = rng.normal(size=20), rng.normal(size=20)
    for kind in ("pearson", "spearman"):
        near = correlations.correlation(gold, scores, kind=kind)
        assert correlations.correlation(gold + 1e6, scores - 1e6, kind=kind) == pytest.approx(float(near), abs=1e-8)


def test_constant_metric_has_no_correlation() -> None:
    for kind in SCIPY:
        assert np.isnan(correlations.correlation([1.0, 2.0, 3.0], [0.1, 0.1, 0.1], kind=kind))


def test_what_is_missing_is_refused() -> None:
    gold = np.array([[1.0, np.nan], [2.0, 3.0]])
    scores = np.array([[[1.0, np.nan], [2.0, 3.0]]])
    assert correlations.averaged(gold, scores).values[0] == pytest.approx(1.0)
    scores[0, 1, 1] = np.nan
    with pytest.raises(InputError, match="metric 1 has no score for system 2, segment 2"):
        correlations.averaged(gold, scores)
    with pytest.raises(InputError, match="no score for system 2"):
        correlations.system_correlation([1.0, 2.0, 3.0], [[1.0, np.nan, 3.0]])
    with pytest.raises(InputError, match="every score is missing"):
        correlations.averaged(np.full((2, 2), np.nan), np.zeros((1, 2, 2)))
    with pytest.raises(InputError, match="does not fit"):
        correlations.averaged(gold, np.zeros((2, 2)))
    with pytest.raises(InputError, match="did you mean 'pearson'"):
        correlations.averaged(gold, np.zeros((1, 2, 2)), kind="pearsson")
    with pytest.raises(InputError, match="no averaging named 'sys'"):
        correlations.averaged(gold, np.zeros((1, 2, 2)), average="sys")
    with pytest.raises(InputError, match="acc23 has no p-value"):
        correlations.p_values([1.0, 2.0], [[1.0, 2.0]], kind="acc23")
    with pytest.raises(InputError, match="fewer than two systems"):
        correlations.system_correlation([1.0, np.nan], [[1.0, 2.0]])
    with pytest.raises(InputError, match="at system level"):
        correlations.system_correlation([1.0, 2.0], [1.0, 2.0])
