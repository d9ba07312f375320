"""Relative rankings of WMT10–WMT16, and acceptability of WMT10."""

from __future__ import annotations

import re
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.judgements.columns import by_rows, preferences, rankings, scores
from mtassay.data.formats.judgements.matching import Names, choose_pair
from mtassay.data.formats.judgements.rows import TextTable, rank
from mtassay.errors import InputError, at, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.judgements import Preferences, Rankings, Scores

_SLOT = re.compile(r"system([0-9]+)id")
_YES = {"YES": 1.0, "NO": 0.0, "UNK": np.nan}


def read_rankings(table: TextTable, *, lp: str | None, names: Names) -> Rankings | Preferences:
    """One screen per line: system ``systemNId`` has rank ``systemNrank``; -1 means no rank.

    Lines of two outputs with a ``rankingID`` (WMT16) are preferences; lines of the same ranking are one item.
    """
    slots = [match[1] for column in table.columns if (match := _SLOT.fullmatch(column))]
    if len(slots) < 2:
        raise InputError(f"{at(table.path, 1)}: {counted(len(slots), 'column')} systemNId; a ranking has two or more")
    for slot in slots:
        table.cells(f"system{slot}rank")
    table, code = _one_pair(table, lp)
    segment = table.converted("srcindex", names.segment())
    judge = table.converted("judgeid", str)
    ranks = [table.converted(f"system{slot}rank", rank) for slot in slots]
    convert = partial(_output, code=code, names=names)
    outputs = [
        table.made_of(_ranked(table.cells(f"system{slot}id"), values), convert, f"system{slot}Id")
        for slot, values in zip(slots, ranks, strict=True)
    ]
    if len(slots) == 2 and "rankingid" in table.columns:
        return _pairs(table, outputs, ranks, segment=segment, judge=judge)
    return rankings(
        table,
        outputs=by_rows(outputs),
        rank=np.array(by_rows(ranks), dtype=np.int64),
        screen=np.repeat(np.arange(len(table)), len(slots)),
        segment=segment,
        judge=judge,
    )


def read_items(table: TextTable, *, names: Names) -> Rankings:
    """WMT15: the column ``items`` has ``system=rank`` or ``a+b=rank`` of each output, separated by spaces."""
    segment = table.converted("segment", names.segment())
    judge = table.converted("judge", str)
    items = [cell.split() for cell in table.cells("items")]
    lengths = [len(cells) for cells in items]
    flat = [cell for cells in items for cell in cells]
    screen = np.repeat(np.arange(len(table)), lengths)
    outputs = TextTable(table.path, {"items": flat}, [table.lines[row] for row in screen.tolist()], table.unknown)
    found = outputs.converted("items", _item)
    ranked = [systems if place else "" for systems, place in found]
    return rankings(
        table,
        outputs=outputs.made_of(ranked, lambda cell: names.output(cell, joins=True) if cell else (), "items"),
        rank=np.array([place for _, place in found], dtype=np.int64),
        screen=screen,
        segment=segment,
        judge=judge,
    )


def read_acceptance(table: TextTable, *, lp: str | None, names: Names) -> Scores:
    """WMT10: whether an edited output is acceptable, 1 or 0; UNK is left out."""
    table, _ = _one_pair(table, lp)
    return scores(
        table,
        system=table.converted("systemid", names.system),
        score=np.array(table.converted("judgment", _yes), dtype=np.float64),
        segment=table.converted("srcindex", names.segment()),
        judge=table.converted("judgeid", str),
        aspect="acceptability",
    )


def _item(cell: str) -> tuple[str, int]:
    systems, equals, value = cell.rpartition("=")
    if not equals or not systems:
        raise InputError(f"{cell!r} is not 'system=rank'")
    return systems, rank(value)


def _yes(cell: str) -> float:
    if cell not in _YES:
        raise InputError(f"{cell!r} is none of {', '.join(_YES)}")
    return _YES[cell]


def _one_pair(table: TextTable, lp: str | None) -> tuple[TextTable, str]:
    return choose_pair(table, list(zip(table.cells("srclang"), table.cells("trglang"), strict=True)), lp)


def _ranked(cells: Sequence[str], ranks: list[int]) -> list[str]:
    """Names of outputs that have a rank; WMT11 names outputs without a rank "blank"."""
    return [cell if value else "" for cell, value in zip(cells, ranks, strict=True)]


def _output(cell: str, *, code: str, names: Names) -> tuple[str, ...]:
    """The systems of an output, without the additions of WMT13 ("newstest2013.fr-en.NAME") or WMT14 ("NAME.fr-en")."""
    if not cell:
        return ()
    if names.testset is None or cell not in names.testset.systems:
        cell = re.sub(rf"^[\w-]+\.{re.escape(code)}\.", "", cell)
        cell = re.sub(rf"^(?:news\w+\.)?(.+)\.{re.escape(code)}$", r"\1", cell)
    return names.output(cell, joins=True)


def _pairs(
    table: TextTable,
    outputs: list[list[tuple[str, ...]]],
    ranks: list[list[int]],
    *,
    segment: list[str],
    judge: list[str],
) -> Preferences:
    rows, first, second = list[int](), list[str](), list[str]()
    for row, (one, other) in enumerate(zip(*outputs, strict=True)):
        for x, y in product(one, other):  # joined systems: all pairs
            rows.append(row)
            first.append(x)
            second.append(y)
    values = np.array(ranks, dtype=np.int64)[:, rows]
    return preferences(
        table.chosen(rows),
        first=first,
        second=second,
        outcome=np.sign(values[1] - values[0]),
        segment=[segment[row] for row in rows],
        judge=[judge[row] for row in rows],
        item=[table.cells("rankingid")[row] for row in rows],
    )
