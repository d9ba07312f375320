"""Metric against people: one panel per metric and direction, one dot per system, with its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from mtassay.report.metaeval import share
from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.style import INK, RULE, TINY, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.metaeval.result import Direction, MetaEvaluation
    from mtassay.resampling.sample import Floats

    #: Left, bottom, right and top in inches.
    Box = tuple[float, float, float, float]

#: Inches: a panel's sides, what stays free along its edges, half a dot, a line of names.
_WIDTH, _HEIGHT, _EDGE, _DOT, _LINE = 2.75, 2.2, 0.12, 0.025, 0.085
#: Inches round a dot where no name but its own should stand: a reader would take it for the dot's.
_OWN = 0.06
#: How much worse it is to cover a dot or a name than to come near a dot.
_COVERING = 50.0
#: Inches from a dot to its name, nearest first; beyond the second a line joins them.
_REACHES = (0.04, 0.1, 0.17, 0.26, 0.37, 0.5)


def draw(result: MetaEvaluation) -> Figure:
    """The picture of an evaluation of metrics."""
    panels = [
        (direction, direction.names.index(result.names[m]))
        for m in result.ranked
        for direction in result.directions
        if result.names[m] in direction.names
    ]
    titles = [_title(result, direction, m) for direction, m in panels]
    panel = Panel(_WIDTH, _HEIGHT, left=0.38, below=0.32)
    figure, axes = page(titles, panel, caption=_caption(result))
    for ax, (direction, m) in zip(axes, panels, strict=True):
        _panel(ax, direction, m)
    return figure


def _title(result: MetaEvaluation, direction: Direction, m: int) -> str:
    name = direction.names[m] + ("" if direction.metrics[m].higher_is_better else " ↓")
    first = direction.coefficient(result.coefficients[0])
    where = "" if len(result.directions) == 1 else f"{direction.name}, "
    return f"{name}\n{where}{first.title} {share(first.values[m])}"


def _caption(result: MetaEvaluation) -> str:
    text = "Scores of systems by metric and by people."
    lower = any(not metric.higher_is_better for direction in result.directions for metric in direction.metrics)
    return f"{text} ↓: lower is better; the scale is turned around." if lower else text


def _panel(ax: Axes, direction: Direction, m: int) -> None:
    gold, scores = direction.gold_scores, direction.metric_scores[m]
    ax.set_xlim(*_limits(gold, _WIDTH))
    ends = _limits(scores, _HEIGHT)
    ax.set_ylim(*(ends if direction.metrics[m].higher_is_better else ends[::-1]))
    ax.plot(gold, scores, "o", color=INK, markersize=144 * _DOT, markeredgewidth=0)
    across = (gold - ax.get_xlim()[0]) / np.ptp(ax.get_xlim()) * _WIDTH
    up = np.abs(scores - ax.get_ylim()[0]) / np.ptp(ax.get_ylim()) * _HEIGHT
    boxes = _names(direction.systems, across, up)
    for name, dot, box in zip(direction.systems, np.column_stack([across, up]), boxes, strict=True):
        left, bottom, right, top = box
        ax.text(left / _WIDTH, (bottom + top) / 2 / _HEIGHT, name, va="center", size=TINY, transform=ax.transAxes)
        near = np.clip(dot, (left, bottom), (right, top))
        if np.hypot(*(near - dot)) > _REACHES[1]:
            line = np.array([near, dot]) / (_WIDTH, _HEIGHT)
            ax.plot(*line.T, color=RULE, linewidth=0.4, transform=ax.transAxes, zorder=0)
    ax.set_xlabel(f"people ({direction.gold.method})", labelpad=1.5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _limits(values: Floats, inches: float) -> tuple[float, float]:
    """Ends of a scale that leaves some inches free beyond the values."""
    low, high = float(values.min()), float(values.max())
    free = (high - low or 1.0) * _EDGE / (inches - 2 * _EDGE)
    return low - free, high + free


def _names(names: Sequence[str], across: Floats, up: Floats) -> list[Box]:
    """Where names stand: as near to their dots as they can without covering others; crowded dots choose first."""
    distances = np.hypot(across[:, None] - across, up[:, None] - up)
    crowded = np.argsort(np.sort(distances, axis=1)[:, : min(4, len(names))].sum(axis=1), kind="stable")
    taken: dict[int, Box] = {}
    for number in crowded.tolist():
        others = np.delete(np.column_stack([across, up]), number, axis=0)
        fixed = [_round(dot, _DOT) for dot in others] + list(taken.values())
        owned = [_round(dot, _OWN) for dot in others]

        def cost(box: Box, fixed: list[Box] = fixed, owned: list[Box] = owned) -> float:
            covered, near = (sum(_overlap(box, other) for other in some) for some in (fixed, owned))
            return _COVERING * covered + near + _outside(box)

        places = _places(width_of(names[number], TINY), float(across[number]), float(up[number]))
        taken[number] = min(places, key=cost)
    return [taken[number] for number in range(len(names))]


def _round(dot: Floats, reach: float) -> Box:
    x, y = dot.tolist()
    return x - reach, y - reach, x + reach, y + reach


def _places(width: float, x: float, y: float) -> Iterator[Box]:
    """Boxes for a name round its dot, better ones first."""
    for reach in _REACHES:
        for side_x, side_y in ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)):
            left = x + side_x * reach - (0, width / 2, width)[(side_x == 0) + 2 * (side_x < 0)]
            bottom = y + side_y * (reach + _LINE / 2) - _LINE / 2
            yield left, bottom, left + width, bottom + _LINE


def _overlap(one: Box, other: Box) -> float:
    """Square inches that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: Box) -> float:
    """Inches by which a box reaches beyond the panel."""
    left, bottom, right, top = box
    return max(0.0, -left) + max(0.0, -bottom) + max(0.0, right - _WIDTH) + max(0.0, top - _HEIGHT)
