"""Accuracy of classifiers against their correlation: ``learn study grid``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Records, Sentence, Table, table
from mtassay.report.wording import share

if TYPE_CHECKING:
    from mtassay.learn.grid import GridResult


def document(result: GridResult) -> Document:
    """A row per classifier."""
    title = (
        f"{result.name}: classifiers of human and machine translations by {counted(result.n_features, 'feature')}, "
        "their accuracy and their correlation with human scores; "
        f"Spearman's ρ between the two over the grid {share(result.agreement)}"
    )
    blocks = (Sentence(title), _table(result))
    return Document("grid of classifiers", blocks, lambda: _records(result), result.to_dict)


def _table(result: GridResult) -> Table:
    accuracy, correlation = (
        np.nanmax([getattr(one, name) for one in result.tried]) for name in ("accuracy", "correlation")
    )
    rows: list[list[str | Cell]] = [
        [
            f"{one.parameters['C']:g}",
            f"{one.parameters['gamma']:g}",
            Cell(share(one.accuracy), best=one.accuracy == accuracy),
            Cell(share(one.correlation), best=one.correlation == correlation),
        ]
        for one in result.tried
    ]
    return table(["C", "γ", "accuracy", "ρ"], rows, n_labels=0)


def _records(result: GridResult) -> Records:
    rows = [
        (one["parameters"]["C"], one["parameters"]["gamma"], one["accuracy"], one["correlation"])
        for one in result.to_dict()["tried"]
    ]
    return Records(("C", "gamma", "accuracy", "correlation"), rows)
