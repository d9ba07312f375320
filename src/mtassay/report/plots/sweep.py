"""Rankings by significance level (Figures 4 and 5 of Stroppa & Owczarzak 2007).

The first panel shows the number of clusters under each metric; the others, one per metric, show its agreement with each
other metric by the paper's S(C, D). Two metrics share one panel.
"""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, LINES, RULE, capital, resamples_in_words, whole_numbers
from mtassay.report.wording import headings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.verbs.rank import RankResult


def draw(result: RankResult) -> Figure:
    """Draw a ranking at the usual significance levels."""
    swept = result.sweep()
    names = headings(result.metrics, arrows=False)
    looks = [_look(*look) for look in islice(cycle(LINES), len(names))]
    shown = [(metric, [other for other in range(len(names)) if other != metric]) for metric in range(len(names))]
    agreement = [] if len(names) == 1 else shown if len(names) > 2 else shown[:1]
    titles = ["Number of clusters", *(f"Agreement with {names[metric]}" for metric, _ in agreement)]
    panel = Panel(COLUMN - 0.6, 1.5, left=0.4, right=0.1, above=0.03, below=0.35)
    legend = Legend([Line2D([], [], **look) for look in looks], names, key=0.32)
    figure, axes = page(titles, panel, caption=_caption(result), legend=legend)
    alphas = [at.alpha for at in swept]
    for metric, look in enumerate(looks):
        axes[0].plot(alphas, [at.n_clusters[metric] for at in swept], **look)
    axes[0].yaxis.set_major_locator(whole_numbers(5))
    for ax, (metric, others) in zip(axes[1:], agreement, strict=True):
        for other in others:
            ax.plot(alphas, [at.similarities[metric, other] for at in swept], **looks[other])
    lowest = min((float(at.similarities.min()) for at in swept), default=0.0)
    for ax in axes[1:]:
        ax.set_ylim(lowest - 0.05 * (1 - lowest) - 0.005, 1 + 0.05 * (1 - lowest) + 0.005)
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        ax.set_ylabel("S(C, D)", labelpad=2)
    for ax in axes:
        _levels(ax, result.compared.alpha, last=max(alphas))
    return figure


def _look(color: str, marker: str, dashes: str) -> dict[str, Any]:
    return {"color": color, "marker": marker, "linestyle": dashes, "markerfacecolor": "white", "markeredgewidth": 0.8}


def _caption(result: RankResult) -> str:
    compared = result.compared
    test = f"{capital(compared.procedure.title)}, {resamples_in_words(compared, alpha=False)}"
    return f"{test}. Grey line: α = {compared.alpha:g}."


def _levels(ax: Axes, alpha: float, *, last: float) -> None:
    ax.set_xlabel("significance level α", labelpad=2)
    ax.set_xlim(0, 1.03 * last)
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    if alpha <= last:
        ax.axvline(alpha, color=RULE, linewidth=0.6, zorder=0)
