"""References and outputs in line files, read side by side, a block of segments at a time.

The texts are those of ``load_files``: white space at the end of lines does not count, and a line of standard input has
the outputs of all systems. Memory does not grow with the number of segments.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mtassay.data.formats import system_name, uncompressed_name
from mtassay.data.formats.lines import split_columns
from mtassay.data.loading import SGML, check_line_files, reference_names, system_names, system_of_column
from mtassay.data.testset import TestSet
from mtassay.errors import InputError, counted
from mtassay.io.inputs import STDIN, PathLike, shown, stream_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class TextStream:
    """Files that are read side by side.

    Attributes:
        references: one file per reference.
        systems: one file per system; ``-`` is standard input, where tabs separate several systems.
        names: names of the systems; by default taken from the file names.
        language_pair: such as "en-de".
        encoding: encoding of all files.
    """

    references: Sequence[PathLike]
    systems: Sequence[PathLike]
    names: Sequence[str] | None = None
    language_pair: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        """Reject files that cannot be read line by line."""
        if not self.references:
            raise InputError("no reference files; give at least one")
        if not self.systems:
            raise InputError("there is no system to score")
        paths = [*self.references, *self.systems]
        check_line_files(paths)
        for path in paths:
            if not has_lines(path):
                raise InputError(f"{shown(path)} is SGML, which is read as a whole: give text with a line per segment")

    def blocks(self, n_segments: int) -> Iterator[TestSet]:
        """Test sets of at most `n_segments` segments each, in order."""
        references = [_Lines(path, self.encoding) for path in self.references]
        outputs = [_Lines(path, self.encoding) for path in self.systems]
        first = references[0]
        while True:
            lines = [stream.take(n_segments) for stream in (*references, *outputs)]
            n = len(lines[0])
            if any(len(of_stream) != n for of_stream in lines):
                raise _unequal(references, outputs)
            if not n:
                return
            systems = [
                column
                for stream, texts in zip(outputs, lines[len(references) :], strict=True)
                for column in stream.columns(texts, first_line=first.n_lines - n + 1)
            ]
            names = system_names([(name, path) for name, path, _ in systems], self.names)
            yield TestSet(
                [[text.rstrip() for text in texts] for texts in lines[: len(references)]],
                zip(names, ([text.rstrip() for text in texts] for _, _, texts in systems), strict=True),
                reference_names=reference_names([system_name(path) for path in self.references]),
                language_pair=self.language_pair,
            )


def has_lines(path: PathLike) -> bool:
    """Whether a file, by its name, has a text per line."""
    return not uncompressed_name(path).lower().endswith(SGML)


class _Lines:
    """The lines of one file, taken a number at a time.

    Attributes:
        path: the file.
        n_lines: lines taken so far.
    """

    def __init__(self, path: PathLike, encoding: str) -> None:
        self.path = path
        self.n_lines = 0
        self._pieces = stream_lines(path, encoding=encoding)
        self._waiting: list[str] = []
        self._n_columns = 0

    def take(self, n: int) -> list[str]:
        """The next `n` lines; fewer at the end."""
        lines, self._waiting = self._waiting, []
        while len(lines) < n and (piece := next(self._pieces, None)) is not None:
            lines += piece
        if len(lines) > n:
            lines, self._waiting = lines[:n], lines[n:]
        self.n_lines += len(lines)
        return lines

    def rest(self) -> int:
        """Number of all lines, of which the rest is read and dropped."""
        self.n_lines += len(self._waiting) + sum(map(len, self._pieces))
        self._waiting = []
        return self.n_lines

    def columns(self, texts: Sequence[str], *, first_line: int) -> list[tuple[str, PathLike, Sequence[str]]]:
        """Name, file and texts of each system."""
        if os.fspath(self.path) != STDIN:
            return [(system_name(self.path), self.path, texts)]
        # Parity: sacreBLEU, the first line of standard input says how many systems there are.
        self._n_columns = self._n_columns or texts[0].count("\t") + 1
        found = split_columns(texts, self._n_columns, self.path, first_line=first_line)
        return [(system_of_column(i), self.path, column) for i, column in enumerate(found, 1)]


def _unequal(references: Sequence[_Lines], outputs: Sequence[_Lines]) -> InputError:
    """The error for files that differ in length; counts their lines."""
    first, *others = references
    expected = first.rest()
    for streams, needed in (
        (others, "all references need the same number of lines"),
        (outputs, "every system needs one line per reference line"),
    ):
        for stream in streams:
            if (n := stream.rest()) != expected:
                return InputError(
                    f"{shown(stream.path)} has {counted(n, 'line')}, {shown(first.path)} has {expected}: {needed}"
                )
    return InputError(f"{shown(first.path)} changed while it was read")
