"""File formats, one per module. This module has functions on file names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mtassay.errors import InputError
from mtassay.io.inputs import COMPRESSION_SUFFIXES, PathLike

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TEXT_SUFFIXES = (".txt", ".sgm", ".sgml")


def uncompressed_name(path: PathLike) -> str:
    """File name without folder and without .gz, .bz2 or .xz."""
    name = os.path.basename(os.fspath(path).rstrip(os.sep))  # noqa: PTH119  (pathlib takes 2 ms to load)
    return without_suffix(name, COMPRESSION_SUFFIXES)


def system_name(path: PathLike) -> str:
    """Name of the system whose outputs a file has; only known suffixes are removed.

    >>> system_name("hyp/online-A.txt.gz"), system_name("hyp/online-A.0")
    ('online-A', 'online-A.0')
    """
    return without_suffix(uncompressed_name(path), TEXT_SUFFIXES)


def visible_files(folder: Path) -> list[Path]:
    """Files of a folder in order of their names, without hidden ones."""
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_file() and not entry.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder} cannot be listed: {error.strerror}") from None


def without_suffix(name: str, suffixes: Iterable[str]) -> str:
    """The name without the first of the suffixes that it ends in, in upper or lower case."""
    for suffix in suffixes:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name
