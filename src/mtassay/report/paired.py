"""Scores with sacreBLEU's intervals and p-values as tables and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from mtassay.report.scores import headings, headline, number
from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from mtassay.verbs.sacrebleu_tests import PairedResult

#: SacreBLEU marks p-values below this.
_LEVEL = 0.05


def text(result: PairedResult, *, width: int | None = None, short: bool = False) -> str:
    """The table for people, in the order given: the first system is the baseline."""
    metrics = result.scored.metrics
    signatures = [
        f"{metric.label}|{signature.format(short=short)}"
        for metric, signature in zip(metrics, result.signatures, strict=True)
    ]
    marked = f"* p < {_LEVEL:g} against {result.scored.systems[0]}" if result.p is not None else ""
    notes = "\n".join(filter(None, [marked, *signatures]))
    return f"{headline(result.scored)}\n\n{table(result, width=width).text()}\n\n{notes}"


def page(result: PairedResult, format_: str, *, width: int | None = None) -> str:
    """The table in another format."""
    shown: str = getattr(table(result, width=width, exact=format_ == "tsv"), format_)()
    return shown


def json_text(result: PairedResult, *, width: int | None = None) -> str:
    """A list of entries with sacreBLEU's field names."""
    entries = result.to_dict()["scores"]
    if width is not None:
        rounded = {"score", "mean", "ci"}
        entries = [{k: round(v, width) if k in rounded else v for k, v in entry.items()} for entry in entries]
    return json.dumps(entries, indent=1, ensure_ascii=False)


def table(result: PairedResult, *, width: int | None = None, exact: bool = False) -> Table:
    """Systems × metrics: score, mean ± half interval, p-value."""
    scored = result.scored
    header = ["system"]
    for name in headings(scored.metrics, arrows=not exact):
        header += [
            name,
            *(["μ ± 95 % CI"] if result.means is not None else []),
            *(["p"] if result.p is not None else []),
        ]
    rows = []
    for s, system in enumerate(scored.systems):
        row = [Cell(system)]
        for m, metric in enumerate(scored.metrics):
            row.append(Cell(number(float(scored.scores[s, m]), metric, width=width, exact=exact)))
            if result.means is not None and result.halves is not None:
                values = (float(result.means[s, m]), float(result.halves[s, m]))
                row.append(Cell(" ± ".join(number(value, metric, width=width, exact=exact) for value in values)))
            if result.p is not None:
                p = float(result.p[s, m])
                shown = "" if np.isnan(p) else repr(p) if exact else f"{p:.4f}"
                row.append(Cell(shown, best=p < _LEVEL))
        rows.append(tuple(row))
    return Table(tuple(header), tuple(rows))
