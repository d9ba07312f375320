"""Learning curves: ``learn curve``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised
from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Records, Sentence, Table, table
from mtassay.report.wording import share

if TYPE_CHECKING:
    from mtassay.learn.curve import CurveResult
    from mtassay.report.document import Block


def document(result: CurveResult) -> Document:
    """Correlation by number of examples, and of standard metrics; records have the curves."""
    title = f"{result.name}: Spearman's ρ by number of training examples, mean of {counted(result.n_folds, 'fold')}"
    blocks: list[Block] = [Sentence(title), _curve_table(result)]
    if result.baselines:
        rows = [[name, share(value)] for name, value in result.baselines.items()]
        blocks += [Sentence("standard metrics on the same segments"), table(["metric", "ρ"], rows)]
    return Document("learning curves", tuple(blocks), lambda: _records(result), result.to_dict)


def _curve_table(result: CurveResult) -> Table:
    """A row per curve and number of examples; the best of each curve is marked."""
    rows: list[list[str | Cell]] = []
    for (features, model), points in result.curves.items():
        correlations = equalised([point.correlation for point in points])
        best = correlations[np.isfinite(correlations)].max(initial=-np.inf)
        rows += [
            [
                features,
                model,
                f"{point.examples:.0f}",
                Cell(share(point.correlation), best=bool(correlation == best)),
                share(point.deviation),
                share(point.accuracy),
            ]
            for point, correlation in zip(points, correlations, strict=True)
        ]
    return table(["features", "model", "examples", "ρ", "deviation", "accuracy"], rows, n_labels=2)


def _records(result: CurveResult) -> Records:
    """A row per curve and number of examples."""
    names = ("examples", "correlation", "deviation", "accuracy")
    rows = [
        (curve["features"], curve["model"], *(point[name] for name in names))
        for curve in result.to_dict()["curves"]
        for point in curve["points"]
    ]
    return Records(("features", "model", *names), rows)
