"""Atomic writing of files and folders."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, overload

from mtassay.errors import InputError
from mtassay.io.run_files import check_output, finish_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from mtassay.io.inputs import PathLike

STDOUT = "-"
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
#: The end of a temporary name: the writing process and a random part.
_LEFTOVER = re.compile(r"([0-9]{1,9})-[0-9a-f]{12}\.tmp")
#: Number of bytes of a target's name in the names of its temporary files.
_NAME_LENGTH = 100
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}


@overload
def atomic_write(
    path: PathLike, *, exact: bool = False, binary: Literal[False] = False
) -> AbstractContextManager[IO[str]]: ...
@overload
def atomic_write(
    path: PathLike, *, binary: Literal[True], replace: bool = True
) -> AbstractContextManager[IO[bytes]]: ...
def atomic_write(
    path: PathLike, *, exact: bool = False, binary: bool = False, replace: bool = True
) -> AbstractContextManager[IO[Any]]:
    r"""Open a file that replaces `path` if the block succeeds; ``-`` or /dev/stdout is standard output.

    Text is UTF-8 with line feeds on every platform. After an exception the old file is unchanged. Pipes,
    devices and open descriptors such as /dev/fd/3, which cannot be replaced, are appended to directly. A read-only
    file is an error, and so is a file that this run of the command has read (`run_files`). Without `replace`, so is any
    file that exists at the end of the block.

    A lone surrogate, which UTF-8 does not allow (such as that of a file name in another encoding), is written as an
    escape such as ``\udcff``, as on standard output. With `exact`, used for data that is read again, it is an error.
    """
    name = os.fspath(path)
    errors = None if binary else "strict" if exact else "backslashreplace"
    descriptor = _descriptor(name)
    if is_standard_output(name):
        return _standard_output(errors)
    if descriptor is not None:
        return _direct(name, descriptor, errors)
    target = _target(path)
    # os.path, not pathlib: it returns False for invalid names.
    if os.path.isdir(target):  # noqa: PTH112
        raise InputError(f"{name} is a folder; give a file name")
    is_special = os.path.exists(target) and not os.path.isfile(target)  # noqa: PTH110, PTH113
    if replace and (is_special or _is_link_to_descriptor(name, target)):
        return _direct(name, name, errors)
    check_replaceable(path)
    return _replacing(target, name, errors, replace=replace)


def is_standard_output(path: PathLike) -> bool:
    """Whether a name is that of standard output: ``-``, /dev/stdout or /dev/fd/1."""
    name = os.fspath(path)
    return name == STDOUT or _descriptor(name) == 1


def check_replaceable(path: PathLike) -> None:
    """Reject a file that is read-only or that this run of the command has read."""
    check_output(path)
    # Root may write to any file, so check the permission bits as well.
    if os.path.isfile(path) and not (os.stat(path).st_mode & _WRITABLE and os.access(path, os.W_OK)):  # noqa: PTH113, PTH116
        raise InputError(f"{os.fspath(path)} is read-only; make it writable, or choose another file")


@contextmanager
def atomic_folder(path: PathLike) -> Iterator[Path]:
    """Yield a new folder that becomes `path` if the block succeeds; `path` must be absent or empty."""
    target = _target(path)
    temporary = _beside(target)
    try:
        if target.is_dir():
            if any(target.iterdir()):
                raise InputError(f"{path} exists and is not empty; choose a new folder")
        elif target.exists():
            raise InputError(f"{path} is a file; choose a new folder")
        _remove_leftovers(target)
        temporary.mkdir()
        with naming_as(temporary, os.fspath(path)):
            yield temporary
        if target.is_dir():
            target.rmdir()
        temporary.rename(target)
        finish_output(path)
    except OSError as error:
        raise _cannot_write(os.fspath(path), error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def naming_as(temporary: Path, name: str) -> Iterator[None]:
    """In errors of the block, name a temporary file or folder as the user knows it."""
    try:
        yield
    except InputError as error:
        if os.fspath(temporary) not in str(error):
            raise
        raise InputError(str(error).replace(os.fspath(temporary), name)) from None


@contextmanager
def _replacing(target: Path, name: str, errors: str | None, *, replace: bool) -> Iterator[IO[Any]]:
    temporary = _beside(target)
    _remove_leftovers(target)
    try:
        # "x" applies the user's umask, which tempfile would not.
        with _writing(temporary, name, "x", errors) as file:
            yield file
        check_replaceable(name)  # again: it may have been read or protected meanwhile
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        if replace:
            temporary.replace(target)
        else:
            _rename_to_new(temporary, target, name)
        finish_output(target)
    except OSError as error:
        if error.filename is not None:
            raise _cannot_write(name, error) from None
        raise
    finally:
        with suppress(OSError):
            temporary.unlink()


def _rename_to_new(temporary: Path, target: Path, name: str) -> None:
    """Rename a file; an error if the new name exists, also if another process has made it just now."""
    try:
        try:
            target.hardlink_to(temporary)  # replaces nothing
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            target.touch(exist_ok=False)
            temporary.replace(target)
    except FileExistsError:
        raise InputError(f"{name} exists; choose another name") from None


@contextmanager
def _direct(name: str, place: str | int, errors: str | None) -> Iterator[IO[Any]]:
    try:
        # A copy of the descriptor shares its position; opening it by name would start at the beginning.
        place = os.dup(place) if isinstance(place, int) else place
    except OSError as error:
        raise _cannot_write(name, error) from None
    with _writing(place, name, "a", errors) as file:
        yield file


@contextmanager
def _writing(place: Path | str | int, name: str, mode: str, errors: str | None) -> Iterator[IO[Any]]:
    """Open for writing; `name` is used in messages; `errors` is the error handler of text, None for bytes."""
    try:
        if errors is None:
            file: IO[Any] = open(place, f"{mode}b")  # noqa: PTH123, SIM115  (descriptors too; closed below)
        else:
            file = open(place, mode, encoding="utf-8", errors=errors, newline="\n")  # noqa: PTH123, SIM115
    except OSError as error:
        raise _cannot_write(name, error) from None
    try:
        with file:
            yield file
    except UnicodeEncodeError as error:
        raise _not_in_utf8(name, error) from None
    except OSError as error:
        if error.errno in _WRITE_ERRORS:
            raise _cannot_write(name, error) from None
        raise


@contextmanager
def _standard_output(errors: str | None) -> Iterator[IO[Any]]:
    if sys.stdout is None:  # closed by the shell: >&-
        raise InputError("standard output is closed; give a file name")
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # a notebook's output accepts only text
        if errors is None:
            raise InputError("standard output does not accept binary data here; give a file name")
        yield sys.stdout
        return
    sys.stdout.flush()
    if errors is None:
        yield buffer
    else:
        from io import TextIOWrapper

        text = TextIOWrapper(buffer, encoding="utf-8", errors=errors, newline="\n")
        try:
            yield text
        except UnicodeEncodeError as error:
            raise _not_in_utf8("standard output", error) from None
        finally:
            text.detach()  # flushes, and leaves standard output open
    buffer.flush()


def _target(path: PathLike) -> Path:
    """The file to write: links are followed, so that their target is replaced and not the link."""
    name = os.fspath(path)
    if not name:
        raise InputError("an empty file name; give a file name")
    if "\0" in name:
        raise InputError(f"{name!r} is not a file name")
    return Path(os.path.realpath(name))


def _descriptor(name: str) -> int | None:
    """The open descriptor that a name such as /dev/fd/3 stands for."""
    match = _DESCRIPTOR.fullmatch(name)
    return _DESCRIPTORS.get(name) if match is None else int(match[1])


def _is_link_to_descriptor(name: str, target: Path) -> bool:
    """Whether /dev/... or /proc/... is a redirected file, whose contents must be kept."""
    return name.startswith(("/dev/", "/proc/")) and not target.is_relative_to("/dev")


def _beside(target: Path) -> Path:
    """A new name in the same folder, with the target's name and the writing process."""
    return target.with_name(f"{_leftover_stem(target)}{os.getpid()}-{secrets.token_hex(6)}.tmp")


def _leftover_stem(target: Path) -> str:
    """The beginning of a target's temporary names; it depends on the machine, since process numbers do."""
    name, machine = os.fsencode(target.name), os.uname().nodename if hasattr(os, "uname") else ""
    # The name is truncated to leave room for the rest; the checksum distinguishes names with the same beginning.
    return f".{os.fsdecode(name[:_NAME_LENGTH])}.{zlib.crc32(name + os.fsencode(machine)):08x}-"


def _remove_leftovers(target: Path) -> None:
    """Remove temporary files of earlier writers of the same target that were killed."""
    if os.name != "posix":  # no way to ask whether a process is alive
        return
    stem = _leftover_stem(target)
    with suppress(OSError):
        for name in os.listdir(target.parent):  # noqa: PTH208  (names alone)
            match = _LEFTOVER.fullmatch(name.removeprefix(stem)) if name.startswith(stem) else None
            if match is None or _is_alive(int(match[1])):
                continue
            entry = target.with_name(name)
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's process
        return True
    return True


def _not_in_utf8(name: str, error: UnicodeEncodeError) -> InputError:
    odd = error.object[error.start : error.end]
    return InputError(f"{name} cannot be written: UTF-8 does not allow the lone surrogate {odd!r}; clean the text")


def _cannot_write(name: str, error: OSError) -> InputError:
    folder = Path(name).parent
    if isinstance(error, FileNotFoundError) and not folder.is_dir():
        return InputError(f"{name} cannot be written: there is no folder {folder}; create it first")
    return InputError(f"{name} cannot be written: {error.strerror or error}")
