"""Aligned text for terminals; ``*`` marks the best value of a column."""

from __future__ import annotations

import unicodedata
from textwrap import fill
from typing import TYPE_CHECKING

from mtassay.report.document import Heading, Notes, Prose, Signatures, Table

if TYPE_CHECKING:
    from mtassay.report.document import Document, PlainBlock

SHOWS_CONFIGURATION = True
#: Characters of a line of prose.
_WIDEST = 120


def render(document: Document) -> str:
    """All blocks with an empty line between them; the legend of the mark and signatures come last."""
    shown = [_block(block) for block in document.plain_blocks if not isinstance(block, Signatures)]
    signatures = [line for block in document.plain_blocks if isinstance(block, Signatures) for line in block.lines]
    if document.marked:
        legend = f"* {document.mark}"
        signatures = [f"{legend}   {signatures[0]}"] if len(signatures) == 1 else [legend, *signatures]
    return "\n\n".join(filter(None, [*shown, "\n".join(signatures)]))


def _block(block: PlainBlock) -> str:
    if isinstance(block, Table):
        return table_text(block)
    if isinstance(block, Notes | Signatures):
        return "\n".join(block.lines)
    if isinstance(block, Prose):
        return "\n".join(
            fill(line, _WIDEST, break_long_words=False, break_on_hyphens=False) for line in block.text.split("\n")
        )
    return f"{block.text}\n{'─' * display_width(block.text)}" if isinstance(block, Heading) else block.text


def table_text(table: Table) -> str:
    """Aligned columns.

    >>> from mtassay.report.document import Cell, table
    >>> print(table_text(table(["system", "BLEU"], [["a", Cell("31.4", best=True)], ["b", "9.8"]])))
    system   BLEU
    a       *31.4
    b         9.8
    """
    marked = any(cell.best for row in table.rows for cell in row)
    lines = [list(table.header)]
    lines += [[("*" if cell.best else "") + cell.text for cell in row] for row in table.rows]
    widths = []
    for column in range(len(table.header)):
        # Columns of numbers always keep room for the mark, so that spacing does not depend on it.
        spare = marked and not table.is_text(column)
        widths.append(max(display_width(line[column]) + (spare and line[column][:1] != "*") for line in lines))
    return "\n".join(_line(table, line, widths) for line in lines)


def _line(table: Table, line: list[str], widths: list[int]) -> str:
    cells = []
    for column, (value, width) in enumerate(zip(line, widths, strict=True)):
        space = " " * (width - display_width(value))
        cells.append(value + space if table.is_text(column) else space + value)
    return "  ".join(cells).rstrip()


def display_width(text: str) -> int:
    r"""Width of a text on a terminal, in columns; a lone surrogate is shown as an escape.

    >>> display_width("abc"), display_width("日本"), display_width("\udcff")
    (3, 4, 6)
    """
    if text.isascii():
        return len(text)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
