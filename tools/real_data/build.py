"""Build data sets: a file at a time, each checked, and a set appears when it is complete."""

from __future__ import annotations

import hashlib
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from real_data import recipes
from real_data.errors import DataError

if TYPE_CHECKING:
    from real_data.manifest import Entry, Manifest
    from real_data.sources import Read

#: Told after each file: how many are done.
Progress = Callable[[int], None]
#: Sets that are not complete lie here, below the data folder.
UNFINISHED = ".unfinished"
#: What recipes raise where a source is not what it should be.
_BROKEN = (EOFError, KeyError, OSError, ParseError, ValueError, tarfile.TarError, zlib.error)


@dataclass(frozen=True)
class Built:
    """What was done for a set: number of files that were made and that were there, and bytes of all."""

    n_made: int
    n_kept: int
    n_bytes: int


def build(manifest: Manifest, data_set: str, folder: Path, *, read: Read, progress: Progress) -> Built:
    """Make what a set lacks.

    A new set is collected in a folder of its own and renamed when it is complete, so that an interrupted run leaves
    no half set, and the next one goes on where it stopped. In a set that is there, missing and changed files are
    made anew; other files are left alone.

    Args:
        manifest: the list of files.
        data_set: a name of the list.
        folder: the data folder.
        read: reads sources.
        progress: told how many files are done.

    Raises:
        DataError: a source cannot be read, or a file does not have its checksum.
    """
    final, unfinished = folder / data_set, folder / UNFINISHED / data_set
    place = final if final.is_dir() else unfinished
    entries = manifest.of(data_set)
    known: dict[tuple[str, str], bytes] = {}
    n_made = 0
    for n_done, entry in enumerate(entries, start=1):
        path = place / entry.file.partition("/")[2]
        if not _is_right(path, entry):
            contents = _made(entry, entries, manifest, read=read, known=known)
            _write(path, contents)
            n_made += 1
        progress(n_done)
    if place == unfinished:
        unfinished.rename(final)
        if not any(unfinished.parent.iterdir()):
            unfinished.parent.rmdir()
    return Built(n_made, len(entries) - n_made, sum(entry.size for entry in entries))


def _made(
    entry: Entry, entries: list[Entry], manifest: Manifest, *, read: Read, known: dict[tuple[str, str], bytes]
) -> bytes:
    """Contents of a file, checked. Sources stay in `known`, for further files that need them."""
    sources = []
    for path in entry.paths:
        key = (entry.repository, path)
        if key not in known:
            known[key] = read(entry.repository, manifest.commits[entry.repository], path)
        sources.append((path, known[key]))
    origin = f"{entry.repository} {' '.join(entry.paths)}"
    try:
        contents = recipes.make(entry, sources, entries)
    except _BROKEN as error:
        raise DataError(f"{entry.file}: cannot be made from {origin}, which is broken or another version") from error
    if hashlib.sha256(contents).hexdigest() != entry.sha256:
        raise DataError(f"{entry.file}: wrong checksum; {origin} is broken or another version")
    return contents


def _is_right(path: Path, entry: Entry) -> bool:
    if not path.is_file() or path.stat().st_size != entry.size:
        return False
    return hashlib.sha256(path.read_bytes()).hexdigest() == entry.sha256


def _write(path: Path, contents: bytes) -> None:
    """Write a file under another name and rename it; what a killed run left under that name is written over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(contents)
    part.replace(path)
