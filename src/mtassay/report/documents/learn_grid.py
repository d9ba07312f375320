"""Accuracy of classifiers against their correlation: ``learn study grid``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised
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
    compared = [equalised([getattr(one, name) for one in result.tried]) for name in ("accuracy", "correlation")]
    accurate, correlated = (values == np.nanmax(values) for values in compared)
    rows: list[list[str | Cell]] = [
        [
            f"{one.parameters['C']:g}",
            f"{one.parameters['gamma']:g}",
            Cell(share(one.accuracy), best=bool(accurate[place])),
            Cell(share(one.correlation), best=bool(correlated[place])),
        ]
        for place, one in enumerate(result.tried)
    ]
    return table(["C", "γ", "accuracy", "ρ"], rows, n_labels=0)


def _records(result: GridResult) -> Records:
    rows = [
        (one["parameters"]["C"], one["parameters"]["gamma"], one["accuracy"], one["correlation"])
        for one in result.to_dict()["tried"]
    ]
    return Records(("C", "gamma", "accuracy", "correlation"), rows)
