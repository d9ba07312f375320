"""Records as tab-separated values with a header: all digits, nothing marked."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.report.document import Document, Records

SHOWS_CONFIGURATION = False


def render(document: Document) -> str:
    """The records of a document."""
    return records_text(document.records())


def records_text(records: Records) -> str:
    r"""A line per record.

    A missing value is an empty field. A list is written as JSON, because names may contain spaces and commas.

    >>> from mtassay.report.document import Records
    >>> records_text(Records(("system", "score", "better_than"), [("a", 0.5, ["b c"]), ("b c", None, [])]))
    'system\tscore\tbetter_than\na\t0.5\t["b c"]\nb c\t\t[]'
    """
    return "\n".join(record_lines(records))


def record_lines(records: Records) -> Iterator[str]:
    """The lines of ``records_text``, one at a time: there may be millions."""
    for row in chain([records.header], records.rows):
        yield "\t".join(field(value) for value in row)


def field(value: Any) -> str:
    """Format one value for TSV."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return value if isinstance(value, str) else repr(value)
