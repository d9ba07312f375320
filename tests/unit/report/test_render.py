"""Blocks in every format."""

from __future__ import annotations

import json

import pytest

import mtassay
from mtassay.report.document import (
    Cell,
    Document,
    Heading,
    Notes,
    Prose,
    Records,
    Sentence,
    Signatures,
    Table,
    names_cell,
    table,
)
from mtassay.report.render import FORMATS, html, latex, markdown, render, text, tsv

TABLE = table(["system", "BLEU", "TER ↓"], [["a_1", Cell("31.4", best=True), "9.0"], ["日本", "8.0", "7.5"]])
RECORDS = Records(("system", "BLEU"), [("a_1", 31.40000001), ("日本", None)])


def document(*blocks: object, mark: str = "best") -> Document:
    return Document("title", tuple(blocks), lambda: RECORDS, lambda: {"a_1": 31.4}, mark)  # type: ignore[arg-type]


def test_text_is_aligned_on_the_right_with_room_for_the_mark() -> None:
    lines = text.table_text(TABLE).splitlines()
    assert lines == ["system   BLEU   TER ↓", "a_1     *31.4     9.0", "日本      8.0     7.5"]


def test_without_marks_there_is_no_room_for_them() -> None:
    assert text.table_text(Table(("x", "y"), ((Cell("a"), Cell("1")),))) == "x  y\na  1"


def test_what_is_shown_as_an_escape_is_aligned() -> None:
    shown = text.table_text(table(["system", "BLEU"], [["n\udcff", "31.4"], ["b", "8.0"]]))
    assert shown.encode("utf-8", "backslashreplace").decode("utf-8").splitlines() == [
        "system   BLEU",
        "n\\udcff  31.4",
        "b         8.0",
    ]


def test_records_have_all_digits_and_empty_fields() -> None:
    assert tsv.render(document(TABLE)) == "system\tBLEU\na_1\t31.40000001\n日本\t"


def test_latex_escapes_marks_and_comments() -> None:
    shown = latex.render(document(Sentence("100 % of it\nand more"), TABLE, Signatures(("BLEU|nrefs:1",))))
    assert shown.startswith("% 100 % of it\n% and more\n\n\\begin{tabular}{lrr}")
    assert r"a\_1 & \textbf{31.4} & 9.0 \\" in shown
    assert r"TER $\downarrow$" in shown
    assert shown.endswith("% BLEU|nrefs:1")


def test_markdown_has_no_html_of_names() -> None:
    name = "<script>alert(1)</script>"
    for block in (table(["x"], [[name]]), table([name], [["x"]]), Notes((name,)), Heading(name)):
        made = markdown.render(document(block))
        assert "\\<script>alert(1)\\</script>" in made
    assert "p < .05" in markdown.table_text(table(["x"], [["p < .05"]]))


def test_markdown_escapes_bars() -> None:
    assert "| a\\|b |" in markdown.table_text(table(["x"], [["a|b"]]))
    assert "| **a\\|b** |" in markdown.table_text(table(["x"], [[Cell("a|b", best=True)]]))


def test_names_are_separate_where_blanks_count_once() -> None:
    listed = table(["cluster", "systems"], [["1", names_cell(["online A", "online B"])]], n_notes=1)
    assert "online A  online B" in text.table_text(listed)
    for of_markup in (html.table_html, latex.table_text, markdown.table_text):
        assert "online A, online B" in of_markup(listed)


def test_html_escapes() -> None:
    page = html.render(document(Heading("a<b"), TABLE, Notes(("x&y",))))
    assert page.startswith("<!DOCTYPE html>")
    assert "<h2>a&lt;b</h2>" in page
    assert "x&amp;y" in page


def test_text_breaks_prose_between_words() -> None:
    words = Prose("a" * 100 + " online-B bb-" + "b" * 20 + "\nc")
    assert text.render(document(words)) == "a" * 100 + " online-B\nbb-" + "b" * 20 + "\nc"
    assert "<br>c" in html.render(document(words))
    assert markdown.render(document(words)).endswith("b  \nc")
    assert latex.render(document(words)).endswith("b\n% c")


def test_what_a_mark_means_is_said_once() -> None:
    assert text.render(document(TABLE, Signatures(("BLEU|nrefs:1",)))).endswith("\n\n* best   BLEU|nrefs:1")
    assert text.render(document(TABLE, TABLE)).endswith("\n\n* best")
    assert "best" not in markdown.render(document(TABLE))
    assert markdown.render(document(TABLE, mark="p < .05")).endswith("Bold: p < .05.")
    assert "*" not in text.render(document(table(["x"], [["1"]])))


@pytest.mark.parametrize("format_", FORMATS)
def test_nothing_is_left_of_empty_blocks(format_: str) -> None:
    shown = render(document(Notes(()), TABLE, Notes(()), Signatures(())), format_)
    assert "\n\n\n" not in shown
    assert shown == shown.strip("\n")


def test_results_show_in_notebooks_and_as_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    result = mtassay.score([["a b c d"]], {"<x>": ["a b c d"], "y": ["a b"]}, metrics=["chrf", "ter"])
    assert '<td>&lt;x&gt;</td><td class="number"><b>100.0</b></td>' in result._repr_html_()
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.set_index("system").loc["<x>", "TER"] == 0.0
    assert str(result).startswith("1 segment · 1 reference · 2 systems")


def test_numbers_that_are_not_known_are_null() -> None:
    data = {"interval": (0.5, float("nan")), "systems": [{"score": float("inf")}]}
    document = Document("x", (), lambda: Records((), ()), lambda: data)
    found = json.loads(render(document, "json"), parse_constant=lambda constant: pytest.fail(constant))
    assert found == {"interval": [0.5, None], "systems": [{"score": None}]}


def test_scores_in_json_have_no_entry_for_the_configuration() -> None:
    """The JSON of ``score`` is sacreBLEU's: an object for one score, else a list."""
    configuration = {"file": "mtassay.toml", "metrics": ["bleu"]}
    of_one = mtassay.score([["a b"]], {"x": ["a b"]})
    of_two = mtassay.score([["a b"]], {"x": ["a b"], "y": ["b a"]})
    for result in (of_one, of_two):
        assert result.render("json", configuration=configuration) == result.render("json")
    assert of_two.render("text", configuration=configuration).startswith("defaults of mtassay.toml: ")
