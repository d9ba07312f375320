"""Places that the script of a page fills; without a script they are hidden, and the tables beside them are read."""

from __future__ import annotations

from html import escape

#: The two systems and the metric that are compared.
CONTROLS = '<form class="controls" id="controls" hidden aria-label="Systems to compare"></form>'
#: Scores of single segments of two systems, and the segments themselves.
SEGMENTS = '<div class="segments" id="segments-of-pair" hidden></div>'


def bucket_chart(view: str) -> str:
    """Two systems in the buckets of a view."""
    return f'<div class="buckets" data-view="{escape(view)}" hidden></div>'
