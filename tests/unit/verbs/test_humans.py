"""The function behind ``mtassay humans``: what it puts together, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import mtassay
from mtassay.data.judgements import Preferences, Rankings, Scores, numbered
from mtassay.errors import InputError
from mtassay.judging.methods import OF_PREFERENCES
from mtassay.judging.rank_ranges import fuzzy_ranks, resampled_counts, score_ranges
from mtassay.judging.trueskill import trueskill
from mtassay.stats.resamples import Resamples
from mtassay.verbs.humans import HumansResult, humans

QUALITY = {"good": 1.0, "fair": 0.4, "poor": -0.3, "bad": -1.0}


def made_rankings(n_screens: int = 80, seed: int = 1) -> Rankings:
    """Screens of three systems."""
    rng = np.random.default_rng(seed)
    names = tuple(QUALITY)
    system, rank, item = [], [], []
    for screen in range(n_screens):
        shown = rng.choice(4, 3, replace=False)
        seen = np.round(np.array([QUALITY[names[s]] for s in shown]) + rng.normal(0, 1, 3), 0)
        system += shown.tolist()
        rank += (1 + (seen[None, :] > seen[:, None]).sum(axis=1)).tolist()
        item += [screen] * 3
    items = np.array(item, dtype=np.int64)
    segments = tuple(str(number) for number in range(n_screens // 2))
    return Rankings(
        names,
        segments,
        ("j", "k"),
        items // 2,
        items % 2,
        system=np.array(system, np.int64),
        rank=np.array(rank, np.int64),
        item=items,
    )


def made_scores(aspect: str = "adequacy", *, seed: int = 1, control: bool = False, n: int = 60) -> Scores:
    """Every assessor scores all systems on segments of its own, on a scale of its own; "lazy" scores at random."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, float, str]] = []
    for judge, (scale, shift, care) in {"strict": (8, 30, 1), "mild": (15, 70, 1), "lazy": (10, 50, 0)}.items():
        for segment in range(n // 3):
            for system, quality in QUALITY.items():
                where = (f"{judge}{segment}", judge, system)
                score = care * quality + rng.normal(0, 0.7)
                rows.append((*where, shift + scale * score, ""))
                if control and system == "good":
                    rows.append((*where, shift + scale * (score - 2 * care + rng.normal(0, 0.3)), "BAD-REF"))
                    rows.append((*where, shift + scale * (score + rng.normal(0, 0.1) + (judge == "mild")), "REPEAT"))
    segments, segment_ = numbered([row[0] for row in rows])
    judges, judge_ = numbered([row[1] for row in rows])
    systems, system_ = numbered([row[2] for row in rows])
    score_ = np.array([row[3] for row in rows])
    kind = np.array([row[4] for row in rows])
    return Scores(systems, segments, judges, segment_, judge_, system=system_, score=score_, aspect=aspect, item=kind)


@pytest.fixture(scope="module")
def ranked() -> HumansResult:
    return humans(made_rankings(), method=["expected-wins", "feedback-arcs", "bradley-terry"], resamples=200)


class TestPreferences:
    def test_what_a_result_has(self, ranked: HumansResult) -> None:
        found = json.loads(json.dumps(ranked.to_dict()))
        assert found["schema"] == "mtassay.humans/1"
        assert (found["resamples"], found["seed"], found["unit"], found["combined"]) == (200, 12345, "screen", None)
        (aspect,) = found["aspects"]
        assert (aspect["judgements"], aspect["units"], aspect["segments"], aspect["judges"]) == (240, 80, 40, 2)
        best, *_, worst = aspect["ranking"]
        assert (best["system"], worst["system"]) == ("good", "bad")
        assert worst["system"] in best["better_than"]
        assert worst["better_than"] == []
        for row in aspect["ranking"]:
            low, high = row["rank_range"]
            assert low <= row["rank"] <= high
        assert len(aspect["pairs"]) == 6

    def test_columns_are_the_methods_by_themselves(self, ranked: HumansResult) -> None:
        preferences = made_rankings().preferences()
        wins, _ = preferences.counts()
        wins_of, arcs, _ = ranked.aspects[0].columns
        met = wins + wins.T
        shares = [[wins[x, y] / met[x, y] for y in range(4) if y != x] for x in range(4)]
        np.testing.assert_allclose(wins_of.scores, np.mean(shares, axis=1))
        # The order of fewest contradictions, from the definition.
        against = {
            order: sum(max(0, wins[y, x] - wins[x, y]) for x, y in combinations(order, 2))
            for order in permutations(range(4))
        }
        places = dict(enumerate(arcs.scores.astype(int)))
        assert against[tuple(sorted(places, key=lambda s: places[s]))] == min(against.values())
        assert not arcs.higher_is_better

    @pytest.mark.parametrize("method", OF_PREFERENCES)
    def test_every_method_can_come_first(self, method: str) -> None:
        aspect = humans(made_rankings(), method=method, resamples=60).aspects[0]
        assert [aspect.columns[0].method, *[tuple(QUALITY)[s] for s in (aspect.order[0], aspect.order[-1])]] == [
            method,
            "good",
            "bad",
        ]
        assert sorted(s for members in aspect.wmt_clusters for s in members) == [0, 1, 2, 3]

    def test_same_seed_same_result(self) -> None:
        for method in ("expected-wins", "trueskill-resampled"):
            one, same, other = (humans(made_rankings(), method=method, resamples=60, seed=s) for s in (1, 1, 2))
            assert one.to_dict() == same.to_dict()
            assert (one.aspects[0].ranges.drawn != other.aspects[0].ranges.drawn).any()

    def test_some_of_the_systems(self) -> None:
        chosen = humans(made_rankings(), systems=["bad", "good"], resamples=50)
        assert chosen.systems == ("bad", "good")
        wins, _ = made_rankings().preferences().counts()
        assert chosen.aspects[0].columns[0].scores[1] == wins[0, 3] / (wins[0, 3] + wins[3, 0])

    def test_segments_as_units(self) -> None:
        preferences = made_rankings().preferences()
        totals = np.concatenate(
            [
                w.sum(axis=(1, 2)) + t.sum(axis=(1, 2)) / 2
                for w, t in resampled_counts(preferences, resamples=300, unit="segment")
            ]
        )
        # Every segment has two screens of three pairs each.
        assert (totals == 240).all()
        assert humans(made_rankings(), unit="segment", resamples=50).aspects[0].counts["units"] == 40

    def test_judgements_one_by_one_have_no_screens(self) -> None:
        preferences = made_rankings().preferences()
        alone = replace(preferences, item=np.arange(len(preferences)))
        assert humans(alone, resamples=50).unit == "judgement"

    def test_a_system_without_score_is_last_and_none(self) -> None:
        preferences = made_rankings().preferences()
        tied = replace(
            preferences, outcome=np.where((preferences.first == 0) | (preferences.second == 0), 0, preferences.outcome)
        )
        result = humans(tied, resamples=50)
        row = result.to_dict()["aspects"][0]["ranking"][-1]
        assert (row["system"], row["scores"], row["rank"], row["fuzzy_rank"] > 1) == (
            "good",
            {"expected-wins": None},
            4,
            True,
        )
        assert "good has no score and is ranked last" in str(result)
        assert fuzzy_ranks([np.nan, 1.0], np.eye(2)).tolist() == [2.0, 1.0]

    def test_resampled_trueskill_draws_single_judgements(self) -> None:
        """The rule of WMT16; screens are drawn if they are asked for."""
        method = "trueskill-resampled"
        usual, single, screens = (
            humans(made_rankings(), method=method, resamples=60, unit=unit) for unit in (None, "judgement", "screen")
        )
        assert (usual.unit, screens.unit) == ("judgement", "screen")
        assert usual.to_dict() == single.to_dict()
        drawn = resampled_counts(made_rankings().preferences(), resamples=60, unit="judgement")
        wins, ties = (np.concatenate(block) for block in zip(*drawn, strict=True))
        assert (usual.aspects[0].ranges.drawn == trueskill(wins, ties, runs=60).runs).all()
        assert (usual.aspects[0].ranges.drawn != screens.aspects[0].ranges.drawn).any()
        assert "60 runs, each on resampled judgements" in str(usual)
        second = humans(made_rankings(), method=["expected-wins", method], resamples=60)
        assert second.unit == "screen"
        assert (second.aspects[0].columns[1].scores == usual.aspects[0].columns[0].scores).all()

    def test_progress_of_trueskill(self) -> None:
        seen: list[Any] = []

        def wrap(items: Any) -> Any:
            seen.append(items)
            return items

        humans(made_rankings(), method="trueskill", resamples=50, progress=wrap)
        assert seen


class TestScores:
    def test_scores_and_p(self) -> None:
        scores = made_scores()
        result = humans(scores, method=["z", "mean"], resamples=100)
        z, mean = result.aspects[0].columns
        # Every output has one score, so that a system's is the plain mean.
        judged = {name: scores.score[scores.judge == j] for j, name in enumerate(scores.judges)}
        own = np.array(
            [
                (v - judged[scores.judges[j]].mean()) / judged[scores.judges[j]].std(ddof=1)
                for v, j in zip(scores.score, scores.judge, strict=True)
            ]
        )
        for s, name in enumerate(result.systems):
            assert name == scores.systems[s]
            assert z.scores[s] == pytest.approx(own[scores.system == s].mean(), rel=1e-12)
            assert mean.scores[s] == pytest.approx(scores.score[scores.system == s].mean(), rel=1e-12)
        for x, y in combinations(range(4), 2):
            expected = mannwhitneyu(own[scores.system == x], own[scores.system == y], alternative="greater").pvalue
            assert result.aspects[0].p[x, y] == pytest.approx(expected, rel=1e-9)

    def test_draws_are_means_over_drawn_segments(self) -> None:
        values = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, 4.0]])
        found = score_ranges(values, resamples=50)
        weights = Resamples(3, 50, seed=12345)(range(50))
        for drawn, weight in zip(found.drawn, weights, strict=True):
            for s in range(2):
                known = np.isfinite(values[s]) & (weight > 0)
                expected = np.average(values[s][known], weights=weight[known]) if known.any() else -np.inf
                assert drawn[s] == pytest.approx(expected)
        assert found.scores.tolist() == [2.0, 11 / 3]

    def test_lower_may_be_better(self) -> None:
        scores = made_scores()
        errors = replace(scores, score=-scores.score, higher_is_better=False)
        one, other = humans(scores, resamples=100), humans(errors, resamples=100)
        assert one.aspects[0].order == other.aspects[0].order
        assert (one.aspects[0].ranges.low == other.aspects[0].ranges.low).all()
        np.testing.assert_allclose(one.aspects[0].columns[0].scores, -other.aspects[0].columns[0].scores, atol=1e-12)
        assert "z ↓" in str(other)

    def test_usual_methods(self) -> None:
        scores = made_scores()
        assert humans(scores, resamples=50).aspects[0].columns[0].method == "z"
        unnamed = replace(scores, judges=("",), judge=np.zeros_like(scores.judge))
        assert humans(unnamed, resamples=50).aspects[0].columns[0].method == "mean"
        yes_or_no = replace(scores, score=(scores.score > 50).astype(float))
        assert humans(yes_or_no, resamples=50).aspects[0].columns[0].method == "mean"

    def test_quality_control_says_whom_it_drops(self) -> None:
        scores = made_scores(control=True)
        result = humans(scores, drop_careless=True, drop_inconsistent=True, resamples=50)
        careless, inconsistent = result.aspects[0].dropped
        assert (careless.judges, inconsistent.judges) == (("lazy",), ("mild",))
        # 20 segments of four systems, and one of them again; the degraded one does not count.
        assert careless.n_judgements == inconsistent.n_judgements == 100
        assert humans(scores, resamples=50).aspects[0].counts["judgements"] == 300
        # Repeats count: 20 segments of four systems, and one of them again.
        assert result.aspects[0].counts["judgements"] == 100
        assert result.aspects[0].of_system.tolist() == [[40, 20, 20, 20], [20, 20, 20, 20]]
        signed = humans(scores, drop_careless=True, control_test="signed-rank", resamples=50)
        assert signed.aspects[0].dropped == (careless,)
        with pytest.raises(InputError, match=r"no control test named 'tt'.*known: t, signed-rank"):
            humans(scores, drop_careless=True, control_test="tt", resamples=50)
        assert "dropped 1 judge with 100 scores (careless" in str(result)
        assert humans(scores, resamples=50).aspects[0].dropped == ()

    def test_assessors_without_deviation_are_named(self) -> None:
        scores = made_scores()
        flat = replace(scores, score=np.where(scores.judge == 2, 50.0, scores.score))
        (dropped,) = humans(flat, method="z", resamples=50).aspects[0].dropped
        assert (dropped.judges, dropped.n_judgements) == (("lazy",), 80)

    def test_control_items_are_no_systems(self) -> None:
        scores = made_scores()
        extra = replace(
            scores,
            systems=(*scores.systems, "reference"),
            system=np.where(scores.segment % 10 == 0, 4, scores.system),
            item=np.where(scores.segment % 10 == 0, "REF", scores.item),
        )
        assert humans(extra, resamples=50).systems == tuple(QUALITY)


class TestTwoAspects:
    def test_conclusions_by_hand(self) -> None:
        adequacy, fluency = made_scores(n=15), made_scores("fluency", seed=2)
        result = humans([adequacy, fluency], resamples=50)
        first, second = (aspect.clustering.better for aspect in result.aspects)
        assert result.combined is not None
        combined = result.combined.clustering.better
        by_second = 0
        for x, y in combinations(range(4), 2):
            decides = first[x, y] or first[y, x]
            source = first if decides else second
            by_second += not decides and bool(second[x, y] or second[y, x])
            assert (combined[x, y], combined[y, x]) == (source[x, y], source[y, x])
        assert by_second > 0
        assert f"another {by_second} by fluency" in str(result)
        pairs = result.to_dict()["combined"]["pairs"]
        assert {pair["by"] for pair in pairs} == {"adequacy", "fluency"}

    def test_systems_may_stand_in_another_order(self) -> None:
        adequacy, fluency = made_scores(n=15), made_scores("fluency", seed=2)
        turned = replace(fluency, systems=fluency.systems[::-1], system=3 - fluency.system)
        assert humans([adequacy, turned], resamples=50).to_dict() == humans([adequacy, fluency], resamples=50).to_dict()

    def test_both_have_the_methods_of_the_first(self) -> None:
        fluency = made_scores("fluency", seed=2)
        yes_or_no = replace(fluency, score=(fluency.score > 50).astype(float))
        result = humans([made_scores(), yes_or_no], resamples=50)
        assert [aspect.columns[0].method for aspect in result.aspects] == ["z", "z"]

    def test_the_same_systems_are_needed(self) -> None:
        adequacy = made_scores()
        fluency = replace(adequacy, systems=("good", "fair", "poor", "other"), aspect="fluency")
        with pytest.raises(InputError, match="'bad' was judged in only one aspect"):
            humans([adequacy, fluency])
        assert humans([adequacy, fluency], systems=["good", "fair"], resamples=50).systems == ("good", "fair")


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (made_rankings(), {"method": "expected_wins"}, "no method named 'expected_wins'; did you mean 'expected-wins'"),
    (made_rankings(), {"method": "z"}, "'z' is for scores, but these are preferences"),
    (made_scores(), {"method": "soccer"}, "'soccer' is for preferences, but these are scores"),
    (made_scores(), {"method": ["mean", "mean"]}, "none twice"),
    (made_scores(), {"method": []}, "at least one method"),
    (made_scores(), {"unit": "screen"}, "scores are resampled by segment"),
    (made_rankings(), {"unit": "screens"}, "did you mean 'screen'"),
    (made_rankings(), {"alpha": 0}, "alpha must be between"),
    (made_rankings(), {"resamples": -1}, "resamples must be"),
    (made_rankings(), {"resamples": 2}, "2 resamples are too few"),
    (made_rankings(), {"seed": -1}, "seed must be"),
    (made_rankings(), {"systems": ["good", "badd"]}, "no judged system named 'badd'; did you mean 'bad'"),
    (made_rankings(), {"systems": ["good", "good"]}, "twice"),
    (made_rankings(), {"systems": "good"}, r"systems must be a list such as \['a', 'b'\], not 'good'"),
    (made_rankings(), {"method": 3}, r"method must be a list such as \['expected-wins'\], not 3"),
    (made_rankings(), {"systems": ["good"]}, "needs two systems, but there is 1"),
    (made_rankings(), {"drop_careless": True}, "control items are scored, but"),
    (made_scores(), {"drop_careless": True}, "BAD-REF or BAD_REF or BAD: no judge can be checked"),
    (made_scores(), {"drop_inconsistent": True}, "REPEAT or REP or CHK"),
    (made_scores(), {"control_test": "signed-rank"}, "decides which judges are dropped: also give --drop-careless"),
    (replace(made_scores(), score=np.full(240, np.nan)), {}, "not a number"),
    (replace(made_scores(), judges=("", "", "")), {"method": "z"}, "name no judges, which"),
    (replace(made_scores(), segment=np.zeros(240, dtype=np.int64)), {}, "at least two segments"),
    ([made_scores()] * 3, {}, "scores of two aspects"),
    ([made_rankings()] * 2, {}, "scores of two aspects"),
    (made_rankings(0), {}, "no judgement"),
]


@pytest.mark.parametrize(("judgements", "options", "said"), REFUSED, ids=[str(n) for n in range(len(REFUSED))])
def test_what_is_refused(judgements: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        humans(judgements, **options)


def test_every_assessor_dropped() -> None:
    scores = made_scores(control=True)
    # Whatever was degraded has the higher score.
    lazy = replace(scores, score=np.where(scores.item == "BAD-REF", 200.0, scores.score))
    with pytest.raises(InputError, match="every judge was dropped"):
        humans(lazy, drop_careless=True)


def test_public_name_and_notebook(ranked: HumansResult) -> None:
    assert mtassay.humans is humans
    assert "<table>" in ranked._repr_html_()
    assert repr(ranked).startswith("HumansResult(good, fair, poor, bad; expected-wins")


def test_preferences_as_they_are() -> None:
    rankings = made_rankings()
    preferences: Preferences = rankings.preferences()
    assert humans(preferences, resamples=50).to_dict() == humans(rankings, resamples=50).to_dict()
