"""Metric against human scores: one panel per metric and direction, one dot per system, with its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from mtassay.judging.gold import PreferenceGold
from mtassay.report.plots.dot_names import DOT, place_names
from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.style import INK, RULE, TINY
from mtassay.report.wording import share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.judging.gold import Gold
    from mtassay.types import Floats
    from mtassay.verbs.metaeval.result import Direction, MetaEvaluation

#: Inches: width and height of a panel, and of a larger one for many systems.
_SMALL, _LARGE, _MANY = (2.75, 2.2), (6.2, 4.2), 15
#: Inches: free margin along a panel's edges.
_EDGE = 0.12
_METHODS = {"bradley-terry": "Bradley–Terry", "trueskill": "TrueSkill"}
_ABBREVIATIONS = ("da", "esa", "mqm", "sqm")


def draw(result: MetaEvaluation) -> Figure:
    """Draw the scores of a meta-evaluation."""
    panels = [
        (direction, direction.names.index(result.names[m]))
        for m in result.ranked
        for direction in result.directions
        if result.names[m] in direction.names
    ]
    titles = [_title(result, direction, m) for direction, m in panels]
    size = _LARGE if max(len(direction.systems) for direction in result.directions) > _MANY else _SMALL
    panel = Panel(*size, left=0.38, above=0.06, below=0.32)
    figure, axes = page(titles, panel, caption=_caption(result))
    for ax, (direction, m) in zip(axes, panels, strict=True):
        _panel(ax, direction, m, size)
    return figure


def _title(result: MetaEvaluation, direction: Direction, m: int) -> str:
    name = direction.names[m] + ("" if direction.metrics[m].higher_is_better else " ↓")
    first = direction.coefficient(result.coefficients[0])
    where = "" if len(result.directions) == 1 else f"{direction.name}, "
    return f"{name}\n{where}{first.title} {share(first.values[m])}"


def _caption(result: MetaEvaluation) -> str:
    text = "Scores of systems by metric and by human judgements."
    lower = any(not metric.higher_is_better for direction in result.directions for metric in direction.metrics)
    return f"{text} ↓: lower is better; the scale is reversed." if lower else text


def _panel(ax: Axes, direction: Direction, m: int, size: tuple[float, float]) -> None:
    gold, scores = direction.gold_scores, direction.metric_scores[m]
    ax.set_xlim(*_limits(gold, size[0]))
    ends = _limits(scores, size[1])
    ax.set_ylim(*(ends if direction.metrics[m].higher_is_better else ends[::-1]))
    ax.plot(gold, scores, "o", color=INK, markersize=144 * DOT, markeredgewidth=0)
    across = (gold - ax.get_xlim()[0]) / np.ptp(ax.get_xlim()) * size[0]
    up = np.abs(scores - ax.get_ylim()[0]) / np.ptp(ax.get_ylim()) * size[1]
    boxes, lines = place_names(direction.systems, np.column_stack([across, up]), size)
    for name, (left, bottom, _, top), line in zip(direction.systems, boxes, lines, strict=True):
        ax.text(left / size[0], (bottom + top) / 2 / size[1], name, va="center", size=TINY, transform=ax.transAxes)
        if not np.isnan(line).any():
            ax.plot(*(line / size).T, color=RULE, linewidth=0.4, transform=ax.transAxes, zorder=0)
    ax.set_xlabel(f"human score: {_human_score(direction.gold)}", labelpad=1.5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _human_score(gold: Gold) -> str:
    """Label of the human scores."""
    if isinstance(gold, PreferenceGold):
        return _METHODS.get(gold.method, gold.method.replace("-", " "))
    aspect = gold.aspect.upper() if gold.aspect in _ABBREVIATIONS else gold.aspect
    return f"{aspect}, mean" if gold.method == "mean" else f"{aspect}, {gold.method}"


def _limits(values: Floats, inches: float) -> tuple[float, float]:
    """Ends of a scale that leave a margin in inches beyond the values."""
    low, high = float(values.min()), float(values.max())
    free = (high - low or 1.0) * _EDGE / (inches - 2 * _EDGE)
    return low - free, high + free
