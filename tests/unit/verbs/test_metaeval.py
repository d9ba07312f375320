"""From test sets, judgements and metrics to coefficients: what must hold whatever the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.data import Preferences, Rankings, Scores, TestSet
from mtassay.errors import InputError
from mtassay.metrics.core.metric import Metric
from mtassay.verbs.humans import humans
from mtassay.verbs.metaeval.coefficients import Coefficient, averaged
from mtassay.verbs.metaeval.result import MetaEvaluation
from mtassay.verbs.metaeval.verb import metaeval, metaeval_scored

N_SYSTEMS, N_SEGMENTS = 6, 20
NAMES = tuple("abcdef")


@mtassay.segment_metric(name="length")
def length(hypothesis: str, references: list[str]) -> float:
    """Number of words: what the made systems differ in."""
    del references
    return float(len(hypothesis.split()))


@mtassay.segment_metric(name="errors", higher_is_better=False)
def errors(hypothesis: str, references: list[str]) -> float:
    """The same turned round."""
    del references
    return -float(len(hypothesis.split()))


@mtassay.segment_metric(name="noise")
def noise(hypothesis: str, references: list[str]) -> float:
    """Something that has nothing to do with quality."""
    del references
    return float(sum(map(ord, hypothesis)) % 7)


@mtassay.segment_metric(name="constant")
def constant(hypothesis: str, references: list[str]) -> float:
    """The same for all."""
    del hypothesis, references
    return 1.0


METRICS = [length, noise, errors]


@pytest.fixture(scope="module")
def testset() -> TestSet:
    generator = np.random.default_rng(5)
    words = ["w" + str(n) for n in range(9)]
    systems = {
        name: [" ".join(words[: 2 + s + int(generator.integers(3))]) for _ in range(N_SEGMENTS)]
        for s, name in enumerate(NAMES)
    }
    systems["unjudged"] = ["x"] * N_SEGMENTS
    return TestSet([[" ".join(words)] * N_SEGMENTS, [" ".join(words[1:])] * N_SEGMENTS], systems)


def scores_of(matrix: Any, *, systems: tuple[str, ...] = NAMES, higher_is_better: bool = True) -> Scores:
    """Scores from an array (systems, segments); NaN is left out."""
    values = np.asarray(matrix, dtype=np.float64)
    system, segment = np.nonzero(~np.isnan(values))
    n = len(system)
    return Scores(
        systems,
        tuple(str(number + 1) for number in range(values.shape[1])),
        ("",),
        segment,
        np.zeros(n, dtype=np.int64),
        system=system,
        score=values[system, segment],
        aspect="da",
        item=np.full(n, "", dtype=np.str_),
        higher_is_better=higher_is_better,
    )


@pytest.fixture(scope="module")
def gold(testset: TestSet) -> Any:
    """A noisy number of words, with holes."""
    generator = np.random.default_rng(6)
    lengths = np.array([[len(text.split()) for text in testset.systems[name]] for name in NAMES])
    matrix = lengths + generator.normal(0, 1.5, lengths.shape)
    matrix[generator.random(matrix.shape) < 0.2] = np.nan
    return matrix


@pytest.fixture(scope="module")
def preferences(gold: Any) -> Preferences:
    rows = [
        (segment, a, b, int(np.sign(np.round(gold[a, segment] - gold[b, segment]))))
        for segment in range(N_SEGMENTS)
        for a, b in combinations(range(N_SYSTEMS), 2)
        if not np.isnan(gold[[a, b], segment]).any()
    ]
    segment, first, second, outcome = (np.array(column) for column in zip(*rows, strict=True))
    names = tuple(str(number + 1) for number in range(N_SEGMENTS))
    none = np.zeros(len(rows), dtype=np.int64)
    return Preferences(NAMES, names, ("",), segment, none, first=first, second=second, outcome=outcome, item=segment)


def lengths_of(testset: TestSet) -> Any:
    return np.array([[len(text.split()) for text in testset.systems[name]] for name in NAMES], dtype=float)


def run(testset: TestSet, judgements: Any, metrics: Any = METRICS, **options: Any) -> MetaEvaluation:
    return metaeval(
        {"xx-en": testset}, judgements=judgements, metrics=metrics, resamples=options.pop("resamples", 50), **options
    )


class TestSystemLevel:
    def test_correlations_are_those_of_scipy(self, testset: TestSet, gold: Any) -> None:
        from scipy import stats

        result = run(testset, scores_of(gold))
        human, metric = np.nanmean(gold, axis=1), lengths_of(testset).mean(axis=1)
        assert result["xx-en", "length", "pearson"] == pytest.approx(stats.pearsonr(human, metric).statistic)
        assert result["xx-en", "length", "spearman"] == pytest.approx(stats.spearmanr(human, metric).statistic)
        assert result["xx-en", "length", "kendall-b"] == pytest.approx(stats.kendalltau(human, metric).statistic)
        direction = result.directions[0]
        assert direction.systems == NAMES
        assert direction.gold.unjudged == ("unjudged",)
        assert direction.gold_scores == pytest.approx(human)
        assert direction.metric_scores[0] == pytest.approx(metric)

    def test_errors_change_their_sign(self, testset: TestSet, gold: Any) -> None:
        result = run(testset, scores_of(gold))
        for name in result.coefficients:
            assert result["xx-en", "errors", name] == pytest.approx(result["xx-en", "length", name])
        assert result.directions[0].metric_scores[2].tolist() == (-result.directions[0].metric_scores[0]).tolist()

    def test_error_scores_of_people_change_their_sign(self, testset: TestSet, gold: Any) -> None:
        better = run(testset, scores_of(gold))
        worse = run(testset, scores_of(-gold, higher_is_better=False))
        assert better.averages[0].values.tolist() == worse.averages[0].values.tolist()

    def test_a_changed_sign_of_human_scores_is_announced(self, testset: TestSet, gold: Any) -> None:
        said = "xx-en: lower human scores are better in the judgements, so their sign was changed"
        better, worse = run(testset, scores_of(gold)), run(testset, scores_of(-gold, higher_is_better=False))
        for format_ in ("text", "latex", "markdown", "html"):
            assert said in worse.render(format_)
            assert said not in better.render(format_)
        assert worse.to_dict()["directions"][0]["gold_sign_changed"] is True
        assert better.to_dict()["directions"][0]["gold_sign_changed"] is False

    @pytest.mark.parametrize("level", ["system", "segment"])
    def test_official_outliers_are_left_out(self, testset: TestSet, gold: Any, level: str) -> None:
        outlier = NAMES[2]
        official = replace(testset, outliers=(outlier, "of another set"))
        rest = tuple(name for name in NAMES if name != outlier)
        found = run(official, scores_of(gold), level=level)
        assert (found.directions[0].systems, found.directions[0].outliers) == (rest, (outlier,))
        assert f"xx-en: official outliers left out: {outlier} (--include-outliers" in str(found)
        assert found.to_dict()["directions"][0]["outliers"] == [outlier]
        without = run(testset.setting_aside([outlier]), scores_of(gold), level=level)
        assert found.averages[0].values.tolist() == without.averages[0].values.tolist()
        everyone = run(official, scores_of(gold), level=level, include_outliers=True)
        assert everyone.directions[0].systems == NAMES
        assert (
            everyone.averages[0].values.tolist()
            == run(testset, scores_of(gold), level=level).averages[0].values.tolist()
        )
        assert "outlier" not in str(everyone)

    @pytest.mark.parametrize("level", ["system", "segment"])
    @pytest.mark.parametrize("metrics", [["ter", "nist"], ["ter", "cross:chrf"]])
    @pytest.mark.parametrize("outliers", [(), (NAMES[2],)])
    def test_scored_systems_give_the_same(
        self, testset: TestSet, gold: Any, outliers: tuple[str, ...], metrics: list[str], level: str
    ) -> None:
        official, judgements = replace(testset, outliers=outliers), scores_of(gold)
        found = metaeval_scored(mtassay.score(official, metrics=metrics), judgements, level=level)
        from_texts = metaeval(official, judgements=judgements, metrics=metrics, level=level)
        assert found.to_dict() == from_texts.to_dict()

    def test_expected_wins_are_the_gold_of_preferences(self, testset: TestSet, preferences: Preferences) -> None:
        wins, _ = preferences.counts()
        result = run(testset, preferences)
        assert result.directions[0].n_judgements == int((preferences.outcome != 0).sum())
        of_humans = humans(preferences, resamples=20)
        expected = dict(zip(of_humans.systems, of_humans.aspects[0].columns[0].scores.tolist(), strict=True))
        found = result.directions[0]
        assert dict(zip(found.systems, found.gold_scores.tolist(), strict=True)) == expected
        other = run(testset, preferences, gold="wins")
        assert other.directions[0].gold_scores == pytest.approx(wins.sum(axis=1) / (wins + wins.T).sum(axis=1))
        assert other.directions[0].gold_scores.tolist() != result.directions[0].gold_scores.tolist()

    def test_clusters_and_fuzzy_ranks_follow_the_order_of_people(self, testset: TestSet) -> None:
        """Where all systems differ, both are ranks, and r with ranks is that of 1 … n."""
        gold = np.arange(N_SYSTEMS)[:, None] + np.zeros((N_SYSTEMS, N_SEGMENTS))
        result = run(testset, scores_of(gold))
        metric = lengths_of(testset).mean(axis=1)
        for name in ("clusters", "fuzzy"):
            assert result["xx-en", "length", name] == pytest.approx(np.corrcoef(np.arange(N_SYSTEMS), metric)[0, 1])

    def test_rank_ranges_that_separate_no_systems(self, testset: TestSet) -> None:
        noise = np.random.default_rng(3).normal(size=(N_SYSTEMS, N_SEGMENTS))
        result = run(testset, scores_of(noise), [length, constant], correlation=["clusters", "pearson"])
        assert np.isnan(result["xx-en", "length", "clusters"])
        why = "since the rank ranges of the judgements do not separate the systems"
        assert f"clusters is not defined, {why}: length" not in str(result)  # nor the constant metric
        result = run(testset, scores_of(noise), [length], correlation=["clusters", "pearson"])
        assert f"clusters is not defined, {why}: length" in str(result)

    def test_systems_of_a_cluster_have_the_rank_of_its_best(self, testset: TestSet) -> None:
        of_systems = np.arange(N_SYSTEMS)
        of_systems[-1] = of_systems[-2]
        result = run(testset, scores_of(of_systems[:, None] + np.zeros((N_SYSTEMS, N_SEGMENTS))))
        ranks = [*range(N_SYSTEMS, 2, -1), 1, 1]
        metric = lengths_of(testset).mean(axis=1)
        assert result["xx-en", "length", "clusters"] == pytest.approx(-np.corrcoef(ranks, metric)[0, 1])

    def test_intervals_are_of_drawn_judgements(self, testset: TestSet, gold: Any, preferences: Preferences) -> None:
        for judgements in (scores_of(gold), preferences):
            found = run(testset, judgements, resamples=200).directions[0].coefficient("pearson")
            again = run(testset, judgements, resamples=200).directions[0].coefficient("pearson")
            assert found.drawn is not None
            assert found.intervals is not None
            assert again.drawn is not None
            assert found.drawn.shape == (3, 200)
            assert found.drawn.tolist() == again.drawn.tolist()
            assert (found.intervals[:, 0] < found.values).all()
            assert (found.values < found.intervals[:, 1]).all()
            wide = run(testset, judgements, resamples=200, alpha=0.5).directions[0].coefficient("pearson")
            assert found.margins is not None
            assert wide.margins is not None
            assert (wide.margins < found.margins).all()

    def test_judgements_without_noise_have_intervals_without_width(self, testset: TestSet) -> None:
        gold = np.arange(N_SYSTEMS)[:, None] + np.zeros((N_SYSTEMS, N_SEGMENTS))
        margins = run(testset, scores_of(gold)).directions[0].coefficient("pearson").margins
        assert margins == pytest.approx([0, 0, 0], abs=1e-12)

    def test_systems_that_only_tied_have_no_wins_and_do_not_count(self, testset: TestSet, preferences: Any) -> None:
        n = len(preferences)
        tied = Preferences(
            (*preferences.systems, "unjudged"),
            preferences.segments,
            ("",),
            np.append(preferences.segment, 0),
            np.zeros(n + 1, dtype=np.int64),
            first=np.append(preferences.first, N_SYSTEMS),
            second=np.append(preferences.second, 0),
            outcome=np.append(preferences.outcome, 0),
            item=np.append(preferences.item, 0),
        )
        found, expected = run(testset, tied), run(testset, preferences)
        assert np.isnan(found.directions[0].gold_scores[-1])
        assert found.averages[1].values == pytest.approx(expected.averages[1].values)

    def test_scores_of_whole_systems(self, testset: TestSet, gold: Any) -> None:
        whole = scores_of(np.nanmean(gold, axis=1)[:, None])
        whole = replace(whole, segments=("",), aspect="mqm")
        result, expected = run(testset, whole), run(testset, scores_of(gold))
        assert result.coefficients == ("spearman", "pearson", "kendall-b", "accuracy")
        assert result.averages[1].values == pytest.approx(expected.averages[1].values)
        assert result.averages[1].intervals is None
        with pytest.raises(InputError, match="score whole systems"):
            run(testset, whole, level="segment")
        with pytest.raises(InputError, match="no coefficient 'fuzzy' at system level for these judgements"):
            run(testset, whole, correlation=["fuzzy"])

    def test_soft_accuracy_is_1_for_people_themselves(self, testset: TestSet) -> None:
        result = run(testset, scores_of(lengths_of(testset)), correlation=["soft-accuracy", "accuracy"], resamples=500)
        assert result["xx-en", "length", "soft-accuracy"] == 1.0
        assert result["xx-en", "noise", "soft-accuracy"] < 0.9

    def test_orange_ranks_references_among_systems(self, testset: TestSet, gold: Any) -> None:
        """References have 9 and 8 words; the words of each output are counted, so ranks are known."""
        result = run(testset, scores_of(gold), correlation=["orange"])
        words = lengths_of(testset)
        ranks = [1 + (words > n).sum(axis=0) + (words == n).sum(axis=0) / 2 for n in (9, 8)]
        assert result["xx-en", "length", "orange"] == pytest.approx(np.mean(ranks) / (N_SYSTEMS + 1))
        with pytest.raises(InputError, match="two references"):
            run(testset.select(references=[testset.reference_names[0]]), scores_of(gold), correlation=["orange"])

    def test_rounding(self, testset: TestSet, gold: Any) -> None:
        exact, rough = (run(testset, scores_of(gold), ["chrf", "ter"], digits=digits) for digits in (None, 1))
        assert rough.digits == 1
        of = mtassay.score(testset.select(systems=NAMES), metrics=["chrf"]).scores[:, 0]
        expected = np.corrcoef(np.round(of, -1), np.nanmean(gold, axis=1))[0, 1]
        assert rough["xx-en", "chrF2", "pearson"] == pytest.approx(expected)
        assert exact["xx-en", "chrF2", "pearson"] != pytest.approx(expected)


class TestSegmentLevel:
    def test_tau_by_brute_force(self, testset: TestSet, preferences: Preferences) -> None:
        words = lengths_of(testset)
        sides = [
            np.sign(words[a, s] - words[b, s]) * outcome
            for s, a, b, outcome in zip(
                preferences.segment, preferences.first, preferences.second, preferences.outcome, strict=True
            )
            if outcome
        ]
        right, wrong, tied = (sides.count(side) for side in (1, -1, 0))
        result = run(testset, preferences, level="segment", correlation=["wmt13", "wmt12", "wmt14"])
        assert result["xx-en", "length", "wmt13"] == pytest.approx((right - wrong) / (right + wrong))
        assert result["xx-en", "length", "wmt12"] == pytest.approx((right - wrong - tied) / len(sides))
        assert result["xx-en", "length", "wmt14"] == pytest.approx((right - wrong) / len(sides))
        for of in result.directions[0].coefficients:
            assert of.ties is not None
            assert of.ties[0] == pytest.approx(tied / len(sides))
        assert run(testset, preferences, level="segment").coefficients == ("wmt13",)

    def test_rankings_are_preferences(self, testset: TestSet) -> None:
        ranks = np.array([1, 2, 2, 3, 1, 4, 5, 2])
        item = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        system = np.array([5, 4, 3, 0, 4, 3, 2, 1])
        none = np.zeros(8, dtype=np.int64)
        rankings = Rankings(NAMES, ("7", "3"), ("",), item, none, system=system, rank=ranks, item=item)
        found = run(testset, rankings, level="segment")
        assert found.directions[0].n_judgements == 11
        assert found.directions[0].n_ties == 1
        expected = run(testset, rankings.preferences(), level="segment")
        assert found.averages[0].values.tolist() == expected.averages[0].values.tolist()

    @pytest.mark.parametrize("average", ["none", "segment", "system"])
    def test_averages_leave_constant_groups_out_and_count_them(self, testset: TestSet, gold: Any, average: str) -> None:
        flat = gold.copy()
        flat[:, :3] = np.where(np.isnan(flat[:, :3]), np.nan, 5.0)
        result = run(testset, scores_of(flat), level="segment", average=average, correlation=["pearson", "kendall-b"])
        of = result.directions[0].coefficient("pearson")
        words = lengths_of(testset)
        if average == "none":
            known = ~np.isnan(flat)
            assert of.values[0] == pytest.approx(np.corrcoef(flat[known], words[known])[0, 1])
            assert of.n_groups is None
            return
        pairs = zip(*((flat, words) if average == "system" else (flat.T, words.T)), strict=True)
        found = []
        for people, metric in pairs:
            known = ~np.isnan(people)
            if len(set(people[known])) > 1 and len(set(metric[known])) > 1:
                found.append(np.corrcoef(people[known], metric[known])[0, 1])
        assert of.values[0] == pytest.approx(np.mean(found))
        assert of.n_groups is not None
        assert of.n_dropped is not None
        assert of.n_groups[0] == len(found)
        assert of.n_groups[0] + of.n_dropped[0] == (N_SEGMENTS if average == "segment" else N_SYSTEMS)

    def test_a_metric_that_is_people_is_right_about_all_pairs(self, testset: TestSet) -> None:
        result = run(testset, scores_of(lengths_of(testset)), level="segment")
        assert result.coefficients == ("acc-eq", "kendall-b", "pearson")
        assert [result["xx-en", "length", name] for name in result.coefficients] == pytest.approx([1.0] * 3)
        of = result.directions[0].coefficient("acc-eq")
        assert of.epsilon is not None
        assert of.epsilon[0] == 0


class TestBetweenMetrics:
    @pytest.mark.parametrize("test", ["williams", "williams-graham", "perm-both", "zou", "bootstrap"])
    def test_people_themselves_beat_noise(self, testset: TestSet, test: str) -> None:
        people = lengths_of(testset)
        people[:, 0] += np.arange(N_SYSTEMS) / 100  # not quite: a correlation of 1 leaves nothing to test
        # Six systems can be swapped in 64 ways only: PERM-BOTH has little power.
        options = {"correlation": ["pearson"], "test": test, "resamples": 0, "alpha": 0.2}
        result = run(testset, scores_of(people), [length, noise], **options)
        tested = result.directions[0].tested
        assert tested is not None
        assert tested.better.tolist() == [[False, True], [False, False]]
        assert tested.clusters.tolist() == [1, 2]
        assert tested.exact == (test == "perm-both")
        assert (tested.p is None) == (test == "zou")

    def test_metrics_that_say_the_same_are_not_told_apart(self, testset: TestSet, gold: Any) -> None:
        for test in ("williams", "perm-both", "zou", "bootstrap"):
            tested = run(testset, scores_of(gold), [length, errors], test=test).directions[0].tested
            assert tested is not None
            assert not tested.better.any()
            assert tested.clusters.tolist() == [1, 1]

    def test_segment_level(self, testset: TestSet, gold: Any, preferences: Preferences) -> None:
        options: list[tuple[Any, dict[str, Any], str]] = [
            (scores_of(gold), {"test": "perm-both"}, "acc-eq"),
            (scores_of(gold), {"test": "perm-both", "average": "none", "correlation": ["pearson"]}, "pearson"),
            (scores_of(gold), {"test": "bootstrap", "average": "none", "correlation": ["pearson"]}, "pearson"),
            (scores_of(gold), {"test": "williams", "average": "none", "correlation": ["pearson"]}, "pearson"),
            (preferences, {"test": "bootstrap"}, "wmt13"),
        ]
        for judgements, given, coefficient in options:
            tested = run(testset, judgements, [noise, length], level="segment", **given).directions[0].tested
            assert tested is not None
            assert tested.coefficient == coefficient
            assert tested.clusters.tolist() == [2, 1]

    def test_the_first_coefficient_that_a_test_is_of(self, testset: TestSet, gold: Any) -> None:
        names = ["spearman", "accuracy", "pearson"]
        for test, coefficient in {"perm-both": "accuracy", "williams": "pearson", "bootstrap": "spearman"}.items():
            tested = run(testset, scores_of(gold), correlation=names, test=test).directions[0].tested
            assert tested is not None
            assert tested.coefficient == coefficient

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"correlation": ["spearman"], "test": "williams"}, "williams tests only pearson: choose"),
            ({"test": "permboth"}, "no test between metrics named 'permboth'; did you mean 'perm-both'"),
            ({"level": "segment", "test": "williams"}, r"williams tests only pearson \(average none\)"),
        ],
    )
    def test_refused(self, testset: TestSet, gold: Any, options: dict[str, Any], message: str) -> None:
        with pytest.raises(InputError, match=message):
            run(testset, scores_of(gold), **options)

    def test_constant_metrics_are_named(self, testset: TestSet, gold: Any) -> None:
        with pytest.raises(InputError, match="nothing to test: constant"):
            run(testset, scores_of(gold), [length, constant], test="perm-both")


class TestDirections:
    def test_averages_and_sequence(self, testset: TestSet, gold: Any) -> None:
        other = np.random.default_rng(8).normal(gold, 4)
        judged = {"xx-en": scores_of(gold), "yy-en": scores_of(other)}
        result = metaeval(dict.fromkeys(judged, testset), judgements=judged, metrics=[noise, length], resamples=20)
        for number, name in enumerate(result.coefficients):
            for metric in ("noise", "length"):
                values = [result[direction, metric, name] for direction in judged]
                assert result.averages[number].values[result.names.index(metric)] == pytest.approx(np.nanmean(values))
        drawn = [result.of(direction, "spearman").drawn for direction in result.directions]
        assert result.averages[0].drawn == pytest.approx(np.mean(np.array(drawn), axis=0))
        assert [result.names[m] for m in result.ranked] == ["length", "noise"]

    def test_marks_stand_where_an_average_is_better_than_one_above(self) -> None:
        """The averages of Pearson's r in Table 2 of WMT13, where .923 is marked though .924 stands right above it."""
        spearman = [0.935, 0.928, 0.916, 0.913, 0.912, 0.909, 0.883]
        pearson = [0.950, 0.909, 0.901, 0.934, 0.924, 0.923, 0.866]
        from mtassay.verbs.metaeval.result import Direction

        values = {"spearman": spearman, "pearson": pearson}
        coefficients = tuple(Coefficient(name=name, values=np.array(of)) for name, of in values.items())
        names = tuple(map(str, range(7)))
        gold: Any = None
        direction = Direction(
            name="xx-en",
            names=names,
            metrics=(length,) * 7,
            signatures=("",) * 7,
            references=("ref",),
            outliers=(),
            beside={},
            gold=gold,
            metric_scores=np.zeros((7, 0)),
            coefficients=coefficients,
            tested=None,
        )
        result = MetaEvaluation(
            level="system", average="none", resamples=0, seed=1, alpha=0.05, digits=None, directions=(direction,)
        )
        assert result.out_of_sequence(1).tolist() == [False, False, False, True, True, True, False]

    def test_metrics_that_lack_a_direction_come_last(self, testset: TestSet, gold: Any) -> None:
        testsets = dict.fromkeys(("xx-en", "yy-en"), testset)
        metrics = {"xx-en": [length, noise], "yy-en": [noise]}
        result = metaeval(testsets, judgements=scores_of(gold), metrics=metrics, resamples=20)
        assert [result.names[m] for m in result.ranked] == ["noise", "length"]
        assert result.n_directions.tolist() == [1, 2]
        assert result.averages[0].values[0] == result["xx-en", "length", "spearman"]
        assert "length (1 of 2)" in str(result)
        assert "–" in str(result)

    def test_preferences_and_scores_have_nothing_in_common(self, testset: TestSet, gold: Any, preferences: Any) -> None:
        judged = {"xx-en": scores_of(gold), "yy-en": preferences}
        with pytest.raises(InputError, match="no coefficient applies to both"):
            metaeval(dict.fromkeys(judged, testset), judgements=judged, metrics=METRICS, level="segment", resamples=20)


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda gold: gold[:1], "fewer than two systems have gold"),
            (lambda gold: np.full_like(gold, np.nan)[:, :0], "no system"),
        ],
        ids=["one system", "none"],
    )
    def test_too_few(self, testset: TestSet, gold: Any, change: Callable[[Any], Any], message: str) -> None:
        matrix = change(gold)
        with pytest.raises(InputError, match=message):
            run(testset, scores_of(matrix, systems=NAMES[: len(matrix)]))

    def test_constant_gold_has_no_correlation_and_says_so(self, testset: TestSet) -> None:
        result = run(testset, scores_of(np.ones((N_SYSTEMS, N_SEGMENTS))))
        assert np.isnan(result["xx-en", "length", "pearson"])
        assert "xx-en: Pearson r is not defined, since gold or metric is constant: length, noise, errors" in str(result)
        assert result.to_dict()["directions"][0]["metrics"][0]["coefficients"]["pearson"]["value"] is None

    def test_two_systems_can_be_compared_but_not_tested(self, testset: TestSet, gold: Any) -> None:
        two = scores_of(gold[:2], systems=NAMES[:2])
        assert abs(run(testset, two)["xx-en", "length", "spearman"]) == pytest.approx(1.0)
        with pytest.raises(InputError, match="more than three systems"):
            run(testset, two, test="williams")

    def test_metrics_without_direction(self, testset: TestSet, gold: Any) -> None:
        with pytest.raises(InputError, match="length_ratio has no direction"):
            run(testset, scores_of(gold), ["length_ratio"])

    def test_a_score_that_is_missing_is_named(self, testset: TestSet, gold: Any, tmp_path: Any) -> None:
        lines = [f"{name}\t{n}" for name in NAMES for n in range(N_SEGMENTS)]
        lines[N_SEGMENTS + 3] = "b\tNone"
        path = tmp_path / "m.seg.score"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        gold = np.nan_to_num(gold)
        with pytest.raises(InputError, match="m has no score for b, segment 4, which was judged"):
            run(testset, scores_of(gold), [f"file:{path}"], level="segment")
        gold[1, 3] = np.nan
        assert run(testset, scores_of(gold), [f"file:{path}"], level="segment").names == ("m",)

    def test_gold_by_wrong_names(self, testset: TestSet, gold: Any, preferences: Preferences) -> None:
        with pytest.raises(InputError, match="no gold of scores named 'wins'"):
            run(testset, scores_of(gold), gold="wins")
        with pytest.raises(InputError, match="no gold of preferences named 'win'; did you mean 'wins'"):
            run(testset, preferences, gold="win")
        with pytest.raises(InputError, match="z normalises the scores of each judge"):
            run(testset, scores_of(gold), gold="z")

    def test_segments_that_do_not_exist(self, testset: TestSet, gold: Any) -> None:
        with pytest.raises(InputError, match="segment '21', which the test set does not have"):
            run(testset, scores_of(np.hstack([gold, gold])))

    def test_names_of_results(self, testset: TestSet, gold: Any) -> None:
        result = run(testset, scores_of(gold))
        with pytest.raises(InputError, match="no metric named 'lenght'; did you mean 'length'"):
            result["xx-en", "lenght", "pearson"]
        with pytest.raises(InputError, match="correlation must be"):
            run(testset, scores_of(gold), correlation="pearson")
        with pytest.raises(InputError, match="by direction"):
            metaeval({}, judgements=scores_of(gold))
        with pytest.raises(InputError, match=r"no metrics for xx-en"):
            run(testset, scores_of(gold), {"yy-en": METRICS})


def test_margins_are_half_of_an_interval() -> None:
    drawn = np.stack([np.arange(101.0), np.append(np.arange(0.0, 0.5, 0.005), np.nan)])
    of = Coefficient(name="pearson", values=np.array([50.0, 0.2]), drawn=drawn, alpha=0.1)
    ends = [[5.0, 95.0], [0.02475, 0.47025]]
    np.testing.assert_allclose(of.intervals, ends)  # type: ignore[arg-type]
    np.testing.assert_allclose(of.margins, [45.0, 0.22275])  # type: ignore[arg-type]


def test_resamples_of_directions_are_averaged_one_by_one() -> None:
    """Accuracy drops resamples that lack a system, so that directions may have different numbers of them."""
    drawn = np.array([[0.1, 0.2, 0.3]]), np.array([[0.5, np.nan]])
    mean = averaged([Coefficient(name="accuracy", values=np.array([0.4]), drawn=of) for of in drawn])
    np.testing.assert_allclose(mean.drawn, [[0.3, 0.2]])  # type: ignore[arg-type]


def test_assessors_are_standardised(testset: TestSet) -> None:
    """An assessor who gives 10 more to everything changes the mean, but not z; one who says one thing is left out."""
    generator = np.random.default_rng(3)
    n = N_SYSTEMS * N_SEGMENTS
    system, segment = (part.ravel() for part in np.indices((N_SYSTEMS, N_SEGMENTS)))
    value = generator.normal(50 + 5 * system, 10)
    judge = (system >= 3).astype(np.int64)
    both = [np.concatenate([part, part[:4]]) for part in (segment, system)]
    shifted = np.append(value + 100 * judge, [1.0] * 4)
    scores = Scores(
        NAMES, tuple(str(s + 1) for s in range(N_SEGMENTS)), ("p", "q", "flat"), both[0],
        np.append(judge, [2] * 4), system=both[1], score=shifted, aspect="da", item=np.full(n + 4, "", dtype=np.str_),
    )  # fmt: skip
    result = run(testset, scores, gold="z")
    z = np.empty(n)
    for one in (0, 1):
        own = value[judge == one]
        z[judge == one] = (own - own.mean()) / own.std(ddof=1)
    assert result.directions[0].gold_scores == pytest.approx(z.reshape(N_SYSTEMS, -1).mean(axis=1))
    assert result.directions[0].dropped_judges == ("flat",)
    assert "judges with constant scores left out: flat" in str(result)


def test_trueskill_and_its_runs(testset: TestSet, preferences: Preferences) -> None:
    result = run(testset, preferences, gold="trueskill", resamples=30)
    drawn = result.directions[0].gold.drawn
    assert drawn is not None
    assert drawn.shape == (30, N_SYSTEMS)
    assert result.directions[0].gold_scores == pytest.approx(drawn.mean(axis=0))


def test_metrics_may_be_objects(testset: TestSet, gold: Any) -> None:
    assert isinstance(length, Metric)
    with pytest.raises(InputError, match="given twice"):
        run(testset, scores_of(gold), [length, length])


def judged_by(matrix: Any, judges: int) -> Scores:
    """The same scores by named judges who take turns over segments, each on a scale of their own."""
    plain = scores_of(matrix)
    judge = plain.segment % judges
    return replace(
        plain, judges=tuple(f"j{n}" for n in range(judges)), judge=judge, score=plain.score * (1 + 9 * judge)
    )


class TestUsualGold:
    def test_one_file_has_the_same_human_scores_everywhere(self, testset: TestSet, gold: Any) -> None:
        """Named judges are standardised by default, as ``humans`` and ``conclusions`` do; others are not."""
        from mtassay.judging.pairwise_tests import human_tests

        for judgements, method in ((judged_by(gold, 3), "z"), (scores_of(gold), "mean")):
            result = run(testset, judgements)
            assert result.directions[0].gold.method == method
            column = humans(judgements, resamples=10).aspects[0].columns[0]
            assert column.method == method
            assert result.directions[0].gold_scores == pytest.approx(column.scores)
            assert result.directions[0].gold_scores == pytest.approx(human_tests(judgements).scores)

    def test_the_other_is_there_to_be_asked_for(self, testset: TestSet, gold: Any) -> None:
        judgements = judged_by(gold, 3)
        raw, z = (run(testset, judgements, gold=method).directions[0].gold_scores for method in ("mean", "z"))
        assert raw.tolist() != z.tolist()
        assert run(testset, judgements).directions[0].gold_scores.tolist() == z.tolist()

    def test_segments_too(self, testset: TestSet, gold: Any) -> None:
        judgements = judged_by(gold, 3)
        usual, z, raw = (
            run(testset, judgements, level="segment", average="none", gold=method, correlation=["pearson"])
            for method in (None, "z", "mean")
        )
        assert usual["xx-en", "length", "pearson"] == z["xx-en", "length", "pearson"]
        assert usual["xx-en", "length", "pearson"] != pytest.approx(raw["xx-en", "length", "pearson"])
        assert "human scores: z" in str(usual)

    def test_differences_of_25_are_of_scores_as_they_are(self, testset: TestSet, gold: Any) -> None:
        judgements = judged_by(gold, 3)
        with pytest.raises(InputError, match="z changes them: use mean"):
            run(testset, judgements, level="segment", correlation=["darr"])
        run(testset, judgements, level="segment", correlation=["darr"], gold="mean")

    def test_judges_with_one_score_each(self, testset: TestSet) -> None:
        lone = scores_of(np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        lone = replace(lone, judges=tuple(f"j{n}" for n in range(36)), judge=np.arange(36))
        with pytest.raises(InputError, match="cannot be standardised; use the gold mean"):
            run(testset, lone)


class TestWhatIsSaid:
    def test_references_and_signatures(self, testset: TestSet, gold: Any) -> None:
        both = run(testset, scores_of(gold), ["chrf"])
        one = run(testset.select(references=["ref2"]), scores_of(gold), ["chrf"])
        assert [of.directions[0].references for of in (both, one)] == [("ref1", "ref2"), ("ref2",)]
        assert "2 references (ref1, ref2)" in str(both)
        assert "1 reference (ref2)" in str(one)
        for of, n in ((both, 2), (one, 1)):
            (direction,) = of.to_dict()["directions"]
            assert len(direction["references"]) == n
            assert direction["metrics"][0]["signature"].startswith(f"nrefs:{n}|")

    def test_draws_and_averages_are_the_real_ones(self, testset: TestSet, gold: Any, preferences: Preferences) -> None:
        scored, preferred = (scores_of(gold), "pearson"), (preferences, "wmt13")
        for (judgements, name), level, resamples, average in (
            (scored, "system", 1000, None),
            (scored, "segment", None, "segment"),
            (preferred, "segment", 1000, None),
        ):
            found = run(testset, judgements, [length], level=level, correlation=[name], resamples=0).to_dict()
            assert (found["resamples"], found["average"]) == (resamples, average)
        soft = run(testset, scores_of(gold), [length], correlation=["soft-accuracy"], resamples=0).to_dict()
        of = soft["directions"][0]["metrics"][0]["coefficients"]["soft-accuracy"]
        assert (soft["resamples"], of["n_resamples"]) == (None, 10_000)


class TestFewSystems:
    def test_bootstrap_needs_four(self, testset: TestSet, gold: Any) -> None:
        with pytest.raises(InputError, match="needs 4 systems or more, not 3"):
            run(testset, scores_of(gold[:3], systems=NAMES[:3]), correlation=["pearson"], test="bootstrap")

    def test_a_test_needs_two_metrics(self, testset: TestSet, gold: Any) -> None:
        for test in ("williams", "perm-both", "zou", "bootstrap"):
            with pytest.raises(InputError, match=f"{test} is a test between metrics: give two or more"):
                run(testset, scores_of(gold), [length], correlation=["pearson"], test=test)

    def test_constant_gold_has_no_accuracy(self, testset: TestSet) -> None:
        result = run(testset, scores_of(np.ones((N_SYSTEMS, N_SEGMENTS))), correlation=["accuracy", "pearson"])
        assert np.isnan(result["xx-en", "length", "accuracy"])
        assert "–" in str(result)

    def test_one_judgement_has_no_interval(self, testset: TestSet, preferences: Preferences) -> None:
        one = preferences.rows(np.flatnonzero(preferences.outcome != 0)[:1])
        for level in ("system", "segment"):
            result = run(testset, one, [length], level=level, correlation=None if level == "segment" else ["kendall-b"])
            assert result.directions[0].coefficients[0].intervals is None
            assert "±" not in str(result)
            assert "1 preference" in str(result)
            assert "1 preferences" not in str(result)


class TestRefusedForNothing:
    """What would make no difference is refused."""

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"level": "segment", "gold": "expected-wins"}, "count one by one: leave it out"),
            ({"level": "segment", "average": "none"}, "these judgements are preferences: leave out the average"),
            ({"level": "system", "average": "system"}, "averaged only at segment level"),
        ],
    )
    def test_preferences(self, testset: TestSet, preferences: Preferences, options: dict[str, Any], words: str) -> None:
        with pytest.raises(InputError, match=words):
            run(testset, preferences, **options)

    def test_scores_of_systems(self, testset: TestSet, gold: Any) -> None:
        with pytest.raises(InputError, match="averaged only at segment level"):
            run(testset, scores_of(gold), average="segment")
