"""Power by number of segments: a panel per metric, a line per pair, and below it the smallest detectable difference."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, ScalarFormatter

from mtassay.errors import counted
from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, LINES, RULE, capital
from mtassay.report.wording import UNIT_NAMES, headings, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.verbs.power import PowerResult


def draw(result: PowerResult) -> Figure:
    """Draw power by size."""
    metrics = result.metrics
    names = list(dict.fromkeys(_name(pair.better, pair.worse) for pair in result.pairs))
    looks = dict(zip(names, [_look(*look) for look in islice(cycle(LINES), len(names))], strict=True))
    titles = [title for name in headings(metrics, arrows=False) for title in (f"Power, {name}", f"Detectable, {name}")]
    panel = Panel(COLUMN - 0.6, 1.5, left=0.45, right=0.1, above=0.03, below=0.35)
    legend = Legend([Line2D([], [], **look) for look in looks.values()], names, key=0.32)
    figure, axes = page(titles, panel, caption=_caption(result), legend=legend, columns=2)
    for place, metric in enumerate(metrics):
        of_power, of_difference = axes[2 * place : 2 * place + 2]
        for pair in result.pairs:
            if pair.metric == metric:
                look = looks[_name(pair.better, pair.worse)]
                of_power.plot(result.design.sizes, pair.curve.power, **look)
                of_difference.plot(result.design.sizes, pair.curve.detectable, **look)
        of_power.axhline(result.design.power, color=RULE, linewidth=0.6, zorder=0)
        of_power.set_ylim(-0.03, 1.03)
        of_power.set_ylabel("power", labelpad=2)
        of_difference.set_ylim(bottom=0)
        of_difference.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        of_difference.set_ylabel("difference", labelpad=2)
    for ax in axes:
        _sizes(ax, result)
    return figure


def _name(*systems: str) -> str:
    """The name of a pair, whichever of the two is better under a metric."""
    return " and ".join(sorted(systems))


def _look(color: str, marker: str, dashes: str) -> dict[str, Any]:
    return {"color": color, "marker": marker, "linestyle": dashes, "markerfacecolor": "white", "markeredgewidth": 0.8}


def _caption(result: PowerResult) -> str:
    design = result.design
    true = "the observed one" if result.difference is None else f"{result.difference:g}"
    return (
        f"{capital(design.procedure.title)}, {counted(design.procedure.resamples, 'resample')}, α = {design.alpha:g}, "
        f"{design.trials:,} simulated test sets of each size. Power: if the true difference is {true}. "
        f"Detectable: the smallest true difference that is found with {percent(design.power)} probability (grey line)."
    )


def _sizes(ax: Axes, result: PowerResult) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(_ticks(result.design.sizes))
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(f"{UNIT_NAMES[result.unit]}s", labelpad=2)


def _ticks(sizes: tuple[int, ...]) -> FixedLocator:
    """Ticks at sizes that are far enough apart to be legible: each is at least 1.4 times the one before."""
    shown = [sizes[0]]
    for size in sizes:
        if size >= 1.4 * shown[-1]:
            shown.append(size)
    return FixedLocator(shown)
