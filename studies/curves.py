"""Pictures of lines: one panel per title, the same lines in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator

from mtassay.data import atomic_write
from mtassay.report.plots import style
from mtassay.report.plots.page import Legend, Panel, page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def draw(
    path: Path,
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    x: Sequence[float],
    *,
    labels: tuple[str, str],
    caption: str,
    columns: int,
    ticks: Sequence[float] | None = None,
) -> None:
    """Draw lines into an SVG file.

    Args:
        path: the file.
        panels: by title, the heights of each line by its name.
        x: where the heights are.
        labels: of the two axes.
        caption: what is below.
        columns: panels side by side.
        ticks: where the axis of x has marks.
    """
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    looks = dict(zip(names, map(_look, style.LINES), strict=False))
    with style.applied():
        panel = Panel(style.PAGE / columns - 0.72, 1.5, left=0.42, right=0.1, above=0.03, below=0.35)
        legend = Legend([Line2D([], [], **looks[name]) for name in names], names, key=0.32)
        figure, axes = page(list(panels), panel, caption=caption, legend=legend, columns=columns)
        heights = [height for lines in panels.values() for line in lines.values() for height in line]
        spare = 0.05 * (max(heights) - min(heights)) or 0.05
        for ax, lines in zip(axes, panels.values(), strict=True):
            for name, line in lines.items():
                ax.plot(x, line, **looks[name])
            ax.set_ylim(min(heights) - spare, max(heights) + spare)
            ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            ax.xaxis.set_major_locator(FixedLocator(ticks) if ticks else MaxNLocator(5, steps=[1, 2, 5, 10]))
            ax.set_xlabel(labels[0], labelpad=2)
            ax.set_ylabel(labels[1], labelpad=2)
        content = style.rendered(figure, "svg")
    with atomic_write(path, binary=True) as file:
        file.write(content)


def _look(look: tuple[str, str, str]) -> dict[str, Any]:
    color, marker, dashes = look
    return {"color": color, "marker": marker, "linestyle": dashes, "markerfacecolor": "white", "markeredgewidth": 0.8}
