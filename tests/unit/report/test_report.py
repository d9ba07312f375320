"""Every number of a report is that of the verb that it comes from."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

import mtassay
from mtassay.data import Scores, load, load_judgements
from mtassay.metrics.core.metric import Scorer
from mtassay.report.wording import p_value
from mtassay.sample import human_scores_path, sample_path

if TYPE_CHECKING:
    from mtassay.data import TestSet

METRICS = ["bleu", "chrf", "ter"]


@pytest.fixture(scope="module")
def texts() -> TestSet:
    return load(sample_path())


@pytest.fixture(scope="module")
def judged(texts: TestSet) -> Scores:
    found = load_judgements(human_scores_path(), testset=texts)
    assert isinstance(found, Scores)
    return found


@pytest.fixture(scope="module")
def result(texts: TestSet, judged: Scores) -> Any:
    return mtassay.report(texts, metrics=METRICS, judgements=judged, gold="z", resamples=1000, adjust="bh")


@pytest.fixture(scope="module")
def page(result: Any) -> str:
    html: str = result.render("html")
    return html


def section(page: str, name: str) -> str:
    [found] = re.findall(rf'<section id="{name}">(.*?)</section>', page, re.DOTALL)
    return str(found)


def tables(html: str) -> list[list[list[str]]]:
    """Texts of all tables, row by row."""
    return [
        [
            [unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", cell)) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
            for row in re.findall(r"<tr>.*?</tr>", table)
        ]
        for table in re.findall(r"<table>.*?</table>", html, re.DOTALL)
    ]


def test_the_data_are_those_of_the_verbs(result: Any, texts: TestSet, judged: Scores) -> None:
    data = result.to_dict()
    tests: dict[str, Any] = {"metrics": METRICS, "resamples": 1000, "adjust": "bh"}
    assert data["score"] == mtassay.score(texts, metrics=METRICS).to_dict()
    assert data["compare"] == mtassay.compare(texts, **tests).to_dict()
    assert data["rank"] == mtassay.rank(texts, **tests).to_dict()
    assert data["analyse"] == mtassay.analyse(texts, metrics=METRICS, judgements=judged).to_dict()
    assert data["power"] == mtassay.power(texts, pair=data["analyse"]["pair"], sizes=[64]).to_dict()
    assert data["humans"] == mtassay.humans(judged, method="z").to_dict()
    assert data["metaeval"] == mtassay.metaeval(texts, judgements=judged, metrics=METRICS, gold="z").to_dict()


def test_scores_in_the_page_are_those_of_score(page: str, result: Any) -> None:
    [[_, *rows]] = tables(section(page, "scores"))
    of_systems = {row[0]: row[1:4] for row in rows}
    for entry in result.to_dict()["score"]["scores"]:
        place = ["BLEU", "chrF2", "TER"].index(entry["name"])
        assert of_systems[entry["system"]][place] == f"{entry['score']:.1f}"
    [of_bleu, *_] = result.to_dict()["rank"]["metrics"]
    for row in rows:
        clusters = [n for n, members in enumerate(of_bleu["clusters"], 1) if row[0] in members]
        assert row[4] == " ".join(map(str, clusters))


def test_pairs_in_the_page_are_those_of_compare(page: str, result: Any) -> None:
    found = tables(section(page, "significance"))
    for place, metric in enumerate(result.to_dict()["compare"]["metrics"]):
        systems, pairs = found[2 * place], found[2 * place + 1]
        for row, described in zip(systems[1:], metric["systems"], strict=True):
            low, high = described["interval"]
            assert row[1:4] == [described["system"], f"{described['score']:.1f}", f"[{low:.1f}, {high:.1f}]"]
        shown = {frozenset(row[:2]): row for row in pairs[1:]}
        for pair in metric["pairs"]:
            row = shown[frozenset(pair["systems"])]
            assert row[4:6] == [p_value(pair["p"]), p_value(pair["p_adjusted"])]
            assert row[2].lstrip("-") == f"{abs(pair['difference']):.1f}"
            assert (row[6] == "*") == (pair["better"] is not None)


def test_the_heat_map_has_the_p_values_of_compare(page: str, result: Any) -> None:
    maps = re.findall(r'<svg class="heatmap".*?</svg>', page, re.DOTALL)
    for drawn, metric in zip(maps, result.to_dict()["compare"]["metrics"], strict=True):
        shown = sorted(unescape(text) for text in re.findall(r"<rect[^>]*/><text[^>]*>([^<]*)<", drawn))
        p_values = [pair["p_adjusted"] for pair in metric["pairs"]]
        assert shown == sorted(p_value(p) if p >= 0.001 else "<.001" for p in p_values)
        assert len(re.findall(r'<rect[^>]*class="p\d"', drawn)) == sum(p <= 0.05 for p in p_values)


def test_human_scores_in_the_page_are_those_of_metaeval(page: str, result: Any) -> None:
    *_, scores = tables(section(page, "metaeval"))
    systems = result.to_dict()["metaeval"]["directions"][0]["systems"]
    assert {row[0] for row in scores[1:]} == set(systems)
    for row in scores[1:]:
        of_system = systems[row[0]]
        assert float(row[1]) == pytest.approx(of_system["gold"], abs=0.0005)
        assert row[2:] == [f"{of_system[name]:.1f}" for name in ("BLEU", "chrF2", "TER")]


def test_error_classes_in_the_page_are_those_of_analyse(page: str, result: Any) -> None:
    [header, *rows], _ = tables(section(page, "errors"))
    [view] = [view for view in result.to_dict()["analyse"]["segments"] if view["view"] == "errors"]
    assert len(header) == 1 + len(view["buckets"][0]["metrics"])
    for row in rows:
        for shown, metric in zip(row[1:], view["buckets"][0]["metrics"], strict=True):
            [score] = [one["score"] for one in metric["systems"] if one["system"] == row[0]]
            assert float(shown) == pytest.approx(score, abs=0.005)


def test_the_same_report_has_the_same_bytes(result: Any, page: str, texts: TestSet, judged: Scores) -> None:
    again = mtassay.report(texts, metrics=METRICS, judgements=judged, gold="z", resamples=1000, adjust="bh", threads=2)
    assert again.render("html") == page == result.render("html")


def test_a_report_without_judgements_or_comparisons_has_fewer_sections(texts: TestSet) -> None:
    alone = mtassay.report(texts.select(systems=["atlas"]), metrics=["bleu"], lowercase=True)
    page = alone.render("html", title="One <system>")
    assert "<h1>One &lt;system&gt;</h1>" in page
    assert re.findall(r'<section id="(\w+)"', page) == [
        "summary",
        "scores",
        "differences",
        "segments",
        "errors",
        "reproduce",
    ]
    assert "There is one system, atlas" in page
    assert "lower case" in page
    assert alone.to_dict()["compare"] is None


@pytest.mark.parametrize("option", ["test", "adjust", "unit"])
def test_wrong_names_are_refused_also_of_one_system(texts: TestSet, option: str) -> None:
    options: dict[str, Any] = {option: "foo"}
    with pytest.raises(mtassay.InputError, match="foo"):
        mtassay.report(texts.select(systems=["atlas"]), metrics=["bleu"], **options)


def test_wrong_numbers_of_examples_are_refused(texts: TestSet) -> None:
    for wrong in (-1, 1.5, True):
        with pytest.raises(mtassay.InputError, match="number of examples"):
            mtassay.report(texts, examples=wrong)  # type: ignore[arg-type]
    with pytest.raises(mtassay.InputError, match="no judgements"):
        mtassay.report(texts, gold="z")


def test_statistics_are_computed_once(texts: TestSet, judged: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    n_rows = Counter[str]()
    compute = Scorer.statistics

    def counting(scorer: Scorer, *args: Any, **options: Any) -> Any:
        rows = compute(scorer, *args, **options)
        n_rows[str(scorer.metric)] += len(rows)
        return rows

    monkeypatch.setattr(Scorer, "statistics", counting)
    report = mtassay.report(replace(texts, outliers=("fjord",)), metrics=METRICS, judgements=judged, resamples=100)
    assert None not in (report.ranked, report.powered, report.analysed, report.meta)
    assert {str(metric): n_rows[str(metric)] for metric in report.scored.metrics} == dict.fromkeys(METRICS, 6 * 64)
