"""File formats, one per module. This module has functions on file names."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mtassay.errors import InputError
from mtassay.io.inputs import COMPRESSION_SUFFIXES, PathLike

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Suffixes of NIST SGML files.
SGML = (".sgm", ".sgml")
TEXT_SUFFIXES = (".txt", *SGML)
#: Suffixes of whole test sets.
_TEST_SETS = (".jsonl", ".tsv", ".xml")
#: A language pair as mt-metrics-eval names it.
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")


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


def stem_and_suffix(path: PathLike) -> tuple[str, str]:
    """Stem and suffix of a file name, without the suffix of compression; suffixes are lower case."""
    stem, suffix = os.path.splitext(uncompressed_name(path))  # noqa: PTH122
    return stem, suffix.lower()


def is_test_set(path: PathLike, *, n_ref_columns: int = 1) -> bool:
    """Whether a path is a whole test set by its name: a folder, or .jsonl, .tsv or .xml (compressed or not).

    So is the name of a language pair in a folder of mt-metrics-eval (see ``pair_of_folder``).
    SGML files are not, since most have only references or systems; nor are .tsv files with several reference columns.

    >>> is_test_set("wmt.jsonl.gz"), is_test_set("WMT.TSV"), is_test_set("ref.txt")
    (True, True, False)
    >>> is_test_set("refs.tsv", n_ref_columns=2)
    False
    """
    suffix = stem_and_suffix(path)[1]
    if suffix == ".tsv" and n_ref_columns > 1:
        return is_directory(path)
    return suffix in _TEST_SETS or is_directory(path) or pair_of_folder(path) is not None


def pair_of_folder(path: PathLike) -> tuple[str, str] | None:
    """Folder and language pair that ``wmt23/en-de`` names: a pair of the folder wmt23 in mt-metrics-eval's layout."""
    folder, pair = os.path.split(os.fspath(path))
    if not _PAIR.fullmatch(pair) or os.path.exists(path):  # noqa: PTH110  (any name)
        return None
    return (folder, pair) if is_directory(os.path.join(folder, "references")) else None  # noqa: PTH118


def is_directory(path: PathLike) -> bool:
    """Whether a path is a folder; False for invalid names."""
    # os.path, not pathlib: it returns False for invalid names instead of raising.
    return os.path.isdir(path)  # noqa: PTH112
