"""Coefficients of metrics as bars with intervals: one panel per direction and their average, the best metric on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, MaxNLocator

from mtassay.report.plots.page import Panel, page
from mtassay.report.plots.rows import GAP, label_rows
from mtassay.report.plots.style import COLUMN, INK, ROW, RULE, SHADES, SMALL, widest
from mtassay.report.wording import percent, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.verbs.metaeval.coefficients import Coefficient
    from mtassay.verbs.metaeval.result import MetaEvaluation

_NARROWEST = 1.2


def draw(result: MetaEvaluation) -> Figure:
    """Draw the coefficients of a meta-evaluation."""
    panels = {}
    for name in result.coefficients if len(result.directions) == 1 else result.coefficients[:1]:
        for direction in result.directions:
            found = result.of(direction, name)
            panels[found.title if len(result.directions) == 1 else direction.name] = found
    if len(result.directions) > 1:
        panels["average"] = result.averages[0]
    left = widest(result.names, SMALL) + GAP
    right = widest([share(value) for found in panels.values() for value in found.values], SMALL) + GAP
    panel = Panel(
        max(_NARROWEST, COLUMN - 0.1 - left - right), ROW * len(result.names), left=left, right=right, below=0.2
    )
    figure, axes = page(list(panels), panel, caption=_caption(result, list(panels.values())))
    for ax, found in zip(axes, panels.values(), strict=True):
        _panel(ax, result, found)
    return figure


def _caption(result: MetaEvaluation, panels: list[Coefficient]) -> str:
    text = (
        f"{panels[0].title} of metrics with human judgements"
        if len(result.directions) > 1
        else "Metrics and human judgements"
    )
    text += f", {result.level} level."
    if any(_ticks(found)[0] > 0 for found in panels):
        text += " Scales do not begin at 0."
    if any(found.drawn is not None for found in panels):
        text += f" Lines: {percent(1 - result.alpha)} intervals over resampled judgements."
    return text


def _panel(ax: Axes, result: MetaEvaluation, found: Coefficient) -> None:
    label_rows(ax, [result.names[m] for m in result.ranked], [share(found.values[m]) for m in result.ranked])
    intervals = found.intervals
    ticks = _ticks(found)
    start = ticks[0]
    for row, m in enumerate(result.ranked):
        value = found.values[m]
        if not np.isnan(value):
            ax.barh(row, value - start, left=start, height=0.62, color=SHADES[3], linewidth=0)
            if intervals is not None and not np.isnan(intervals[m]).any():
                ax.plot(intervals[m], [row, row], color=INK, linewidth=0.9, marker="|", markersize=4)
    ax.axvline(start, color=RULE, linewidth=0.6)
    ax.margins(x=0.04)
    ax.xaxis.set_major_locator(FixedLocator(ticks) if start > 0 else MaxNLocator(5, steps=[1, 2, 5, 10]))


def _ticks(found: Coefficient) -> Sequence[float]:
    """Ticks; the first is where bars begin: 0, or a round number if bars from 0 would all look alike."""
    values = np.concatenate([found.values, [] if found.intervals is None else np.ravel(found.intervals), [np.nan]])
    low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    if not 0 < low < high < 2 * low:
        return [0.0]
    # The shortest bar must be visible.
    return MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(max(0.0, low - (high - low) / 4), high)
