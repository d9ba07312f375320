"""Direct assessments with control items: HITs of WMT's crowd-sourced campaigns, and exports of Appraise."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.judgements.columns import scores
from mtassay.data.formats.judgements.matching import Names, choose_from, choose_pair, language_pair
from mtassay.data.formats.judgements.scores import score_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.data.formats.judgements.rows import TextTable
    from mtassay.data.judgements import Scores

#: Columns of an export of Appraise, which may come without a header.
APPRAISE = ("username", "system", "itemid", "itemtype", "srclang", "trglang", "score", "timestart", "timeend")
#: Kinds of items in Appraise: outputs, degraded ones, repeated ones and references.
_KINDS = ("TGT", "BAD", "CHK", "REF")
_ASPECTS = {"ad": "adequacy", "fl": "fluency"}
#: Files that Appraise shows, such as "generaltest2022.en-liv.hyp.TartuNLP.liv.txt" and "….ref.A.liv.txt".
_FILE = re.compile(r".+\.\w+-\w+\.(hyp|ref)\.(.+)\.\w+\.txt")


def is_appraise(first: str) -> bool:
    """Whether the first line of a file is a row of an export without a header."""
    cells = first.split(",")
    return len(cells) == len(APPRAISE) and cells[APPRAISE.index("itemtype")] in _KINDS


def read_hits(table: TextTable, *, lp: str | None, task: str | None, names: Names) -> Scores:
    """``HITId WorkerId src trg item hit sys_id rid type sid score time`` (WMT22; ``Input.src`` and so on).

    Control items are of the type ``BAD_REF`` or ``REPEAT``; ``item`` is ``ad`` (adequacy) or ``fl`` (fluency).
    """
    table = replace(table, columns={name.removeprefix("input."): cells for name, cells in table.columns.items()})
    aspects = [_ASPECTS.get(cell, cell) for cell in table.cells("item")]
    aspect = choose_from(table, list(dict.fromkeys(aspects)), task, option="task")
    table = table.chosen([row for row, cell in enumerate(aspects) if cell == aspect])

    def read(part: TextTable, names: Names) -> Scores:
        return scores(
            part,
            system=part.converted("sys_id", names.system),
            score=np.array(part.converted("score", score_of), dtype=np.float64),
            segment=part.converted("sid", names.segment()),
            judge=part.cells("workerid"),
            aspect=aspect,
            kind=part.cells("type"),
            hit=part.cells("hitid"),
        )

    return _with_other_pairs(table, lp, names, read, columns=("src", "trg"))


def read_appraise(table: TextTable, *, lp: str | None, names: Names) -> Scores:
    """An export of Appraise, one line per item; ``itemId`` is the segment, counted from 1."""

    def read(part: TextTable, names: Names) -> Scores:
        return scores(
            part,
            system=part.converted("system", lambda cell: names.system(_system(cell, names))),
            score=np.array(part.converted("score", score_of), dtype=np.float64),
            segment=part.converted("itemid", names.segment()),
            judge=part.cells("username"),
            aspect="da",
            kind=part.cells("itemtype"),
        )

    return _with_other_pairs(table, lp, names, read, columns=("srclang", "trglang"))


def _system(cell: str, names: Names) -> str:
    """The system of a displayed file; references are named as in mt-metrics-eval."""
    match = _FILE.fullmatch(cell)
    if match is None or (names.testset is not None and cell in names.testset.outputs):
        return cell
    return match[2] if match[1] == "hyp" else f"ref{match[2]}"


def _with_other_pairs(
    table: TextTable,
    lp: str | None,
    names: Names,
    read: Callable[[TextTable, Names], Scores],
    *,
    columns: tuple[str, str],
) -> Scores:
    """The scores of one language pair, and those of the other pairs, which are used to check judges.

    Args:
        table: all rows.
        lp: the language pair; required if there are several.
        names: names of systems and segments in the language pair.
        read: reads the rows of one language pair.
        columns: the columns of the source and the target language.
    """
    source, target = (table.cells(column) for column in columns)
    pairs = list(zip(source, target, strict=True))
    chosen, code = choose_pair(table, pairs, lp)
    found = read(chosen, names)
    codes = [language_pair(*pair) for pair in pairs]
    others = [
        table.chosen([row for row, cell in enumerate(codes) if cell == other])
        for other in dict.fromkeys(codes)
        if other != code
    ]
    return replace(found, other_pairs=tuple(read(part, Names()) for part in others))
