"""Metric against human scores: one panel per metric and direction, one dot per system, with its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.style import INK, RULE, TINY, width_of
from mtassay.report.wording import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.types import Floats
    from mtassay.verbs.metaeval.result import Direction, MetaEvaluation

#: Inches: width and height of a panel, and of one for more systems than a small panel has room for.
_SMALL, _LARGE, _MANY = (2.75, 2.2), (6.2, 4.2), 15
#: Inches: what stays free along a panel's edges, half a dot, a line of names.
_EDGE, _DOT, _LINE = 0.12, 0.025, 0.085
#: Inches round a dot where no name but its own should stand: a reader would take it for the dot's.
_OWN = 0.06
#: How much worse than to come near a dot it is to cover a dot or a name, and to reach beyond the panel.
_COVERING, _BEYOND = 50.0, 1000.0
#: Inches from a dot to its name, nearest first; beyond the second a line joins them.
_REACHES = (0.04, 0.1, 0.17, 0.26, 0.37, 0.5, 0.65, 0.82, 1.0)
#: How often names choose anew at most.
_PASSES = 10


def draw(result: MetaEvaluation) -> Figure:
    """The picture of an evaluation of metrics."""
    panels = [
        (direction, direction.names.index(result.names[m]))
        for m in result.ranked
        for direction in result.directions
        if result.names[m] in direction.names
    ]
    titles = [_title(result, direction, m) for direction, m in panels]
    size = _LARGE if max(len(direction.systems) for direction in result.directions) > _MANY else _SMALL
    panel = Panel(*size, left=0.38, below=0.32)
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
    return f"{text} ↓: lower is better; the scale is turned around." if lower else text


def _panel(ax: Axes, direction: Direction, m: int, size: tuple[float, float]) -> None:
    gold, scores = direction.gold_scores, direction.metric_scores[m]
    ax.set_xlim(*_limits(gold, size[0]))
    ends = _limits(scores, size[1])
    ax.set_ylim(*(ends if direction.metrics[m].higher_is_better else ends[::-1]))
    ax.plot(gold, scores, "o", color=INK, markersize=144 * _DOT, markeredgewidth=0)
    across = (gold - ax.get_xlim()[0]) / np.ptp(ax.get_xlim()) * size[0]
    up = np.abs(scores - ax.get_ylim()[0]) / np.ptp(ax.get_ylim()) * size[1]
    boxes = _names(direction.systems, across, up, size)
    for name, dot, box in zip(direction.systems, np.column_stack([across, up]), boxes, strict=True):
        left, bottom, right, top = box
        ax.text(left / size[0], (bottom + top) / 2 / size[1], name, va="center", size=TINY, transform=ax.transAxes)
        near = np.clip(dot, (left, bottom), (right, top))
        if np.hypot(*(near - dot)) > _REACHES[1]:
            line = np.array([near, dot]) / size
            ax.plot(*line.T, color=RULE, linewidth=0.4, transform=ax.transAxes, zorder=0)
    ax.set_xlabel(f"human score ({direction.gold.method})", labelpad=1.5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _limits(values: Floats, inches: float) -> tuple[float, float]:
    """Ends of a scale that leaves some inches free beyond the values."""
    low, high = float(values.min()), float(values.max())
    free = (high - low or 1.0) * _EDGE / (inches - 2 * _EDGE)
    return low - free, high + free


def _names(names: Sequence[str], across: Floats, up: Floats, size: tuple[float, float]) -> Floats:
    """Where names stand, shape (names, 4): as near to their dots as they can without covering others.

    Each takes the best place while the others stay, those of crowded dots first, until none moves.
    """
    dots = np.column_stack([across, up])
    distances = np.hypot(*(dots[:, None] - dots).transpose(2, 0, 1))
    crowded = np.argsort(np.sort(distances, axis=1)[:, :4].sum(axis=1), kind="stable").tolist()
    places = [_places(width_of(name, TINY), dot) for name, dot in zip(names, dots, strict=True)]
    fixed = [_alone(boxes, np.delete(dots, number, axis=0), size) for number, boxes in enumerate(places)]
    taken = np.full((len(names), 4), np.nan)
    for _ in range(_PASSES):
        before = taken.copy()
        for number in crowded:
            taken[number] = np.nan
            cost = fixed[number] + _COVERING * _overlap(places[number], taken)
            taken[number] = places[number][np.argmin(cost)]
        if np.array_equal(before, taken):
            break
    return taken


def _places(width: float, dot: Floats) -> Floats:
    """Boxes for a name round its dot, better ones first, shape (places, 4)."""
    boxes = []
    for reach in _REACHES:
        for side_x, side_y in ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)):
            left = dot[0] + side_x * reach - {1: 0.0, 0: width / 2, -1: width}[side_x]
            bottom = dot[1] + side_y * (reach + _LINE / 2) - _LINE / 2
            boxes.append((left, bottom, left + width, bottom + _LINE))
    return np.array(boxes)


def _alone(boxes: Floats, others: Floats, size: tuple[float, float]) -> Floats:
    """What is wrong with each place whatever the other names do, shape (places,)."""
    covered = _overlap(boxes, np.hstack([others - _DOT, others + _DOT]))
    near = _overlap(boxes, np.hstack([others - _OWN, others + _OWN]))
    outside = np.maximum(0.0, -boxes[:, :2]).sum(axis=1) + np.maximum(0.0, boxes[:, 2:] - size).sum(axis=1)
    order = 1e-6 * np.arange(len(boxes))
    cost: Floats = _COVERING * covered + near + _BEYOND * outside + order
    return cost


def _overlap(boxes: Floats, others: Floats) -> Floats:
    """Square inches of each box that others cover, shape (boxes,); NaN stands for a box that is nowhere."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared: Floats = np.nansum(np.maximum(0.0, high - low).prod(axis=2), axis=1)
    return shared
