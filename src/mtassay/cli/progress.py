"""Progress bars, shown only on a terminal and only for long work."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_T = TypeVar("_T")
#: Seconds before a bar appears, and seconds between updates.
_PATIENCE_SECONDS, _PAUSE_SECONDS = 0.7, 0.1
_BAR_WIDTH = 30
#: Return to the start of the line and clear it.
_CLEAR = "\r\x1b[K"


def bar(description: str) -> Callable[[Iterable[_T]], Iterable[_T]]:
    """A wrapper for the collection of a loop, which shows a progress bar.

    >>> list(bar("scoring")([1, 2, 3]))
    [1, 2, 3]
    """

    def wrap(items: Iterable[_T]) -> Iterable[_T]:
        return _shown(list(items), description) if sys.stderr.isatty() else items

    return wrap


def _shown(items: list[_T], description: str) -> Iterator[_T]:
    """Yield the items and show a bar, which is cleared when the work ends or fails."""
    start = time.monotonic()
    next_time = start + _PATIENCE_SECONDS
    try:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now >= next_time:
                _write(_CLEAR + line(description, done, len(items), seconds=now - start))
                next_time = now + _PAUSE_SECONDS
            yield item
    finally:
        if next_time > start + _PATIENCE_SECONDS:
            _write(_CLEAR)


@contextmanager
def counting(description: str) -> Iterator[Callable[[int], None]]:
    """A function that shows how many segments of a stream of unknown length are done; cleared at the end."""
    start = time.monotonic()
    next_time = start + _PATIENCE_SECONDS

    def show(done: int) -> None:
        nonlocal next_time
        now = time.monotonic()
        if now >= next_time:
            _write(f"{_CLEAR}{description} {done:,} segments, {done / (now - start):,.0f} a second")
            next_time = now + _PAUSE_SECONDS

    try:
        yield show if sys.stderr.isatty() else lambda _: None
    finally:
        if next_time > start + _PATIENCE_SECONDS:
            _write(_CLEAR)


def line(description: str, done: int, total: int, *, seconds: float) -> str:
    """The text of a bar: the share done, and the time left at the present speed.

    >>> line("scoring", 1, 4, seconds=20)
    'scoring ███████░░░░░░░░░░░░░░░░░░░░░░░  25 % 0:01:00'
    """
    full = _BAR_WIDTH * done // total
    left = round(seconds / done * (total - done)) if done else None
    clock = "-:--:--" if left is None else f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
    return f"{description} {'█' * full}{'░' * (_BAR_WIDTH - full)} {100 * done // total:3} % {clock}"


def _write(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
