"""Outputs of one run of the command: no input may be overwritten.

Files are recorded when they are opened, so that it does not matter how the user named them: as an argument, inside a
metric's specification, as part of a folder, through a link. Outputs are registered before the work begins. Reading an
output, or writing an input, is an error.

The rule holds for one run of the command. In Python, where a program may write a file, read it and write it again,
nothing is recorded.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mtassay.io import current_run, identity_of, lost

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike


def register_output(path: PathLike, option: str) -> None:
    """Register a file that will be written; an error if it was read. `option` names it in messages."""
    run = current_run.get()
    if run is not None:
        run.outputs[os.path.realpath(path)] = f"{option} names {os.fspath(path)}, which"
        check_output(path)


def allow_replacing(read: PathLike, written: PathLike) -> None:
    """Allow one file to be read and written: tuned weights may replace the starting weights."""
    run, identity = current_run.get(), identity_of(read)
    if run is not None and identity is not None and identity == identity_of(written):
        run.replaceable.add(identity)


def check_output(path: PathLike) -> None:
    """Raise an error for an output that this run has read."""
    run, identity = current_run.get(), identity_of(path)
    if run is None or identity is None or identity not in run.read or identity in run.replaceable:
        return
    name = run.read[identity]
    if name is None or identity_of(name) == identity:  # else it was removed, and another file got its inode
        raise lost(run.outputs.get(os.path.realpath(path), os.fspath(path)))


def finish_output(path: PathLike) -> None:
    """Record that an output was written: from now on it may be read."""
    run = current_run.get()
    if run is not None:
        run.outputs.pop(os.path.realpath(path), None)
