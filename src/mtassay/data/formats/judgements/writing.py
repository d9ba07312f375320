"""Writes judgements as TSV or JSONL."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mtassay.data.error_spans import ErrorSpan, ErrorSpans
from mtassay.data.judgements import Preferences, Rankings, Scores
from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.results import or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.io.inputs import PathLike

    Columns = dict[str, Sequence[object]]

#: Tabs, line breaks and characters that UTF-8 cannot encode.
_ODD = re.compile("[\t\n\r\ud800-\udfff]")


def write_judgements(
    judgements: Rankings | Preferences | Scores | ErrorSpans, path: PathLike, *, format: str = "tsv"
) -> None:
    """Write one line per row of the judgements; reading the file gives the same ones, without other language pairs.

    Args:
        judgements: what to write.
        path: the file; ``-`` is standard output.
        format: ``tsv`` or ``jsonl``; spans of errors are written as ``jsonl`` only.
    """
    if format not in ("tsv", "jsonl"):
        raise InputError(f"judgements cannot be written as {format!r}; write tsv or jsonl")
    if isinstance(judgements, ErrorSpans) and format != "jsonl":
        raise InputError("spans of errors cannot be written as TSV; write jsonl")
    columns = _columns(judgements)
    rows = zip(*columns.values(), strict=True)
    with atomic_write(path, exact=True) as file:
        if format == "jsonl":
            for row in rows:
                file.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")
            return
        file.write("\t".join(columns) + "\n")
        for number, row in enumerate(rows, 2):
            cells = [cell if isinstance(cell, str) else repr(cell) for cell in row]
            odd = next((cell for cell in cells if _ODD.search(cell)), None)
            if odd is not None:
                raise InputError(f"line {number} would contain {odd!r}, which TSV does not allow; write JSONL")
            file.write("\t".join(cells) + "\n")


def _columns(judgements: Rankings | Preferences | Scores | ErrorSpans) -> Columns:
    systems, segments, judges = judgements.systems, judgements.segments, judgements.judges
    columns: Columns = {
        "segment": [segments[number] for number in judgements.segment.tolist()],
        "judge": [judges[number] for number in judgements.judge.tolist()],
    }
    if isinstance(judgements, Preferences):
        for side in ("first", "second"):
            columns[side] = [systems[number] for number in getattr(judgements, side).tolist()]
        return columns | {"outcome": judgements.outcome.tolist(), "item": judgements.item.tolist()}
    columns["system"] = [systems[number] for number in judgements.system.tolist()]
    if isinstance(judgements, Rankings):
        return columns | {"rank": judgements.rank.tolist(), "item": judgements.item.tolist()}
    if isinstance(judgements, ErrorSpans):
        columns["score"] = [or_none(score) for score in judgements.score.tolist()]
        if (judgements.item != "").any():
            columns["kind"] = judgements.item.tolist()
        if judgements.hit is not None:
            columns["hit"] = judgements.hit.tolist()
        return columns | {"spans": [[_span(span) for span in spans] for spans in judgements.spans]}
    n = len(judgements)
    if judgements.hit is not None:
        columns["hit"] = judgements.hit.tolist()
    return columns | {
        "score": judgements.score.tolist(),
        "aspect": [judgements.aspect] * n,
        "kind": judgements.item.tolist(),
        "better": ["higher" if judgements.higher_is_better else "lower"] * n,
    }


def _span(span: ErrorSpan) -> dict[str, object]:
    """A span as an object; values that are absent or false are left out."""
    found: dict[str, object] = {} if span.start is None else {"start": span.start, "end": span.end}
    found |= {"severity": span.severity, "category": span.category}
    return found | {key: True for key, holds in (("missing", span.missing), ("source", span.in_source)) if holds}
