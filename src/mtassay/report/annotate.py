"""What ``mtassay annotate`` prints: how much of each text was annotated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from mtassay.verbs.annotate import AnnotateResult

_STATES = ("full", "partial", "missing", "empty")


def text(result: AnnotateResult) -> str:
    """The table and the annotator."""
    return f"{table(result).text()}\n\nby {result.annotator}"


def table(result: AnnotateResult) -> Table:
    """Numbers of segments by text."""
    rows = (
        (Cell(name), *(Cell(str(getattr(found, state))) for state in _STATES)) for name, found in result.texts.items()
    )
    return Table(("text", *_STATES), tuple(rows))


def pages(result: AnnotateResult, format_: str) -> str:
    """The table in a format of ``mtassay.report.tables``."""
    shown: str = getattr(table(result), format_)()
    return shown


def json_text(result: AnnotateResult) -> str:
    """The result as JSON."""
    return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)
