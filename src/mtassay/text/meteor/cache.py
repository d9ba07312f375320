"""Arrays that are computed once and kept in the user's cache folder, each set in one file that is mapped into memory.

The folder is that of the environment variable MTASSAY_CACHE, else the platform's own: $XDG_CACHE_HOME/mtassay or
~/.cache/mtassay, ~/Library/Caches/mtassay on macOS, %LOCALAPPDATA%/mtassay/Cache on Windows. A file appears whole or
not at all, so that two processes may build the same one at once; a damaged file is built anew; a folder that cannot be
written to costs the time to build again, and says so. Everything in the folder may be deleted at any time.

A file holds eight bytes of mark and version, the CRC-32 of all that follows (uint32), the length of its header
(uint32), the header (JSON: each array's type, length and position), and the arrays, little-endian.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.atomic import atomic_write
from mtassay.data.inputs import open_input
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

_MARK = b"mtassay\x02"
#: Mark, checksum of what follows the checksum, length of the header.
_PREFIX = struct.Struct("<8sII")
_CHECKED_FROM = 12
_ALIGNMENT = 64
_log = logging.getLogger("mtassay")


def cache_folder() -> Path:
    """Return where computed arrays are kept; it may not exist yet."""
    named = os.environ.get("MTASSAY_CACHE")
    try:
        return Path(named).expanduser() if named else _default_folder()
    except RuntimeError:
        raise InputError("the home folder is not known; MTASSAY_CACHE can name a folder for the cache") from None


def _default_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "mtassay"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "mtassay" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mtassay"


def cached_arrays(name: str, build: Callable[[], Arrays], *, description: str) -> Arrays:
    """Return the arrays kept under `name`, building and keeping them if they are not there.

    Args:
        name: a file name that says what the arrays depend on, so that another source has another name.
        build: computes one-dimensional arrays.
        description: what is built, as a notice says it.
    """
    try:
        path = cache_folder() / name
    except InputError as error:
        _log.warning("mtassay: %s; %s", description, error)
        return build()
    if (found := read_arrays(path)) is not None:
        return found
    _log.warning("mtassay: %s, to keep in %s", description, path.parent)
    arrays = build()
    problem = _keep(path, arrays)
    # Also after a failure: where an open file cannot be replaced, another process has written it.
    kept = read_arrays(path)
    if kept is None:
        _log.warning("mtassay: nothing is kept for the next time: %s; MTASSAY_CACHE can name another folder", problem)
    return arrays if kept is None else kept


def _keep(path: Path, arrays: Arrays) -> str:
    """Write a file of the cache; return why it is not there or cannot be read."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Pipes and devices would be written to, and a pipe waits for its reader.
        if path.exists() and not path.is_file():
            return f"{path} is no regular file"
        write_arrays(path, arrays)
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"{path.parent} cannot be used: {error.strerror or error}"
    return f"{path} cannot be read"


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write one-dimensional arrays to one file, which replaces what was there."""
    entries, position = {}, 0
    for name, array in arrays.items():
        entries[name] = [array.dtype.newbyteorder("<").str, len(array), position]
        position += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps(entries).encode()
    start = (struct.pack("<I", len(header)) + header).ljust(_start(len(header)) - _CHECKED_FROM, b"\0")
    checksum = zlib.crc32(start)
    for part in _parts(arrays):
        checksum = zlib.crc32(part, checksum)
    with atomic_write(path, binary=True) as file:
        file.write(_MARK + struct.pack("<I", checksum) + start)
        for part in _parts(arrays):
            file.write(part)
        # Otherwise a machine that stops may leave the name without the contents.
        file.flush()
        os.fsync(file.fileno())


def _parts(arrays: Arrays) -> Iterator[memoryview | bytes]:
    """The arrays as they are written: little-endian, each filled up to a multiple of the alignment."""
    for array in arrays.values():
        data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        yield data.data
        yield b"\0" * (-data.nbytes % _ALIGNMENT)


def read_arrays(path: Path) -> Arrays | None:
    """Return the arrays of a file, mapped into memory and read-only; None if there is no such file or it is damaged."""
    try:
        # A pipe would wait for its writer.
        if not path.is_file() or path.stat().st_size < _PREFIX.size:
            return None
        with open_input(path, is_own=True) as file:
            data = np.memmap(file, dtype=np.uint8, mode="r")
    except (OSError, ValueError):  # mapping refuses a file that became empty since
        return None
    mark, checksum, length = _PREFIX.unpack(data[: _PREFIX.size].tobytes())
    if mark != _MARK or zlib.crc32(data[_CHECKED_FROM:].data) != checksum:
        return None
    # What has the mark and the checksum is as it was written.
    start = _start(length)
    arrays = {}
    for name, (dtype, n, position) in json.loads(data[_PREFIX.size : _PREFIX.size + length].tobytes()).items():
        first = start + position
        arrays[name] = data[first : first + n * np.dtype(dtype).itemsize].view(dtype).view(np.ndarray)
    return arrays


def _start(header_length: int) -> int:
    """Where the arrays begin."""
    return -(-(_PREFIX.size + header_length) // _ALIGNMENT) * _ALIGNMENT
