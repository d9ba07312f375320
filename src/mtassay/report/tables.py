"""One table, five ways to write it: aligned text, TSV, LaTeX, Markdown and HTML."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMATS = ("text", "json", "tsv", "latex", "markdown")


@dataclass(frozen=True)
class Cell:
    """Text of a cell, and whether it holds the best value of its column."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Table:
    """A header and rows; the first `n_labels` columns are names and the last `n_notes` remarks, the others numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_labels: int = 1
    n_notes: int = 0

    def text(self) -> str:
        """Aligned columns; ``*`` marks the best value.

        >>> print(Table(("system", "BLEU"), ((Cell("a"), Cell("31.4", best=True)), (Cell("b"), Cell("9.8")))).text())
        system   BLEU
        a       *31.4
        b         9.8
        """
        marked = any(cell.best for row in self.rows for cell in row)
        lines = [list(self.header)]
        lines += [[("*" if cell.best else "") + cell.text for cell in row] for row in self.rows]
        # A column of numbers keeps room for the mark, so that columns stand apart in the same way with and without it.
        spare = [marked and not self._is_text(column) for column in range(len(self.header))]
        widths = [
            max(display_width(line[column]) for line in lines) if not spare[column] else _marked_width(lines, column)
            for column in range(len(self.header))
        ]
        return "\n".join(self._line(line, widths) for line in lines)

    def _is_text(self, column: int) -> bool:
        """Whether a column is aligned on the left."""
        return column < self.n_labels or column >= len(self.header) - self.n_notes

    def _line(self, line: list[str], widths: list[int]) -> str:
        cells = [
            value + " " * (width - display_width(value))
            if self._is_text(column)
            else " " * (width - display_width(value)) + value
            for column, (value, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    def tsv(self) -> str:
        """Tab-separated values with a header; nothing is marked."""
        lines = [self.header, *(tuple(cell.text for cell in row) for row in self.rows)]
        return "\n".join("\t".join(line) for line in lines)

    def markdown(self) -> str:
        """A Markdown table; bold marks the best value.

        >>> print(Table(("system", "BLEU"), ((Cell("a"), Cell("31.4", best=True)),)).markdown())
        | system | BLEU |
        |:--|--:|
        | a | **31.4** |
        """
        rule = "".join(("|:--" if self._is_text(column) else "|--:") for column in range(len(self.header))) + "|"
        rows = [
            "| " + " | ".join(f"**{c.text}**" if c.best else c.text.replace("|", "\\|") for c in row) + " |"
            for row in self.rows
        ]
        header = "| " + " | ".join(name.replace("|", "\\|") for name in self.header) + " |"
        return "\n".join([header, rule, *rows])

    def html(self) -> str:
        """An HTML table for notebooks; bold marks the best value.

        >>> Table(("system", "BLEU"), ((Cell("a<b"), Cell("31.4", best=True)),)).html().partition('</tr>')[2]
        '<tr><td>a&lt;b</td><td><b>31.4</b></td></tr></table>'
        """
        from html import escape

        header = "".join(f"<th>{escape(name)}</th>" for name in self.header)
        rows = [
            "".join(f"<td><b>{escape(c.text)}</b></td>" if c.best else f"<td>{escape(c.text)}</td>" for c in row)
            for row in self.rows
        ]
        return f"<table><tr>{header}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def latex(self) -> str:
        """A LaTeX tabular (booktabs); bold marks the best value."""
        columns = "".join("l" if self._is_text(column) else "r" for column in range(len(self.header)))
        rows = [
            " & ".join(rf"\textbf{{{_tex(c.text)}}}" if c.best else _tex(c.text) for c in row) + r" \\"
            for row in self.rows
        ]
        header = " & ".join(_tex(name) for name in self.header) + r" \\"
        body = [r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"])


def _marked_width(lines: list[list[str]], column: int) -> int:
    return max(display_width(line[column]) + (not line[column].startswith("*")) for line in lines)


def display_width(text: str) -> int:
    r"""Columns that a text takes on a terminal, where a lone surrogate is shown as an escape.

    >>> display_width("abc"), display_width("日本"), display_width("\udcff")
    (3, 4, 6)
    """
    if text.isascii():
        return len(text)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↓": r"$\downarrow$",
        "±": r"$\pm$",
        "≀": r"$\wr$",
        "ρ": r"$\rho$",
        "τ": r"$\tau$",
        "−": "--",
        "α": r"$\alpha$",
        "κ": r"$\kappa$",
    }
)


def _tex(text: str) -> str:
    return text.translate(_TEX)


def scores_of(aspect: str) -> str:
    """What was scored, where a file says so.

    >>> scores_of("adequacy"), scores_of("score")
    ('scores of adequacy', 'scores')
    """
    return "scores" if aspect in {"", "score"} else f"scores of {aspect}"


def names_cell(names: Sequence[str]) -> str:
    """Several names in one cell of TSV: a JSON list, because names may hold blanks and commas.

    >>> print(names_cell(["online A", "é, v2"]))
    ["online A", "é, v2"]
    """
    return json.dumps(list(names), ensure_ascii=False)


def numbered(n: int, noun: str) -> str:
    """A number of what may be many, with its noun.

    >>> numbered(1, "judgement"), numbered(11286, "judgement")
    ('1 judgement', '11,286 judgements')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
