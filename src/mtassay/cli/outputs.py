"""Checks that outputs can be written and that no output is also an input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.errors import MtassayError
from mtassay.io.run_files import add_output, allow_replacing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

#: Arguments that name outputs, and their option strings.
_WRITTEN = {"output": "-o", "keep": "--keep", "save": "--save", "plot": "--plot"}
#: The metavars of outputs that may be existing folders, to which files are added.
_FOLDERS = {"FOLDER", "PATH"}
#: Tuned weights may replace the starting weights.
_MAY_REPLACE = {"save": ("start", "ini")}
_STDOUT = "-"


def check_outputs(args: argparse.Namespace, actions: Iterable[argparse.Action]) -> None:
    """Reject, before any work is done, outputs that are unwritable, named like an archive, or given twice.

    Outputs are registered, so that reading one is an error (`mtassay.io.run_files`).

    Args:
        args: the parsed arguments.
        actions: the arguments that the command defines.
    """
    known = list(actions)
    folders = {action.dest for action in known if action.metavar in _FOLDERS}
    always_folders = {action.dest for action in known if action.metavar == "FOLDER"}
    flags: dict[str, str] = {}
    for name, path in _outputs(args):
        if "\0" in path:
            raise MtassayError(f"{path!r} is not a file name")
        place = _STDOUT if path == _STDOUT else os.path.realpath(path)
        if place in flags:
            if flags[place] == _WRITTEN[name]:
                raise MtassayError(f"{_WRITTEN[name]} names {path} twice: give each a file of its own")
            raise MtassayError(f"{flags[place]} and {_WRITTEN[name]} name the same file: {path}")
        flags[place] = _WRITTEN[name]
        if path == _STDOUT and name in always_folders:
            raise MtassayError(f"{_WRITTEN[name]} names a folder, which cannot go to standard output")
        if path != _STDOUT:
            for replaced in _MAY_REPLACE.get(name, ()):
                given = getattr(args, replaced) or []
                for start in [given] if isinstance(given, str) else given:
                    allow_replacing(start, path)
            add_output(path, _WRITTEN[name])
            _check_place(path, may_be_folder=name in folders)


def _check_place(path: str, *, may_be_folder: bool) -> None:
    """Reject a path that cannot be written."""
    from mtassay.io.atomic import check_replaceable  # imported here to start fast

    # os.path, not pathlib: it returns False for invalid names.
    folder = Path(path).parent
    if not os.path.isdir(folder):  # noqa: PTH112
        if not _may_be_looked_up(folder):
            raise MtassayError(f"{path} cannot be written: no permission to read its folder")
        raise MtassayError(f"{path} cannot be written: there is no folder {folder}; create it first")
    if os.path.isdir(path) and not may_be_folder:  # noqa: PTH112
        raise MtassayError(f"{path} is a folder; give a file name")
    if not may_be_folder:
        _check_suffix(path)
    # A regular file is replaced, so its folder must be writable. Others (/dev/null) are opened for writing.
    written = folder if os.path.isfile(path) or not os.path.exists(path) else path  # noqa: PTH110, PTH113
    if not os.access(written, os.W_OK):
        raise MtassayError(f"{path} cannot be written: permission denied")
    check_replaceable(path)


def _may_be_looked_up(folder: Path) -> bool:
    try:
        folder.stat()
    except PermissionError:
        return False
    except (OSError, ValueError):
        return True
    return True


def _check_suffix(path: str) -> None:
    """Reject names of compressed files: outputs are not compressed, and readers would find a broken archive."""
    from mtassay.io.inputs import COMPRESSION_SUFFIXES

    suffix = Path(path).suffix
    kind = COMPRESSION_SUFFIXES.get(suffix.lower())
    if kind is not None:
        raise MtassayError(f"{path} is named like a {kind} file, but outputs are not compressed: leave out {suffix}")


def _outputs(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for name in _WRITTEN:
        value = getattr(args, name, None)
        if isinstance(value, list):  # --plot KIND FILE, any number of times
            yield from ((name, path) for _, path in value)
        elif value is not None or (name == "output" and hasattr(args, name)):
            yield name, _STDOUT if value is None else value
