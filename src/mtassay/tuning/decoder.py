"""Runs a decoder: any command that reads weights and writes an n-best list."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mtassay.errors import InputError
from mtassay.execution.signals import signals_held
from mtassay.io.inputs import shown

if TYPE_CHECKING:
    from pathlib import Path

PLACES = ("{weights}", "{nbest}")
#: Seconds that a decoder may take by default.
TIMEOUT = 86_400.0
#: Number of lines of a decoder's output that a message shows, and of characters of each.
_LAST_LINES, _LINE_LENGTH = 3, 200
#: Number of bytes at the end of the output in which these lines are searched.
_TAIL = 10_000
#: Seconds that a decoder has to end after SIGTERM.
_GRACE = 2.0


@dataclass(frozen=True)
class Decoder:
    """A command line in which ``{weights}`` and ``{nbest}`` stand for files.

    Args:
        command: the command line for the shell.
        timeout: seconds after which the decoder is stopped, together with all processes that it started.

    >>> Decoder("decode -w {weights}")
    Traceback (most recent call last):
    mtassay.errors.InputError: the decoder's command has no {nbest}, which stands for the list that it should write
    """

    command: str
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        for place, what in zip(PLACES, ("weights that it should read", "list that it should write"), strict=True):
            if place not in self.command:
                raise InputError(f"the decoder's command has no {place}, which stands for the {what}")
        if not 0 < self.timeout < float("inf"):
            raise InputError(f"the timeout must be a number of seconds above 0, not {self.timeout}")

    def run(self, weights: Path, nbest: Path, *, log: Path, what: str) -> None:
        """Run the decoder, and raise an error if it fails or writes no list.

        Args:
            weights: the file that the decoder reads.
            nbest: the file that it should write.
            log: the file for everything that it prints.
            what: name of the run, for messages (``iteration 3``).
        """
        files = dict(zip(PLACES, (weights, nbest), strict=True))
        # In one pass: a path may itself contain {nbest}.
        line = re.sub("|".join(map(re.escape, PLACES)), lambda place: _quoted(files[place[0]]), self.command)
        try:
            with log.open("wb") as output:
                status = self._wait(line, output.fileno())
        except OSError as error:
            raise InputError(f"the decoder cannot be run in {what}: {error.strerror or error}") from None
        if status is None:
            raise InputError(f"the decoder was stopped in {what} after {self.timeout:g} seconds{_last_lines(log)}")
        if status != 0:
            ended = f"was ended by signal {-status}" if status < 0 else f"failed with exit status {status}"
            raise InputError(f"the decoder {ended} in {what}{_last_lines(log)}")
        if not nbest.is_file():
            raise InputError(f"the decoder wrote no list to {{nbest}} in {what}{_last_lines(log)}")

    def _wait(self, line: str, output: int) -> int | None:
        """The exit status; None if the decoder took too long."""
        process = None
        try:
            with signals_held():
                # In a session of its own, so that everything the shell starts can be ended together with it.
                process = subprocess.Popen(
                    line,
                    shell=True,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            return process.wait(self.timeout)
        except BaseException as error:  # timeout or interruption: no decoder is left behind
            if process is not None:
                with signals_held():  # a second signal must not cut this short
                    _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise


def _quoted(path: Path) -> str:
    """A path as one word for the shell, written so that no command takes it for an option.

    >>> from pathlib import PurePosixPath
    >>> _quoted(PurePosixPath("-my run/weights.txt"))
    "'./-my run/weights.txt'"
    """
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a decoder and everything that it started: first by SIGTERM, then by SIGKILL."""
    if not hasattr(os, "killpg"):
        process.kill()
    else:
        # The shell is waited for only at the very end: until then no other process can get its number.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            patience = time.monotonic() + _GRACE
            while time.monotonic() < patience and not _is_over(process.pid):
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _is_over(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _last_lines(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL))
            text = file.read().decode("utf-8", errors="replace")
    except OSError as error:
        return f"; what it printed ({shown(log)}) cannot be read: {error.strerror}"
    lines = [line.strip()[:_LINE_LENGTH] for line in text.splitlines() if line.strip()]
    if not lines:
        return "; it printed nothing"
    return f"; its last lines ({shown(log)}): {' | '.join(lines[-_LAST_LINES:])}"
