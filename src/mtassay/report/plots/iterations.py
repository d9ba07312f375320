"""Scores of a tuned decoder by iteration, and the scores that the optimiser expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtassay.errors import counted
from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, LINES, SMALL, whole_numbers, widest
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mtassay.tuning.loop import LoopResult

_NAMES = ("decoder's output", "expected of the new weights, on all lists so far")


def draw(result: LoopResult) -> Figure:
    """Draw the iterations of a loop."""
    looks = [
        {"color": color, "marker": marker, "linestyle": dashes, "markerfacecolor": "white", "markeredgewidth": 0.8}
        for color, marker, dashes in LINES[:2]
    ]
    reached = [(iteration.number, iteration.score) for iteration in result.iterations]
    # The weights tuned in an iteration are used in the next one.
    expected = [
        (iteration.number + 1, iteration.predicted)
        for iteration in result.iterations
        if iteration.predicted is not None
    ]
    metric = result.metric
    left = widest([number(value, metric) for _, value in [*reached, *expected]], SMALL) + 0.25
    panel = Panel(COLUMN - left - 0.2, 1.6, left=left, right=0.1, above=0.03, below=0.35)
    legend = Legend([Line2D([], [], **look) for look in looks], _NAMES, key=0.32)  # type: ignore[arg-type]
    figure, (ax,) = page(headings((metric,), arrows=True), panel, caption=_caption(result), legend=legend)
    for points, look in zip((reached, expected), looks, strict=True):
        ax.plot([x for x, _ in points], [y for _, y in points], **look)  # type: ignore[arg-type]
    best = result.best
    ax.plot([best.number], [best.score], marker="o", color=LINES[0][0], linestyle="none")
    ax.set_xlabel("iteration", labelpad=2)
    ax.xaxis.set_major_locator(whole_numbers(8))
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.margins(x=0.04, y=0.08)
    return figure


def _caption(result: LoopResult) -> str:
    seed = result.options["seed"]
    return (
        f"Tuned by {result.optimiser}, {counted(result.n_segments, 'segment')}, seed {seed}. Filled: the best weights."
    )
