"""Progress bars: on a terminal, for work that lasts; silence everywhere else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_T = TypeVar("_T")
#: Work shorter than this shows no bar, and does not pay for loading one.
_PATIENCE_SECONDS = 0.7


def bar(description: str) -> Callable[[Iterable[_T]], Iterable[_T]]:
    """A wrapper for a loop over a sized collection.

    >>> list(bar("scoring")([1, 2, 3]))
    [1, 2, 3]
    """

    def wrap(items: Iterable[_T]) -> Iterable[_T]:
        return _shown(list(items), description) if sys.stderr.isatty() else items

    return wrap


def _shown(items: list[_T], description: str) -> Iterator[_T]:
    start = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - start > _PATIENCE_SECONDS:
            from rich.console import Console
            from rich.progress import track

            yield from track(
                items[done:],
                description=description,
                total=len(items),
                completed=done,
                console=Console(stderr=True),
                transient=True,
            )
            return
        yield item
