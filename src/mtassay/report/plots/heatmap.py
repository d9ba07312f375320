"""P-values of all pairs of systems (Figures 7 and 8 of Graham et al. 2014): one panel per metric, and per test.

Systems are sorted from best to worst; columns are named by rank. A cell is the p-value of the test that the row's
system is better than the column's; a two-sided test fills only the half where the row has the better score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.patches import Patch
from matplotlib.path import Path

from mtassay.errors import InputError
from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import (
    COLUMN,
    SHADES,
    SMALL,
    TINY,
    capital,
    escaped,
    procedure_in_words,
    resamples_in_words,
    widest,
)
from mtassay.report.wording import headings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.types import Floats
    from mtassay.verbs.compare import CompareResult, Comparison

#: Upper ends of the classes of p-values, as far as they are significant.
_STEPS = (0.001, 0.01, 0.05)
_GAP = 0.08
#: A space as wide as a digit.
_FIGURE_SPACE = "\u2007"
_EDGE = "#a6a6a6"
#: Offsets of a cell's corners, and the path codes that join them.
_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)])
_STROKES = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY)
#: Sizes of a cell in inches.
_SMALLEST, _LARGEST = 0.115, 0.18


class Tested(Protocol):
    """A result with one comparison per test."""

    @property
    def by_test(self) -> tuple[CompareResult, ...]:
        """The comparisons, all of the same systems under the same metrics."""
        ...


def draw(result: Tested) -> Figure:
    """Draw a comparison, or several with one test each: a row of panels per metric, a column per test."""
    results = result.by_test
    _check(results)
    first, n_systems = results[0], len(results[0].systems)
    metrics = headings(tuple(comparison.metric for comparison in first.comparisons), arrows=True)
    panel = square(first.systems)
    rest: dict[str, Any] = {"caption": _caption(results), "legend": legend(first.alpha)}
    if len(results) == 1:
        figure, axes = page(metrics, panel, **rest)
    else:
        titles = [f"{metric}\n{capital(result.procedure.title)}" for metric in metrics for result in results]
        figure, axes = page(titles, beside(n_systems), columns=len(results), indent=panel.left, **rest)
    for number, ax in enumerate(axes):
        metric, test = divmod(number, len(results))
        _panel(ax, results[test].comparisons[metric], results[test], named=test == 0)
    return figure


def beside(n_systems: int) -> Panel:
    """A panel with cells as small as possible, for panels side by side that share names."""
    side = n_systems * _cell(n_systems, 0.0)
    return Panel(side, side, above=0.1)


def _check(results: Sequence[CompareResult]) -> None:
    if not results:
        raise InputError("there is no comparison to draw")
    for result in results[1:]:
        if result.systems != results[0].systems or _metrics(result) != _metrics(results[0]):
            raise InputError(
                "tests can be drawn side by side only if they compare the same systems by the same metrics"
            )
        if result.alpha != results[0].alpha:
            raise InputError("tests can be drawn side by side only if they have the same significance level")


def _metrics(result: CompareResult) -> list[str]:
    return [str(comparison.metric) for comparison in result.comparisons]


def square(systems: Sequence[str]) -> Panel:
    """A panel for all pairs of systems, with room for their names."""
    n_systems = len(systems)
    room = widest([_row(n_systems - 1, name, n_systems) for name in systems], SMALL) + _GAP
    side = n_systems * _cell(n_systems, COLUMN - 0.1 - room)
    return Panel(side, side, left=room, above=0.1)


def _cell(n_systems: int, room: float) -> float:
    """Size of a cell in inches: fills a column of a paper if names stay legible."""
    return float(np.clip(room / n_systems, _SMALLEST, _LARGEST))


def _caption(results: Sequence[CompareResult]) -> str:
    what = "Cells: p-value of the test that the system of the row is better than that of the column"
    if all(result.procedure.sides == 2 for result in results):
        what = "Cells: p-value of the test that two systems differ, where that of the row has the better score"
    made = list(dict.fromkeys(resamples_in_words(result) for result in results))
    if len(made) > 1 or len(results) == 1:
        made = [procedure_in_words(result) for result in results]
    return f"{what}. {'. '.join(capital(text) for text in made)}."


def _steps(alpha: float) -> list[float]:
    """Upper ends of the classes of significant p-values."""
    return [*(step for step in _STEPS if step < alpha), alpha]


def legend(alpha: float) -> Legend:
    """What the shades mean."""
    steps = _steps(alpha)
    labels = [*(f"p ≤ {step:g}" for step in steps), f"p > {alpha:g}"]
    handles = [Patch(facecolor=color, edgecolor=_EDGE, linewidth=0.4) for color in _colors(steps)]
    return Legend(handles, labels)


def _colors(steps: list[float]) -> list[str]:
    return [*SHADES[: len(steps)], "white"]


def _row(rank: int, name: str, n_systems: int) -> str:
    """Name and rank, padded to the widest rank."""
    number = str(rank + 1).rjust(len(str(n_systems)), _FIGURE_SPACE)
    return f"{escaped(name)}  {number}"


def _panel(ax: Axes, comparison: Comparison, result: CompareResult, *, named: bool) -> None:
    order = comparison.ranked
    p = comparison.adjusted[np.ix_(order, order)]
    if result.procedure.sides == 2:
        p = upper(p)
    cells(ax, p, [result.systems[s] for s in order], alpha=result.alpha, named=named)


def upper(p: Floats) -> Floats:
    """P-values of a two-sided test where the row's system is better; NaN elsewhere."""
    return np.where(np.triu(np.ones(p.shape, dtype=bool), k=1), p, np.nan)


def cells(ax: Axes, p: Floats, systems: Sequence[str], *, alpha: float, named: bool = True) -> None:
    """Draw p-values of all pairs.

    Args:
        ax: the axes to draw on.
        p: p-values with rows and columns in the order of the systems; NaN is not drawn.
        systems: names, best first.
        alpha: p-values above it are white.
        named: whether rows have their systems' names.
    """
    n_systems = len(systems)
    steps = _steps(alpha)
    # P-values are quotients of whole numbers; a p-value equal to the given level counts as significant.
    classes = np.searchsorted(steps, p, side="left")
    for number, color in enumerate(_colors(steps)):
        places = np.argwhere(~np.isnan(p) & (classes == number))[:, ::-1]
        if len(places):
            # All cells of a shade are one path, so that files with many panels stay small.
            corners = (places[:, None] + _SQUARE).reshape(-1, 2)
            path = Path(corners, np.tile(_STROKES, len(places)))
            ax.add_collection(PathCollection([path], facecolor=color, edgecolor=_EDGE, linewidth=0.4, clip_on=False))
    ax.set_xlim(0, n_systems)
    ax.set_ylim(n_systems, 0)
    middles = np.arange(n_systems) + 0.5
    ax.set_xticks(middles, [str(rank + 1) for rank in range(n_systems)], size=TINY)
    ax.set_yticks(middles if named else [])
    if named:
        ax.set_yticklabels([_row(rank, name, n_systems) for rank, name in enumerate(systems)])
    ax.tick_params(length=0, labeltop=True, labelbottom=False, pad=2.5)
    ax.spines[["left", "bottom"]].set_visible(False)
