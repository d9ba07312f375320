"""Pairs without a header, and mtassay's own tables: TSV with a header, or JSONL with the same names as keys."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.jsonl import json_object
from mtassay.data.formats.judgements.columns import preferences, rankings, scores
from mtassay.data.formats.judgements.matching import Names, check_aspect, choose_from, meaningless
from mtassay.data.formats.judgements.rows import TextTable, name, rank, segment_number, whole
from mtassay.data.formats.judgements.scores import score_of
from mtassay.errors import InputError, at
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from mtassay.data.judgements import Preferences, Rankings, Scores

#: Columns by kind of judgements: those that determine the kind, and optional ones. All have segment or id, too.
KINDS = {
    "preferences": (("first", "second", "outcome"), ("judge", "item")),
    "rankings": (("item", "system", "rank"), ("judge",)),
    "scores": (("system", "score"), ("judge", "hit", "kind", "aspect", "better")),
}
PAIRS = ("segment", "better", "worse")
_SEGMENTS = ("segment", "id")
#: All known columns.
_COLUMNS = {*_SEGMENTS, *(name for needed, optional in KINDS.values() for name in (*needed, *optional))}
#: Similarity of names that differ by about one letter.
_ALIKE = 0.85
_OUTCOMES = (-1, 0, 1)
_BETTER = {"higher": True, "lower": False}
_EXAMPLE = '{"segment": 1, "judge": "a", "system": "x", "score": 70}'


def kind_of(columns: Sequence[str]) -> str | None:
    """The kind of judgements with these columns, if any.

    >>> kind_of(["segment", "system", "score"]), kind_of(["segment", "text"])
    ('scores', None)
    """
    if not set(_SEGMENTS) & set(columns):
        return None
    return next((kind for kind, (needed, _) in KINDS.items() if set(needed) <= set(columns)), None)


def read_pairs(table: TextTable, *, names: Names) -> Preferences:
    """One strict preference per line: segment, the better system, the worse one."""
    return preferences(
        table,
        first=table.converted("better", names.system),
        second=table.converted("worse", names.system),
        outcome=np.ones(len(table), dtype=np.int64),
        segment=table.converted("segment", names.segment()),
        judge=[""] * len(table),
    )


def read_own(table: TextTable, *, task: str | None, names: Names) -> Rankings | Preferences | Scores:
    """Rankings, preferences or scores, by the columns that the table has."""
    kind = kind_of(list(table.columns))
    if kind is None:
        known = "; ".join(f"{kind}: {', '.join(needed)}" for kind, (needed, _) in KINDS.items())
        raise InputError(f"{at(table.path, 1)}: no judgements; columns are segment or id, and those of {known}")
    needed, optional = KINDS[kind]
    check_spelling(table, (*_SEGMENTS, *needed, *optional))
    if kind == "scores":
        return _scores(table, task, names)
    if task is not None:
        raise meaningless("task", table.path, f"these judgements are {kind}")
    segment, judge = segments_of(table, names), judges_of(table)
    if kind == "rankings":
        return _rankings(table, segment, judge, names)
    return preferences(
        table,
        first=table.converted("first", names.system),
        second=table.converted("second", names.system),
        outcome=np.array(table.converted("outcome", _outcome), dtype=np.int64),
        segment=segment,
        judge=judge,
        item=table.columns.get("item"),
    )


def check_spelling(table: TextTable, names: Sequence[str]) -> None:
    """Reject columns that look like misspelt `names`; other unknown columns are ignored."""
    absent = [name for name in names if name not in table.columns]
    for column in table.columns:
        if column not in _COLUMNS and (meant := get_close_matches(column, absent, n=1, cutoff=_ALIKE)):
            raise InputError(f"{at(table.path, 1)}: unknown column {column!r}; did you mean {meant[0]!r}?")


def objects_of(lines: Sequence[str], path: PathLike, *, example: str = _EXAMPLE) -> list[tuple[int, dict[str, object]]]:
    """The objects of JSONL with their lines; `example` is shown in error messages."""
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    if not numbers:
        raise InputError(f"{shown(path)} has no line with an object such as {example}")
    return [(number, json_object(lines[number - 1], at(shown(path), number), example=example)) for number in numbers]


def table_of_objects(objects: Sequence[tuple[int, dict[str, object]]], path: PathLike) -> TextTable:
    """Objects as a table; null is an empty cell."""
    columns: dict[str, list[str]] = {}
    for count, (number, item) in enumerate(objects):
        place = at(shown(path), number)
        if count == 0:
            columns = {key: [] for key in item}
        if odd := sorted((item.keys() ^ columns.keys()) & _COLUMNS):
            raise InputError(f"{place}: the key {odd[0]!r} is not in every line; write null where a value is missing")
        for key, cells in columns.items():
            # Other keys are ignored, whatever their values are.
            cells.append(_cell(item[key], f"{place}: {key!r}") if key in _COLUMNS else "")
    return TextTable(shown(path), dict(columns), [number for number, _ in objects])


def _cell(value: object, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{place} is {str(value)[:40]!r}; it must be a text or a number")
    return value if isinstance(value, str) else repr(value)


def _rankings(table: TextTable, segment: list[str], judge: list[str], names: Names) -> Rankings:
    """One output per line; outputs with the same item are on one screen."""
    first_row: dict[str, int] = {}
    screen = np.array(
        [first_row.setdefault(item, row) for row, item in enumerate(table.converted("item", name))], dtype=np.int64
    )
    for row, first in enumerate(screen.tolist()):
        if segment[row] != segment[first] or judge[row] != judge[first]:
            raise InputError(
                f"{table.place(row)}: the item of line {table.lines[first]} has another segment or judge; "
                "give each screen an item of its own"
            )
    outputs = table.converted("system", names.output)
    ranks = table.converted("rank", rank)
    ranked: set[tuple[int, str]] = set()
    for row, (first, output, value) in enumerate(zip(screen.tolist(), outputs, ranks, strict=True)):
        for system in output if value else ():
            if (first, system) in ranked:
                raise InputError(f"{table.place(row)}: {system!r} is ranked twice in its item")
            ranked.add((first, system))
    return rankings(
        table,
        outputs=outputs,
        rank=np.array(ranks, dtype=np.int64),
        screen=screen,
        segment=segment,
        judge=judge,
    )


def _scores(table: TextTable, aspect: str | None, names: Names) -> Scores:
    if "aspect" in table.columns:
        aspect = choose_from(table, list(dict.fromkeys(table.cells("aspect"))), aspect, option="task")
        table = table.where("aspect", aspect)
    elif aspect is not None:
        check_aspect(aspect, table.path)
    better = dict.fromkeys(table.converted("better", _better)) if "better" in table.columns else {True: None}
    if len(better) > 1:
        raise InputError(f"{table.path}: higher is better for some scores, lower for others; give two files")
    return scores(
        table,
        system=table.converted("system", names.system),
        score=np.array(table.converted("score", score_of), dtype=np.float64),
        segment=segments_of(table, names),
        judge=judges_of(table),
        aspect=aspect or "score",
        kind=table.columns.get("kind"),
        hit=table.columns.get("hit"),
        higher_is_better=next(iter(better)),
    )


def segments_of(table: TextTable, names: Names) -> list[str]:
    """The segment of each row, from the column ``segment`` or ``id``."""
    if "segment" not in table.columns:
        return table.converted("id", names.segment_id)
    cells = table.cells("segment")
    if not any(cells):  # judgements of whole systems
        return list(cells)
    check = names.segment(segment_number)
    return table.converted("segment", lambda cell: name(cell) if names.testset is None else check(name(cell)))


def judges_of(table: TextTable) -> list[str]:
    """The judge of each row; "" if there is no such column."""
    return list(table.columns.get("judge", [""] * len(table)))


def _outcome(cell: str) -> int:
    value = whole(cell)
    if value not in _OUTCOMES:
        raise InputError(f"{cell!r} is not 1 (the first is better), 0 (a tie) or -1 (the second is better)")
    return value


def _better(cell: str) -> bool:
    if cell not in _BETTER:
        raise InputError(f"{cell!r} is neither 'higher' nor 'lower'")
    return _BETTER[cell]
