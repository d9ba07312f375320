"""Functions of chunks that tests run in other processes, which import this file from its folder."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from mtassay.errors import InputError


def square(pause: float, number: int) -> int:
    """The square, after a pause in seconds."""
    time.sleep(pause)
    return number * number


def refuse(bad: int, number: int) -> int:
    """An error in the content of one chunk."""
    if number == bad:
        raise InputError(f"ref.txt, line {number}: bad")
    return number


def die(bad: int, number: int) -> int:
    """End the process at one chunk, as the kernel does if memory runs out."""
    if number == bad:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fill_memory(folder: str, number: int) -> int:
    """At the first try of one chunk hold more memory than a worker may have, until the worker is ended."""
    tried = Path(folder) / "tried"
    if number == 3 and not tried.exists():
        tried.write_text(str(os.getpid()), encoding="ascii")
        held = bytearray(b"x" * (600 << 20))
        time.sleep(30)
        raise AssertionError(f"a worker was left with {len(held)} bytes")
    return number * number
