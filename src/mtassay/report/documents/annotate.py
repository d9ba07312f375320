"""How much of each text was annotated."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from mtassay.report.document import Document, Records, Sentence, table

if TYPE_CHECKING:
    from mtassay.verbs.annotate import AnnotateResult

_STATES = ("full", "partial", "missing", "empty")


def document(result: AnnotateResult) -> Document:
    """Numbers of segments by text."""
    rows = [(name, *(asdict(found)[state] for state in _STATES)) for name, found in result.texts.items()]
    header = ("text", *_STATES)
    blocks = (table(header, [[str(value) for value in row] for row in rows]), Sentence(f"by {result.annotator}"))
    return Document("annotated texts", blocks, lambda: Records(header, rows), result.to_dict)
