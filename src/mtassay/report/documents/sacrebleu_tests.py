"""Scores with sacreBLEU's intervals and p-values: ``score -ci``, ``--paired-ar`` and ``--paired-bs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.report.document import Cell, Document, Records, Sentence, Table, table
from mtassay.report.documents.score import headline, signature_block
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from mtassay.verbs.sacrebleu_tests import PairedResult

#: Formats that other programs read: the JSON is sacreBLEU's.
AS_IS = ("json",)
# Parity: sacreBLEU, p-values below this are marked; the significance level is fixed.
_ALPHA = 0.05


def document(
    result: PairedResult, *, width: int | None = None, signatures: bool = False, short: bool = False
) -> Document:
    """Systems in the order given, the baseline first.

    Args:
        result: the scores.
        width: decimals; by default the metric's own in tables, and all in records and data.
        signatures: show the signatures of all metrics, not only of the first.
        short: short signatures.
    """
    lines = signature_block(result.scored.metrics, result.signatures, everything=signatures, short=short)
    blocks = (Sentence(headline(result.scored)), _table(result, width), lines)
    mark = f"p < {_ALPHA:g} against {result.scored.systems[0]}"
    return Document("scores", blocks, lambda: _records(result), lambda: _data(result, width), mark)


def _table(result: PairedResult, width: int | None) -> Table:
    """Systems × metrics: score, mean ± half interval, p-value."""
    scored = result.scored
    header = ["system"]
    for name in headings(scored.metrics):
        header += [name]
        header += ["μ ± 95 % CI"] if result.means is not None else []
        header += ["p"] if result.p is not None else []
    rows = []
    for s, system in enumerate(scored.systems):
        row: list[str | Cell] = [system]
        for m, metric in enumerate(scored.metrics):
            row.append(number(float(scored.scores[s, m]), metric, width=width))
            if result.means is not None and result.halves is not None:
                values = (float(result.means[s, m]), float(result.halves[s, m]))
                row.append(" ± ".join(number(value, metric, width=width) for value in values))
            if result.p is not None:
                p = float(result.p[s, m])
                row.append(Cell("" if np.isnan(p) else f"{p:.4f}", best=p < _ALPHA))
        rows.append(row)
    return table(header, rows)


def _records(result: PairedResult) -> Records:
    """A row per system and metric."""
    rows = [
        (entry["system"], entry["name"], entry["score"], entry.get("mean"), entry.get("ci"), entry.get("p_value"))
        for entry in result.to_dict()["scores"]
    ]
    return Records(("system", "metric", "score", "mean", "ci", "p_value"), rows)


def _data(result: PairedResult, width: int | None) -> list[dict[str, Any]]:
    """Entries with sacreBLEU's field names."""
    entries: list[dict[str, Any]] = result.to_dict()["scores"]
    if width is None:
        return entries
    rounded = {"score", "mean", "ci"}
    return [{k: round(v, width) if k in rounded else v for k, v in entry.items()} for entry in entries]
