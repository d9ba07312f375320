"""How much of each text was parsed: ``learn parse``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.document import Document, Records, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.text.annotate import ParsedText

_STATES = ("full", "partial", "missing", "empty")


def document(found: Mapping[str, ParsedText]) -> Document:
    """Numbers of segments by text."""
    header = ("text", *_STATES)
    rows = [(name, *(getattr(text, state) for state in _STATES)) for name, text in sorted(found.items())]
    return Document(
        "parsed texts",
        (table(header, [[str(value) for value in row] for row in rows]),),
        lambda: Records(header, rows),
        lambda: [dict(zip(header, row, strict=True)) for row in rows],
    )
