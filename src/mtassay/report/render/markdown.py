"""Markdown; bold marks the best value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mtassay.report.document import Heading, Notes, Preformatted, Signatures, Table

if TYPE_CHECKING:
    from mtassay.report.document import Document, PlainBlock

SHOWS_CONFIGURATION = True
#: Beginnings of HTML, which Markdown would pass on.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def render(document: Document) -> str:
    """All blocks with an empty line between them."""
    return "\n\n".join(filter(None, [*map(_block, document.plain_blocks), document.legend]))


def _block(block: PlainBlock) -> str:
    if isinstance(block, Table):
        return table_text(block)
    if isinstance(block, Notes):
        return "  \n".join(map(_text, block.lines))  # two spaces at the end break the line
    if isinstance(block, Signatures):
        return "\n".join(f"`{line}`  " for line in block.lines).rstrip()
    if isinstance(block, Preformatted):
        return f"```\n{block.text}\n```"
    text = _text(block.text)
    return f"## {text}" if isinstance(block, Heading) else text.replace("\n", "  \n")


def table_text(table: Table) -> str:
    r"""A table.

    >>> from mtassay.report.document import Cell, table
    >>> print(table_text(table(["system", "BLEU"], [["a|b", Cell("31.4", best=True)]])))
    | system | BLEU |
    |:--|--:|
    | a\|b | **31.4** |
    """
    rule = "".join("|:--" if table.is_text(column) else "|--:" for column in range(len(table.header))) + "|"
    rows = [
        "| " + " | ".join(f"**{_cell(cell.inline)}**" if cell.best else _cell(cell.inline) for cell in row) + " |"
        for row in table.rows
    ]
    return "\n".join(["| " + " | ".join(map(_cell, table.header)) + " |", rule, *rows])


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    r"""Text in which names of systems and judges are no HTML.

    >>> print(_text("<b>, p < .05"))
    \<b>, p < .05
    """
    return _TAG.sub(r"\<", text)
