"""Scores written by other programs, of segments or of whole systems, by system name.

- ``system TAB score``, as in mt-metrics-eval: a line per segment, in order (``*.seg.score``), or a line per system
  (``*.sys.score``). ``None`` marks a missing score.
- Submissions to the WMT metrics tasks until 2019: ``metric lp testset system [segment] score``, separated by tabs, with
  or without the two columns ``ensemble available``.
- TSV with a header: columns ``system``, ``segment`` (counted from 1) or ``id`` (as in the test set), ``score``; without
  a column ``system`` every other column is a system. ``mtassay score -sl`` writes such files.
- JSONL with the same names as keys.

A file without segments and with one score per system has scores of whole systems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.formats import uncompressed_name
from mtassay.data.formats.jsonl import json_object
from mtassay.data.formats.lines import lines_of, split_columns
from mtassay.errors import InputError, at, counted, unknown_name
from mtassay.io.inputs import PathLike, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Records = list[tuple[int, dict[str, object]]]

#: Columns by which rows may be chosen.
FILTERS = ("metric", "lp", "testset")
SUFFIXES = (".seg.score", ".sys.score", ".score", ".seg", ".sys", ".tsv", ".jsonl", ".json", ".txt")
_KEYS = ("segment", "id")
_NOT_SCORES = ("system", *_KEYS, *FILTERS, "doc", "domain", "ensemble", "available")
_TASK = ("metric", "lp", "testset", "system")
#: Files without a header, by number of columns.
_PLAIN = {
    2: ("system", "score"),
    5: (*_TASK, "score"),
    6: (*_TASK, "segment", "score"),
    7: (*_TASK, "score", "ensemble", "available"),
    8: (*_TASK, "segment", "score", "ensemble", "available"),
}
_EXAMPLE = '{"system": "...", "segment": 1, "score": 0.5}'
#: Largest score; keeps sums of any number of scores finite.
LARGEST = 1e100
_SHORT_DIGEST = 8


class Scored(NamedTuple):
    """One score: its segment (None if the file does not name it), the value (None if missing), and the line."""

    segment: str | None
    score: float | None
    line: int


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The scores of a file.

    Attributes:
        path: the file, for messages.
        digest: the first digits of the SHA-256 of its content, decompressed.
        level: ``segment`` or ``system``.
        key: how rows name their segments: ``segment`` (a number), ``id``, or None if they are in order.
        rows: by system, in the order of the file.
    """

    path: str
    digest: str
    level: str
    key: str | None
    rows: dict[str, list[Scored]]

    def of_system(self, system: str, n_segments: int, *, ids: Sequence[str] | None = None) -> list[float | None]:
        """Scores of one system: one per segment (None if missing), or a single score if the file has system scores.

        Args:
            system: its name.
            n_segments: how many segments the test set has.
            ids: the identifiers of these segments, if they have any.
        """
        rows = self.rows.get(system)
        if rows is None:
            raise InputError(f"{self.path}: {unknown_name('system', system, self.rows)}")
        if self.level == "system":
            rows = self._single(system, rows)
        elif self.key is None:
            if len(rows) != n_segments:
                raise InputError(
                    f"{at(self.path, rows[-1].line)}: {counted(len(rows), 'score')} of {system}, "
                    f"the test set has {counted(n_segments, 'segment')}: every segment needs one"
                )
        else:
            rows = self._in_order(system, rows, n_segments, ids=ids if self.key == "id" else None)
        if all(row.score is None for row in rows):
            raise InputError(f"{at(self.path, rows[0].line)}: all scores of {system} are missing")
        return [row.score for row in rows]

    def _single(self, system: str, rows: list[Scored]) -> list[Scored]:
        if len(rows) > 1:
            raise InputError(f"{at(self.path, rows[1].line)}: {system} is given twice (first in line {rows[0].line})")
        return rows

    def _in_order(self, system: str, rows: list[Scored], n_segments: int, *, ids: Sequence[str] | None) -> list[Scored]:
        """Rows by the numbers or identifiers of their segments."""
        if ids is not None and len(set(ids)) < len(ids):
            raise InputError(
                f"{self.path} names segments by id, but ids of the test set are not unique; name segments by number"
            )
        names = ids or [str(number) for number in range(1, n_segments + 1)]
        positions = {name: position for position, name in enumerate(names)}
        found: dict[int, Scored] = {}
        for row in rows:
            position = positions.get(str(row.segment))
            if position is None:
                known = "not an id of the test set" if ids else f"not a number from 1 to {n_segments}"
                raise InputError(f"{at(self.path, row.line)}: the {self.key} {row.segment!r} of {system} is {known}")
            if position in found:
                first = found[position].line
                raise InputError(
                    f"{at(self.path, row.line)}: {system}, segment {row.segment} is given twice (first in line {first})"
                )
            found[position] = row
        for position, name in enumerate(names):
            if position not in found:
                raise InputError(f"{self.path}: {system}, segment {name} has no row; write None if a score is missing")
        return [found[position] for position in range(n_segments)]


def read_scores(path: PathLike, *, column: str | None = None, where: Mapping[str, str] | None = None) -> ScoreFile:
    """Read a file of scores (compressed or not).

    Args:
        path: the file.
        column: the column or key that holds the score, ``score`` by default.
        where: values of the columns ``metric``, ``lp`` and ``testset`` to choose rows by; required if a column has
            several.
    """
    return scores_of(read_text(path), path, column=column, where=where)


def scores_of(
    text: str, path: PathLike, *, column: str | None = None, where: Mapping[str, str] | None = None
) -> ScoreFile:
    """Read scores from the text of a file; other arguments as for ``read_scores``."""
    name = uncompressed_name(path).lower()
    if name.endswith((".doc.score", ".domain.score")):
        raise _of_groups(path)
    records = _records(lines_of(text), path, name)
    records = _chosen(records, where or {}, path)
    columns = records[0][1]
    key = next((key for key in _KEYS if key in columns), None)
    column = _score_column(columns, column, path)
    rows: dict[str, list[Scored]] = {}
    for line, record in records:
        try:
            segment = None if key is None else _label(record, key)
            score = score_value(_cell(record, column))
            rows.setdefault(_label(record, "system"), []).append(Scored(segment, score, line))
        except InputError as error:
            raise InputError(f"{at(shown(path), line)}: {error}") from None
    whole = key is None and (
        name.endswith((".sys.score", ".sys"))
        or (not name.endswith((".seg.score", ".seg")) and all(len(found) == 1 for found in rows.values()))
    )
    return ScoreFile(shown(path), _digest(text), "system" if whole else "segment", key, rows)


def _records(lines: list[str], path: PathLike, name: str) -> Records:
    """Lines as mappings from names of columns, all with the same names unless the file is JSONL."""
    if name.endswith((".jsonl", ".json")) or lines[0].startswith("{"):
        numbered = enumerate(lines, 1)
        return [(number, json_object(line, at(shown(path), number), example=_EXAMPLE)) for number, line in numbered]
    first = lines[0].split("\t")
    header = tuple(map(_canonical, first))
    is_score = len(first) == 2 and _is_score(first[1])  # the system may be called "system"
    if not is_score and {"system", *_KEYS} & set(header):
        seen: set[str] = set()
        for number, column in enumerate(header, 1):
            if not column.strip() or column in seen:
                what = "has no name" if not column.strip() else f"has the same name {column!r} as another column"
                raise InputError(f"{at(shown(path), 1)}: column {number} {what}; give every column a different name")
            seen.add(column)
        if len(lines) == 1:
            raise InputError(f"{at(shown(path), 1)}: only a header; add a line per score")
        n_headers = 1
    else:
        header = _plain_header(first, path)
        n_headers = 0
    cells = list(zip(*split_columns(lines, len(header), path), strict=True))[n_headers:]
    records: Records = [
        (number, dict(zip(header, row, strict=True))) for number, row in enumerate(cells, n_headers + 1)
    ]
    return records if "system" in header else _long(records)


def _canonical(column: str) -> str:
    """The name in lower case if it is a known one; files may write those in any case (WMT12: ``METRIC LP TESTSET``)."""
    return column.lower() if column.lower() in (*_NOT_SCORES, "score") else column


def _plain_header(cells: list[str], path: PathLike) -> tuple[str, ...]:
    """The columns of a file without a header, from its first line."""
    if len(cells) == 3 and _is_score(cells[2]):
        raise _of_groups(path)
    if len(cells) == 2:
        try:
            score_value(cells[1])
        except InputError as error:
            raise InputError(f"{at(shown(path), 1)}: {error} (a header would need a column 'system')") from None
    header = _PLAIN.get(len(cells))
    if header is None or not _is_score(cells[header.index("score")]):
        raise InputError(
            f"{at(shown(path), 1)}: neither a header with 'system' nor scores; scores are 'system TAB score', "
            "a TSV with columns system, segment and score, or JSONL with such keys"
        )
    return header


def _of_groups(path: PathLike) -> InputError:
    return InputError(
        f"{shown(path)} has scores of documents or domains; give scores of segments (*.seg.score) or systems "
        "(*.sys.score)"
    )


def _long(records: Records) -> Records:
    """Convert a table with one column per system to rows with one score each."""
    return [
        (line, {**{key: record[key] for key in (*_KEYS, *FILTERS) if key in record}, "system": system, "score": cell})
        for line, record in records
        for system, cell in record.items()
        if system not in _NOT_SCORES
    ]


def _chosen(records: Records, where: Mapping[str, str], path: PathLike) -> Records:
    """The rows of one metric, language pair and test set."""
    if not records:
        raise InputError(f"{shown(path)} has no column with scores")
    for column in FILTERS:
        values = dict.fromkeys(str(record[column]) for _, record in records if column in record)
        wanted = where.get(column)
        if wanted is not None:
            if not values:
                raise InputError(f"{shown(path)} has no column '{column}' to choose rows by; leave out {column}=")
            if wanted not in values:
                raise InputError(f"{shown(path)}: {unknown_name(column, wanted, values)}")
            records = [(line, record) for line, record in records if str(record.get(column)) == wanted]
        elif len(values) > 1:
            raise InputError(
                f"{shown(path)} has several values of {column}; choose with {column}= ({', '.join(values)})"
            )
    return records


def _score_column(columns: Mapping[str, object], wanted: str | None, path: PathLike) -> str:
    possible = [column for column in columns if column not in _NOT_SCORES]
    column = _canonical(wanted or "score")
    if column in possible:
        return column
    if wanted is None and len(possible) == 1:
        return possible[0]
    raise InputError(f"{shown(path)}: {unknown_name('column of scores', column, possible)}; column= chooses one")


def _cell(record: dict[str, object], column: str) -> object:
    if column not in record:
        raise InputError(f"there is no {column!r}")
    return record[column]


def _label(record: dict[str, object], column: str) -> str:
    value = _cell(record, column)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{column!r} is {str(value)[:40]!r}; it must be a text or a whole number")
    return str(value)


def _is_score(cell: str) -> bool:
    try:
        score_value(cell)
    except InputError:
        return False
    return True


def score_value(value: object) -> float | None:
    """A score; None if it is missing (``None`` in mt-metrics-eval, ``null`` in JSON)."""
    if value is None or value == "None":
        return None
    try:
        odd = (
            isinstance(value, bool)
            or not isinstance(value, str | int | float)
            or (isinstance(value, str) and "_" in value)
        )
        number = math.nan if odd else float(value)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        number = math.nan
    if LARGEST < abs(number) < math.inf:
        raise InputError(f"{str(value)[:40]!r} is too large for a score")
    if not math.isfinite(number):
        raise InputError(f"{str(value)[:40]!r} is not a score; write a number, or None if it is missing")
    return number


def _digest(text: str) -> str:
    from hashlib import sha256  # imported here to start fast

    return sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:_SHORT_DIGEST]
