"""All pairs of systems: p-values above the diagonal, differences of scores below it."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from mtassay.report.charts.svg import drawing, shortened, text, widest
from mtassay.report.wording import letters_of_rows, number, p_value, plain

if TYPE_CHECKING:
    from mtassay.verbs.compare import CompareResult, Comparison

_HEIGHT, _TOP, _MOST_LETTERS = 26, 22, 26
#: Width of a cell for few systems and for many systems; the largest number of systems that counts as few.
_WIDE, _NARROW, _MANY = 52, 34, 14
#: The largest p-value of each shade, and its opacity; p-values that are not significant have no shade.
_BOUNDS, _OPACITY = (0.001, 0.01, 0.05), (0.55, 0.35, 0.18)


def heatmap(result: CompareResult, comparison: Comparison) -> str:
    """Draw all pairs of systems, best first; cells with significant differences are shaded."""
    cell = _WIDE if len(result.systems) <= _MANY else _NARROW
    order, metric = comparison.ranked, comparison.metric
    letters = dict(zip(order, letters_of_rows(), strict=False))
    names = [f"{letters[s]}  {shortened(result.systems[s], _MOST_LETTERS)}" for s in order]
    left = widest(names) + 10
    parts = [text(letters[s], left + (place + 0.5) * cell, 14, anchor="middle") for place, s in enumerate(order)]
    for row, x in enumerate(order):
        y = _TOP + row * _HEIGHT
        parts.append(text(names[row], 0, y + 17))
        for column, other in enumerate(order):
            if column == row:
                continue
            at = left + column * cell
            if column < row:
                shown = number(abs(float(comparison.differences[x, other])), metric)
                parts.append(text(shown, at + cell / 2, y + 17, anchor="middle", kind="small"))
            else:
                parts.append(_cell(comparison, (x, other), (at, y), cell))
    width, height = left + len(order) * cell, _TOP + len(order) * _HEIGHT
    title = f"{metric.label}: p-values of all pairs above the diagonal, differences of scores below it"
    return drawing(parts, width=width, height=height, title=title, kind="heatmap") + _key(result)


def _cell(comparison: Comparison, pair: tuple[int, int], at: tuple[float, float], width: int) -> str:
    """A cell with the p-value of a pair; the better system comes first."""
    p = float(comparison.adjusted[pair])
    if isnan(p):
        return ""
    shade = next((n for n, bound in enumerate(_BOUNDS) if p <= bound), None) if comparison.better[pair] else None
    x, y = at
    fill = 'fill-opacity="0"' if shade is None else f'class="p{shade}" fill-opacity="{_OPACITY[shade]}"'
    rect = f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{width - 2}" height="{_HEIGHT - 2}" rx="3" {fill}/>'
    shown = p_value(p) if p >= _BOUNDS[0] else f"<{plain(_BOUNDS[0])}"
    kind = "small" if shade is None else f"small on{shade}"
    return rect + text(shown, x + width / 2, y + 17, anchor="middle", kind=kind)


def _key(result: CompareResult) -> str:
    """What the shades and the numbers below the diagonal mean."""
    bounds = [bound for bound in _BOUNDS if bound <= result.alpha]
    parts = [
        f'<svg width="14" height="14" aria-hidden="true" fill="currentColor"><rect width="14" height="14" rx="3" '
        f'class="p{shade}" fill-opacity="{_OPACITY[shade]}"/></svg> p ≤ {plain(bound)}'
        for shade, bound in enumerate(bounds)
    ]
    parts += ["no shade: no significant difference", "below the diagonal: differences of scores"]
    return f'<p class="key">{"&ensp; ".join(parts)}</p>'
