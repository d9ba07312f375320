"""Pseudo-statistics of one pair of systems (Figures 5 and 6 of Graham et al. 2014): a panel per metric and test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from mtassay.report.plots.page import Legend, Panel, page
from mtassay.report.plots.style import COLUMN, INK, SMALL, capital, resamples_in_words, whole_numbers, width_of
from mtassay.report.wording import headings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mtassay.report.plots.heatmap import Tested
    from mtassay.stats.procedures import Procedure, PseudoStatistics
    from mtassay.types import Floats
    from mtassay.verbs.compare import CompareResult

_N_BINS = 50
_WIDTH = COLUMN - 0.7
_HATCH = "//////"
_LIGHT, _DARK = "#dcdcdc", "#8c8c8c"
#: Label of the axis, by form of the test.
_FORMS = {"plain": "{}", "sign": "{}", "shifted": "{}, shifted to mean 0", "folded": "|{}|, shifted to mean 0"}


def draw(result: Tested, pair: tuple[str, str] | None = None) -> Figure:
    """Draw a comparison of two systems; by default the two best under the first metric.

    Several comparisons, with one test each, are drawn side by side.
    """
    results = result.by_test
    first = results[0]
    metrics = tuple(comparison.metric for comparison in first.comparisons)
    x, y = pair or tuple(first.systems[system] for system in first.comparisons[0].ranked[:2])
    of_tests = [result.pseudo_statistics(x, y) for result in results]
    found = [of_test[m] for m in range(len(metrics)) for of_test in of_tests]
    tests = [f"{capital(result.procedure.title)}, " if len(results) > 1 else "" for result in results]
    titles = [
        f"{heading}\n{test}c = {of_test[m].extreme.sum():,}, p = {of_test[m].p:.2g}"
        for m, heading in enumerate(headings(metrics, arrows=True))
        for test, of_test in zip(tests, of_tests, strict=True)
    ]
    panel = Panel(_WIDTH, 1.25, left=0.5, right=0.1, above=0.15, below=0.38)
    drawn = resamples_in_words(first, adjusted=False)
    how = f"{capital(first.procedure.title)}, {drawn}" if len(results) == 1 else capital(drawn)
    caption = f"X: {x}. Y: {y}. {how}{'' if first.adjust == 'none' else ', p not adjusted'}."
    columns = len(results) if len(results) > 1 else None
    figure, axes = page(titles, panel, caption=caption, legend=_legend(results), columns=columns)
    for number, (ax, one) in enumerate(zip(axes, found, strict=True)):
        m, test = divmod(number, len(results))
        procedure = results[test].procedure
        _panel(ax, one, procedure)
        name = headings(metrics, arrows=False)[m]
        difference = f"{name}(X) − {name}(Y)" if metrics[m].sign > 0 else f"{name}(Y) − {name}(X)"
        ax.set_xlabel(_FORMS[procedure.rule.compares].format(difference), labelpad=2)
    return figure


def _legend(results: Sequence[CompareResult]) -> Legend:
    counted = " or ".join(dict.fromkeys(_counted(result.procedure) for result in results))
    return Legend([_key(_LIGHT), _key(_DARK, hatch=_HATCH)], ["resamples", f"resamples {counted} (c)"])


def _counted(procedure: Procedure) -> str:
    if procedure.rule.compares == "sign":
        return "not above 0"
    return "more extreme than δ" if procedure.rule.strict else "as extreme as δ"


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
    ax.yaxis.set_major_locator(whole_numbers(4))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_ylabel("resamples", labelpad=2)
    taken: list[tuple[float, float]] = []
    for place, text, dashes in marks:
        ax.axvline(place, color=INK, linewidth=0.9, linestyle=dashes)
        _name(ax, place, text, taken)


def _marks(observed: float, procedure: Procedure) -> list[tuple[float, str, str]]:
    """Positions, labels and styles of lines; a solid line bounds the resamples that count."""
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
    # Resamples that equal the observed difference fall on the side of those that count.
    if procedure.rule.compares == "sign":
        side = np.ones_like(edges)
    elif procedure.sides == 1:
        side = -np.ones_like(edges)
    else:
        side = -np.sign(edges)
    return edges + 1e-9 * step * side


def _name(ax: Axes, place: float, text: str, taken: list[tuple[float, float]]) -> None:
    """Write a label above a line, inside the panel, unless another label is there."""
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
