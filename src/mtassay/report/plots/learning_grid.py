"""Accuracy of classifiers against their correlation with human scores (Figure 1 of Albrecht & Hwa 2007)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, LINES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mtassay.learn.grid import GridResult


def draw(result: GridResult) -> Figure:
    """Draw a grid of classifiers, with one marker style per slack."""
    slacks = list(dict.fromkeys(one.parameters["C"] for one in result.tried))
    looks: list[dict[str, Any]] = [
        {"color": LINES[place % len(LINES)][0], "marker": LINES[place % len(LINES)][1], "linestyle": "none"}
        for place in range(len(slacks))
    ]
    legend = Legend([Line2D([], [], **look) for look in looks], [f"C = {slack:g}" for slack in slacks])
    panel = Panel(COLUMN - 0.6, 2.0, left=0.42, right=0.1, above=0.03, below=0.35)
    caption = (
        f"One mark per Gaussian kernel, {result.n_features} features of {result.name}. Spearman's ρ between both axes: "
        f"{result.agreement:.3f}."
    )
    figure, (ax,) = page(["Human against machine translations"], panel, caption=caption, legend=legend)
    for slack, look in zip(slacks, looks, strict=True):
        own = [one for one in result.tried if one.parameters["C"] == slack]
        ax.plot(
            [100 * one.accuracy for one in own],
            [one.correlation for one in own],
            markerfacecolor="white",
            markeredgewidth=0.8,
            **look,
        )
    ax.set_xlabel("accuracy (%)", labelpad=2)
    ax.set_ylabel("ρ with human scores", labelpad=2)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    return figure
