"""Score and confidence interval of each system: one panel per metric, the best system on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.rows import GAP, label_rows
from mtassay.report.plots.style import COLUMN, INK, PALE, ROW, SMALL, intervals_in_words, widest
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.verbs.compare import CompareResult, Comparison

_NARROWEST = 1.2


def draw(result: CompareResult) -> Figure:
    """Draw the intervals of a comparison."""
    metrics = tuple(comparison.metric for comparison in result.comparisons)
    left = widest(result.systems, SMALL) + GAP
    right = widest([text for one in result.comparisons for text in _numbers(one)], SMALL) + GAP
    width = max(_NARROWEST, COLUMN - 0.1 - left - right)
    panel = Panel(width, ROW * len(result.systems), left=left, right=right, below=0.2)
    figure, axes = page(headings(metrics, arrows=True), panel, caption=_caption(result))
    for ax, comparison in zip(axes, result.comparisons, strict=True):
        _panel(ax, comparison, result)
    return figure


def _caption(result: CompareResult) -> str:
    text = f"Scores and {intervals_in_words(result)}."
    return text if result.baseline is None else f"{text} Hollow: the baseline."


def _numbers(comparison: Comparison) -> list[str]:
    return [number(value, comparison.metric) for value in comparison.scores]


def _panel(ax: Axes, comparison: Comparison, result: CompareResult) -> None:
    numbers = _numbers(comparison)
    label_rows(ax, [result.systems[s] for s in comparison.ranked], [numbers[s] for s in comparison.ranked])
    for row, system in enumerate(comparison.ranked):
        low, high = comparison.intervals[system]
        score = comparison.scores[system]
        hollow = result.systems[system] == result.baseline
        ax.axhline(row, color=PALE, linewidth=0.5, zorder=0)
        ax.plot([low, high], [row, row], color=INK, linewidth=0.9, marker="|", markersize=4, markeredgewidth=0.8)
        ax.plot([score], [row], color=INK, marker="o", markerfacecolor="white" if hollow else INK, markersize=3.2)
    ax.margins(x=0.04)
    ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
