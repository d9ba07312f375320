"""What a command writes has a place to go, and is nothing that it reads."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.errors import MtassayError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

#: Arguments that name what is written, and their options.
_WRITTEN = {"output": "-o", "keep": "--keep", "save": "--save", "plot": "--plot"}
#: Arguments that name what is read, by what ``--help`` calls their values.
_READ = {"REF", "SYS", "FILE", "PATH", "LIST", "FEATURES", "SCORES", "CORPUS", "INDEX", "MODEL"}
_SPECIFICATIONS = {"METRIC", "SPEC"}
#: What ``--help`` calls outputs that may be folders, to which something is added.
_FOLDERS = {"FOLDER", "PATH"}
#: Weights that are tuned may replace those that the tuning started from.
_MAY_REPLACE = {"save": {"start", "ini"}}
_FILE_METRIC = re.compile(r'\bfile:(?:"([^"]+)"|([^",+]+))')
_STDOUT = "-"


def check_outputs(args: argparse.Namespace, actions: Iterable[argparse.Action]) -> None:
    """Refuse, before any work is done, outputs in no folder, named like an archive, given twice, or that are inputs.

    Args:
        args: what the command was given.
        actions: the arguments that it knows.
    """
    known = list(actions)
    folders = {action.dest for action in known if action.metavar in _FOLDERS}
    always_folders = {action.dest for action in known if action.metavar == "FOLDER"}
    flags: dict[str, str] = {}
    for name, path in _outputs(args):
        place = _STDOUT if path == _STDOUT else os.path.realpath(path.replace("\0", ""))
        if place in flags:
            raise MtassayError(f"{flags[place]} and {_WRITTEN[name]} name the same file: {path}")
        flags[place] = _WRITTEN[name]
        if path == _STDOUT and name in always_folders:
            raise MtassayError(f"{_WRITTEN[name]} names a folder, which cannot go to standard output")
        if path != _STDOUT:
            _check_place(path, may_be_folder=name in folders)
        inputs = _inputs(args, known, besides=_MAY_REPLACE.get(name, set()))
        if os.path.isfile(path) and any(_same(path, read) for read in inputs):  # noqa: PTH113  (odd names: False)
            raise MtassayError(f"{_WRITTEN[name]} names {path}, which is read and would be lost: choose another file")


def _check_place(path: str, *, may_be_folder: bool) -> None:
    """Refuse what cannot be written."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise MtassayError(f"{path} cannot be written: there is no folder {folder}; create it first")
    if os.path.isdir(path) and not may_be_folder:  # noqa: PTH112  (odd names: False)
        raise MtassayError(f"{path} is a folder; give a file name")
    if not may_be_folder:
        _check_suffix(path)
    # A file is replaced, not changed: what counts is its folder. What is no file (/dev/null) is written to.
    written = folder if os.path.isfile(path) or not os.path.exists(path) else path  # noqa: PTH110, PTH113
    if not os.access(written, os.W_OK):
        raise MtassayError(f"{path} cannot be written: you may not write there")


def _check_suffix(path: str) -> None:
    """Refuse a name that promises what is not done: readers would take the file for a broken archive."""
    from mtassay.io.inputs import COMPRESSION_SUFFIXES

    suffix = Path(path).suffix
    kind = COMPRESSION_SUFFIXES.get(suffix.lower())
    if kind is not None:
        raise MtassayError(f"{path} is named like a {kind} file, and outputs are not compressed: leave out {suffix}")


def _outputs(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for name in _WRITTEN:
        value = getattr(args, name, None)
        if isinstance(value, list):  # --plot KIND FILE, any number of times
            yield from ((name, path) for _, path in value)
        elif value is not None or (name == "output" and hasattr(args, name)):
            yield name, _STDOUT if value is None else value


def _inputs(args: argparse.Namespace, actions: Iterable[argparse.Action], *, besides: set[str]) -> Iterator[str]:
    """Files that are read; a metric may be one: file:PATH."""
    for action in actions:
        metavars = {action.metavar} if isinstance(action.metavar, str) else set(action.metavar or ())
        value = getattr(args, action.dest, None)
        if not value or action.dest in _WRITTEN or action.dest in besides:
            continue
        values = [value] if isinstance(value, str) else value
        if metavars & _READ:
            yield from values
        elif metavars & _SPECIFICATIONS:
            yield from (quoted or plain for text in values for quoted, plain in _FILE_METRIC.findall(text))


def _same(written: str, read: str) -> bool:
    """Whether two names are of one file; in the second, {lp} stands for any language pair."""
    if "{lp}" in read:
        pattern = r"[\w-]+".join(map(re.escape, str(Path(read).absolute()).split("{lp}")))
        return re.fullmatch(pattern, str(Path(written).absolute())) is not None
    try:
        return Path(written).samefile(read)
    except (OSError, ValueError):
        return False
