"""Arrays that are computed once and kept in the user's cache folder, each set in one file that is mapped into memory.

The folder is that of the environment variable MTASSAY_CACHE, else the platform's own: $XDG_CACHE_HOME/mtassay or
~/.cache/mtassay, ~/Library/Caches/mtassay on macOS, %LOCALAPPDATA%/mtassay/Cache on Windows. A file appears whole or
not at all, so that two processes may build the same one at once; a damaged file is built anew; a folder that cannot be
written to costs the time to build again, and says so. Everything in the folder may be deleted at any time.

A file holds eight bytes of mark and version, the length of its header (uint32), the header (JSON: the total size, a
checksum of each array, and each array's type, length and position), and the arrays, little-endian.
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
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

_MARK = b"mtassay\x01"
_ALIGNMENT = 64
_log = logging.getLogger("mtassay")


def cache_folder() -> Path:
    """Return where computed arrays are kept; it may not exist yet."""
    if named := os.environ.get("MTASSAY_CACHE"):
        return Path(named).expanduser()
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
    path = cache_folder() / name
    if (found := read_arrays(path)) is not None:
        return found
    _log.warning("mtassay: %s, to keep in %s", description, path.parent)
    arrays = build()
    failure: Exception | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, arrays)
    except (InputError, OSError) as error:
        failure = error
    # Also after a failure: where an open file cannot be replaced, another process has written it.
    kept = read_arrays(path)
    if kept is None:
        _log.warning("mtassay: nothing is kept for the next time (%s); MTASSAY_CACHE can name another folder", failure)
    return arrays if kept is None else kept


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write one-dimensional arrays to one file, which replaces what was there."""
    entries, position = {}, 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array)
        entries[name] = [data.dtype.newbyteorder("<").str, len(data), position, zlib.crc32(data.data)]
        position += -(-data.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps({"size": position, "arrays": entries}).encode()
    start = _start(len(header))
    with atomic_write(path, binary=True) as file:
        file.write((_MARK + struct.pack("<I", len(header)) + header).ljust(start, b"\0"))
        for array in arrays.values():
            data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            file.write(data.data)
            file.write(b"\0" * (-data.nbytes % _ALIGNMENT))
        # Otherwise a machine that stops may leave the name without the contents.
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: Path) -> Arrays | None:
    """Return the arrays of a file, mapped into memory and read-only; None if there is no such file or it is damaged."""
    try:
        with open_input(path, is_own=True) as file:
            mark, length = struct.unpack("<8sI", file.read(12))
            if mark != _MARK:
                return None
            header = json.loads(file.read(length))
        data = np.memmap(path, dtype=np.uint8, mode="r")
        start = _start(length)
        if len(data) != start + header["size"]:
            return None
        arrays = {}
        for name, (dtype, n, position, checksum) in header["arrays"].items():
            first = start + position
            array = data[first : first + n * np.dtype(dtype).itemsize].view(dtype)
            if zlib.crc32(array.data) != checksum:
                return None
            arrays[name] = array.view(np.ndarray)
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return None
    return arrays


def _start(header_length: int) -> int:
    return -(-(12 + header_length) // _ALIGNMENT) * _ALIGNMENT
