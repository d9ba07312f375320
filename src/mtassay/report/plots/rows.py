"""Rows of a panel: a name to the left of each, the best on top, and a number to the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.report.plots.style import SMALL, escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

#: Inches between a panel and the text beside it.
GAP = 0.08


def label_rows(ax: Axes, names: Sequence[str], numbers: Sequence[str]) -> None:
    """Write names and numbers beside rows 0, 1, …, from the top."""
    ax.set_ylim(len(names) - 0.5, -0.5)
    for row, number in enumerate(numbers):
        ax.annotate(
            number,
            (1, row),
            xycoords=ax.get_yaxis_transform(),
            xytext=(GAP * 36, 0),
            textcoords="offset points",
            va="center_baseline",
            size=SMALL,
        )
    ax.set_yticks(range(len(names)), [escaped(name) for name in names])
    ax.tick_params(axis="y", length=0, pad=GAP * 36)
    ax.spines["left"].set_visible(False)
