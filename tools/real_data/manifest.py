"""The list of files that data sets consist of."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from real_data.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Entry:
    """A file of a data set.

    Attributes:
        file: its path below the data folder; the first part is the name of the set.
        size: number of bytes.
        sha256: checksum, in hexadecimal digits.
        recipe: how it is made from its sources, a name of ``recipes.RECIPES`` and, after a colon, its argument.
        repository: owner/name of the public repository with the sources.
        paths: the sources in that repository.
    """

    file: str
    size: int
    sha256: str
    recipe: str
    repository: str
    paths: tuple[str, ...]

    @property
    def data_set(self) -> str:
        """The name of the set."""
        return self.file.partition("/")[0]


@dataclass(frozen=True)
class Manifest:
    """All files, and the commit of each repository."""

    entries: tuple[Entry, ...]
    commits: dict[str, str]

    @classmethod
    def read(cls, folder: Path = HERE) -> Manifest:
        """Read ``files.tsv`` and ``sources.tsv`` of a folder."""
        entries = tuple(
            Entry(
                row["file"],
                int(row["bytes"]),
                row["sha256"],
                row["recipe"],
                row["repository"],
                tuple(row["paths"].split(" ")),
            )
            for row in _rows(folder / "files.tsv")
        )
        return cls(entries, {row["repository"]: row["commit"] for row in _rows(folder / "sources.tsv")})

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the data sets, in the order of the list."""
        return tuple(dict.fromkeys(entry.data_set for entry in self.entries))

    def of(self, data_set: str) -> list[Entry]:
        """The files of a set."""
        return [entry for entry in self.entries if entry.data_set == data_set]

    def chosen(self, names: Sequence[str]) -> tuple[str, ...]:
        """The sets that are named, or all of them.

        Raises:
            DataError: a name is unknown.
        """
        unknown = [name for name in names if name not in self.sets]
        if unknown:
            raise DataError(f"no data set named {', '.join(unknown)}; there are: {', '.join(self.sets)}")
        return tuple(dict.fromkeys(names)) or self.sets


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
