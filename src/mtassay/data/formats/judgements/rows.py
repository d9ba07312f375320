"""Lines with named columns, as text; every error is reported with file and line."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from mtassay.errors import InputError, at, counted, did_you_mean, unknown_name
from mtassay.io.inputs import PathLike, shown

Value = TypeVar("Value")

_WHOLE = re.compile(r"-?[0-9]{1,9}")


class UnknownSystemsError(InputError):
    """Systems of a cell that the test set does not have.

    Attributes:
        names: their names.
        known: names in the test set.
    """

    def __init__(self, names: Sequence[str], known: Sequence[str]) -> None:
        super().__init__(f"{', '.join(map(repr, names))}: not in the test set")
        self.names, self.known = tuple(names), tuple(known)


@dataclass(frozen=True)
class TextTable:
    """Columns of a file by their names in lower case.

    Attributes:
        path: the file, for messages.
        columns: the cells of each column.
        lines: the line of each row.
        unknown: systems that the test set does not have, by line and column: collected while cells are
            converted, and reported together by ``check_known``.
    """

    path: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    unknown: dict[str, tuple[int, str, UnknownSystemsError]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int) -> str:
        """File and line of a row."""
        return at(self.path, self.lines[row])

    def cells(self, column: str) -> Sequence[str]:
        """The cells of a required column."""
        found = self.columns.get(column)
        if found is None:
            raise InputError(f"{at(self.path, 1)}: {unknown_name('column', column, self.columns)}")
        return found

    def converted(self, column: str, convert: Callable[[str], Value]) -> list[Value]:
        """The cells of a column, converted; an InputError of `convert` gets file, line and column."""
        return self.made_of(self.cells(column), convert, column)

    def made_of(self, cells: Sequence[str], convert: Callable[[str], Value], column: str) -> list[Value]:
        """Convert cells that are not those of the table; `column` names them in messages."""
        known: dict[str, Any] = {}
        for cell in dict.fromkeys(cells):  # far fewer than cells
            try:
                known[cell] = convert(cell)
            except UnknownSystemsError as error:
                known[cell] = ()
                for name in error.names:
                    self.unknown.setdefault(name, (self.lines[cells.index(cell)], column, error))
            except InputError as error:
                raise InputError(f"{self.place(cells.index(cell))}: {column} {error}") from None
        return [known[cell] for cell in cells]

    def check_known(self) -> None:
        """Report all systems that the test set does not have, in one error."""
        if not self.unknown:
            return
        (name, (line, column, error)), *others = self.unknown.items()
        there = f"; there are: {', '.join(error.known) or 'none'}"
        options = "--rename (rename=) gives other names, --ignore-unknown (ignore_unknown=True) leaves them out"
        if not others:
            hint = did_you_mean(name, error.known) or there
            raise InputError(
                f"{at(self.path, line)}: {column} {name!r} is not a system of the test set{hint} ({options})"
            )
        found = ", ".join(
            f"{name!r} (line {line})" for line, name in sorted((of[0], name) for name, of in self.unknown.items())
        )
        raise InputError(f"{self.path}: systems that the test set does not have: {found}{there} ({options})")

    def chosen(self, rows: Sequence[int]) -> TextTable:
        """Some of the rows."""
        columns = {name: [cells[row] for row in rows] for name, cells in self.columns.items()}
        return replace(self, columns=columns, lines=[self.lines[row] for row in rows])

    def where(self, column: str, wanted: str) -> TextTable:
        """The rows with one value in a column."""
        return self.chosen([row for row, cell in enumerate(self.cells(column)) if cell == wanted])


def table_of(
    lines: Sequence[str], path: PathLike, *, delimiter: str | None, header: Sequence[str] = (), ragged: bool = False
) -> TextTable:
    """Split lines into columns.

    Args:
        lines: the lines of the file.
        path: the file, for messages.
        delimiter: a comma (CSV with quotes), a tab (without quoting), or None for any white space.
        header: names of columns; by default the first line has them.
        ragged: whether columns at the end of a line may be missing, which are then empty.
    """
    rows, numbers = _split(lines, path, delimiter)
    if not header:
        header = [name.strip().lower() for name in rows[0]] if rows else []
        while header and not header[-1]:  # a delimiter at the end of the line
            header = header[:-1]
        _check_header(header, path)
        rows, numbers = rows[1:], numbers[1:]
        if not rows:
            raise InputError(f"{at(shown(path), 1)}: only a header; add a line per judgement")
    if not rows:
        raise InputError(f"{shown(path)} has nothing but empty lines")
    n = len(header)
    for index, row in enumerate(rows):
        if len(row) == n:
            continue
        if ragged and len(row) < n:
            rows[index] = row + [""] * (n - len(row))
        elif len(row) > n and not any(row[n:]):
            rows[index] = row[:n]
        else:
            raise InputError(f"{at(shown(path), numbers[index])}: {counted(len(row), 'column')}, expected {n}")
    return TextTable(shown(path), dict(zip(header, zip(*rows, strict=True), strict=True)), numbers)


def _split(lines: Sequence[str], path: PathLike, delimiter: str | None) -> tuple[list[list[str]], list[int]]:
    """Cells and line numbers; empty lines are left out."""
    if delimiter != ",":
        numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
        return [lines[number - 1].rstrip("\r").split(delimiter) for number in numbers], numbers
    reader = csv.reader(lines, strict=True)
    rows: list[list[str]] = []
    numbers = []
    try:
        for row in reader:
            if row:
                rows.append(row)
                numbers.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{at(shown(path), reader.line_num)}: not CSV ({error})") from None
    return rows, numbers


def _check_header(header: Sequence[str], path: PathLike) -> None:
    seen: set[str] = set()
    for number, name in enumerate(header, 1):
        if not name or name in seen:
            what = f"has the same name {name!r} as another column" if name else "has no name"
            raise InputError(f"{at(shown(path), 1)}: column {number} {what}; give every column a different name")
        seen.add(name)


def whole(cell: str) -> int:
    """A whole number.

    >>> whole("-1")
    -1
    """
    if _WHOLE.fullmatch(cell.strip()) is None:
        raise InputError(f"{cell!r} is not a whole number")
    return int(cell)


def rank(cell: str) -> int:
    """A rank from 1; 0 if missing: blank, or -1 as in WMT."""
    if not cell.strip():
        return 0
    value = whole(cell)
    if value == 0 or value < -1:
        raise InputError(f"{cell!r} is not a rank; ranks are whole numbers from 1, -1 if one is missing")
    return max(value, 0)


def segment_number(cell: str) -> str:
    """The number of a segment, counted from 1."""
    value = whole(cell)
    if value < 1:
        raise InputError(f"{cell!r} is not a segment number; segments are counted from 1")
    return str(value)


def segment_index(cell: str) -> str:
    """Convert the number of a segment in a file that counts from 0 to a number from 1."""
    value = whole(cell)
    if value < 0:
        raise InputError(f"{cell!r} is not a segment number; segments are counted from 0")
    return str(value + 1)


def name(cell: str) -> str:
    """A name, unchanged."""
    if not cell.strip():
        raise InputError("is empty; give a name")
    return cell
