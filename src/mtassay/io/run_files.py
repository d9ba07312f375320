"""Files that one run of the command reads and writes: none may be both, since writing would destroy the input.

Files are recorded where they are opened, so that it does not matter how the user named them: as an argument, inside a
metric's specification, as part of a folder, through a link. Outputs are registered before the work begins. Whichever
comes second, the reading or the writing, is refused.

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

    #: Device and number of a file: the same for all its names.
    Identity = tuple[int, int]


class _RunFiles:
    """What a run has read, by identity, and outputs still to be written: by real path, how the user named them."""

    def __init__(self) -> None:
        self.read: dict[Identity, PathLike | None] = {}
        self.outputs: dict[str, str] = {}
        self.replaceable: set[Identity] = set()


_current: ContextVar[_RunFiles | None] = ContextVar("run_files", default=None)


def start_run() -> None:
    """Record files from here on, for the rest of the current context (`contextvars`)."""
    _current.set(_RunFiles())


def add_output(path: PathLike, option: str) -> None:
    """Register a file that will be written, and refuse it if it was read; `option` is how the user named it."""
    run = _current.get()
    if run is not None:
        run.outputs[os.path.realpath(path)] = f"{option} names {os.fspath(path)}, which"
        check_output(path)


def allow_replacing(read: PathLike, written: PathLike) -> None:
    """Let one file be both: weights that are tuned may replace those that tuning started from."""
    run, identity = _current.get(), _identity(read)
    if run is not None and identity is not None and identity == _identity(written):
        run.replaceable.add(identity)


def add_input(file: int, path: PathLike | None, *, is_own: bool = False) -> None:
    """Record a file that is read, and refuse it if it is an output.

    Args:
        file: the descriptor that it was opened with.
        path: its name; None for standard input.
        is_own: it belongs to the toolkit, which may write it anew: a cache.
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
    """Refuse to write a file that this run has read."""
    run, identity = _current.get(), _identity(path)
    if run is None or identity is None or identity not in run.read or identity in run.replaceable:
        return
    name = run.read[identity]
    if name is None or _identity(name) == identity:  # else it was removed, and another file got its number
        raise _lost(run.outputs.get(os.path.realpath(path), os.fspath(path)))


def finish_output(path: PathLike) -> None:
    """Take note that an output was written: from now on it may be read."""
    run = _current.get()
    if run is not None:
        run.outputs.pop(os.path.realpath(path), None)


def _lost(named: str) -> MtassayError:
    # No InputError: code that does without an unreadable file must not do without this one.
    return MtassayError(f"{named} is read and would be lost: choose another file")


def _identity(path: PathLike) -> Identity | None:
    try:
        return _regular(os.stat(path))  # noqa: PTH116  (odd names: ValueError)
    except (OSError, ValueError):
        return None


def _regular(status: os.stat_result) -> Identity | None:
    """Identity of a regular file; devices and pipes are not replaced."""
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
