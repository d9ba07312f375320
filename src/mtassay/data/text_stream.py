"""References, outputs and labels in line files, read side by side, a block of segments at a time.

The texts are those of ``load_files``: white space at the end of references and outputs is dropped, and a line of
standard input has the outputs of all systems. Memory does not grow with the number of segments.
"""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from mtassay.data.formats import SGML, system_name, uncompressed_name
from mtassay.data.formats.lines import split_columns
from mtassay.data.separate_files import (
    check_line_files,
    reference_names,
    system_names,
    system_of_column,
)
from mtassay.data.testset import TestSet, check_language_pair
from mtassay.errors import InputError, counted
from mtassay.io.inputs import STDIN, PathLike, shown
from mtassay.io.streams import stream_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtassay.io.line_blocks import LineBlock

    #: The same lines of all files: what is read to make a block.
    Ranges = tuple[LineBlock, ...]


@dataclass(frozen=True)
class TextStream:
    """Files that are read side by side.

    Attributes:
        references: one file per reference.
        systems: one file per system; ``-`` is standard input, where tabs separate several systems.
        source: file of the source texts.
        documents: file with one document label per line.
        domains: file with one domain label per line.
        names: names of the systems; by default taken from the file names.
        language_pair: the language pair, such as "en-de".
        encoding: encoding of all files.
        n_ref_columns: number of tab-separated references in each reference file.
    """

    references: Sequence[PathLike]
    systems: Sequence[PathLike]
    _: KW_ONLY
    source: PathLike | None = None
    documents: PathLike | None = None
    domains: PathLike | None = None
    names: Sequence[str] | None = None
    language_pair: str | None = None
    encoding: str = "utf-8"
    n_ref_columns: int = 1

    def __post_init__(self) -> None:
        """Reject files that cannot be read line by line."""
        if not self.references:
            raise InputError("no reference files; give at least one")
        if not self.systems:
            raise InputError("there is no system to score")
        check_language_pair(self.language_pair)
        check_line_files(self.paths)
        for path in self.paths:
            if not has_lines(path):
                raise InputError(f"{shown(path)} is SGML, which is read as a whole: give text with a line per segment")

    @property
    def _about(self) -> dict[str, PathLike]:
        """Files of sources and labels."""
        about = {"sources": self.source, "documents": self.documents, "domains": self.domains}
        return {what: path for what, path in about.items() if path is not None}

    @property
    def paths(self) -> list[PathLike]:
        """All files: references, systems, sources, documents, domains."""
        return [*self.references, *self.systems, *self._about.values()]

    @property
    def _n_texts(self) -> int:
        """Number of files whose lines are references or outputs and lose trailing white space; others keep it."""
        return len(self.references) + len(self.systems)

    @property
    def _standard_input(self) -> int | None:
        """The number of the file that is standard input."""
        return next((i for i, path in enumerate(self.paths) if os.fspath(path) == STDIN), None)

    def count(self) -> int:
        """Number of segments: the lines of the first reference are counted."""
        path = self.references[0]
        if os.fspath(path) == STDIN:
            raise InputError(
                "resampling must know the number of segments beforehand: give the first reference as a file, not as "
                "standard input"
            )
        return sum(map(len, stream_lines(path, encoding=self.encoding)))

    def blocks(self, n_segments: int) -> Iterator[TestSet]:
        """Test sets of at most `n_segments` segments each, in order."""
        files = [_Lines(path, self.encoding, exact=i >= self._n_texts) for i, path in enumerate(self.paths)]
        first_line = n_columns = 1
        while True:
            lines = [file.take(n_segments) for file in files]
            n = len(lines[0])
            if any(len(of_file) != n for of_file in lines):
                raise self._unequal([file.rest for file in files])
            if not n:
                return
            if first_line == 1 and (number := self._standard_input) is not None:
                # Parity: sacreBLEU, the first line of standard input determines the number of systems.
                n_columns = lines[number][0].count("\t") + 1
            yield self._test_set(lines, first_line, n_columns)
            first_line += n

    def ranges(self, n_segments: int) -> Iterator[Ranges]:
        """The byte ranges from which ``read`` makes each block of ``blocks``, found in one pass.

        Only uncompressed files have them (``is_divisible``).
        """
        from mtassay.io.line_blocks import split_lines

        counts = [0] * len(self.paths)

        def count(number: int) -> Callable[[], int]:
            return lambda: counts[number] + sum(block.n_lines for block in files[number])

        files = [split_lines(path, n_segments, encoding=self.encoding) for path in self.paths]
        for blocks in zip_longest(*files):
            ends = [0 if block is None else block.n_lines for block in blocks]
            counts = [before + n for before, n in zip(counts, ends, strict=True)]
            if len(set(ends)) > 1:
                raise self._unequal([count(number) for number in range(len(files))])
            yield blocks

    def read(self, ranges: Ranges) -> TestSet:
        """The block of some byte ranges; it depends on nothing else, so that any process can read it."""
        from mtassay.io.line_blocks import read_block

        lines = [read_block(block, encoding=self.encoding, exact=i >= self._n_texts) for i, block in enumerate(ranges)]
        return self._test_set(lines, ranges[0].first_line, 1)

    def _test_set(self, lines: Sequence[Sequence[str]], first_line: int, n_columns: int) -> TestSet:
        """The test set of some lines of all files; standard input has `n_columns`."""
        of_references, of_systems = lines[: len(self.references)], lines[len(self.references) : self._n_texts]
        references = [
            column
            for path, texts in zip(self.references, of_references, strict=True)
            for column in self._reference_columns(path, texts, first_line)
        ]
        systems = [
            column
            for path, texts in zip(self.systems, of_systems, strict=True)
            for column in _system_columns(path, texts, first_line=first_line, n_columns=n_columns)
        ]
        about = dict(zip(self._about, lines[self._n_texts :], strict=True))
        names = system_names([(name, path) for name, path, _ in systems], self.names)
        return TestSet(
            [texts for _, texts in references],
            zip(names, ([text.rstrip() for text in texts] for _, _, texts in systems), strict=True),
            sources=about.get("sources"),
            documents=about.get("documents"),
            domains=about.get("domains"),
            reference_names=reference_names([name for name, _ in references]),
            language_pair=self.language_pair,
        )

    def _reference_columns(
        self, path: PathLike, texts: Sequence[str], first_line: int
    ) -> list[tuple[str, Sequence[str]]]:
        """Name and texts of each reference in a file; white space is dropped only at the end of lines."""
        if self.n_ref_columns == 1:
            return [(system_name(path), [text.rstrip() for text in texts])]
        *columns, last = split_columns(texts, self.n_ref_columns, path, first_line=first_line)
        columns.append(tuple(text.rstrip() for text in last))
        return [(f"{system_name(path)}:{i}", column) for i, column in enumerate(columns, 1)]

    def _unequal(self, counts: Sequence[Callable[[], int]]) -> InputError:
        """The error for files that differ in length; `counts` count the lines of each file on demand."""
        paths, first = self.paths, shown(self.references[0])
        expected = counts[0]()
        n_references = len(self.references)
        needed = {
            i: f"the {what} need one line per reference line" for i, what in enumerate(self._about, self._n_texts)
        }
        needed |= dict.fromkeys(range(1, n_references), "all references need the same number of lines")
        needed |= dict.fromkeys(range(n_references, self._n_texts), "every system needs one line per reference line")
        for i, rule in needed.items():
            if (n := counts[i]()) != expected:
                return InputError(f"{shown(paths[i])} has {counted(n, 'line')}, {first} has {expected:,}: {rule}")
        return InputError(f"{first} changed while it was read")


def has_lines(path: PathLike) -> bool:
    """Whether a file, by its name, has a text per line."""
    return not uncompressed_name(path).lower().endswith(SGML)


def _system_columns(
    path: PathLike, texts: Sequence[str], *, first_line: int, n_columns: int
) -> list[tuple[str, PathLike, Sequence[str]]]:
    """Name, file and texts of each system in a file."""
    if os.fspath(path) != STDIN:
        return [(system_name(path), path, texts)]
    found = split_columns(texts, n_columns, path, first_line=first_line)
    return [(system_of_column(i), path, column) for i, column in enumerate(found, 1)]


class _Lines:
    """The lines of one file, read some at a time."""

    def __init__(self, path: PathLike, encoding: str, *, exact: bool) -> None:
        self._pieces = stream_lines(path, encoding=encoding, exact=exact)
        self._waiting: list[str] = []
        self._n_taken = 0

    def take(self, n: int) -> list[str]:
        """The next `n` lines; fewer at the end."""
        lines, self._waiting = self._waiting, []
        while len(lines) < n and (piece := next(self._pieces, None)) is not None:
            lines += piece
        if len(lines) > n:
            lines, self._waiting = lines[:n], lines[n:]
        self._n_taken += len(lines)
        return lines

    def rest(self) -> int:
        """Read the remaining lines, and return the number of all lines of the file."""
        self._n_taken += len(self._waiting) + sum(map(len, self._pieces))
        self._waiting = []
        return self._n_taken
