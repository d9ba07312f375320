"""Judgements of WMT07–WMT09, which have several tasks, language pairs and domains in one file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.judgements.columns import by_rows, rankings, scores
from mtassay.data.formats.judgements.matching import Names, choose_from, choose_pair
from mtassay.data.formats.judgements.rows import TextTable, rank, segment_index, whole
from mtassay.errors import InputError, at

if TYPE_CHECKING:
    from mtassay.data.judgements import Rankings, Scores

#: Names of the tasks in files. The edits of WMT09 are left out: they are texts, not judgements.
_TYPES = {
    "rank": ("RANK",),
    "constituent": ("CONSTITUENT",),
    "acceptability": ("CONSTITUENT_ACCEPT", "EDIT_ACCEPT"),
    "adequacy": ("NIST",),
    "fluency": ("NIST",),
}
_TASK = re.compile(r"(?:(WMT[0-9]+) )?(.+?)-(\S+) (.+)")
_N_SLOTS = 5
_BEST_OF_2007 = 5
_ADEQUACY = range(1, 6)
#: WMT08 asks for yes, no or "not sure"; WMT09 has 1 or 0.
_ACCEPTED = {"CONSTITUENT_ACCEPT": {"1": 1.0, "2": 0.0, "3": np.nan}, "EDIT_ACCEPT": {"1": 1.0, "0": 0.0}}


def read_tasks(
    table: TextTable, *, lp: str | None, task: str | None, domain: str | None, names: Names
) -> Rankings | Scores:
    """One task, language pair and domain; ITEM_ID counts segments from 0, except for constituents."""
    kinds = dict.fromkeys(table.cells("type"))
    there = [name for name, types in _TYPES.items() if not kinds.keys().isdisjoint(types)]
    task = choose_from(table, there, task, option="task")
    types = [cell in _TYPES[task] for cell in table.cells("type")]
    table = table.chosen([row for row, wanted in enumerate(types) if wanted])
    parsed = table.converted("task", _parsed)
    table, _ = choose_pair(table, [pair for _, pair, _ in parsed], lp)
    domains = table.converted("task", lambda cell: _parsed(cell)[2])
    domain = choose_from(table, list(dict.fromkeys(domains)), domain, option="domain")
    table = table.chosen([row for row, cell in enumerate(domains) if cell == domain])
    return _ranked(table, task, names) if task in ("rank", "constituent") else _scored(table, task, names)


def _parsed(cell: str) -> tuple[str, tuple[str, str], str]:
    """Campaign, languages and domain of "WMT08 French-English News"."""
    match = _TASK.fullmatch(cell)
    if match is None:
        raise InputError(f"{cell!r} is not of the form 'WMT08 French-English News'")
    return match[1] or "", (match[2], match[3]), match[4]


def _ranked(table: TextTable, task: str, names: Names) -> Rankings:
    best = {
        _BEST_OF_2007 if campaign == "WMT07" else 1 for campaign in table.converted("task", lambda c: _parsed(c)[0])
    }
    if len(best) > 1:
        raise InputError(f"{table.path} has ranks of WMT07, where 5 is best, and of others; give one campaign")
    values = np.array(by_rows([table.converted(f"score_{slot}_a", rank) for slot in range(_N_SLOTS)]), dtype=np.int64)
    if best == {_BEST_OF_2007}:
        too_high = np.flatnonzero(values > _BEST_OF_2007)
        if len(too_high):
            raise InputError(
                f"{table.place(int(too_high[0]) // _N_SLOTS)}: a rank over 5, but the best rank of WMT07 is 5"
            )
        # Parity: WMT07, 5 is the best rank (systems with high adequacy have high ranks).
        values = np.where(values > 0, _BEST_OF_2007 + 1 - values, 0)
    columns = [
        table.made_of(
            [cell if value else "" for cell, value in zip(table.cells(f"system_{slot}"), ranks, strict=True)],
            lambda cell: names.output(cell) if cell else (),
            f"SYSTEM_{slot}",
        )
        for slot, ranks in enumerate(values.reshape(-1, _N_SLOTS).T.tolist())
    ]
    return rankings(
        table,
        outputs=by_rows(columns),
        rank=values,
        screen=np.repeat(np.arange(len(table)), _N_SLOTS),
        segment=_segments(table, task, names),
        judge=table.converted("annotator_id", str),
    )


def _scored(table: TextTable, task: str, names: Names) -> Scores:
    letter = "b" if task == "fluency" else "a"
    kinds = table.cells("type")
    system: list[list[str | None]] = []
    score: list[list[float]] = []
    for slot in range(_N_SLOTS):
        cells = table.cells(f"score_{slot}_{letter}")
        marked = [f"{kind} {cell}" for kind, cell in zip(kinds, cells, strict=True)]
        score.append(table.made_of(marked, _score, f"SCORE_{slot}_{letter.upper()}"))
        given = [name if cell.strip() else "" for name, cell in zip(table.cells(f"system_{slot}"), cells, strict=True)]
        system.append(table.made_of(given, lambda cell: names.system(cell) if cell else None, f"SYSTEM_{slot}"))
    return scores(
        table,
        system=by_rows(system),
        score=np.array(by_rows(score), dtype=np.float64),
        row=np.repeat(np.arange(len(table)), _N_SLOTS),
        segment=_segments(table, task, names),
        judge=table.converted("annotator_id", str),
        aspect=task,
    )


def _score(marked: str) -> float:
    """Parse a score after the type of its line; "-" is a missing score of WMT07."""
    kind, _, cell = marked.partition(" ")
    if cell in ("", "-"):
        return float("nan")
    if kind in _ACCEPTED:
        if cell not in _ACCEPTED[kind]:
            raise InputError(f"{cell!r} is none of {', '.join(_ACCEPTED[kind])}")
        return _ACCEPTED[kind][cell]
    value = whole(cell)
    if value not in _ADEQUACY:
        raise InputError(f"{cell!r} is not a score; adequacy and fluency go from 1 to 5")
    return float(value)


def _segments(table: TextTable, task: str, names: Names) -> list[str]:
    of_constituents = task == "constituent" or "CONSTITUENT_ACCEPT" in table.cells("type")
    if not of_constituents:
        return table.converted("item_id", names.segment(segment_index))
    if names.testset is not None:
        raise InputError(f"{at(table.path)} counts constituents, not segments: a test set cannot check them")
    return table.converted("item_id", lambda cell: str(whole(cell)))
