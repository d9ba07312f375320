"""P-values of all pairs of systems by human judgements (Figure 7 of Graham et al. 2014).

One panel per aspect. If there are two aspects, a third panel has the p-values of the first aspect for pairs that it
decides, and of the second for other pairs. All panels sort the systems by the first aspect, so that cells correspond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.report.documents.humans import TESTS
from mtassay.report.plots.heatmap import cells, legend, square, upper
from mtassay.report.plots.page import page
from mtassay.report.plots.style import INK
from mtassay.report.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.judging.rankings import HumanRanking
    from mtassay.types import Floats
    from mtassay.verbs.humans import Combined, HumansResult


def draw(result: HumansResult) -> Figure:
    """Draw the p-values of a ranking by human judgements."""
    result.check_tested("a plot shows")
    first = result.aspects[0]
    titles = [f"{aspect.name}\nby {aspect.columns[0].method}" for aspect in result.aspects]
    if result.combined is not None:
        titles.append(f"{', then '.join(aspect.name for aspect in result.aspects)}\n")
    figure, axes = page(titles, square(result.systems), caption=_caption(result), legend=legend(result.alpha))
    places = np.ix_(first.order, first.order)
    names = [result.systems[s] for s in first.order]
    for ax, aspect in zip(axes, result.aspects, strict=False):
        p = _two_sided(aspect, places) if aspect.sides == 2 else _without_diagonal(aspect.p[places])
        cells(ax, p, names, alpha=result.alpha)
    if result.combined is not None:
        cells(axes[-1], _without_diagonal(result.combined.p[places]), names, alpha=result.alpha)
        _marks(axes[-1], result.combined, first.order)
    return figure


def _two_sided(aspect: HumanRanking, places: Any) -> Floats:
    """P-values where the row's system won the comparison of the two; if neither did, where it ranks higher."""
    p, better = aspect.p[places], aspect.clustering.better[places]
    return np.where(better, p, np.where(better.T, np.nan, upper(p)))


def _without_diagonal(p: Floats) -> Floats:
    return np.where(np.eye(len(p), dtype=bool), np.nan, p)


def _marks(ax: Axes, combined: Combined, order: list[int]) -> None:
    """Dots on the pairs that differ significantly by the second aspect."""
    decided = (combined.clustering.better & combined.by_second)[np.ix_(order, order)]
    rows, columns = np.nonzero(decided)
    ax.plot(
        columns + 0.5,
        rows + 0.5,
        linestyle="none",
        marker="o",
        markersize=2.4,
        color=INK,
        markerfacecolor="white",
        markeredgewidth=0.5,
        clip_on=False,
    )


def _caption(result: HumansResult) -> str:
    sides = result.aspects[0].sides
    what = "p-value of the test that the system of the row is better than that of the column"
    if sides == 2:
        what = "p-value of the test that two systems differ, on the side of the better one"
    text = f"Cells: {what}; {TESTS[sides]}, α = {plain(result.alpha)}."
    if result.combined is not None:
        one, other = (aspect.name for aspect in result.aspects)
        text += (
            f" Systems are in the order of {one}; dots: pairs that differ significantly by {other} and not by {one}."
        )
    return text
