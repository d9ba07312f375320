"""HTML: a fragment for notebooks, or a self-contained page that follows the system's light or dark mode."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mtassay.report.document import Heading, Notes, Preformatted, Signatures, Table

if TYPE_CHECKING:
    from mtassay.report.document import Block, Document

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .2rem .7rem; text-align: left; white-space: nowrap; }
th { border-bottom: 1px solid; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
.signatures { font: 12px/1.5 ui-monospace, monospace; opacity: .7; overflow-wrap: anywhere; }
"""


def render(document: Document) -> str:
    """A page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(document.title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n"
        f"<body>\n{fragment(document)}\n</body>\n</html>"
    )


def fragment(document: Document) -> str:
    """The blocks alone, for a notebook."""
    legend = f'<p class="notes">{escape(document.legend)}</p>' if document.legend else ""
    return "\n".join(filter(None, [*map(_block, document.blocks), legend]))


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return table_html(block)
    if isinstance(block, Notes | Signatures):
        kind = "notes" if isinstance(block, Notes) else "signatures"
        return f'<p class="{kind}">{"<br>".join(map(escape, block.lines))}</p>' if block.lines else ""
    text = escape(block.text)
    if isinstance(block, Heading):
        return f"<h2>{text}</h2>"
    return f"<pre>{text}</pre>" if isinstance(block, Preformatted) else f"<p>{text.replace(chr(10), '<br>')}</p>"


def table_html(table: Table) -> str:
    """A table; bold marks the best value.

    >>> from mtassay.report.document import Cell, table
    >>> table_html(table(["system", "BLEU"], [["a<b", Cell("31.4", best=True)]])).partition("<tbody>")[2]
    '<tr><td>a&lt;b</td><td class="number"><b>31.4</b></td></tr></tbody></table>'
    """
    kinds = ["" if table.is_text(column) else ' class="number"' for column in range(len(table.header))]
    header = "".join(f"<th{kind}>{escape(name)}</th>" for kind, name in zip(kinds, table.header, strict=True))
    rows = []
    for row in table.rows:
        texts = [f"<b>{escape(cell.text)}</b>" if cell.best else escape(cell.text) for cell in row]
        rows.append("".join(f"<td{kind}>{text}</td>" for kind, text in zip(kinds, texts, strict=True)))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"
