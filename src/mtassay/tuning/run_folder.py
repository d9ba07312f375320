"""The folder of a run: the inputs and results of every iteration, so that a run that was killed can be resumed.

run.json          how the run was set
iteration-01/     weights.txt (or moses.ini), nbest.txt, decoder.log, and, once it is complete, iteration.json
iteration-02/     …
weights.txt       the best weights (also as moses.ini), and
result.json       the result, once the run is complete
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mtassay.errors import InputError
from mtassay.io.atomic import atomic_write
from mtassay.io.inputs import PathLike, open_input, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEMA = "mtassay.tuning-run/1"
_OPTIONS, _ITERATION, _LOCK = "run.json", "iteration.json", ".lock"

#: Number of characters of an option that a message shows, and how many of them are before the first difference.
_BRIEF, _BEFORE = 60, 20


class RunFolder:
    """A folder of one run.

    Args:
        path: the folder: a new or empty one, or that of a run with the same options.
        options: the options of the run, as plain values; the folder of a run with other options is rejected.
    """

    def __init__(self, path: PathLike, options: Mapping[str, Any]) -> None:
        self.path = Path(os.fspath(path))
        self._options = {"schema": SCHEMA, **options}

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder, or check that it belongs to this run; no other process can use it inside the block."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._check()  # before anything is written: a rejected folder stays unchanged
            lock = (self.path / _LOCK).open("w", encoding="utf-8")
        except (FileExistsError, NotADirectoryError):
            raise InputError(f"{shown(self.path)} cannot be the run folder: there is a file in its place") from None
        except OSError as error:
            raise InputError(f"{shown(self.path)} cannot be the run folder: {error.strerror}") from None
        with lock:
            _take(lock, self.path)
            self._check()  # again: another run may have begun meanwhile
            if not (self.path / _OPTIONS).exists():
                self.write_json(_OPTIONS, self._options)
            try:
                yield
            except OSError as error:
                if error.filename is None:
                    raise
                raise InputError(f"{shown(error.filename)} cannot be used: {error.strerror}") from None

    def _check(self) -> None:
        """Reject a folder of another run, or of anything else."""
        file = self.path / _OPTIONS
        if not file.exists():
            others = sorted(entry.name for entry in self.path.iterdir() if not entry.name.startswith("."))
            if others:
                raise InputError(
                    f"{shown(self.path)} has other files ({others[0]}) and no {_OPTIONS}: choose a new run folder"
                )
            return
        earlier, now = read_json(file, "choose a new run folder"), json.loads(json.dumps(self._options))
        for name in dict.fromkeys([*earlier, *now]):
            if earlier.get(name) != now.get(name):
                raise InputError(
                    f"{shown(file)}: the run was made with other options "
                    f"({name}: {_difference(earlier.get(name), now.get(name))}); take the same, or another run folder"
                )

    def iteration(self, number: int) -> Path:
        """The folder of an iteration."""
        return self.path / f"iteration-{number:02d}"

    def complete(self, number: int) -> dict[str, Any] | None:
        """The result of a complete iteration; None if it is not complete."""
        file = self.iteration(number) / _ITERATION
        return read_json(file, "remove it to make the iteration again") if file.exists() else None

    def begin(self, number: int) -> Path:
        """Make an empty folder for an iteration; anything that an earlier attempt left there is removed."""
        folder = self.iteration(number)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{shown(folder)} cannot be made: {error.strerror}") from None
        return folder

    def finish(self, number: int, found: Mapping[str, Any]) -> None:
        """Write the result of an iteration, which is complete from then on."""
        self.write_json(f"{self.iteration(number).name}/{_ITERATION}", found)

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a file of the folder."""
        self.write(name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder atomically."""
        with atomic_write(self.path / name, exact=True) as file:
            file.write(text)


def read_json(path: Path, advice: str) -> dict[str, Any]:
    """Read a JSON object from a file; `advice` says what to do if the file has none."""
    try:
        with open_input(path, is_own=True) as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{shown(path)} cannot be read ({error}); {advice}") from None
    if not isinstance(found, dict):
        raise InputError(f"{shown(path)} is not a JSON object; {advice}")
    return found


def _take(lock: IO[str], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: there is no lock
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(f"{shown(path)} is in use by another run; wait for it, or choose another folder") from None


def _difference(earlier: Any, now: Any) -> str:
    """Both values; long ones are cut to the part around the first difference."""
    one, other = (json.dumps(value, ensure_ascii=False) for value in (earlier, now))
    differing = (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    begin = max(0, next(differing, min(len(one), len(other))) - _BEFORE)
    return ", now ".join(
        text
        if len(text) <= _BRIEF
        else f"{'…' * (begin > 0)}{text[begin : begin + _BRIEF]}{'…' * (begin + _BRIEF < len(text))}"
        for text in (one, other)
    )
