"""Outputs that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, overload

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from mtassay.data.inputs import PathLike

STDOUT = "-"
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@overload
def atomic_write(path: PathLike, *, binary: Literal[False] = False) -> AbstractContextManager[IO[str]]: ...
@overload
def atomic_write(path: PathLike, *, binary: Literal[True]) -> AbstractContextManager[IO[bytes]]: ...
def atomic_write(path: PathLike, *, binary: bool = False) -> AbstractContextManager[IO[Any]]:
    """Open a file that replaces `path` once the block ends well; ``-`` is standard output.

    Text is UTF-8 with line feeds on every platform. After an exception the old file is as it was.
    """
    if os.fspath(path) == STDOUT:
        return _standard_output(binary)
    return _replacing(_target(path), os.fspath(path), binary)


@contextmanager
def atomic_folder(path: PathLike) -> Iterator[Path]:
    """Yield a new folder that becomes `path` once the block ends well; `path` must be absent or empty."""
    target = _target(path)
    if target.is_dir():
        if any(target.iterdir()):
            raise InputError(f"{path} exists and is not empty; choose a new folder")
    elif target.exists():
        raise InputError(f"{path} is a file; choose a new folder")
    temporary = _beside(target)
    try:
        temporary.mkdir()
        yield temporary
        if target.is_dir():
            target.rmdir()
        temporary.rename(target)
    except OSError as error:
        raise _cannot_write(os.fspath(path), error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _replacing(target: Path, name: str, binary: bool) -> Iterator[IO[Any]]:
    if target.is_dir():
        raise InputError(f"{name} is a folder; give a file name")
    in_place = target.exists() and not target.is_file()
    temporary = target if in_place else _beside(target)
    try:
        # "x" takes the permissions that the user's umask gives, which tempfile would not;
        # devices and pipes such as /dev/null cannot be replaced and are written to directly.
        file = _open(temporary, "w" if in_place else "x", binary)
    except OSError as error:
        raise _cannot_write(name, error) from None
    try:
        with file:
            yield file
        if not in_place:
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
    except OSError as error:
        if error.errno in _DISK_ERRORS or error.filename is not None:
            raise _cannot_write(name, error) from None
        raise
    finally:
        if not in_place:
            temporary.unlink(missing_ok=True)


@contextmanager
def _standard_output(binary: bool) -> Iterator[IO[Any]]:
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # a notebook's output takes text only
        if binary:
            raise InputError("standard output takes no binary data here; give a file name")
        yield sys.stdout
        return
    sys.stdout.flush()
    if binary:
        yield buffer
    else:
        from io import TextIOWrapper

        text = TextIOWrapper(buffer, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # flushes, and leaves standard output open
    buffer.flush()


def _target(path: PathLike) -> Path:
    """Where to write: links are followed, so that what they point to is replaced and not the link."""
    name = os.fspath(path)
    if "\0" in name:
        raise InputError(f"{name!r} is no file name")
    return Path(os.path.realpath(name))


def _open(path: Path, mode: str, binary: bool) -> IO[Any]:
    return path.open(f"{mode}b") if binary else path.open(mode, encoding="utf-8", newline="\n")


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")


def _cannot_write(name: str, error: OSError) -> InputError:
    folder = Path(name).parent
    if isinstance(error, FileNotFoundError) and not folder.is_dir():
        return InputError(f"{name} cannot be written: there is no folder {folder}; create it first")
    return InputError(f"{name} cannot be written: {error.strerror or error}")
