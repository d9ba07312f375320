"""Page layout: panels of equal size, a legend and a caption below them, all measured in inches.

Margins are computed from their texts, so that no name is cut and none overlaps another; a page grows if names are
longer than a column is wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from mtassay.report.plots.style import COLUMN, INK, PAGE, PAGE_HEIGHT, SMALL, TITLE, width_of, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

#: Inches: around the page, between panels, from title to panel, of a line of the caption and of the legend.
_MARGIN, _GAP, _TITLE, _LINE, _LEGEND = 0.05, 0.15, 0.18, 0.125, 0.17
#: Inches in the legend: from a key to its text, and from there to the next key.
_BEFORE, _AFTER = 0.05, 0.1


@dataclass(frozen=True)
class Panel:
    """Size of a panel in inches: the axes, and the room for labels around them."""

    width: float
    height: float
    left: float = 0.0
    right: float = 0.05
    above: float = 0.0
    below: float = 0.0

    @property
    def outer_width(self) -> float:
        """Width with the margins."""
        return self.left + self.width + self.right

    @property
    def outer_height(self) -> float:
        """Height with the margins, without the title."""
        return self.above + self.height + self.below


@dataclass(frozen=True)
class Legend:
    """Keys with their names; `key` is the width of a key in inches."""

    handles: Sequence[Any]
    labels: Sequence[str]
    key: float = 0.15

    def shape(self, width: float) -> tuple[int, int]:
        """Numbers of columns and rows that fit into a width in inches."""
        entries = [self.key + _BEFORE + width_of(label, SMALL) + _AFTER for label in self.labels]
        fitting = len(entries) if sum(entries) - _AFTER <= width else int((width + _AFTER) / max(entries))
        columns = max(1, fitting)
        return columns, -(-len(entries) // columns)


def page(
    titles: Sequence[str],
    panel: Panel,
    *,
    caption: str,
    legend: Legend | None = None,
    columns: int | None = None,
    indent: float = 0.0,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each title, row by row, with as many side by side as fit on a page.

    Args:
        titles: titles of the panels; a title may have several lines.
        panel: the size of all panels.
        caption: text below the panels; it is broken into lines.
        legend: legend between panels and caption.
        columns: number of panels side by side.
        indent: inches to the left of every row, for labels shared by the panels of a row.
    """
    outer = max(panel.outer_width, *(_title_width(title) for title in titles))
    n_lines = max(title.count("\n") for title in titles)
    title_height = _TITLE + _LINE * n_lines
    step = title_height + panel.outer_height + _GAP
    if columns is None:
        columns = _columns(len(titles), outer + _GAP, step)
    rows = -(-len(titles) // columns)
    width = max(COLUMN, indent + columns * (outer + _GAP) - _GAP + 2 * _MARGIN)
    lines = wrapped(caption, SMALL, width - 2 * _MARGIN)
    legend_columns, legend_rows = legend.shape(width - 2 * _MARGIN) if legend else (0, 0)
    below = _MARGIN + len(lines) * _LINE + legend_rows * _LEGEND + (0.04 if legend else 0)
    height = _MARGIN + rows * step - 0.4 * _GAP + below

    figure = Figure(figsize=(width, height))
    axes = []
    for number, title in enumerate(titles):
        row, column = divmod(number, columns)
        left, top = _MARGIN + indent + column * (outer + _GAP), height - _MARGIN - row * step
        for line, text in enumerate(title.split("\n")):
            place = left / width, (top - 0.75 * _TITLE - line * _LINE) / height
            figure.text(*place, text, **_font(line), va="baseline")
        bottom = top - title_height - panel.above - panel.height
        box = (left + panel.left) / width, bottom / height, panel.width / width, panel.height / height
        axes.append(figure.add_axes(box))
    if legend:
        _add(figure, legend, legend_columns, (_MARGIN / width, (below - 0.02) / height))
    for number, text in enumerate(reversed(lines)):
        figure.text(_MARGIN / width, (_MARGIN + number * _LINE) / height, text, size=SMALL, va="bottom", color=INK)
    return figure, axes


def _columns(n_panels: int, width: float, height: float) -> int:
    """Number of panels side by side that lets the plot shrink as little as possible to fit a page."""

    def scale(columns: int) -> float:
        rows = -(-n_panels // columns)
        return min(1.0, PAGE / (columns * width - _GAP), PAGE_HEIGHT / (rows * height))

    return max(range(1, n_panels + 1), key=lambda columns: (scale(columns), columns))


def _font(line: int) -> dict[str, Any]:
    """Font of a line of a title; the first line is the title proper."""
    return {"size": SMALL} if line else {"size": TITLE, "weight": "bold"}


def _title_width(title: str) -> float:
    first, *more = title.split("\n")
    return max(width_of(first, TITLE, bold=True), *(width_of(line, SMALL) for line in more), 0.0)


def _add(figure: Figure, legend: Legend, columns: int, corner: tuple[float, float]) -> None:
    points = 72 / SMALL
    figure.legend(
        legend.handles,
        legend.labels,
        loc="upper left",
        bbox_to_anchor=corner,
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        borderpad=0.0,
        borderaxespad=0.0,
        handlelength=legend.key * points,
        handletextpad=_BEFORE * points,
        columnspacing=_AFTER * points,
        labelspacing=_LEGEND * points - 1.2,
    )
