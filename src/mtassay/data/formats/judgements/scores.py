"""Scores of outputs: direct assessment, MQM, and score files in the layout of mt-metrics-eval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats import uncompressed_name, without_suffix
from mtassay.data.formats.judgements.columns import scores
from mtassay.data.formats.judgements.matching import Names, choose_from, meaningless
from mtassay.data.formats.judgements.rows import TextTable, segment_index
from mtassay.data.formats.score_files import SUFFIXES, score_value, scores_of
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from mtassay.data.judgements import Scores


#: Lines with at least this many columns are submissions to the metrics task, which name their language pair.
_N_TASK_COLUMNS = 5
_LABELS = {"system", "segment", "id"}


def score_of(cell: str) -> float:
    """A score; NaN if it is missing."""
    value = None if cell == "" else score_value(cell)
    return float("nan") if value is None else value


def read_da(table: TextTable, *, lp: str | None, column: str | None, names: Names) -> Scores:
    """Direct assessment, one line per output.

    ``SYS SID RAW.SCR Z.SCR N`` (WMT16–WMT21) counts segments from 1; `column` is ``Z.SCR`` by default.
    ``LP SYSTEM SID HUMAN`` (segments of WMT13) counts them from 0.
    """
    if "human" in table.columns:
        lp = choose_from(table, list(dict.fromkeys(table.cells("lp"))), lp, option="lp")
        table = table.where("lp", lp)
        wanted, system, segment = column or "human", "system", names.segment(segment_index)
    else:
        _check_no_pair(lp, names, table.path)
        wanted, system, segment = column or "z.scr", "sys", names.segment()
    return scores(
        table,
        system=table.converted(system, names.system),
        score=np.array(table.converted(wanted.lower(), score_of), dtype=np.float64),
        segment=table.converted("sid", segment),
        judge=[""] * len(table),
        aspect="da",
    )


def read_mqm(table: TextTable, *, names: Names) -> Scores:
    """MQM scores of segments, averaged over raters; errors make them negative."""
    return scores(
        table,
        system=table.converted("system", names.system),
        score=np.array(table.converted("mqm_avg_score", score_of), dtype=np.float64),
        segment=table.converted("seg_id", names.segment()),
        judge=[""] * len(table),
        aspect="mqm",
    )


@dataclass(frozen=True)
class ScoreText:
    """The text of a file of scores, and where it is."""

    text: str
    path: PathLike


def read_score_file(file: ScoreText, *, lp: str | None, column: str | None, names: Names) -> Scores:
    """Scores of segments; or of whole systems, as scores of a single segment without a name."""
    text, path = file.text, file.path
    first = [cell.strip().lower() for cell in text.split("\n", 1)[0].split("\t")]
    has_header = not _LABELS.isdisjoint(first)
    has_pairs = "lp" in first if has_header else len(first) >= _N_TASK_COLUMNS
    if not has_pairs:
        _check_no_pair(lp, names, shown(path))
    found = scores_of(text, path, column=column, where={"lp": lp} if lp and has_pairs else None)
    rows = [(system, place, row) for system, rows in found.rows.items() for place, row in enumerate(rows, 1)]
    lines = [row.line for *_, row in rows]
    segment = [str(place) if row.segment is None else row.segment for _, place, row in rows]
    table = TextTable(found.path, {"system": [system for system, *_ in rows], "segment": segment}, lines)
    if found.level == "system":
        segment = [""] * len(rows)
    elif found.key == "id":
        segment = table.converted("segment", names.segment_id)
    else:
        segment = table.converted("segment", names.segment())
    return scores(
        table,
        system=table.converted("system", names.system),
        score=np.array([np.nan if row.score is None else row.score for *_, row in rows], dtype=np.float64),
        segment=segment,
        judge=[""] * len(rows),
        aspect=_aspect(uncompressed_name(path)),
    )


def _check_no_pair(lp: str | None, names: Names, path: str) -> None:
    """Reject a language pair for a file that names none, unless it is the test set's."""
    if lp is not None and names.testset is None:
        raise meaningless("lp", path, "these scores name no language pair")


def _aspect(file_name: str) -> str:
    """The aspect in a file name such as "en-de.mqm.seg.score"."""
    _, dot, aspect = without_suffix(file_name, SUFFIXES).rpartition(".")
    return aspect.lower() if dot else "score"
