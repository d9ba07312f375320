"""Human rankings of WMT campaigns: what the campaigns and Lopez published, on their own judgements."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.data.judgements import Rankings, Scores, numbered
from mtassay.judging.assessments import official_clusters, rank_sum_p, segment_scores, system_scores
from mtassay.judging.feedback_arcs import arcs, cost, feedback_arc_order
from mtassay.judging.kappa import inter_annotator, intra_annotator
from mtassay.judging.preference_clusters import human_clusters
from mtassay.judging.rank_ranges import ranges, rank_ranges
from mtassay.judging.trueskill import trueskill
from mtassay.judging.wins import expected_net_wins, expected_wins, soccer, win_or_tie_ratio, win_ratio

LANGUAGES = {"cs": "Czech", "de": "German", "en": "English", "es": "Spanish", "fr": "French"}
LOPEZ: dict[str, Callable[..., Any]] = {
    "expected_wins": expected_wins,
    "expected_net_wins": expected_net_wins,
    "soccer": soccer,
    "new_wmt_official": lambda wins, ties: 100 * win_ratio(wins, ties),
    "old_wmt_official": lambda wins, ties: 100 * win_or_tie_ratio(wins, ties),
}
ARCS = {"mfas_raw_diff": "raw", "mfas_max_net_wins": "net"}


@pytest.fixture(scope="module")
def expected(recorded: Any) -> list[dict[str, Any]]:
    return list(recorded.metaeval())


def entries_of(entries: list[dict[str, Any]], dataset: str, pair: str, statistic: str) -> list[dict[str, Any]]:
    found = [
        entry
        for entry in entries
        if entry["dataset"] == dataset and entry["pair"] == pair and entry["statistic"].startswith(statistic)
    ]
    assert found, f"no entry {dataset} {pair} {statistic}"
    return found


def rankings(rows: list[tuple[int, str, str, str, int]]) -> Rankings:
    """From rows of screen, segment, judge, system and rank."""
    screens, segments, judges, systems, ranks = zip(*rows, strict=True)
    system_names, system = numbered(systems)
    segment_names, segment = numbered(segments)
    judge_names, judge = numbered(judges)
    _, item = numbered([str(screen) for screen in screens])
    return Rankings(
        system_names, segment_names, judge_names, segment, judge, system=system, rank=np.array(ranks), item=item
    )


@cache
def five_way(path: Path, source: str, target: str, with_references: bool = False) -> Rankings:
    rows = []
    with path.open(encoding="utf-8", newline="") as lines:
        for screen, row in enumerate(csv.DictReader(lines)):
            if (row["srclang"], row["trglang"]) != (source, target):
                continue
            for place in range(1, 6):
                name, rank = row[f"system{place}Id"], int(row[f"system{place}rank"])
                if rank != -1 and (with_references or name != "_ref"):
                    rows.append((screen, row["srcIndex"], row["judgeId"], name, rank))
    return rankings(rows)


@cache
def joined(path: Path, split: bool) -> Rankings:
    rows = []
    with path.open(encoding="utf-8", newline="") as lines:
        for screen, row in enumerate(csv.DictReader(lines, delimiter="\t")):
            for item in row["items"].split():
                names, rank = item.rsplit("=", 1)
                for name in names.split("+") if split else [names]:
                    rows.append((screen, row["segment"], row["judge"], name, int(rank)))
    return rankings(rows)


def direct_assessment(path: Path) -> Scores:
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    systems, system = numbered([row[0] for row in rows])
    segments, segment = numbered([row[1] for row in rows])
    nobody = np.zeros(len(rows), dtype=np.int64)
    score = np.array([float(row[3]) for row in rows])
    return Scores(
        systems, segments, ("",), segment, nobody, system=system, score=score, aspect="da", item=np.full(len(rows), "")
    )


def names(pair: str) -> tuple[str, str]:
    source, target = pair.split("-")
    return LANGUAGES[source], LANGUAGES[target]


@pytest.mark.parametrize("pair", ["cs-en", "en-es", "es-en"])
@pytest.mark.parametrize("method", LOPEZ)
def test_lopez_scores(data_dir: Path, expected: list[dict[str, Any]], pair: str, method: str) -> None:
    judgements = five_way(
        (data_dir / "wmt12/wmt12.RNK_results.csv"), *names(pair), with_references=method == "old_wmt_official"
    )
    scores = dict(zip(judgements.systems, LOPEZ[method](*judgements.preferences().counts()), strict=True))
    (entry,) = entries_of(expected, "wmt12", pair, f"Lopez {method}")
    assert {name: scores[name] for name in entry["value"]} == pytest.approx(entry["value"], rel=1e-9)
    source, target = names(pair)
    printed = data_dir / f"wmt12/lopez_rankings/ranking_{method}/wmt12.{source}-{target}"
    for line in printed.read_text(encoding="utf-8").splitlines():
        name, digits = line.split("\t")
        assert f"{scores[name]:.6g}" == digits


@pytest.mark.parametrize("pair", ["cs-en", "en-es", "es-en"])
@pytest.mark.parametrize("method", ARCS)
def test_lopez_orders(data_dir: Path, expected: list[dict[str, Any]], pair: str, method: str) -> None:
    judgements = five_way(data_dir / "wmt12/wmt12.RNK_results.csv", *names(pair))
    wins, ties = judgements.preferences().counts()
    (entry,) = entries_of(expected, "wmt12", pair, f"Lopez {method}")
    found = feedback_arc_order(wins, ties, weight=ARCS[method])
    assert found.cost == pytest.approx(entry["options"]["optimal_cost"], abs=1e-9)
    assert [judgements.systems[s] for s in found.order] == entry["value"]


def counts(path: Path, *, with_references: bool) -> tuple[tuple[str, ...], Any, Any]:
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if with_references or "_ref" not in row]
    systems, _ = numbered([row[0] for row in rows])
    wins, ties = np.zeros((2, len(systems), len(systems)))
    for one, other, won, tied, _ in rows:
        wins[systems.index(one), systems.index(other)] = int(won)
        ties[systems.index(one), systems.index(other)] = int(tied)
    return systems, wins, ties


@pytest.mark.parametrize("method", LOPEZ)
def test_lopez_scores_of_earlier_campaigns(data_dir: Path, method: str) -> None:
    n_checked = 0
    for path in sorted((data_dir / "wmt07-11/lopez_rankings/pairwise").iterdir()):
        systems, wins, ties = counts(path, with_references=method == "old_wmt_official")
        scores = dict(zip(systems, LOPEZ[method](wins, ties), strict=True))
        printed = path.parents[1] / f"ranking_{method}" / path.name
        for line in printed.read_text(encoding="utf-8").splitlines():
            name, digits = line.split("\t")
            assert f"{scores[name]:.6g}" == digits, f"{path.name} {name}"
            n_checked += 1
    assert n_checked > 200


@pytest.mark.parametrize("method", ARCS)
def test_lopez_orders_of_earlier_campaigns(data_dir: Path, method: str) -> None:
    for path in sorted((data_dir / "wmt07-11/lopez_rankings/pairwise").iterdir()):
        systems, wins, ties = counts(path, with_references=False)
        printed = path.parents[1] / f"ranking_{method}" / path.name
        theirs = [systems.index(name) for name in printed.read_text(encoding="utf-8").split()]
        found = feedback_arc_order(wins, ties, weight=ARCS[method])
        # Their search was over weights printed with six digits.
        least = cost(theirs, arcs(wins, ties, weight=ARCS[method]))
        assert found.cost == pytest.approx(least, rel=1e-5, abs=1e-9), path.name


@pytest.mark.parametrize("pair", ["fi-en", "ru-en"])
def test_kappas_of_wmt15(data_dir: Path, expected: list[dict[str, Any]], pair: str) -> None:
    path = data_dir / "wmt15" / pair / "rankings.tsv"
    for kind, agreement in (("inter", inter_annotator), ("intra", intra_annotator)):
        for entry in entries_of(expected, "wmt15", pair, f"{kind}-annotator kappa"):
            preferences = joined(path, split="(expanded" in entry["statistic"]).preferences()
            found = agreement(preferences, rule="strict" if "strict" in entry["statistic"] else "official")
            counts = entry["options"].get("official_counts_agree_comparable_ties_total") or entry["options"]["counts"]
            assert [found.agree, found.comparable, found.ties, found.labels] == counts
            assert found.kappa == entry["value"]


@pytest.mark.parametrize("pair", ["fi-en", "ru-en"])
def test_expected_wins_of_wmt15(data_dir: Path, expected: list[dict[str, Any]], pair: str) -> None:
    judgements = joined(data_dir / "wmt15" / pair / "rankings.tsv", split=True)
    preferences = judgements.preferences()
    (entry,) = entries_of(expected, "wmt15", pair, "expected wins")
    assert len(preferences) == entry["options"]["n_pairwise"]
    assert len(preferences) - len(preferences.strict()) == entry["options"]["n_ties"]
    found = dict(zip(judgements.systems, expected_wins(*preferences.counts()), strict=True))
    assert found == pytest.approx(entry["value"], rel=1e-12)


#: What the issue allows, in scores and in the order.
TRUESKILL_TOLERANCE = 0.02


@pytest.mark.parametrize(
    "pair",
    [
        "fi-en",
        pytest.param(
            "ru-en",
            marks=pytest.mark.xfail(
                reason="up to .035 off (online-F), as the package trueskill is on these judgements: see the module",
                strict=True,
            ),
        ),
    ],
)
def test_trueskill_of_wmt15(data_dir: Path, expected: list[dict[str, Any]], pair: str) -> None:
    judgements = joined(data_dir / "wmt15" / pair / "rankings.tsv", split=True)
    (entry,) = entries_of(expected, "wmt15", pair, "official TrueSkill")
    skills = trueskill(*judgements.preferences().counts(), runs=200)
    found = dict(zip(judgements.systems, skills.scores, strict=True))
    official = entry["value"]
    for one, other in combinations(official, 2):
        if official[one] - official[other] > TRUESKILL_TOLERANCE:
            assert found[one] > found[other]
    best = ranges(skills.scores, skills.runs).clusters(last_only=True)[0]
    assert {judgements.systems[s] for s in best} == set(entry["options"]["clusters"][0])
    assert found == pytest.approx(official, abs=TRUESKILL_TOLERANCE)


def test_direct_assessment_of_wmt21(data_dir: Path, expected: list[dict[str, Any]]) -> None:
    scores = direct_assessment(data_dir / "wmt21/cs-en/DA.ad-seg-scores-cs-en.csv")
    per_segment = segment_scores(scores)
    z, p = system_scores(per_segment), rank_sum_p(per_segment)
    number = {name: s for s, name in enumerate(scores.systems)}
    for entry in entries_of(expected, "wmt21", "cs-en", "DA z mean"):
        (name,) = entry["metrics"]
        assert z[number[name]] == pytest.approx(entry["value"], rel=1e-12)
        assert np.isfinite(per_segment[number[name]]).sum() == entry["options"]["n_segments"]
    for entry in entries_of(expected, "wmt21", "cs-en", "Wilcoxon rank-sum p"):
        one, other = entry["metrics"]
        assert p[number[one], number[other]] == pytest.approx(entry["value"], abs=1e-12, rel=1e-12)
    (entry,) = entries_of(expected, "wmt21", "cs-en", "DA clusters")
    assert [[scores.systems[s] for s in members] for members in official_clusters(z, p)] == entry["value"]


def test_a_whole_campaign_of_wmt13(data_dir: Path) -> None:
    judgements = five_way(data_dir / "wmt13/fr-en/rankings5way.train.csv", "French", "English")
    preferences = judgements.preferences().strict()
    assert len(preferences) == 80_741
    found = rank_ranges(preferences)
    assert (found.low <= found.high).all()
    places = np.empty(len(found.order), dtype=np.int64)
    places[found.order] = np.arange(1, len(places) + 1)
    assert ((found.low <= places) & (places <= found.high)).all()
    # Screens hang together, so that single judgements look surer than they are.
    single = rank_ranges(preferences, unit="judgement")
    assert (single.high - single.low).sum() < (found.high - found.low).sum()
    clustering = human_clusters(preferences)
    assert {s for members in clustering.clusters for s in members} == set(range(13))
