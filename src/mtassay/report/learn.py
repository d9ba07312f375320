"""Learned metrics and studies of them as text, tables and JSON."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import best_first
from mtassay.errors import counted
from mtassay.report.compare import caption
from mtassay.report.tables import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.learn.training import TrainResult
    from mtassay.text.parsing import ParsedText

    #: A line above a table, and the table.
    Titled = tuple[str, Table]


_STATES = ("full", "partial", "missing", "empty")


def shown(tables: Sequence[Titled], format_: str, result: Any) -> str:
    """All tables of a result in a format, what it consists of as ``json``, or the first table as ``tsv``."""
    if format_ == "json":
        return json.dumps(result.to_dict(), indent=1, ensure_ascii=False)
    if format_ == "tsv":
        return tables[0][1].tsv()
    return "\n\n".join(f"{caption(title, format_)}\n\n{getattr(table, format_)()}" for title, table in tables)


def index_text(about: dict[str, Any]) -> str:
    """What ``mtassay learn index`` prints."""
    lines = []
    for part, what in (("text", "texts"), ("trees", "trees")):
        files = about[part]
        n_segments, n_words = (sum(entry[name] for entry in files) for name in ("segments", "words"))
        if files:
            lines.append(f"{what}: {counted(len(files), 'file')}, {n_segments:,} segments, {n_words:,} words")
    return "\n".join([*lines, f"tokenizer {about['tok']}, sha256 {about['sha256'][:8]}"])


def parsed_table(found: Mapping[str, ParsedText]) -> Table:
    """How much of each text was parsed, in segments."""
    rows = tuple(
        (Cell(name), *(Cell(str(getattr(text, state))) for state in _STATES)) for name, text in sorted(found.items())
    )
    return Table(("text", *_STATES), rows)


def shown_table(table: Table, format_: str) -> str:
    """One table in a format; in ``json`` a list of objects."""
    if format_ == "json":
        objects = [{name: cell.text for name, cell in zip(table.header, row, strict=True)} for row in table.rows]
        return json.dumps(objects, indent=1, ensure_ascii=False)
    text: str = getattr(table, format_)()
    return text


def rho(value: float, *, best: bool = False) -> Cell:
    """A correlation or an accuracy, to three digits."""
    return Cell(f"{value:.3f}" if isfinite(value) else "–", best=best)


def train_text(result: TrainResult) -> str:
    """What ``mtassay learn train`` prints."""
    return shown(train_tables(result), "text", result)


def train_tables(result: TrainResult) -> list[Titled]:
    """What was tried, the features, and what automatically assessed examples change."""
    model, search = result.model, result.search
    facts = model.trained_on
    title = (
        f"{model.fitted.kind.title} of {counted(len(model.features), 'feature')}, trained on {facts['name']}: "
        f"{counted(facts['examples'], 'example')} of {counted(facts['segments'], 'segment')}; parameters by "
        f"{search.criterion} on {counted(search.n_held_out, 'held-out segment')}"
    )
    tables = [(title, _tried(result))]
    if result.best_feature is not None:
        held_out = f"single features on the held-out segments, Spearman's ρ ({model.signature})"
        tables.append((held_out, _features(result.features)))
    if result.gaming is not None:
        rows = tuple(
            (Cell(name), rho(result.gaming.correlation[i]), Cell(f"{100 * result.gaming.fooled[i]:.1f} %"))
            for i, name in enumerate(("without", "with"))
        )
        header = ("automatically assessed examples", "ρ", "outputs below another segment's reference")
        tables.append(("what automatically assessed examples change, on the held-out segments", Table(header, rows)))
    return tables


def _tried(result: TrainResult) -> Table:
    search = result.search
    names = list(search.tried[0].parameters)
    has_rho = any(isfinite(tried.correlation) for tried in search.tried)
    has_accuracy = any(isfinite(tried.accuracy) for tried in search.tried)
    rows = []
    for tried in search.tried:
        cells = [Cell(f"{tried.parameters[name]:g}") for name in names]
        best = tried is search.best
        cells += [rho(tried.correlation, best=best and search.criterion == "correlation")] if has_rho else []
        cells += [rho(tried.accuracy, best=best and search.criterion == "accuracy")] if has_accuracy else []
        rows.append(tuple(cells))
    header = (*names, *(["ρ"] if has_rho else []), *(["accuracy"] if has_accuracy else []))
    return Table(header, tuple(rows), n_labels=0)


def by_size(values: Mapping[str, float]) -> list[str]:
    """Names by the size of their correlations, the largest first; those without one last."""
    names = list(values)
    return [names[place] for place in best_first(np.abs(list(values.values())))]


def _features(values: dict[str, float]) -> Table:
    ranked = by_size(values)
    rows = tuple((Cell(name), rho(values[name], best=place == 0)) for place, name in enumerate(ranked))
    return Table(("feature", "ρ"), rows)
