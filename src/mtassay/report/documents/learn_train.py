"""A trained metric: ``learn train``."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import best_first
from mtassay.errors import counted
from mtassay.report.document import Cell, Document, Records, Sentence, Signatures, Table, table
from mtassay.report.wording import share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.learn.training import Gaming, TrainResult
    from mtassay.report.document import Block

GAMING = "effect of automatically assessed examples, on the held-out segments"


def document(result: TrainResult) -> Document:
    """The parameters tried (also in records), the features, and the effect of automatically assessed examples."""
    blocks: list[Block] = [Sentence(_headline(result)), _tried_table(result)]
    if result.best_feature is not None:
        blocks += [Sentence("single features on the held-out segments, Spearman's ρ"), _feature_table(result.features)]
    if result.gaming is not None:
        blocks += [Sentence(GAMING), gaming_table(result.gaming)]
    blocks.append(Signatures((result.model.signature,)))
    return Document("learned metric", tuple(blocks), lambda: _records(result), result.to_dict)


def _headline(result: TrainResult) -> str:
    model, search = result.model, result.search
    facts = model.trained_on
    return (
        f"{model.fitted.kind.title} of {counted(len(model.features), 'feature')}, trained on {facts['name']}: "
        f"{counted(facts['examples'], 'example')} of {counted(facts['segments'], 'segment')}; parameters by "
        f"{search.criterion} on {counted(search.n_held_out, 'held-out segment')}"
    )


def _tried_table(result: TrainResult) -> Table:
    """A row per choice of parameters; the selected one is marked."""
    search = result.search
    names = list(search.tried[0].parameters)
    # A column without any value is left out.
    columns = {"correlation": "ρ", "accuracy": "accuracy"}
    known = [name for name in columns if any(isfinite(getattr(tried, name)) for tried in search.tried)]
    rows = []
    for tried in search.tried:
        cells = [Cell(f"{tried.parameters[name]:g}") for name in names]
        cells += [
            Cell(share(getattr(tried, name)), best=tried is search.best and name == search.criterion) for name in known
        ]
        rows.append(cells)
    return table([*names, *(columns[name] for name in known)], rows, n_labels=0)


def _feature_table(values: dict[str, float]) -> Table:
    ranked = strongest_first(values)
    rows: list[list[str | Cell]] = [
        [name, Cell(share(values[name]), best=place == 0)] for place, name in enumerate(ranked)
    ]
    return table(["feature", "ρ"], rows)


def strongest_first(values: Mapping[str, float]) -> list[str]:
    """Names by absolute correlation, the largest first; undefined ones last."""
    names = list(values)
    return [names[place] for place in best_first(np.abs(list(values.values())))]


def gaming_table(gaming: Gaming) -> Table:
    """Training without and with automatically assessed examples."""
    rows = [
        [name, share(gaming.correlation[place]), f"{100 * gaming.fooled[place]:.1f} %"]
        for place, name in enumerate(("without", "with"))
    ]
    return table(["automatically assessed examples", "ρ", "outputs below another segment's reference"], rows)


def _records(result: TrainResult) -> Records:
    """A row per choice of parameters."""
    tried = result.to_dict()["tried"]
    rows = [(*one["parameters"].values(), one["correlation"], one["accuracy"]) for one in tried]
    return Records((*tried[0]["parameters"], "correlation", "accuracy"), rows)
