"""Intervals in the cells of a table: a dot for the value and a line for the interval, on one scale per column."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.report.document import Cell, Table

_HEIGHT, _MARGIN = 14, 5
#: Largest and smallest width of a drawing, in pixels.
_WIDEST, _NARROWEST = 150, 60
#: Room for a table on a page of 1280 pixels, padding of a cell with the space beside its drawing, and mean width of a
#: character, in pixels.
_ROOM, _PADDING, _CHARACTER = 950, 37, 7.5


def spans(table: Table) -> list[list[str]]:
    """The drawings of each column; empty for a cell without an interval.

    >>> from mtassay.report.document import Cell, table
    >>> drawn = spans(table(["x", "y"], [["a", Cell("1", span=(0.5, 1.0, 1.5))], ["b", "–"]]))
    >>> [[len(one) > 0 for one in column] for column in drawn]
    [[False, False], [True, False]]
    """
    columns = [[row[column] for row in table.rows] for column in range(len(table.header))]
    drawn = [any(cell.span is not None for cell in cells) for cells in columns]
    # A header stands above drawing and text of a column: only without a drawing it may need more room than the texts.
    texts = [
        [*(cell.text for cell in cells), "" if has else header]
        for cells, has, header in zip(columns, drawn, table.header, strict=True)
    ]
    taken = sum(_PADDING + _CHARACTER * max(map(len, column)) for column in texts)
    width = max(_NARROWEST, min(_WIDEST, int(_ROOM - taken) // max(sum(drawn), 1)))
    return [_of_column(cells, width) for cells in columns]


def _of_column(cells: Sequence[Cell], width: int) -> list[str]:
    found = [cell.span for cell in cells]
    low = min((span[0] for span in found if span is not None), default=0.0)
    high = max((span[2] for span in found if span is not None), default=1.0)
    scale = (width - 2 * _MARGIN) / (high - low or 1.0)

    def place(value: float) -> str:
        return f"{_MARGIN + (value - low) * scale:.1f}"

    return ["" if span is None else _drawn(place(span[0]), place(span[1]), place(span[2]), width) for span in found]


def _drawn(low: str, value: str, high: str, width: int) -> str:
    y = _HEIGHT // 2
    return (
        f'<svg class="span" width="{width}" height="{_HEIGHT}" aria-hidden="true" fill="currentColor" '
        f'stroke="currentColor"><path class="rule" d="M0 {y}H{width}" stroke-opacity=".25"/>'
        f'<path d="M{low} {y}H{high}M{low} {y - 3}v6M{high} {y - 3}v6" fill="none"/>'
        f'<circle cx="{value}" cy="{y}" r="3.5" stroke="none"/></svg>'
    )
