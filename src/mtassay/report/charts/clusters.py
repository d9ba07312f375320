"""Clusters: a row per system, a bar for each cluster that it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.charts.svg import drawing, line, shortened, text, widest
from mtassay.report.wording import number

if TYPE_CHECKING:
    from mtassay.verbs.rank import RankResult

_ROW, _COLUMN, _TOP, _MOST_LETTERS = 26, 30, 24, 32
#: With more clusters than this there is no chart, only a table.
MOST_CLUSTERS = 60


def clusters(result: RankResult, m: int) -> str:
    """Draw the clusters of a metric; systems under one bar do not differ significantly."""
    clustering, comparison = result.clusterings[m], result.compared.comparisons[m]
    if len(clustering.clusters) > MOST_CLUSTERS:
        return ""
    metric, order = comparison.metric, comparison.ranked
    names = [shortened(result.systems[s], _MOST_LETTERS) for s in order]
    scores = [number(float(comparison.scores[s]), metric) for s in order]
    place = {s: row for row, s in enumerate(order)}
    left = widest(names) + 12
    bars = left + widest(scores) + 14
    parts = []
    for row, (name, score) in enumerate(zip(names, scores, strict=True)):
        y = _TOP + row * _ROW
        parts += [text(name, 0, y + 18), text(score, bars - 14, y + 18, anchor="end", kind="small")]
        parts.append(line(0, y + _ROW, bars + len(clustering.clusters) * _COLUMN, y + _ROW))
    for column, members in enumerate(clustering.clusters):
        x = bars + (column + 0.5) * _COLUMN
        rows = sorted(place[s] for s in members)
        parts.append(text(str(column + 1), x, 15, anchor="middle", kind="small"))
        top, bottom = _TOP + rows[0] * _ROW + 13, _TOP + rows[-1] * _ROW + 13
        parts.append(line(x, top, x, bottom, kind="bar", width=2))
        parts += [f'<circle class="dot" cx="{x:g}" cy="{_TOP + row * _ROW + 13}" r="5"/>' for row in rows]
    width, height = bars + len(clustering.clusters) * _COLUMN, _TOP + len(order) * _ROW + 2
    title = f"{metric.label}: clusters of systems that do not differ significantly"
    return drawing(parts, width=width, height=height, title=title, kind="clusters")
