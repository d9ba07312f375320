"""Arrays computed once and kept in the user's cache folder, each set in one memory-mapped file.

The folder is that of ``mtassay.io.cache``. Files are written atomically, so that two processes may build the same file
at once; a damaged file is rebuilt. If the folder is not writable, a warning is logged and arrays are rebuilt each time.

A file has eight bytes that mark the format and its version, the CRC-32 of everything after it (uint32), the length of
the header (uint32), the header (JSON: each array's type, length and position), and the arrays, little-endian.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.io.cache import cache_folder
from mtassay.io.inputs import open_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

_MARK = b"mtassay\x02"
#: Mark, checksum of what follows the checksum, length of the header.
_PREFIX = struct.Struct("<8sII")
_CHECKED_FROM = 12
_ALIGNMENT = 64
_log = logging.getLogger("mtassay")


def cached_arrays(name: str, build: Callable[[], Arrays], *, description: str) -> Arrays:
    """Return the arrays cached under `name`, building them if they are absent.

    Args:
        name: a file name that identifies everything the arrays depend on.
        build: computes one-dimensional arrays.
        description: what is being built, for the notice.
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
    # Read even after a failure: if an open file cannot be replaced, another process has written it.
    kept = read_arrays(path)
    if kept is None:
        _log.warning("mtassay: nothing is kept for the next time: %s; MTASSAY_CACHE can name another folder", problem)
    return arrays if kept is None else kept


def _keep(path: Path, arrays: Arrays) -> str:
    """Write a file of the cache; return the reason if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Pipes and devices would be written to, and a pipe waits for its reader.
        if path.exists() and not path.is_file():
            return f"{path} is not a regular file"
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
        # Otherwise a crash of the machine may leave the name without the contents.
        file.flush()
        os.fsync(file.fileno())


def _parts(arrays: Arrays) -> Iterator[memoryview | bytes]:
    """The arrays as written: little-endian, each padded to a multiple of the alignment."""
    for array in arrays.values():
        data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        yield data.data
        yield b"\0" * (-data.nbytes % _ALIGNMENT)


def read_arrays(path: Path) -> Arrays | None:
    """Return the arrays of a file, mapped into memory and read-only; None if there is no such file or it is damaged."""
    try:
        # Opening a pipe would wait for its writer.
        if not path.is_file() or path.stat().st_size < _PREFIX.size:
            return None
        with open_input(path, is_own=True) as file:
            data = np.memmap(file, dtype=np.uint8, mode="r")
    except (OSError, ValueError):  # mapping fails if the file became empty meanwhile
        return None
    mark, checksum, length = _PREFIX.unpack(data[: _PREFIX.size].tobytes())
    if mark != _MARK or zlib.crc32(data[_CHECKED_FROM:].data) != checksum:
        return None
    # A file with the right mark and checksum is intact.
    start = _start(length)
    arrays = {}
    for name, (dtype, n, position) in json.loads(data[_PREFIX.size : _PREFIX.size + length].tobytes()).items():
        first = start + position
        arrays[name] = data[first : first + n * np.dtype(dtype).itemsize].view(dtype).view(np.ndarray)
    return arrays


def _start(header_length: int) -> int:
    """Where the arrays begin."""
    return -(-(_PREFIX.size + header_length) // _ALIGNMENT) * _ALIGNMENT
