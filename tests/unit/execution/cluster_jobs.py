"""Functions of chunks that tests run in other processes, which import this file from its folder."""

from __future__ import annotations

import os
import signal
import time

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
