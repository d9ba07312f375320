"""How independent pieces of work are run: number of threads and progress bar.

A function below the verbs takes one ``Execution``. Its pieces of work are pure, and results are joined in the order of
the pieces, so the number of threads never changes a result. ``map_chunks`` is for work that may run on other machines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from threading import Condition, Lock, Semaphore, Thread
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from mtassay.errors import InputError

if TYPE_CHECKING:
    from typing import Self

    from mtassay.execution.finished import FinishedChunks

    #: A folder of finished chunks.
    Resume = str | os.PathLike[str] | FinishedChunks | None

_S = TypeVar("_S")
_T = TypeVar("_T")
_R = TypeVar("_R")
#: Wraps a loop over a sized collection, for a progress bar.
Progress = Callable[[Any], Iterable[Any]]

#: Largest number of threads; more than any machine has cores.
MOST_THREADS = 1024
#: Items that each thread may take before the first of their results is used.
_AHEAD = 4


@dataclass(frozen=True)
class Execution:
    """How work is run.

    Attributes:
        threads: number of threads; 0 becomes the number of cores.
        progress: wraps loops over pieces of work, for a progress bar.
        resume: folder of finished chunks, from which an interrupted job resumes. It must be new, or belong to the same
            job.

    >>> Execution(2).map(lambda number: number * number, range(4))
    [0, 1, 4, 9]
    """

    threads: int = 1
    progress: Progress = iter
    resume: Resume = None

    def __post_init__(self) -> None:
        """Reject an invalid number of threads."""
        if type(self.threads) is not int or not 0 <= self.threads <= MOST_THREADS:
            raise InputError(
                f"threads must be a whole number from 0 (all cores) to {MOST_THREADS}, not {self.threads!r}"
            )
        object.__setattr__(self, "threads", self.threads or os.cpu_count() or 1)
        if isinstance(self.resume, (str, os.PathLike)):
            from mtassay.execution.finished import FinishedChunks  # imported here: few jobs need it

            object.__setattr__(self, "resume", FinishedChunks(self.resume))

    @classmethod
    def of(cls, execution: Execution | None, *, threads: int, progress: Progress = iter) -> Execution:
        """The execution of a verb: the given one, or one with these threads; with this progress bar."""
        if execution is None:
            return Execution(threads, progress)
        if not isinstance(execution, Execution):
            raise InputError(f"execution must be a Cluster or an Execution, not {execution!r}")
        return execution if progress is iter else replace(execution, progress=progress)

    @property
    def leaves_process(self) -> bool:
        """Whether results of chunks come from other processes or from files; chunks should then be larger."""
        return self.resume is not None

    @property
    def here(self) -> Execution:
        """An execution with the same threads and progress bar, for work that stays in this process."""
        return Execution(self.threads, self.progress)

    @property
    def unkept(self) -> Self:
        """The same without a folder of finished chunks, for work that stores its results itself."""
        return replace(self, resume=None)

    @property
    def in_one_thread(self) -> Self:
        """The same in one thread."""
        return replace(self, threads=1)

    @property
    def quiet(self) -> Self:
        """The same without a progress bar."""
        return replace(self, progress=iter)

    def run(self, work: Callable[[_T], None], items: Sequence[_T]) -> None:
        """Do the work on every item. Items are started in order; the exception of the first item that fails is raised.

        >>> done = []
        >>> Execution(threads=2).run(done.append, range(5))
        >>> sorted(done)
        [0, 1, 2, 3, 4]
        """
        for _ in self._in_threads(work, items):
            pass

    def map(self, function: Callable[[_T], _R], items: Sequence[_T]) -> list[_R]:
        """Results for every item, in the order of the items; always in this process."""
        return list(self._in_threads(function, items))

    def map_chunks(self, function: Callable[[_S, _T], _R], items: Iterable[_T], *, shared: _S) -> Iterator[_R]:
        """Yield ``function(shared, item)`` for every item, in the order of the items: work that may leave the process.

        Items are taken as results are used: only a bounded number of items and results is held in memory, so `items`
        may be a generator over a large file. Callers that add up results must add them in this order.

        Args:
            function: a pure function at the top level of a module, not a lambda or a closure, so that another process
                can import it. It runs in one thread, and raises ``InputError`` if an item is invalid.
            items: the chunks. Their number and boundaries must not depend on the number of threads or workers. Items,
                `shared` and results must be values that can be sent to another process: texts, numbers, arrays, tuples
                and dataclasses of these.
            shared: the data that all chunks need; it is sent to each worker once.

        >>> from operator import add
        >>> list(Execution(threads=2).map_chunks(add, range(4), shared=10))
        [10, 11, 12, 13]
        """
        if self.resume is None:
            return self._compute_chunks(function, items, shared)
        items = self.progress(items) if isinstance(items, Sized) else items
        finished: FinishedChunks = self.resume  # type: ignore[assignment]  # __post_init__ opened it
        return finished.map(self._compute_chunks, function, items, shared)

    def _compute_chunks(self, function: Callable[[_S, _T], _R], items: Iterable[_T], shared: _S) -> Iterator[_R]:
        return self._in_threads(partial(function, shared), items)

    def _in_threads(self, function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        threads = self.threads
        if isinstance(items, Sized):
            threads = min(threads, len(items))
            items = self.progress(items)
        return map(function, items) if threads <= 1 else _Threads(_tasks(function, items), threads).results()


#: One thread, no progress bar.
SERIAL = Execution()


class _Threads(Generic[_R]):
    """Threads that take tasks in order; results are yielded in that order.

    Not concurrent.futures: loading it takes 7 to 9 ms, as long as scoring a system.
    """

    def __init__(self, tasks: Iterator[Callable[[], _R]], n_threads: int) -> None:
        self._tasks = enumerate(tasks)
        self._taking = Lock()
        #: Counts how many more tasks may be taken before a result is yielded.
        self._room = Semaphore(_AHEAD * n_threads)
        self._results: dict[int, _R] = {}
        self._failures: dict[int, BaseException] = {}
        self._news = Condition()
        # Threads run in the caller's context, so that limits and records of files apply in all of them.
        self._threads = [Thread(target=copy_context().run, args=(self._loop,)) for _ in range(n_threads)]
        self._n_running = n_threads
        self._stopped = False

    def results(self) -> Iterator[_R]:
        """Start the threads and yield results; the exception of a task is raised when its turn comes."""
        for thread in self._threads:
            thread.start()
        try:
            for number in count():
                self._wait_for(number)
                if number in self._failures:
                    raise self._failures[number]
                if number not in self._results:
                    return
                self._room.release()
                yield self._results.pop(number)
        finally:
            self._stopped = True
            self._room.release(len(self._threads))
            for thread in self._threads:
                thread.join()

    def _wait_for(self, number: int) -> None:
        """Wait until the task with this number is finished, or it is known that there is none."""
        with self._news:
            self._news.wait_for(lambda: number in self._results or number in self._failures or not self._n_running)

    def _loop(self) -> None:
        for number, task in iter(self._take, None):
            try:
                self._results[number] = task()
            except BaseException as failure:
                self._failures[number] = failure
            with self._news:
                self._news.notify()
        with self._news:
            self._n_running -= 1
            self._news.notify()

    def _take(self) -> tuple[int, Callable[[], _R]] | None:
        """The next task with its number, as soon as there is room; None if there is none, or after a failure."""
        self._room.acquire()
        with self._taking:
            return None if self._stopped or self._failures else next(self._tasks, None)


def _tasks(function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[Callable[[], _R]]:
    """A call for each item; if getting the next item fails, a call that raises the exception."""
    try:
        for item in items:
            yield partial(function, item)
    except Exception as failure:
        yield partial(_raise, failure)


def _raise(failure: Exception) -> NoReturn:
    raise failure
