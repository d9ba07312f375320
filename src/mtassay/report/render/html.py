"""HTML: a fragment for notebooks, or a page that needs no other file and follows the system's light or dark mode."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mtassay.report.charts.spans import spans
from mtassay.report.document import Graphic, Heading, Notes, Preformatted, Prose, Section, Signatures, Tab, Table
from mtassay.report.page.shell import page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtassay.report.document import Block, Cell, Document

SHOWS_CONFIGURATION = True


def render(document: Document) -> str:
    """A page."""
    sections = [(block.name, block.title) for block in document.blocks if isinstance(block, Section)]
    return page(_body(document, scripted=True), title=document.title, subtitle=document.subtitle, sections=sections)


def fragment(document: Document) -> str:
    """The blocks alone, for a notebook."""
    return _body(document, scripted=False)


def _body(document: Document, *, scripted: bool) -> str:
    legend = f'<p class="notes">{escape(document.legend)}</p>' if document.legend else ""
    return "\n".join(filter(None, [_blocks(document.blocks, scripted=scripted), legend]))


def _blocks(blocks: Iterable[Block], *, scripted: bool, level: int = 2) -> str:
    return "\n".join(filter(None, (_block(block, scripted=scripted, level=level) for block in blocks)))


def _block(block: Block, *, scripted: bool, level: int) -> str:
    """A block; `level` is that of its headings."""
    if isinstance(block, Table):
        return table_html(block)
    if isinstance(block, Graphic):
        return block.markup() if scripted or not block.scripted else ""
    if isinstance(block, Section):
        inside = _blocks(block.blocks, scripted=scripted, level=level + 1)
        title = f"<h{level}>{escape(block.title)}</h{level}>"
        return f'<section id="{escape(block.name)}">\n{title}\n{inside}\n</section>'
    if isinstance(block, Tab):
        inside = _blocks(block.blocks, scripted=scripted, level=level)
        return f'<div class="tab" data-title="{escape(block.title)}">\n{inside}\n</div>'
    if isinstance(block, Notes | Signatures):
        kind = "notes" if isinstance(block, Notes) else "signatures"
        return f'<p class="{kind}">{"<br>".join(map(escape, block.lines))}</p>' if block.lines else ""
    return _lines(block, level)


def _lines(block: Heading | Prose | Preformatted | Block, level: int) -> str:
    if isinstance(block, Preformatted):
        return f"<pre>{escape(block.text)}</pre>" if block.markup is None else block.markup()
    text = escape(getattr(block, "text", ""))
    if isinstance(block, Heading):
        return f"<h{level}>{text}</h{level}>"
    of_kind = ' class="prose"' if isinstance(block, Prose) else ""
    return f"<p{of_kind}>{text.replace(chr(10), '<br>')}</p>"


def table_html(table: Table) -> str:
    """A table; bold marks the best value.

    >>> from mtassay.report.document import Cell, table
    >>> table_html(table(["system", "BLEU"], [["a<b", Cell("31.4", best=True)]])).partition("<tbody>")[2]
    '<tr><td>a&lt;b</td><td class="number"><b>31.4</b></td></tr></tbody></table></div>'
    """
    kinds = ["" if table.is_text(column) else ' class="number"' for column in range(len(table.header))]
    header = "".join(f"<th{kind}>{escape(name)}</th>" for kind, name in zip(kinds, table.header, strict=True))
    drawn = spans(table)
    rows = []
    for place, row in enumerate(table.rows):
        texts = [f"<b>{escape(cell.inline)}</b>" if cell.best else escape(cell.inline) for cell in row]
        cells = [
            f"<td{kind}{_opened(cell)}>{_beside(of_column[place], text)}</td>"
            for kind, cell, of_column, text in zip(kinds, row, drawn, texts, strict=True)
        ]
        rows.append("".join(cells))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="table" tabindex="0" role="group" aria-label="table by {escape(table.header[0] or "system")}">'
        f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _beside(drawing: str, text: str) -> str:
    """A text with its drawing; drawings of a column stand below each other, however long the texts are."""
    return f'<div class="beside">{drawing}{text}</div>' if drawing else text


def _opened(cell: Cell) -> str:
    """The segments that a cell opens."""
    return f' data-segments="{" ".join(map(str, cell.segments))}"' if cell.segments else ""
