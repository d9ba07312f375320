"""How independent pieces of work are run: number of threads and progress bar.

A function below the verbs takes one ``Execution``. Its pieces of work are pure, and results are joined in the order of
the pieces, so the number of threads never changes a result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from mtassay.errors import InputError

if TYPE_CHECKING:
    from typing import Self

_T = TypeVar("_T")
_R = TypeVar("_R")
#: Wraps a loop over a sized collection, for a progress bar.
Progress = Callable[[Any], Iterable[Any]]

#: Largest number of threads; more than any machine has cores.
MOST_THREADS = 1024


@dataclass(frozen=True)
class Execution:
    """How work is run.

    Attributes:
        threads: number of threads; 0 becomes the number of cores.
        progress: wraps loops over pieces of work, for a progress bar.

    >>> Execution(2).map(lambda number: number * number, range(4))
    [0, 1, 4, 9]
    """

    threads: int = 1
    progress: Progress = iter

    def __post_init__(self) -> None:
        """Reject an invalid number of threads."""
        if type(self.threads) is not int or not 0 <= self.threads <= MOST_THREADS:
            raise InputError(
                f"threads must be a whole number from 0 (all cores) to {MOST_THREADS}, not {self.threads!r}"
            )
        object.__setattr__(self, "threads", self.threads or os.cpu_count() or 1)

    @property
    def in_one_thread(self) -> Self:
        """The same in one thread."""
        return replace(self, threads=1)

    @property
    def quiet(self) -> Self:
        """The same without a progress bar."""
        return replace(self, progress=iter)

    def run(self, work: Callable[[_T], None], items: Sequence[_T]) -> None:
        """Do the work on every item. Items are started in order; the first exception of any thread is raised here.

        >>> done = []
        >>> Execution(threads=2).run(done.append, range(5))
        >>> sorted(done)
        [0, 1, 2, 3, 4]
        """
        _in_threads(work, self.progress(items), min(self.threads, len(items)))

    def map(self, function: Callable[[_T], _R], items: Sequence[_T]) -> list[_R]:
        """Results for every item, in the order of the items."""
        results: list[Any] = [None] * len(items)

        def work(number: int) -> None:
            results[number] = function(items[number])

        self.run(work, range(len(items)))
        return results


#: One thread, no progress bar.
SERIAL = Execution()


def _in_threads(work: Callable[[_T], None], items: Iterable[_T], threads: int) -> None:
    # Not concurrent.futures: loading it takes 7 to 9 ms, as long as scoring a system.
    pending = iter(items)
    lock = Lock()
    failures: list[BaseException] = []

    def loop() -> None:
        try:
            while True:
                with lock:
                    if failures:
                        return
                    try:
                        item = next(pending)
                    except StopIteration:
                        return
                work(item)
        except BaseException as failure:
            failures.append(failure)

    # Threads run in the caller's context, so that limits and records of files apply in all of them.
    helpers = [Thread(target=copy_context().run, args=(loop,)) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    loop()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
