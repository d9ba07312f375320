"""Tests between metrics, by brute force from their definitions and against scipy."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from mtassay.errors import InputError
from mtassay.stats import conclusion_accuracy as test_accuracy
from mtassay.stats import metric_significance as significance
from mtassay.stats import permutation
from mtassay.stats import resamples as drawing
from mtassay.stats import tie_calibration as ties
from mtassay.stats.correlations import averaged, correlation, system_correlation
from mtassay.verbs.metaeval.coefficients import Coefficient

if TYPE_CHECKING:
    from collections.abc import Callable


def made(n: int = 7, *, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n)
    return gold, gold * np.array([[1.0], [0.5], [0.1]]) + rng.normal(size=(3, n)) / 2


def pearson(gold: Any, scores: Any) -> float:
    return float(stats.pearsonr(gold, scores).statistic)


def agreement(gold: Any, scores: Any) -> float:
    pairs = list(combinations(range(len(gold)), 2))
    return float(np.mean([np.sign(gold[i] - gold[j]) == np.sign(scores[i] - scores[j]) for i, j in pairs]))


@pytest.mark.parametrize(("test", "of"), [(permutation.pearson_p, pearson), (permutation.accuracy_p, agreement)])
@pytest.mark.parametrize("seed", range(3))
def test_all_ways_of_swapping(test: Callable[..., Any], of: Callable[..., float], seed: int) -> None:
    gold, scores = made(seed=seed)
    if seed == 2:
        gold = gold.round()  # ties
    z = (scores - scores.mean(axis=1, keepdims=True)) / scores.std(axis=1, keepdims=True)
    found = test(gold, scores)
    for a, b in product(range(3), repeat=2):
        if a == b:
            assert np.isnan(found[a, b])
            continue
        observed = of(gold, z[a]) - of(gold, z[b])
        count = 0
        for swapped in product([False, True], repeat=len(gold)):
            one, other = np.where(swapped, z[b], z[a]), np.where(swapped, z[a], z[b])
            count += of(gold, one) - of(gold, other) >= observed - 1e-10
        assert found[a, b] == count / 2 ** len(gold)


@pytest.mark.parametrize("test", [permutation.pearson_p, permutation.accuracy_p])
def test_sampled_against_exact(test: Callable[..., Any]) -> None:
    gold, scores = made(seed=1)
    exact, sampled = test(gold, scores), test(gold, scores, resamples=20_000)
    assert sampled == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000), nan_ok=True)
    assert np.array_equal(sampled, test(gold, scores, resamples=20_000), equal_nan=True)
    assert not np.array_equal(sampled, test(gold, scores, resamples=20_000, seed=1), equal_nan=True)


def test_draws_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, scores = made(30)
    whole = permutation.pearson_p(gold, scores, resamples=3000)
    monkeypatch.setattr(permutation, "_AT_A_TIME", 5)
    monkeypatch.setattr("mtassay.stats.weighted_sums._AT_ONCE", 7)
    assert np.array_equal(whole, permutation.pearson_p(gold, scores, resamples=3000), equal_nan=True)


def test_segments_are_swapped_cell_by_cell() -> None:
    gold, scores = made(6, seed=4)
    table = np.full((4, 3), np.nan)
    table.ravel()[[0, 2, 3, 7, 8, 11]] = gold
    of_cells = np.zeros((3, 4, 3))
    of_cells.reshape(3, -1)[:, [0, 2, 3, 7, 8, 11]] = scores
    exact = permutation.pearson_p(gold, scores)
    assert np.array_equal(permutation.segment_pearson_p(table, of_cells, resamples=0), exact, equal_nan=True)
    sampled = permutation.segment_pearson_p(table, of_cells, resamples=20_000)
    assert sampled == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000), nan_ok=True)


def test_a_metric_is_not_better_than_itself() -> None:
    gold, scores = made()
    p = permutation.pearson_p(gold, [scores[0], 2 * scores[0] + 1])
    assert p[0, 1] == p[1, 0] == 1.0
    found = significance.williams(gold, [scores[0], scores[0]])
    assert (found.t[0, 1], found.p[0, 1]) == (0.0, 0.5)


def test_constants_are_refused() -> None:
    gold, scores = made()
    for test in (permutation.pearson_p, permutation.accuracy_p):
        with pytest.raises(InputError, match="metric 2 is constant"):
            test(gold, [scores[0], np.ones(7)])
    with pytest.raises(InputError, match="gold is constant"):
        permutation.pearson_p(np.ones(7), scores)
    with pytest.raises(InputError, match="constant"):
        significance.williams(np.ones(7), scores)
    with pytest.raises(InputError, match="more than three"):
        significance.williams(gold[:3], scores[:, :3])
    with pytest.raises(InputError, match="did you mean 'graham'"):
        significance.williams(gold, scores, variant="grahm")
    with pytest.raises(InputError, match="more than three"):
        significance.zou_interval(0.1, 0.2, 0.3, n=3)
    with pytest.raises(InputError, match="constant in every resample"):
        significance.bootstrap(np.ones(7), scores)


@pytest.mark.parametrize("variant", significance.WILLIAMS)
def test_williams_by_its_formula(variant: str) -> None:
    gold, scores = made(8, seed=3)
    scores[2] *= -1
    found = significance.williams(gold, scores, variant=variant)
    n = len(gold)
    for a, b in combinations(range(3), 2):
        r12, r13, r23 = pearson(gold, scores[a]), pearson(gold, scores[b]), pearson(scores[a], scores[b])
        if variant != "signed":
            r12, r13, r23 = abs(r12), abs(r13), abs(r23)
        k = np.linalg.det([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
        mean = (r12 + r13) / 2
        t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23) / (2 * k * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3))
        df = n - 2 if variant == "graham" else n - 3
        assert found.t[a, b] == pytest.approx(t)
        assert found.t[b, a] == pytest.approx(-t)
        assert found.p[a, b] == pytest.approx(stats.t.sf(t, df))
        assert found.p[b, a] == pytest.approx(stats.t.sf(-t, df))


def test_zou_intervals_mirror_each_other_and_cover() -> None:
    gold, scores = made(12)
    found = significance.zou_intervals(gold, scores)
    r = system_correlation(gold, scores)
    for a, b in combinations(range(3), 2):
        assert found[a, b, 0] <= r[a] - r[b] <= found[a, b, 1]
        assert found[b, a].tolist() == pytest.approx((-found[a, b, ::-1]).tolist())
    narrow = significance.zou_intervals(gold, scores, alpha=0.5)
    assert (narrow[0, 1, 1] - narrow[0, 1, 0]) < (found[0, 1, 1] - found[0, 1, 0])
    assert np.isfinite(significance.zou_interval(1.0, 0.5, 0.5, n=10)).all()


def test_zou_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(9)
    truth = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.7], [0.6, 0.7, 1.0]])
    drawn = rng.multivariate_normal(np.zeros(3), truth, size=(4000, 40))
    r = np.array([np.corrcoef(sample.T) for sample in drawn])
    low, high = significance.zou_interval(r[:, 0, 1], r[:, 0, 2], r[:, 1, 2], n=40).T
    assert np.mean((low <= 0.2) & (high >= 0.2)) == pytest.approx(0.95, abs=0.015)


def test_swapping_of_pairs_is_a_binomial_test() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(3, size=(3, 2)).astype(float)
    scores = gold + rng.normal(size=(2, 3, 2))
    epsilon = ties.acc_eq(gold, scores).epsilon
    found = significance.pairs_swap_p(gold, scores, epsilon)
    right, _ = ties.right_pairs(gold, scores, epsilon)
    observed = right[0].sum() - right[1].sum()
    swaps = [np.where(swapped, right[::-1], right) for swapped in product([False, True], repeat=6)]
    assert found[0, 1] == pytest.approx(np.mean([s[0].sum() - s[1].sum() >= observed for s in np.array(swaps, int)]))


def test_swapping_of_pairs_in_groups_of_different_size() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(3, size=(4, 2)).astype(float)
    gold[3, 1] = np.nan
    scores = np.nan_to_num(gold) + rng.normal(size=(2, 4, 2))
    right, n_pairs = ties.right_pairs(gold, scores, [0.0, 0.1])
    assert set(n_pairs.tolist()) == {3, 6}
    weighted = (right[0].astype(float) - right[1]) / n_pairs
    signs = 1 - 2 * np.array(list(product([0, 1], repeat=len(n_pairs))))
    exact = np.mean(signs @ weighted >= weighted.sum() - 1e-12)
    sampled = significance.pairs_swap_p(gold, scores, [0.0, 0.1], resamples=50_000)
    assert sampled[0, 1] == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 50_000))


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall-b"])
def test_bootstrap_of_systems(kind: str) -> None:
    gold, scores = made(9)
    found = significance.bootstrap(gold, scores, kind=kind, resamples=300)
    counts = drawing.Resamples(9, 300, seed=12345)(range(256)).astype(int)
    chosen = np.repeat(np.arange(9), counts[17])
    assert found.n_dropped == 0
    assert found.resampled.shape == (3, 300)
    assert found.resampled[:, 17] == pytest.approx(system_correlation(gold[chosen], scores[:, chosen], kind=kind))
    low, high = found.intervals().T
    assert ((low <= system_correlation(gold, scores, kind=kind)) & (high >= low)).all()
    p = found.p()
    assert p[0, 1] == np.mean(found.resampled[0] <= found.resampled[1])
    assert found.difference_intervals().shape == (3, 3, 2)


def test_bootstrap_of_segments_takes_all_outputs_of_a_segment() -> None:
    rng = np.random.default_rng(2)
    gold = rng.normal(size=(3, 11))
    gold[1, 4] = np.nan
    scores = rng.normal(size=(2, 3, 11)) + np.nan_to_num(gold)
    found = significance.segment_bootstrap(gold, scores, resamples=20)
    counts = drawing.Resamples(11, 20, seed=12345)(range(20)).astype(int)
    for draw in range(20):
        chosen = np.repeat(np.arange(11), counts[draw])
        assert found.resampled[:, draw] == pytest.approx(averaged(gold[:, chosen], scores[:, :, chosen]).values)


@pytest.mark.parametrize("seed", range(20))
def test_bootstrap_of_segments_drops_resamples_of_constant_values(seed: int) -> None:
    """In one of three segments, both outputs have the same gold and the same scores; it is often drawn three times."""
    rng = np.random.default_rng(seed)
    gold, scores = rng.permuted(np.arange(1, 100))[:6].reshape(2, 3) / 10, rng.random((2, 2, 3))
    gold[1, 0], scores[:, 1, 0] = gold[0, 0], scores[:, 0, 0]
    found = significance.segment_bootstrap(gold, scores, resamples=200)
    counts = drawing.Resamples(3, 200, seed=12345)(range(200)).astype(int)
    varied = counts[counts[:, 0] < 3]
    assert 0 < found.n_dropped == 200 - len(varied)
    for draw, of_segments in enumerate(varied):
        chosen = np.repeat(np.arange(3), of_segments)
        expected = [pearson(gold[:, chosen].ravel(), of_metric[:, chosen].ravel()) for of_metric in scores]
        assert found.resampled[:, draw] == pytest.approx(expected)


def test_clusters_open_where_any_member_of_the_current_one_wins() -> None:
    p = np.full((5, 5), 0.5)
    p[1, 2] = 0.05  # the second beats the third: a new cluster
    p[0, 4] = 0.01  # the first beats the last, but is in no current cluster
    assert significance.metric_clusters(p).tolist() == [1, 1, 2, 2, 2]
    assert significance.metric_clusters(p, alpha=0.02).tolist() == [1, 1, 1, 1, 2]


def test_conclusions_that_are_equal() -> None:
    human = np.array([1, 0, -1, 1])
    found = test_accuracy.conclusion_accuracy(human, [[1, 0, -1, 1], [-1, 1, 1, 0], [1, 0, 0, 1]])
    assert found.n_right.tolist() == [4, 0, 3]
    for n_right, (low, high) in zip(found.n_right.tolist(), found.intervals, strict=True):
        exact = stats.binomtest(n_right, 4).proportion_ci(method="exact")
        assert (low, high) == pytest.approx((exact.low, exact.high))
    with pytest.raises(InputError, match="same pairs"):
        test_accuracy.conclusion_accuracy(human, [1, 0])


def test_chi_squared_is_that_of_scipy() -> None:
    statistic, p = test_accuracy.chi_squared([53, 40, 66, 66], 66)
    table = [[53, 40], [13, 26]]
    expected = stats.chi2_contingency(table, correction=False)
    assert statistic[0, 1] == pytest.approx(expected.statistic)
    assert p[1, 0] == pytest.approx(expected.pvalue)
    assert (statistic[2, 3], p[2, 3]) == (0.0, 1.0)
    with pytest.raises(InputError, match="between 0 and the"):
        test_accuracy.chi_squared([67], 66)


class TestRounding:
    """Metrics that agree but for rounding: no test may call one of them better."""

    GOLD = np.array([0.1, 0.2, 0.3, 0.4, 0.7])
    #: The same but for factors that are no powers of two.
    METRICS = np.array([[1.0], [1 / 3], [0.7], [1e3 / 7]]) * GOLD + 1 / 3

    def test_correlations_do_differ_by_rounding(self) -> None:
        assert len(set(correlation(self.GOLD, self.METRICS).tolist())) > 1

    def test_bootstrap(self) -> None:
        p = significance.bootstrap(self.GOLD, self.METRICS, resamples=200).p()
        assert (p[~np.eye(4, dtype=bool)] == 1).all()

    @pytest.mark.parametrize("variant", significance.WILLIAMS)
    def test_williams(self, variant: str) -> None:
        t = significance.williams(self.GOLD, self.METRICS, variant=variant).t
        assert (t[~np.eye(4, dtype=bool)] == 0).all()

    def test_order_and_best(self) -> None:
        of = Coefficient(name="pearson", values=correlation(self.GOLD, self.METRICS))
        assert of.order == [0, 1, 2, 3]
        assert not of.best.any()
        assert Coefficient(name="pearson", values=np.array([0.5, 0.9, 0.9 - 1e-15])).best.tolist() == [
            False,
            True,
            True,
        ]
