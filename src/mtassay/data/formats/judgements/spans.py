"""Spans of errors: mtassay's own JSONL, and the ``*.seg.rating`` files of mt-metrics-eval.

mtassay's own format has one line per output and judge. ``id`` can replace ``segment``; ``judge``, ``score``, ``kind``
and ``hit`` are optional:

    {"segment": 1, "system": "x", "judge": "a", "score": 70, "spans": [{"start": 3, "end": 8, "severity": "minor",
     "category": "fluency/grammar"}, {"severity": "major", "missing": true}]}

mt-metrics-eval has the segments of each system in order, with ``None`` for an output that was not judged:

    system TAB {"errors": [{"start": 3, "end": 8, "severity": "minor", "category": "other", "is_source_error": false}]}

A third column may name the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.error_spans import ErrorSpan, ErrorSpans
from mtassay.data.formats.jsonl import json_object
from mtassay.data.formats.judgements.columns import chosen_names, kept_rows
from mtassay.data.formats.judgements.rows import TextTable
from mtassay.data.formats.judgements.scores import score_of
from mtassay.data.formats.judgements.tables import check_spelling, judges_of, objects_of, segments_of, table_of_objects
from mtassay.data.judgements import SCORED
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from mtassay.data.formats.judgements.matching import Names
    from mtassay.data.testset import TestSet

_EXAMPLE = (
    '{"segment": 1, "system": "x", "judge": "a", "score": 70, "spans": [{"start": 3, "end": 8, "severity": "minor"}]}'
)
_RATING = '{"errors": [{"start": 3, "end": 8, "severity": "minor"}]}'
_COLUMNS = ("segment", "id", "system", "judge", "score", "kind", "hit")
_N_COLUMNS = (2, 3)
#: Category of omissions in mt-metrics-eval, after the last "/".
_OMISSION = "omission"


@dataclass(frozen=True)
class SpanFile:
    """Rows of a file, and the list of errors of each line as parsed JSON.

    Attributes:
        table: the rows; several of one line if an output is of several systems.
        errors: lists of errors by line.
    """

    table: TextTable
    errors: Mapping[int, object]


def span_file(lines: Sequence[str], path: PathLike) -> SpanFile:
    """JSONL with the key ``spans``."""
    objects = objects_of(lines, path, example=_EXAMPLE)
    for line, item in objects:
        if "spans" not in item:
            raise InputError(f"{at(shown(path), line)}: no key 'spans'; write [] where an output has no error")
    return SpanFile(table_of_objects(objects, path), {line: item["spans"] for line, item in objects})


def rating_file(lines: Sequence[str], path: PathLike) -> SpanFile:
    """Ratings of mt-metrics-eval; lines of outputs that were not judged are left out."""
    columns: dict[str, list[str]] = {"system": [], "segment": [], "judge": []}
    errors: dict[int, object] = {}
    n_lines = Counter[str]()
    for line, text in enumerate(lines, 1):
        place, cells = at(shown(path), line), text.rstrip("\r").split("\t")
        if len(cells) not in _N_COLUMNS:
            raise InputError(f"{place}: {counted(len(cells), 'column')}, expected system, rating and perhaps a judge")
        system, rating, *judge = cells
        n_lines[system] += 1
        if rating == "None":
            continue
        item = json_object(rating, place, example=_RATING)
        if "errors" not in item:
            raise InputError(f"{place}: no key 'errors'; write a rating such as {_RATING}, or None")
        errors[line] = item["errors"]
        for column, cell in zip(columns.values(), (system, str(n_lines[system]), *(judge or [""])), strict=True):
            column.append(cell)
    if len(set(n_lines.values())) > 1:
        (least, fewer), (most, more) = (sorted(n_lines.items(), key=lambda of: of[1])[at_] for at_ in (0, -1))
        raise InputError(
            f"{shown(path)} has {counted(fewer, 'line')} for {least} and {more} for {most}: every system needs a line "
            "per segment; write None for an output that was not judged"
        )
    return SpanFile(TextTable(shown(path), columns, list(errors)), errors)


def read_spans(file: SpanFile, *, names: Names) -> ErrorSpans:
    """Spans of our own JSONL."""
    check_spelling(file.table, _COLUMNS)
    return _read(file, names, _own)


def read_ratings(file: SpanFile, *, names: Names) -> ErrorSpans:
    """Spans of mt-metrics-eval. Scores in the file are ignored: weights determine the scores."""
    return _read(file, names, _rated)


def _read(file: SpanFile, names: Names, convert: Callable[[Mapping[str, object]], ErrorSpan]) -> ErrorSpans:
    table = file.table
    system = table.converted("system", names.system)
    segment, judge = segments_of(table, names), judges_of(table)
    score = table.converted("score", score_of) if "score" in table.columns else [float("nan")] * len(table)
    kind = table.columns.get("kind", [""] * len(table))
    hit = table.columns.get("hit")
    found = {line: _spans(errors, at(table.path, line), convert) for line, errors in file.errors.items()}
    kept = kept_rows(table, system)
    texts = None if names.testset is None else _Texts(names.testset)
    seen: dict[tuple[object, ...], int] = {}
    for row in kept.tolist():
        if not segment[row]:
            raise InputError(f"{table.place(row)}: segment is empty; every span needs a segment")
        key = (segment[row], system[row], judge[row], kind[row], hit and hit[row])
        if key in seen:
            raise InputError(
                f"{table.place(row)}: {system[row]}, segment {segment[row]} is judged twice by "
                f"{judge[row] or 'the same judge'} (first in line {table.lines[seen[key]]})"
            )
        seen[key] = row
        if texts is not None and kind[row] in SCORED:  # a degraded output is another text
            texts.check(found[table.lines[row]], str(system[row]), int(segment[row]), place=table.place(row))
    systems, segments, judges = (chosen_names(cells, kept) for cells in ([c or "" for c in system], segment, judge))
    return ErrorSpans(
        systems[0],
        segments[0],
        judges[0],
        segments[1],
        judges[1],
        system=systems[1],
        spans=tuple(found[table.lines[row]] for row in kept.tolist()),
        score=np.array(score, dtype=np.float64)[kept],
        item=np.array(kind, dtype=np.str_)[kept],
        hit=None if hit is None else chosen_names(hit, kept)[1],
    )


def _spans(errors: object, place: str, convert: Callable[[Mapping[str, object]], ErrorSpan]) -> tuple[ErrorSpan, ...]:
    """The errors of one line."""
    if not isinstance(errors, list):
        raise InputError(f"{place}: spans are {str(errors)[:40]!r}; they must be a list")
    found = []
    for number, error in enumerate(errors, 1):
        if not isinstance(error, dict):
            raise InputError(f"{place}: span {number} is {str(error)[:40]!r}; it must be an object")
        try:
            found.append(convert(error))
        except InputError as fault:
            raise InputError(f"{place}: span {number}: {fault}") from None
    return tuple(found)


def _own(error: Mapping[str, object]) -> ErrorSpan:
    return ErrorSpan(
        start=error.get("start"),  # type: ignore[arg-type] # checked by ErrorSpan
        end=error.get("end"),  # type: ignore[arg-type]
        severity=_text(error, "severity"),
        category=_text(error, "category"),
        missing=_truth(error, "missing"),
        in_source=_truth(error, "source"),
    )


def _rated(error: Mapping[str, object]) -> ErrorSpan:
    """A span of a rating; omissions and empty ranges, which mark the place of an omission, are ``missing``."""
    start, end, category = error.get("start"), error.get("end"), _text(error, "category")
    return ErrorSpan(
        start=start,  # type: ignore[arg-type] # checked by ErrorSpan
        end=end,  # type: ignore[arg-type]
        severity=_text(error, "severity").lower(),
        category=category,
        missing=category.lower().rpartition("/")[2] == _OMISSION or (start is not None and start == end),
        in_source=_truth(error, "is_source_error"),
    )


def _text(error: Mapping[str, object], key: str) -> str:
    value = error.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{key} {str(value)[:40]!r} is not a text")
    return value or ""


def _truth(error: Mapping[str, object], key: str) -> bool:
    value = error.get(key, False)
    if not isinstance(value, bool):
        raise InputError(f"{key} {str(value)[:40]!r} is neither true nor false")
    return value


class _Texts:
    """The texts of a test set, in which spans must lie."""

    def __init__(self, testset: TestSet) -> None:
        references = dict(zip(testset.reference_names, testset.references, strict=True))
        self.outputs: Mapping[str, Sequence[str | None]] = {**references, **testset.outputs}
        self.sources = testset.sources

    def check(self, spans: Sequence[ErrorSpan], system: str, segment: int, *, place: str) -> None:
        """Reject spans that end after the text."""
        for number, span in enumerate(spans, 1):
            stream = self.sources if span.in_source else self.outputs.get(system)
            text = None if stream is None else stream[segment - 1]
            if text is not None and span.end is not None and span.end > len(text):
                what = "source" if span.in_source else f"output of {system}"
                raise InputError(
                    f"{place}: span {number}: {span.range} ends after the {what}, which has "
                    f"{counted(len(text), 'code point')}"
                )
