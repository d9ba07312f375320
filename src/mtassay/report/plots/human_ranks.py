"""Ranks of systems by human judgements, with their ranges and clusters: one panel per aspect, the best system on top.

Each system has its score and a line over its rank range with a dot at its rank. Rules across the panel separate the
clusters of the WMT campaigns. Boxes are the overlapping clusters, with a dot for each member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.report.documents.humans import TESTS, readable, resamples, score_texts
from mtassay.report.plots.clusters import BEYOND, LANE, box, check_lanes, lanes_of
from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.style import INK, PALE, ROW, RULE, SMALL, escaped, widest
from mtassay.report.wording import percent, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.judging.rankings import HumanRanking
    from mtassay.types import Floats
    from mtassay.verbs.humans import HumansResult

_GAP = 0.1
#: Inches from one system to the next, with room for the numbers of boxes.
_STEP = 1.2 * ROW
#: Width in inches of a rank, and of all ranks together.
_RANK, _NARROWEST, _WIDEST = 0.12, 0.9, 1.9
_MOST_TICKS = 7


def draw(result: HumansResult) -> Figure:
    """Draw the ranks of a ranking by human judgements."""
    result.check_tested("a plot shows")
    n = len(result.systems)
    height = _STEP * n
    rows: Floats = height - _STEP * (np.arange(n, dtype=np.float64) + 0.5)
    spans = [_spans(aspect, rows) for aspect in result.aspects]
    lanes = [lanes_of(of_aspect) for of_aspect in spans]
    n_lanes = check_lanes(1 + max(max(of_aspect, default=-1) for of_aspect in lanes))
    scores = [score_texts(aspect.columns[0]) for aspect in result.aspects]
    start = widest([text for of_aspect in scores for text in of_aspect], SMALL) + 1.5 * _GAP
    width = float(np.clip(_RANK * n, _NARROWEST, _WIDEST))
    end = start + width + 1.5 * _GAP
    panel = Panel(
        end + LANE * n_lanes, height, left=widest(result.systems, SMALL) + _GAP, above=0.1, below=0.28, right=0.02
    )
    figure, axes = page([_title(result, aspect) for aspect in result.aspects], panel, caption=_caption(result))
    for ax, aspect, texts, of_spans, of_lanes in zip(axes, result.aspects, scores, spans, lanes, strict=True):
        ax.set_xlim(0, panel.width)
        ax.set_ylim(0, height)
        _ranges(ax, aspect, rows, start=start, per_rank=width / n)
        _rules(ax, aspect, rows, end=start + width + _GAP / 2, left=panel.left)
        for row, s in zip(rows, aspect.order, strict=True):
            ax.text(start - _GAP, row, texts[s], size=SMALL, va="center_baseline", ha="right")
        ax.set_yticks(rows, [escaped(result.systems[s]) for s in aspect.order])
        ax.tick_params(axis="y", length=0, pad=_GAP * 36)
        ax.spines[["left", "bottom"]].set_visible(False)
        place = dict(zip(aspect.order, rows, strict=True))
        for number, (span, lane) in enumerate(zip(of_spans, of_lanes, strict=True)):
            members = aspect.clustering.clusters[number]
            middle = end + LANE * (lane + 0.5)
            box(ax, middle, span, name=str(number + 1))
            ax.plot([middle] * len(members), [place[s] for s in members], "o", color=INK, markersize=2.4)
    return figure


def _spans(aspect: HumanRanking, rows: Floats) -> list[tuple[float, float]]:
    """Top and bottom of each box; none if there are too many to read."""
    if not readable(aspect.clustering):
        return []
    place = {s: float(row) for s, row in zip(aspect.order, rows, strict=True)}
    heights = [[place[s] for s in members] for members in aspect.clustering.clusters]
    return [(max(of_box) + BEYOND, min(of_box) - BEYOND) for of_box in heights]


def _ranges(ax: Axes, aspect: HumanRanking, rows: Floats, *, start: float, per_rank: float) -> None:
    """Draw lines over rank ranges, dots at ranks, and an axis of ranks below."""
    n = len(rows)

    def at(rank: int) -> float:
        return start + (rank - 0.5) * per_rank

    ranks = aspect.ranks
    for row, s in zip(rows, aspect.order, strict=True):
        ends = [at(int(aspect.ranges.low[s])), at(int(aspect.ranges.high[s]))]
        ax.plot([at(1), at(n)], [row, row], color=PALE, linewidth=0.5, zorder=0)
        ax.plot(ends, [row, row], color=INK, linewidth=0.9, marker="|", markersize=4, markeredgewidth=0.8)
        ax.plot([at(int(ranks[s]))], [row], color=INK, marker="o", markersize=3.2)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, n) if n / step <= _MOST_TICKS)
    ticks = [1, *range(step if step > 1 else 2, n + 1, step)]
    ax.set_xticks([at(rank) for rank in ticks], [str(rank) for rank in ticks])
    ax.plot([at(1), at(n)], [0, 0], color=INK, linewidth=0.6, clip_on=False)
    ax.text(at(1) + (at(n) - at(1)) / 2, -0.2, "rank", size=SMALL, ha="center", va="top")


def _rules(ax: Axes, aspect: HumanRanking, rows: Floats, *, end: float, left: float) -> None:
    """Draw rules between the WMT clusters."""
    after = np.cumsum([len(members) for members in aspect.wmt_clusters])[:-1]
    for place in after:
        height = (rows[place - 1] + rows[place]) / 2
        ax.plot([-left, end], [height, height], color=RULE, linewidth=0.5, clip_on=False)


def _title(result: HumansResult, aspect: HumanRanking) -> str:
    method = aspect.columns[0].method
    return f"{aspect.name}, {method}" if result.combined is not None else method


def _caption(result: HumansResult) -> str:
    aspect = result.aspects[0]
    text = (
        f"Dots: ranks; lines: ranks in {percent(1 - result.alpha)} of {resamples(result, aspect)}. "
        "Rules separate the WMT clusters."
    )
    if any(readable(one.clustering) for one in result.aspects):
        text += (
            " Boxes: overlapping clusters, systems without a significant difference "
            f"({TESTS[aspect.sides]}, α = {plain(result.alpha)})."
        )
    return text
