"""Tuned weights: ``tune`` on existing lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.errors import counted
from mtassay.report.document import Document, Records, Sentence, Table, table
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.metrics.core.metric import Metric
    from mtassay.tuning.result import TuneResult


def document(result: TuneResult) -> Document:
    """The scores before and after tuning, and the weights."""
    headline = (
        f"{gain(result.metric, result.before, result.after)} · {search(result.optimiser, result.options)} · "
        f"{counted(result.n_segments, 'segment')} · {counted(result.n_candidates, 'candidate')}"
    )
    return Document(
        "tuned weights",
        (Sentence(headline), weight_table(result.weights)),
        lambda: Records(("feature", "weight"), list(result.weights.items())),
        result.to_dict,
    )


def weight_table(weights: Mapping[str, float]) -> Table:
    """A row per feature."""
    return table(["feature", "weight"], [[name, f"{value:.6f}"] for name, value in weights.items()])


def gain(metric: Metric, before: float, after: float) -> str:
    """The score before and after tuning."""
    (name,) = headings((metric,))
    return f"{name} {precise(before, metric)} → {precise(after, metric)}"


def search(optimiser: str, options: Mapping[str, Any]) -> str:
    """The optimiser and its settings."""
    numbers = {name: value for name, value in options.items() if isinstance(value, int | float)}
    told = [
        f"{name.replace('_', ' ')} {f'{value:g}' if isinstance(value, float) else value}"
        for name, value in numbers.items()
    ]
    return ", ".join([optimiser, *told])


def precise(value: float, metric: Metric) -> str:
    """A score with one decimal more than usual, since tuning often changes little."""
    return number(value, metric, width=metric.digits + 1)
