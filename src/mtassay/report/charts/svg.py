"""Elements of charts.

Everything is drawn in the colour of the text, so that a chart is readable without a stylesheet, as in a notebook. The
stylesheet of a page adds colours by class names.
"""

from __future__ import annotations

from html import escape

from mtassay.report.render.text import display_width

#: Width of a letter, in pixels.
LETTER = 7.5


def drawing(parts: list[str], *, width: float, height: float, title: str, kind: str) -> str:
    """An SVG element with a title for screen readers; the numbers are in the table beside it."""
    return (
        f'<div class="chart" tabindex="0" role="group" aria-label="{escape(title)}">'
        f'<svg class="{kind}" role="img" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
        f'fill="currentColor" font-size="13.5" xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg></div>"
    )


def text(content: str, x: float, y: float, *, anchor: str = "start", kind: str = "") -> str:
    """A line of text; `anchor` is start, middle or end."""
    of_kind = f' class="{kind}"' if kind else ""
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:g}" y="{y:g}"{at}{of_kind}>{escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, *, kind: str = "rule", width: float = 1) -> str:
    """A line."""
    return (
        f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="currentColor" '
        f'stroke-width="{width:g}"/>'
    )


def shortened(name: str, most: int) -> str:
    """A name, cut to at most `most` letters.

    >>> shortened("online-A", 10), shortened("a-very-long-name", 10)
    ('online-A', 'a-very-lo…')
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def widest(names: list[str]) -> float:
    """Width of the longest name, in pixels."""
    return max((display_width(name) for name in names), default=0) * LETTER
