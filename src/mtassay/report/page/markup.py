"""Elements that the script of a page fills; without scripts they stay hidden, and only the tables are shown."""

from __future__ import annotations

from html import escape

#: The form to choose the two systems and the metric.
CONTROLS = '<form class="controls" id="controls" hidden aria-label="Systems to compare"></form>'
#: Scores of single segments of two systems, and the segments themselves.
SEGMENTS = '<div class="segments" id="segments-of-pair" hidden></div>'


def bucket_chart(view: str) -> str:
    """The place for the chart of two systems in the buckets of a view."""
    return f'<div class="buckets" data-view="{escape(view)}" hidden></div>'
