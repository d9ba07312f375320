"""Every real file of judgements, against plain counting with the csv module and the figures of ORIGIN files."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from mtassay.data import Preferences, Rankings, Scores, load, load_judgements
from mtassay.data.judgements import Judgements

LANGUAGES = {"cs": "Czech", "de": "German", "en": "English", "es": "Spanish", "fr": "French", "ur": "Urdu"}
CODES = {name: code for code, name in LANGUAGES.items()}
Wins = Counter[tuple[str, str, str]]


@cache
def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".tsv":
            return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        return list(csv.DictReader(file))


def strict_pairs(found: Preferences) -> Wins:
    columns = (found.segment, found.first, found.second, found.outcome)
    return Counter(
        (found.segments[g], found.systems[x if o > 0 else y], found.systems[y if o > 0 else x])
        for g, x, y, o in zip(*(column.tolist() for column in columns), strict=True)
        if o
    )


def counts(found: Judgements) -> tuple[int, int, int, int]:
    return len(found), len(found.systems), len(found.segments), len(found.judges)


RANKINGS = {
    "wmt07-11/wmt10.data_RNK.csv": 7692,
    "wmt07-11/wmt10.data_RNK-public.csv": 11127,
    "wmt07-11/wmt11-maneval-indivsystems.RNK_results.csv": 7842,
    "wmt07-11/wmt11-maneval-combosystems.RNK_results.csv": 3615,
    "wmt07-11/wmt11-maneval-tunablemetrics.RNK_results.csv": 633,
    "wmt07-11/wmt11-maneval-HC-indivsystems.RNK_results.csv": 1047,
    "wmt07-11/wmt11-maneval-HC-combosystems.RNK_results.csv": 600,
    "wmt12/wmt12.RNK_results.csv": 12339,
    "wmt13/fr-en/rankings5way.train.csv": 9996,
    "wmt13/fr-en/rankings5way.test.csv": 200,
}


@pytest.mark.parametrize(("name", "n_lines"), RANKINGS.items())
def test_five_way_rankings(data_dir: Path, name: str, n_lines: int) -> None:
    path = data_dir / name
    rows = rows_of(path)
    assert len(rows) == n_lines
    for source, target in {(row["srclang"], row["trglang"]) for row in rows}:
        of_pair = [row for row in rows if (row["srclang"], row["trglang"]) == (source, target)]
        cells = [
            (place, row["srcIndex"], row["judgeId"], row[f"system{k}Id"], int(row[f"system{k}rank"]))
            for place, row in enumerate(of_pair)
            for k in range(1, 6)
            if row[f"system{k}rank"] != "-1"
        ]
        found = load_judgements(path, lp=f"{source}-{target}")
        assert isinstance(found, Rankings)
        _, segments, judges, systems, ranks = zip(*cells, strict=True)
        assert counts(found) == (len(cells), len(set(systems)), len(set(segments)), len(set(judges)))
        assert found.rank.tolist() == list(ranks)
        assert [found.segments[number] for number in found.segment] == list(segments)
        assert [found.judges[number] for number in found.judge] == list(judges)
        prefix = "newstest2013.fr-en."
        assert [found.systems[number] for number in found.system] == [name.removeprefix(prefix) for name in systems]
        screens = Counter(place for place, *_ in cells)
        assert Counter(found.item.tolist()).most_common() == Counter(dict(enumerate(screens.values()))).most_common()
        if source in CODES:
            assert counts(load_judgements(path, lp=f"{CODES[source]}-{CODES[target]}")) == counts(found)


PAIRS = [("wmt12/cs-en", 11021), ("wmt12/es-en", 9796), ("wmt13/fr-en", 80741), ("wmt13/cs-en", 85469)]


@pytest.mark.parametrize(("folder", "n_pairs"), PAIRS)
def test_pairs(data_dir: Path, folder: str, n_pairs: int) -> None:
    path = data_dir / f"{folder}/pairs.tsv"
    expected = Counter(tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines())
    found = load_judgements(path, testset=load(data_dir / folder))
    assert isinstance(found, Preferences)
    assert len(found) == n_pairs
    assert strict_pairs(found) == expected


@pytest.mark.parametrize(
    ("rankings", "folder"),
    [
        ("wmt12/wmt12.RNK_results.csv", "wmt12/cs-en"),
        ("wmt12/wmt12.RNK_results.csv", "wmt12/es-en"),
        ("wmt13/fr-en/rankings5way.train.csv", "wmt13/fr-en"),
    ],
)
def test_strict_pairs_of_rankings_are_the_published_ones(data_dir: Path, rankings: str, folder: str) -> None:
    testset = load(data_dir / folder)
    found = load_judgements(data_dir / rankings, lp=folder[-5:], testset=testset)
    published = load_judgements(data_dir / folder / "pairs.tsv", testset=testset)
    assert isinstance(found, Rankings)
    assert isinstance(published, Preferences)
    strict = found.preferences().strict()
    assert len(strict) == len(published)
    assert strict_pairs(strict) == strict_pairs(published)


# Ties and comparisons that official_agreement.txt prints, with joined systems split and kept.
WMT15 = [("fi-en", 1751, 46, (8687, 31577), (2333, 17309)), ("ru-en", 2407, 45, (15954, 44539), (4599, 23614))]


@pytest.mark.parametrize(("lp", "n_rankings", "n_judges", "expanded", "collapsed"), WMT15)
def test_joined_systems(
    data_dir: Path, lp: str, n_rankings: int, n_judges: int, expanded: tuple[int, int], collapsed: tuple[int, int]
) -> None:
    path = data_dir / f"wmt15/{lp}/rankings.tsv"
    testset = load(data_dir / "wmt15" / lp)
    for split, expected in ((True, expanded), (False, collapsed)):
        found = load_judgements(path, split=split, testset=testset)
        assert isinstance(found, Rankings)
        assert len(found.judges) == n_judges
        assert len(set(found.item.tolist())) == n_rankings
        pairs = found.preferences()
        assert (int((pairs.outcome == 0).sum()), len(pairs)) == expected
        assert not split or set(found.systems) == set(testset.systems)
    rows = [row["items"] for row in rows_of(path)]
    by_hand: Wins = Counter()
    for segment, items in zip((row["segment"] for row in rows_of(path)), rows, strict=True):
        ranked = [(s, int(item.split("=")[1])) for item in items.split() for s in item.split("=")[0].split("+")]
        for (x, p), (y, q) in combinations(ranked, 2):
            if p != q:
                by_hand[(segment, x, y) if p < q else (segment, y, x)] += 1
    split_again = load_judgements(path)
    assert isinstance(split_again, Rankings)
    assert strict_pairs(split_again.preferences()) == by_hand


EARLY = {
    "wmt07-11/wmt07.judgements.csv": (14459, {"rank": "RANK", "constituent": "CONSTITUENT"}),
    "wmt07-11/wmt08-human-judgments.csv": (15786, {"rank": "RANK", "constituent": "CONSTITUENT"}),
    "wmt07-11/wmt09-human-judgments.tsv": (24775, {"rank": "RANK"}),
}


@pytest.mark.parametrize(("name", "n_lines", "types"), [(name, *about) for name, about in EARLY.items()])
def test_early_rankings(data_dir: Path, name: str, n_lines: int, types: dict[str, str]) -> None:
    path = data_dir / name
    assert len(rows_of(path)) == n_lines
    is_2007 = "wmt07." in name
    for task, kind in types.items():
        rows = [row for row in rows_of(path) if row["TYPE"] == kind]
        wholes = {row["TASK"].split(" ", 2)[1:][0]: None for row in rows}
        for lp in wholes:
            for domain in {row["TASK"].split(" ", 2)[2] for row in rows if f" {lp} " in row["TASK"]}:
                chosen = [row for row in rows if row["TASK"].endswith(f" {lp} {domain}")]
                cells = [
                    (row["ITEM_ID"], row["ANNOTATOR_ID"], row[f"SYSTEM_{k}"], int(row[f"SCORE_{k}_A"]))
                    for row in chosen
                    for k in range(5)
                    if row[f"SCORE_{k}_A"]
                ]
                found = load_judgements(path, task=task, lp=lp, domain=domain)
                assert isinstance(found, Rankings)
                segments, judges, systems, ranks = zip(*cells, strict=True)
                assert counts(found) == (len(cells), len(set(systems)), len(set(segments)), len(set(judges)))
                assert found.rank.tolist() == [6 - rank if is_2007 else rank for rank in ranks]
                shift = 0 if task == "constituent" else 1
                assert [int(found.segments[number]) - shift for number in found.segment] == list(map(int, segments))
                assert found.item.max() + 1 == len(chosen)


def mean_by_system(found: Any, values: Any) -> dict[str, float]:
    return {name: float(values[found.system == number].mean()) for number, name in enumerate(found.systems)}


@pytest.mark.parametrize("lp", ["cs-en", "fr-en", "de-en", "es-en", "en-cs", "en-de", "en-fr", "en-es"])
def test_ranks_of_2007_agree_with_adequacy(data_dir: Path, lp: str) -> None:
    """The best rank of that year is 5; turned around, systems of better adequacy have lower ranks."""
    path = data_dir / "wmt07-11/wmt07.judgements.csv"
    adequacy: Any = load_judgements(path, task="adequacy", lp=lp, domain="News Commentary")
    ranking: Any = load_judgements(path, task="rank", lp=lp, domain="News Commentary")
    by_adequacy, by_rank = mean_by_system(adequacy, adequacy.score), mean_by_system(ranking, ranking.rank)
    pairs = list(combinations(by_adequacy, 2))
    agreeing = sum((by_adequacy[x] > by_adequacy[y]) == (by_rank[x] < by_rank[y]) for x, y in pairs)
    assert agreeing > len(pairs) / 2


ASPECTS = [
    ("wmt07-11/wmt07.judgements.csv", "adequacy", "NIST", "A", dict(zip("12345", range(1, 6), strict=True))),
    ("wmt07-11/wmt07.judgements.csv", "fluency", "NIST", "B", dict(zip("12345", range(1, 6), strict=True))),
    ("wmt07-11/wmt08-human-judgments.csv", "acceptability", "CONSTITUENT_ACCEPT", "A", {"1": 1, "2": 0}),
    ("wmt07-11/wmt09-human-judgments.tsv", "acceptability", "EDIT_ACCEPT", "A", {"1": 1, "0": 0}),
]


@pytest.mark.parametrize(("name", "task", "kind", "letter", "values"), ASPECTS)
def test_early_scores(data_dir: Path, name: str, task: str, kind: str, letter: str, values: dict[str, int]) -> None:
    path = data_dir / name
    rows = [row for row in rows_of(path) if row["TYPE"] == kind]
    total = 0
    for whole in {row["TASK"] for row in rows}:
        _, lp, domain = whole.split(" ", 2)
        expected = Counter(
            (row["ANNOTATOR_ID"], row[f"SYSTEM_{k}"], values[row[f"SCORE_{k}_{letter}"]])
            for row in rows
            for k in range(5)
            if row["TASK"] == whole and row[f"SCORE_{k}_{letter}"] in values
        )
        found = load_judgements(path, task=task, lp=lp, domain=domain)
        assert isinstance(found, Scores)
        assert found.aspect == task
        assert expected == Counter(
            (found.judges[j], found.systems[s], v)
            for j, s, v in zip(found.judge.tolist(), found.system.tolist(), found.score.tolist(), strict=True)
        )
        total += len(found)
    assert total == sum(row[f"SCORE_{k}_{letter}"] in values for row in rows for k in range(5))


def test_acceptance_of_2010(data_dir: Path) -> None:
    path = data_dir / "wmt07-11/wmt10.data_ACC.csv"
    rows = rows_of(path)
    assert len(rows) == 6905
    words: Counter[float] = Counter()
    for lp in {f"{row['srclang']}-{row['trglang']}" for row in rows}:
        found = load_judgements(path, lp=lp)
        assert isinstance(found, Scores)
        words.update(found.score.tolist())
        chosen = [row for row in rows if f"{row['srclang']}-{row['trglang']}" == lp and row["judgment"] != "UNK"]
        expected = (len({row[key] for row in chosen}) for key in ("systemId", "srcIndex", "judgeId"))
        assert counts(found) == (len(chosen), *expected)
    assert words == {0.0: 3838, 1.0: 3025}


def test_direct_assessment(data_dir: Path) -> None:
    path = data_dir / "wmt21/cs-en/DA.ad-seg-scores-cs-en.csv"
    official = (data_dir / "wmt21/cs-en/DA.ad-sys-scores-cs-en.csv").read_text(encoding="utf-8").splitlines()[1:]
    for column, place in (("RAW.SCR", 0), ("Z.SCR", 1)):
        found = load_judgements(path, column=column)
        assert isinstance(found, Scores)
        assert counts(found) == (8155, 9, 1000, 1)
        expected = {line.split()[3]: float(line.split()[place]) for line in official}
        assert mean_by_system(found, found.score) == pytest.approx(expected, abs=1e-12)
    testset = load(data_dir / "wmt21/cs-en")
    assert set(load_judgements(path, testset=testset).systems) == {*testset.systems, "HUMAN"}


def test_direct_assessment_of_2013(data_dir: Path) -> None:
    folder = data_dir / "wmt13-da-segments"
    n_rows = {"es-en": 500, "en-es": 140, "en-de": 140, "en-ru": 140}
    for path in folder.glob("human-scores.*.csv"):
        lp = path.name.split(".")[1]
        found = load_judgements(path)
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[1:]]
        assert isinstance(found, Scores)
        assert len(found) == n_rows.get(lp, 70)
        assert [found.segments[number] for number in found.segment] == [str(int(cells[2]) + 1) for cells in lines]
        assert found.score.tolist() == [float(cells[3]) for cells in lines]
        if (data_dir / "wmt13" / lp).is_dir():
            assert load_judgements(path, testset=load(data_dir / "wmt13" / lp)).systems == found.systems


def test_mqm(data_dir: Path) -> None:
    """Means are those that the publishers print, errors counted below 0."""
    path = data_dir / "wmt21/en-de/MQM.avg_seg_scores.tsv"
    found = load_judgements(path)
    assert isinstance(found, Scores)
    assert counts(found) == (527 * 17, 17, 527, 1)
    means = mean_by_system(found, found.score)
    published = {
        "ref-C": 0.51,
        "Facebook-AI": 1.05,
        "ref-A": 1.22,
        "Nemo": 1.34,
        "Online-W": 1.46,
        "eTranslation": 1.70,
    }
    assert {name: round(-means[name], 2) for name in published} == published
    without_text = dict.fromkeys([f"metricsystem{number}" for number in range(1, 6)])
    checked = load_judgements(
        path, testset=load(data_dir / "wmt21/en-de"), rename={"Nemo": "NVIDIA-NeMo", **without_text}
    )
    assert len(checked) == 527 * 12


SCORED = {
    "human-scores/en-de.mqm": (460 * 13, 460),
    "human-scores/en-de.da-sqm": (549 * 13, 549),
    **{f"esa-campaign/en-de.{name}": (2691, 207) for name in ("ESA-1", "ESA-2", "ESAAI-1", "ESAAI-2", "MQM-1", "LLM")},
    "esa-campaign/en-de.ESA-IAA": (984, 207),
    "esa-campaign/en-de.ESAAI-IAA": (995, 207),
    "esa-campaign/en-de.MQM-IAA": (984, 207),
}


@pytest.mark.parametrize(("name", "n_scores", "n_segments"), [(name, *n) for name, n in SCORED.items()])
def test_score_files(data_dir: Path, name: str, n_scores: int, n_segments: int) -> None:
    path = data_dir / f"wmt23/{name}.seg.score"
    found = load_judgements(path, testset=load(data_dir / "wmt23", lp="en-de"), lp="en-de")
    assert isinstance(found, Scores)
    assert counts(found) == (n_scores, 13, n_segments, 1)
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    given = [(system, float(score)) for system, score in lines if score != "None"]
    assert [(found.systems[s], v) for s, v in zip(found.system.tolist(), found.score.tolist(), strict=True)] == given
    assert found.aspect == name.split(".")[1].lower()
    whole = path.with_name(f"{path.name[: -len('.seg.score')]}.sys.score")
    if whole.exists():
        by_system = load_judgements(whole)
        assert isinstance(by_system, Scores)
        expected = dict(zip(by_system.systems, by_system.score.tolist(), strict=True))
        assert mean_by_system(found, found.score) == pytest.approx(expected, rel=1e-6)


def test_scores_of_whole_systems(data_dir: Path) -> None:
    folder = data_dir / "williams/wmt12_williams"
    one = load_judgements(folder / "example-data/mt-systems-scored-by-humans")
    several = folder / "example-data-multi/mt-systems-scored-by-humans"
    assert counts(one) == (12, 12, 1, 1)
    assert counts(load_judgements(several, lp="es-en")) == (12, 12, 1, 1)
    assert counts(load_judgements(several, lp="en-fr")) == (15, 15, 1, 1)
