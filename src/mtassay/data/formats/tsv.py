"""Test sets as tab-separated tables with a header line.

Columns: `src`, `doc`, `domain`, `id`, one or more references (`ref`, `ref1`, `refA`, `ref:NAME`, ...), and
every other column is a system. Cells are not quoted or escaped. An empty cell of a
reference column is a missing reference if another reference of that segment has text, and an empty text
otherwise.
"""

from __future__ import annotations

import re
from typing import Any

from mtassay.data.formats.lines import lines_of, split_columns
from mtassay.data.references import first_repeated
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, at
from mtassay.io.inputs import PathLike, naming, read_text, shown

_REFERENCE = re.compile(r"ref(?:[0-9]+|[A-Za-z]|[:._-].+)?")
_ABOUT = {"src": "sources", "doc": "documents", "domain": "domains", "id": "ids"}
# Names that would silently become systems, and the column most likely meant.
_LOOKALIKES = {"source": "src", "reference": "ref", "references": "ref", "document": "doc", "docid": "doc"}


def read_tsv(path: PathLike, *, encoding: str = "utf-8", name: str | None = None) -> TestSet:
    """Read a test set from a TSV file (compressed or not) or from standard input (``-``)."""
    lines = lines_of(read_text(path, encoding=encoding))
    header = lines[0].split("\t")
    _check_header(header, path)
    if len(lines) == 1:
        raise InputError(f"{at(shown(path), 1)}: only a header; add one line per segment")
    columns = dict(zip(header, split_columns(lines, len(header), path), strict=True))
    cells = {column: texts[1:] for column, texts in columns.items()}
    reference_names = [column for column in header if _REFERENCE.fullmatch(column)]
    about: dict[str, Any] = {_ABOUT[column]: texts for column, texts in cells.items() if column in _ABOUT}
    systems = {
        column: texts for column, texts in cells.items() if column not in _ABOUT and not _REFERENCE.fullmatch(column)
    }
    with naming(path):
        return TestSet(
            missing_if_empty([cells[column] for column in reference_names]),
            systems,
            reference_names=reference_names,
            name=name,
            **about,
        )


def missing_if_empty(references: list[tuple[str, ...]]) -> list[tuple[str | None, ...]]:
    """Turn an empty reference into None if another reference of the same segment has text.

    >>> missing_if_empty([("a", ""), ("", "")])
    [('a', ''), (None, '')]
    """
    if all(all(stream) for stream in references):
        return list(references)
    has_text = [any(texts) for texts in zip(*references, strict=True)]
    return [
        tuple(None if known and not text else text for text, known in zip(stream, has_text, strict=True))
        for stream in references
    ]


def _check_header(header: list[str], path: PathLike) -> None:
    place = at(shown(path), 1)
    for number, column in enumerate(header, 1):
        if not column.strip():
            raise InputError(
                f"{place}: column {number} has no name; name it src, ref, doc, domain, id or by its system"
            )
        if column.lower() in _LOOKALIKES:
            raise InputError(
                f"{place}: no column may be named {column!r}; did you mean {_LOOKALIKES[column.lower()]!r}?"
            )
    if (twice := first_repeated(header)) is not None:
        raise InputError(f"{place}: two columns are named {twice!r}; give each a name of its own")
    if not any(_REFERENCE.fullmatch(column) for column in header):
        raise InputError(f"{place}: no reference column; name it 'ref', or 'ref1', 'ref2', ... if there are several")
