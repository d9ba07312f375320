"""Line text: one segment per line; only a line feed ends a line.

U+2028, U+0085, form feeds and carriage returns inside a line are text. If every line of a file ends in CR LF (a Windows
file), the CRs are removed; trailing spaces stay. An empty line is an empty text: line files cannot mark a missing
reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_DIGITS = 18


def read_lines(path: PathLike, *, encoding: str = "utf-8") -> list[str]:
    """Lines of a file (plain, .gz, .bz2 or .xz) or of standard input (``-``), without their line ends."""
    return lines_of(read_text(path, encoding=encoding))


def lines_of(text: str) -> list[str]:
    r"""Split text into lines; the last line feed is optional.

    >>> lines_of("a\r\nb\u2028c\r\n")
    ['a', 'b\u2028c']
    >>> lines_of("a\r\nb\n")
    ['a\r', 'b']
    """
    n_windows_ends = text.count("\r\n")
    if n_windows_ends and n_windows_ends == text.count("\n"):
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def is_count(text: str) -> bool:
    """Whether a word is a count in ASCII digits, and no longer than a 64-bit number: Python refuses very long ones.

    >>> is_count("12"), is_count("-1"), is_count("٣"), is_count("9" * 5000)
    (True, False, False, False)
    """
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


def split_columns(
    lines: Sequence[str], n_columns: int, path: PathLike, *, first_line: int = 1
) -> list[tuple[str, ...]]:
    r"""Split lines at tabs into `n_columns` lists; `path` names the file in messages.

    >>> split_columns(["a\tb", "c\td"], 2, "refs.txt")
    [('a', 'c'), ('b', 'd')]
    """
    rows = [line.split("\t") for line in lines]
    for number, row in enumerate(rows, first_line):
        if len(row) != n_columns:
            raise InputError(
                f"{at(shown(path), number)}: {counted(len(row), 'tab-separated column')}, expected {n_columns}"
            )
    return list(zip(*rows, strict=True))
