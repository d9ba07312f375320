"""Clusters of systems without significant differences (Figures 1 to 3 of Stroppa & Owczarzak 2007): a panel per metric.

Systems are placed by score, and moved only as far as needed to keep their names legible; a line leads from each name
to its place on the scale. A cluster is a box with a dot for each member; clusters that overlap vertically are drawn
side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyBboxPatch
from matplotlib.ticker import MaxNLocator

from mtassay.errors import InputError, counted
from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.style import INK, PALE, ROW, RULE, SMALL, TINY, intervals_in_words, procedure_in_words, widest
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.types import Floats
    from mtassay.verbs.compare import Comparison
    from mtassay.verbs.rank import RankResult

#: Inches: from the scale to the names, and between columns.
_LEAD, _GAP = 0.3, 0.1
#: Inches: distance of neighbouring boxes, width of a box, its margin around dots, and the height of its number.
LANE, _BOX, BEYOND, _NUMBER = 0.16, 0.11, 0.055, 0.09
#: Height of a panel relative to the height of its names, so that gaps between scores are visible.
_STRETCH = 1.25
#: Largest number of boxes side by side that fits on a page.
_MOST_LANES = 100


def draw(result: RankResult) -> Figure:
    """Draw the clusters of a ranking."""
    comparisons = result.compared.comparisons
    height = ROW * (1 + _STRETCH * (len(result.systems) - 1))
    scores = [[number(value, one.metric) for value in one.scores] for one in comparisons]
    names_end = _LEAD + widest(result.systems, SMALL)
    room = names_end + _GAP + widest([text for of_metric in scores for text in of_metric], SMALL) + _GAP
    on_scale = [_on_scale(clustering.scores, height) for clustering in result.clusterings]
    rows = [_apart(heights, ROW, height) for heights in on_scale]
    spans = [
        [(row[members[0]] + BEYOND, row[members[-1]] - BEYOND) for members in clustering.clusters]
        for row, clustering in zip(rows, result.clusterings, strict=True)
    ]
    lanes = [lanes_of(of_metric) for of_metric in spans]
    n_lanes = check_lanes(1 + max(map(max, lanes)))
    panel = Panel(room + LANE * n_lanes, height, left=0.35, above=0.06)
    figure, axes = page(headings(result.metrics, arrows=True), panel, caption=_caption(result))
    for m, ax in enumerate(axes):
        ax.set_xlim(0, panel.width)
        ax.set_ylim(0, panel.height)
        _scale(ax, comparisons[m], on_scale[m])
        for system, (true, row) in enumerate(zip(on_scale[m], rows[m], strict=True)):
            ax.plot([0, 0.06, _LEAD - 0.08, _LEAD - 0.03], [true, true, row, row], color=RULE, linewidth=0.4)
            ax.plot([room - 0.05, panel.width], [row, row], color=PALE, linewidth=0.4, zorder=0)
            ax.text(_LEAD, row, result.systems[system], size=SMALL, va="center_baseline")
            ax.text(room - _GAP, row, scores[m][system], size=SMALL, va="center_baseline", ha="right")
        for cluster, members in enumerate(result.clusterings[m].clusters):
            middle = room + LANE * (lanes[m][cluster] + 0.5)
            box(ax, middle, spans[m][cluster], name=str(cluster + 1))
            ax.plot([middle] * len(members), rows[m][list(members)], "o", color=INK, markersize=2.6)
    return figure


def check_lanes(n_lanes: int) -> int:
    """Reject more boxes side by side than fit on a page."""
    if n_lanes > _MOST_LANES:
        raise InputError(
            f"{n_lanes} clusters would be side by side, more than can be drawn: "
            "use fewer systems, more resamples or a higher significance level"
        )
    return n_lanes


def _caption(result: RankResult) -> str:
    compared = result.compared
    if result.criterion == "test":
        text = f"Boxes: systems without significant differences. {procedure_in_words(compared)}."
    else:
        text = f"Boxes: systems whose intervals overlap. {intervals_in_words(compared)}."
    for metric, clustering in zip(headings(result.metrics, arrows=False), result.clusterings, strict=True):
        if clustering.breaches:
            text += (
                f" {metric}: tests do not support the order of {counted(len(clustering.breaches), 'pair')} of boxes."
            )
    return text


def _on_scale(scores: Floats, height: float) -> Floats:
    """Heights of oriented scores in inches, half a row away from the ends."""
    low, high = float(scores.min()), float(scores.max())
    share = (scores - low) / (high - low) if high > low else np.full_like(scores, 0.5)
    return ROW / 2 + share * (height - ROW)


def _apart(heights: Floats, least: float, height: float) -> Floats:
    """Spread heights to be at least `least` inches apart, in the same order and as close to the given ones as possible.

    Each height minus the room of all below it must not decrease: neighbours that violate this are moved to their mean
    (isotonic regression).
    """
    # Of equal heights, the first is on top, as in a cluster.
    order = np.lexsort((-np.arange(len(heights)), heights))
    free = heights[order] - least * np.arange(len(heights))
    blocks: list[tuple[float, int]] = []
    for value in free:
        blocks.append((float(value), 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, n), (other, m) = blocks[-2:]
            blocks[-2:] = [((n * one + m * other) / (n + m), n + m)]
    alpha = np.repeat([value for value, _ in blocks], [count for _, count in blocks])
    moved = np.empty_like(heights)
    inside = np.clip(alpha, least / 2, height - least / 2 - least * (len(heights) - 1))
    moved[order] = inside + least * np.arange(len(heights))
    return moved


def lanes_of(spans: Sequence[tuple[float, float]]) -> list[int]:
    """For each box (top, bottom), the first lane with room for it and its number."""
    taken: list[list[tuple[float, float]]] = []
    lanes = []
    for top, bottom in spans:
        room = [all(top + _NUMBER < low or high + _NUMBER < bottom for high, low in boxes) for boxes in (*taken, [])]
        lane = room.index(True)
        if lane == len(taken):
            taken.append([])
        taken[lane].append((top, bottom))
        lanes.append(lane)
    return lanes


def _scale(ax: Axes, comparison: Comparison, heights: Floats) -> None:
    """Draw an axis of scores; the axes themselves are in inches."""
    best, worst = comparison.ranked[0], comparison.ranked[-1]
    high, low = comparison.scores[best], comparison.scores[worst]
    if high != low:
        ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(min(high, low), max(high, low))
        ticks = ticks[(ticks >= min(high, low)) & (ticks <= max(high, low))]
        per_point = (heights[best] - heights[worst]) / (high - low)
        ax.set_yticks(heights[worst] + (ticks - low) * per_point, [f"{tick:.6g}" for tick in ticks])
    else:
        ax.set_yticks([heights[best]], [f"{high:.6g}"])
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.spines["left"].set_bounds(heights[worst], heights[best])


def box(ax: Axes, middle: float, span: tuple[float, float], *, name: str) -> None:
    """Draw a cluster from top to bottom, with its number above."""
    top, bottom = span
    ax.add_patch(
        FancyBboxPatch(
            (middle - _BOX / 2, bottom),
            _BOX,
            top - bottom,
            boxstyle=f"round,pad=0,rounding_size={_BOX * 0.45}",
            facecolor="#f2f2f2",
            edgecolor=INK,
            linewidth=0.6,
        )
    )
    ax.text(middle, top + 0.015, name, size=TINY, ha="center", va="bottom")
