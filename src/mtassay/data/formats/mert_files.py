"""The text files that Moses' extractor writes and its mert reads: features and statistics of candidates.

Each sentence has a line ``FEATURES_TXT_BEGIN_0 sentence candidates features name ...``, then one line of numbers per
candidate, then ``FEATURES_TXT_END_0``; and the same with ``SCORES`` and the name of the metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.formats.lines import is_count, read_lines
from mtassay.data.formats.score_files import LARGEST
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, shown

if TYPE_CHECKING:
    from mtassay.types import Floats, Index


_FEATURES, _SCORES = "FEATURES", "SCORES"


@dataclass(frozen=True, eq=False)
class MertTable:
    """One of the two files.

    Attributes:
        names: names of the features, or the one name of the metric.
        values: one row per candidate, shape (n, columns).
        offsets: candidates of sentence s are offsets[s] to offsets[s + 1], shape (sentences + 1,).
        origin: the file, for messages.
        lines: line number of each sentence's first line, shape (sentences,).
    """

    names: tuple[str, ...]
    values: Floats
    offsets: Index
    origin: str
    lines: Index


def read_mert_features(path: PathLike) -> MertTable:
    """Read a file of features (FEATSTAT)."""
    table = _read(path, _FEATURES)
    if len(table.names) != table.values.shape[1]:
        raise InputError(
            f"{at(table.origin, 1)}: {counted(len(table.names), 'name')} of {table.values.shape[1]} features"
        )
    return table


def read_mert_scores(path: PathLike, features: MertTable | None = None) -> MertTable:
    """Read a file of statistics (SCORESTAT), of the same candidates as `features`."""
    table = _read(path, _SCORES)
    if features is not None and not np.array_equal(table.offsets, features.offsets):
        common = min(len(table.lines), len(features.lines))
        differing = np.flatnonzero(np.diff(table.offsets)[:common] != np.diff(features.offsets)[:common])
        if len(differing):
            s = int(differing[0])
            raise InputError(
                f"{at(table.origin, int(table.lines[s]))}: sentence {s} has different numbers of candidates here "
                f"({np.diff(table.offsets)[s]}) and in {features.origin} ({np.diff(features.offsets)[s]})"
            )
        raise InputError(
            f"{table.origin} has {counted(len(table.lines), 'sentence')}, {features.origin} has {len(features.lines):,}"
        )
    return table


def _read(path: PathLike, kind: str) -> MertTable:
    origin, lines = shown(path), read_lines(path)
    names: tuple[str, ...] | None = None
    n_columns = 0
    blocks: list[Floats] = []
    starts: list[int] = []
    line = 0
    while line < len(lines):
        sentence, n, columns, own = _header(lines[line], kind, at(origin, line + 1))
        if sentence != len(blocks):
            raise InputError(f"{at(origin, line + 1)}: sentence {sentence}, but sentence {len(blocks)} is expected")
        if names is None:
            names, n_columns = own, columns
        elif (names, n_columns) != (own, columns):
            raise InputError(f"{at(origin, line + 1)}: the columns differ from those in line 1")
        starts.append(line + 1)
        blocks.append(_rows(lines, line + 1, n, columns, origin))
        line += n + 1
        if line >= len(lines) or lines[line].split() != [f"{kind}_TXT_END_0"]:
            raise InputError(f"{at(origin, line + 1)}: '{kind}_TXT_END_0' is missing after {counted(n, 'candidate')}")
        line += 1
    offsets = np.cumsum([0, *map(len, blocks)])
    return MertTable(names or (), np.concatenate(blocks), offsets, origin, np.array(starts, dtype=np.int64))


def _header(text: str, kind: str, place: str) -> tuple[int, int, int, tuple[str, ...]]:
    words = text.split()
    if words and words[0] == f"{kind}_BIN_BEGIN_0":
        raise InputError(f"{place}: the binary form cannot be read; run the extractor without --binary")
    if len(words) < 4 or words[0] != f"{kind}_TXT_BEGIN_0" or not all(map(is_count, words[1:4])):
        raise InputError(f"{place}: expected '{kind}_TXT_BEGIN_0 sentence candidates columns names'")
    sentence, n, columns = map(int, words[1:4])
    if n == 0 or columns == 0:
        raise InputError(f"{place}: sentence {sentence} has no candidates or no columns")
    return sentence, n, columns, tuple(words[4:])


def _rows(lines: list[str], first: int, n: int, n_columns: int, origin: str) -> Floats:
    rows = [line.split() for line in lines[first : first + n]]
    try:
        values = np.array([list(map(float, row)) for row in rows])
        if values.shape == (n, n_columns) and (np.abs(values) <= LARGEST).all():
            return values
    except ValueError:
        pass
    for number, row in enumerate(rows, first + 1):
        if len(row) != n_columns:
            raise InputError(f"{at(origin, number)}: {counted(len(row), 'value')}, expected {n_columns}")
        for word in row:
            try:
                fine = abs(float(word)) <= LARGEST
            except ValueError:
                fine = False
            if not fine:
                raise InputError(f"{at(origin, number)}: '{word}' is not a finite number")
    raise InputError(f"{at(origin, first)}: {counted(n, 'candidate')} announced, but the file ends after {len(rows)}")
