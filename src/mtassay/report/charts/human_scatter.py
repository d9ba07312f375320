"""Human scores of systems against those of metrics, a panel for each metric."""

from __future__ import annotations

from html import escape
from math import isnan
from typing import TYPE_CHECKING

from mtassay.report.charts.svg import drawing, line, text
from mtassay.report.wording import headings, number, share

if TYPE_CHECKING:
    from mtassay.types import Floats
    from mtassay.verbs.metaeval.result import Direction

_SIDE, _LEFT, _TOP, _BOTTOM, _GAP = 170, 42, 24, 40, 26
#: Number of panels in a row.
_ROW = 4


def human_scatter(direction: Direction) -> str:
    """Draw a dot per system: human score on the x-axis, metric score on the y-axis, reversed if lower is better."""
    panel_width, panel_height = _LEFT + _SIDE + _GAP, _TOP + _SIDE + _BOTTOM
    parts = []
    for m, heading in enumerate(headings(direction.metrics)):
        x, y = (m % _ROW) * panel_width, (m // _ROW) * panel_height
        parts += [f'<g transform="translate({x} {y})">', *_panel(direction, m, heading), "</g>"]
    n = len(direction.metrics)
    width, height = min(n, _ROW) * panel_width, -(-n // _ROW) * panel_height
    title = "human scores of systems against those of metrics"
    return drawing(parts, width=width, height=height, title=title, kind="humans")


def _panel(direction: Direction, m: int, heading: str) -> list[str]:
    metric, human = direction.metrics[m], direction.gold_scores
    scores = direction.metric_scores[m]
    right, bottom = _LEFT + _SIDE, _TOP + _SIDE
    oriented = metric.sign * scores
    (left_end, right_end), (low, high) = _ends(human), _ends(oriented)
    parts = [
        text(heading, _LEFT, 14),
        line(_LEFT, bottom, right, bottom),
        line(_LEFT, _TOP, _LEFT, bottom),
        text(number(metric.sign * low, metric), _LEFT - 6, bottom - 2, anchor="end", kind="small"),
        text(number(metric.sign * high, metric), _LEFT - 6, _TOP + 12, anchor="end", kind="small"),
        text(share(left_end), _LEFT, bottom + 15, kind="small"),
        text(share(right_end), right, bottom + 15, anchor="end", kind="small"),
        text(f"human {direction.gold.method}", _LEFT + _SIDE / 2, bottom + 30, anchor="middle", kind="small"),
    ]
    for system, (of_humans, of_metric) in enumerate(zip(human.tolist(), oriented.tolist(), strict=True)):
        if isnan(of_humans) or isnan(of_metric):
            continue
        x = _LEFT + 8 + (of_humans - left_end) / ((right_end - left_end) or 1.0) * (_SIDE - 16)
        y = bottom - 8 - (of_metric - low) / ((high - low) or 1.0) * (_SIDE - 16)
        name = f"<title>{escape(direction.systems[system])}</title>"
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4">{name}</circle>')
    return parts


def _ends(values: Floats) -> tuple[float, float]:
    """The lowest and the highest of the values that are not missing."""
    known = [value for value in values.tolist() if not isnan(value)]
    return min(known), max(known)
