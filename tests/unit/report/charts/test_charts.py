"""Charts of pages: real text, escaped names, one drawing for each value."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.data import TestSet, load, load_judgements
from mtassay.report.charts.clusters import MOST_CLUSTERS, clusters
from mtassay.report.charts.heatmap import heatmap
from mtassay.report.charts.human_scatter import human_scatter
from mtassay.report.charts.spans import spans
from mtassay.report.document import Cell, table
from mtassay.sample import human_scores_path, sample_path

SVG = "{http://www.w3.org/2000/svg}"


def drawn(html: str) -> ET.Element:
    """The first drawing of a piece of HTML, which must be well-formed."""
    return ET.fromstring(html[html.index("<svg") : html.index("</svg>") + len("</svg>")])


def texts_of(element: ET.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def ranked() -> Any:
    texts = load(sample_path())
    names = {"atlas": "<atlas> & co", "ember": 'em"ber'}
    renamed = {names.get(name, name): outputs for name, outputs in texts.systems.items()}
    return mtassay.rank(TestSet(texts.references, renamed), metrics=["bleu", "ter"])


def test_a_heat_map_has_a_cell_for_each_pair_and_a_difference_below(ranked: Any) -> None:
    for comparison in ranked.compared.comparisons:
        element = drawn(heatmap(ranked.compared, comparison))
        assert len(element.findall(f"{SVG}rect")) == 15
        texts = texts_of(element)
        assert any(text.endswith("<atlas> & co") for text in texts)
        best, worst = comparison.ranked[0], comparison.ranked[-1]
        assert f"{abs(comparison.differences[best, worst]):.1f}" in texts
        title = element.find(f"{SVG}title")
        assert title is not None
        assert comparison.metric.label in str(title.text)


def test_only_significant_pairs_are_shaded(ranked: Any) -> None:
    comparison = ranked.compared.comparisons[0]
    nothing = replace(comparison, better=np.zeros_like(comparison.better))
    shaded = [heatmap(ranked.compared, one).count('class="p') for one in (comparison, nothing)]
    assert shaded[0] - shaded[1] == int(comparison.better.sum())


def test_clusters_have_a_dot_for_each_member(ranked: Any) -> None:
    for m, clustering in enumerate(ranked.clusterings):
        element = drawn(clusters(ranked, m))
        assert len(element.findall(f"{SVG}circle")) == sum(map(len, clustering.clusters))
        assert 'em"ber' in texts_of(element)


def test_too_many_clusters_are_a_table_only(ranked: Any) -> None:
    many = replace(ranked.clusterings[0], clusters=((0,),) * (MOST_CLUSTERS + 1))
    assert clusters(replace(ranked, clusterings=(many,)), 0) == ""


def test_human_scores_have_a_panel_for_each_metric() -> None:
    texts = load(sample_path())
    judged = load_judgements(human_scores_path(), testset=texts)
    result = mtassay.metaeval(texts, judgements=judged, metrics=["bleu", "chrf", "ter", "wer", "per"], resamples=50)
    element = drawn(human_scatter(result.directions[0]))
    assert len(list(element.iter(f"{SVG}circle"))) == 6 * 5
    names = [str(title.text) for circle in element.iter(f"{SVG}circle") for title in circle]
    assert set(names) == set(texts.systems)


def test_intervals_of_a_column_have_one_scale() -> None:
    rows: list[list[str | Cell]] = [
        ["a", Cell("1", span=(0.0, 1.0, 2.0))],
        ["b", Cell("9", span=(8.0, 9.0, 10.0))],
        ["c", "–"],
    ]
    low, high, nothing = spans(table(["x", "y"], rows))[1]
    assert nothing == ""

    def centre(svg: str) -> float:
        circle = ET.fromstring(svg).find("circle")
        assert circle is not None
        return float(circle.attrib["cx"])

    assert centre(low) < centre(high)
    assert centre(low) + centre(high) == pytest.approx(150.0)
    [_, [alone]] = spans(table(["x", "y"], [["a", Cell("1", span=(1.0, 1.0, 1.0))]]))
    assert "nan" not in alone


def test_drawings_leave_room_for_long_names() -> None:
    def width(name: str, n_columns: int) -> int:
        values = [Cell("1.0", span=(0.0, 1.0, 2.0))] * n_columns
        [drawing] = spans(table(["system", *"xyzuv"[:n_columns]], [[name, *values]]))[1]
        return int(ET.fromstring(drawing).attrib["width"])

    assert width("a", 3) == 150
    assert 60 < width("a" * 40, 3) < 150
    assert width("a" * 200, 3) == 60
