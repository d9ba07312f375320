"""Learning curves (Figure 2 of Albrecht & Hwa 2007): a panel per model, standard metrics as horizontal lines."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullFormatter, ScalarFormatter

from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, LINES, RULE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mtassay.learn.curve import CurveResult

_TITLES = {"svr": "Regression (SVR)", "svm": "Classification (SVM)"}


def draw(result: CurveResult) -> Figure:
    """Draw learning curves."""
    models = list(dict.fromkeys(model for _, model in result.curves))
    sets = list(dict.fromkeys(features for features, _ in result.curves))
    names = [*(f"{name} features" for name in sets), *result.baselines]
    looks = [_look(*look, level=place >= len(sets)) for place, look in enumerate(islice(cycle(LINES), len(names)))]
    panel = Panel(COLUMN - 0.6, 1.7, left=0.4, right=0.1, above=0.03, below=0.35)
    legend = Legend([Line2D([], [], **look) for look in looks], names, key=0.32)
    caption = (
        f"Spearman's ρ with human scores on held-out segments, mean of {result.n_folds} folds of "
        f"{result.name}; bars: one standard deviation."
    )
    figure, axes = page([_TITLES.get(model, model) for model in models], panel, caption=caption, legend=legend)
    for ax, model in zip(axes, models, strict=True):
        for name, look in zip(sets, looks, strict=False):
            points = result.curves[name, model]
            ax.errorbar(
                [point.examples for point in points],
                [point.correlation for point in points],
                yerr=[point.deviation for point in points],
                elinewidth=0.5,
                **look,
            )
        for value, look in zip(result.baselines.values(), looks[len(sets) :], strict=True):
            ax.axhline(value, color=look["color"], linestyle=look["linestyle"])
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        ax.set_xlabel("training examples", labelpad=2)
        ax.set_ylabel("ρ", labelpad=2)
        ax.grid(axis="y", color=RULE, linewidth=0.3)
    return figure


def _look(color: str, marker: str, dashes: str, *, level: bool) -> dict[str, Any]:
    shown = {"color": color, "linestyle": dashes}
    return shown if level else {**shown, "marker": marker, "markerfacecolor": "white", "markeredgewidth": 0.8}
