"""Tables in every format."""

from __future__ import annotations

import pytest

import mtassay
from mtassay.report.tables import Cell, Table

TABLE = Table(
    ("system", "BLEU", "TER ↓"),
    ((Cell("a_1"), Cell("31.4", best=True), Cell("9.0")), (Cell("日本"), Cell("8.0"), Cell("7.5"))),
)


def test_text_is_aligned_on_the_right_with_room_for_the_mark() -> None:
    assert TABLE.text().splitlines() == ["system   BLEU   TER ↓", "a_1     *31.4     9.0", "日本      8.0     7.5"]


def test_without_marks_there_is_no_room_for_them() -> None:
    assert Table(("x", "y"), ((Cell("a"), Cell("1")),)).text() == "x  y\na  1"


def test_what_is_shown_as_an_escape_is_aligned() -> None:
    text = Table(("system", "BLEU"), ((Cell("n\udcff"), Cell("31.4")), (Cell("b"), Cell("8.0")))).text()
    shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
    assert shown.splitlines() == ["system   BLEU", "n\\udcff  31.4", "b         8.0"]


def test_tsv() -> None:
    assert TABLE.tsv() == "system\tBLEU\tTER ↓\na_1\t31.4\t9.0\n日本\t8.0\t7.5"


def test_latex_escapes_and_marks() -> None:
    latex = TABLE.latex()
    assert r"a\_1 & \textbf{31.4} & 9.0 \\" in latex
    assert r"TER $\downarrow$" in latex
    assert latex.startswith(r"\begin{tabular}{lrr}")


def test_markdown_escapes_bars() -> None:
    assert "| a\\|b |" in Table(("x",), ((Cell("a|b"),),)).markdown()


def test_results_show_in_notebooks_and_as_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    result = mtassay.score([["a b c d"]], {"<x>": ["a b c d"], "y": ["a b"]}, metrics=["chrf", "ter"])
    assert "<td>&lt;x&gt;</td><td><b>100.0</b></td>" in result._repr_html_()
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["<x>", "ter"] == 0.0
    assert str(result).startswith("1 segment · 1 reference · 2 systems")
