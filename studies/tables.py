"""Tables and numbers of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.document import table
from mtassay.report.render.markdown import table_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.report.document import Cell


def markdown(
    header: Sequence[str], rows: Iterable[Sequence[str | Cell]], *, n_labels: int = 1, n_notes: int = 0
) -> str:
    """A Markdown table: the first columns are names, the last remarks, those between them numbers."""
    return table_text(table(header, rows, n_labels=n_labels, n_notes=n_notes))


def shown(value: float | None, digits: int = 3) -> str:
    """A number without the zero before its point; a dash where there is none.

    >>> shown(0.25), shown(-0.5, 2), shown(1.0, 2), shown(None)
    ('.250', '-.50', '1.00', '–')
    """
    if value is None or value != value:
        return "–"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
