"""Pseudo-statistics of one pair of systems (Figures 5 and 6 of Graham et al. 2014): one panel per metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, INK, SMALL, capital, draws_in_words, width_of
from mtassay.report.scores import headings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.resampling.compare import CompareResult
    from mtassay.resampling.procedures import Procedure, PseudoStatistics
    from mtassay.resampling.sample import Floats

_N_BINS = 50
_WIDTH = COLUMN - 0.7
_HATCH = "//////"
_LIGHT, _DARK = "#dcdcdc", "#8c8c8c"
#: What is on the axis, by how the test compares it.
_FORMS = {"plain": "{}", "sign": "{}", "shifted": "{}, shifted to mean 0", "folded": "|{}|, shifted to mean 0"}


def draw(result: CompareResult, pair: tuple[str, str] | None = None) -> Figure:
    """The picture of two systems of a comparison; by default the two best under the first metric."""
    first = result.comparisons[0]
    x, y = pair or tuple(result.systems[system] for system in first.ranked[:2])
    found = result.pseudo_statistics(x, y)
    metrics = tuple(comparison.metric for comparison in result.comparisons)
    titles = [
        f"{heading}\nc = {one.extreme.sum():,}, p = {one.p:.2g}"
        for heading, one in zip(headings(metrics, arrows=True), found, strict=True)
    ]
    panel = Panel(_WIDTH, 1.25, left=0.5, right=0.1, above=0.15, below=0.38)
    test = f"{capital(result.procedure.title)}, {draws_in_words(result, adjusted=False)}"
    caption = f"X: {x}. Y: {y}. {test}{'' if result.adjust == 'none' else ', p not adjusted'}."
    figure, axes = page(titles, panel, caption=caption, legend=_legend(result.procedure))
    for ax, metric, name, one in zip(axes, metrics, headings(metrics, arrows=False), found, strict=True):
        _panel(ax, one, result.procedure)
        difference = f"{name}(X) − {name}(Y)" if metric.sign > 0 else f"{name}(Y) − {name}(X)"
        ax.set_xlabel(_FORMS[result.procedure.rule.compares].format(difference), labelpad=2)
    return figure


def _legend(procedure: Procedure) -> Legend:
    against = "more extreme than δ" if procedure.rule.strict else "as extreme as δ"
    counted = "not above 0" if procedure.rule.compares == "sign" else against
    return Legend([_key(_LIGHT), _key(_DARK, hatch=_HATCH)], ["draws", f"draws {counted} (c)"])


def _key(color: str, hatch: str | None = None) -> Patch:
    return Patch(facecolor=color, edgecolor=INK, linewidth=0.4, hatch=hatch)


def _panel(ax: Axes, found: PseudoStatistics, procedure: Procedure) -> None:
    marks = _marks(found.observed, procedure)
    edges = _edges(found, procedure, reach=[place for place, _, _ in marks])
    for values, color, hatch in ((found.values, _LIGHT, None), (found.values[found.extreme], _DARK, _HATCH)):
        counts, _ = np.histogram(values, edges)
        ax.stairs(counts, edges, fill=True, facecolor=color, edgecolor=INK, linewidth=0.3, hatch=hatch)
    margin = 0.03 * float(edges[-1] - edges[0])
    ax.set_xlim(edges[0] - margin, edges[-1] + margin)
    ax.set_ylim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_ylabel("draws", labelpad=2)
    taken: list[tuple[float, float]] = []
    for place, text, dashes in marks:
        ax.axvline(place, color=INK, linewidth=0.9, linestyle=dashes)
        _name(ax, place, text, taken)


def _marks(observed: float, procedure: Procedure) -> list[tuple[float, str, str]]:
    """Where lines stand, what they are called, and how they are drawn; a solid one bounds the draws that count."""
    own = f"δ = {observed:.3g}".replace("-", "−")
    if procedure.rule.compares == "sign":
        return [(observed, own, "--"), (0.0, "0", "-")]
    if procedure.rule.compares == "folded":
        return [(abs(observed), f"|δ| = {abs(observed):.3g}", "-")]
    if procedure.sides == 1:
        return [(observed, own, "-")]
    return [(observed, own, "-"), (-observed, "−δ", "-")]


def _edges(found: PseudoStatistics, procedure: Procedure, *, reach: list[float]) -> Floats:
    """Edges of bins; 0 and the observed difference on both sides are edges, unless that makes bins too narrow."""
    low, high = min(float(found.values.min()), *reach, 0.0), max(float(found.values.max()), *reach, 0.0)
    observed = abs(found.observed)
    step = (high - low) / _N_BINS or 1.0
    if observed > step:
        step = observed / round(observed / step)
    edges = step * np.arange(np.floor(low / step - 0.01), np.ceil(high / step + 0.01) + 1)
    # Draws that equal the observed difference stand on the side of those that count.
    if procedure.rule.compares == "sign":
        side = np.ones_like(edges)
    elif procedure.sides == 1:
        side = -np.ones_like(edges)
    else:
        side = -np.sign(edges)
    return edges + 1e-9 * step * side


def _name(ax: Axes, place: float, text: str, taken: list[tuple[float, float]]) -> None:
    """Write above a line, inside the panel; nothing where another name stands already."""
    low, high = ax.get_xlim()
    inch = (high - low) / _WIDTH
    half = width_of(text, SMALL) * inch / 2
    middle = min(max(place, low + half), high - half)
    if any(start < middle + half + 0.06 * inch and middle - half - 0.06 * inch < end for start, end in taken):
        return
    taken.append((middle - half, middle + half))
    ax.annotate(
        text,
        (middle, 1),
        xycoords=ax.get_xaxis_transform(),
        xytext=(0, 1.5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        size=SMALL,
    )
