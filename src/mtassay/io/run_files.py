"""Record of the files that one run of the command reads and writes: no input may be overwritten.

Files are recorded when they are opened, so that it does not matter how the user named them: as an argument, inside a
metric's specification, as part of a folder, through a link. Outputs are registered before the work begins. Reading an
output, or writing an input, is an error.

The rule holds for one run of the command. In Python, where a program may write a file, read it and write it again,
nothing is recorded.
"""

from __future__ import annotations

import os
import stat
from contextvars import ContextVar
from typing import TYPE_CHECKING

from mtassay.errors import MtassayError

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

    #: Device and inode of a file: the same for all its names.
    Identity = tuple[int, int]


class _RunFiles:
    """Files that a run has read, by identity, and the user's names of pending outputs, by real path."""

    def __init__(self) -> None:
        self.read: dict[Identity, PathLike | None] = {}
        self.outputs: dict[str, str] = {}
        self.replaceable: set[Identity] = set()


_current: ContextVar[_RunFiles | None] = ContextVar("run_files", default=None)


def start_run() -> None:
    """Record files from here on, for the rest of the current context (`contextvars`)."""
    _current.set(_RunFiles())


def register_output(path: PathLike, option: str) -> None:
    """Register a file that will be written; an error if it was read. `option` names it in messages."""
    run = _current.get()
    if run is not None:
        run.outputs[os.path.realpath(path)] = f"{option} names {os.fspath(path)}, which"
        check_output(path)


def allow_replacing(read: PathLike, written: PathLike) -> None:
    """Allow one file to be read and written: tuned weights may replace the starting weights."""
    run, identity = _current.get(), _identity(read)
    if run is not None and identity is not None and identity == _identity(written):
        run.replaceable.add(identity)


def register_input(file: int, path: PathLike | None, *, is_own: bool = False) -> None:
    """Record a file that is read; an error if it is an output.

    Args:
        file: its open descriptor.
        path: its name; None for standard input.
        is_own: whether it is a cache of the toolkit, which may be rewritten.
    """
    run, identity = _current.get(), _regular(os.fstat(file))
    if run is None or identity is None or identity in run.replaceable:
        return
    for output, named in run.outputs.items():
        if _identity(output) == identity:
            raise _lost(named)
    if not is_own:
        run.read[identity] = path


def check_output(path: PathLike) -> None:
    """Raise an error for an output that this run has read."""
    run, identity = _current.get(), _identity(path)
    if run is None or identity is None or identity not in run.read or identity in run.replaceable:
        return
    name = run.read[identity]
    if name is None or _identity(name) == identity:  # else it was removed, and another file got its inode
        raise _lost(run.outputs.get(os.path.realpath(path), os.fspath(path)))


def finish_output(path: PathLike) -> None:
    """Record that an output was written: from now on it may be read."""
    run = _current.get()
    if run is not None:
        run.outputs.pop(os.path.realpath(path), None)


def _lost(named: str) -> MtassayError:
    # Not an InputError, which some callers catch to skip unreadable files.
    return MtassayError(f"{named} is also an input and would be overwritten: choose another file")


def _identity(path: PathLike) -> Identity | None:
    try:
        return _regular(os.stat(path))  # noqa: PTH116  (odd names: ValueError)
    except (OSError, ValueError):
        return None


def _regular(status: os.stat_result) -> Identity | None:
    """Identity of a regular file; devices and pipes are not replaced."""
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
