"""One thread that writes: answers that arrive at the same time share one commit.

A commit waits for the disk, and every answer is on the disk before it is acknowledged. Waiting once for all answers
that have arrived in the meantime makes hundreds of answers per second possible.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from mtassay.collect.database import connect

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

Value = TypeVar("Value")
Work = Callable[[sqlite3.Connection], Any]

_MOST_AT_ONCE = 64


class Writer:
    """Runs functions that take a connection; the changes of each are stored completely or not at all."""

    def __init__(self, path: PathLike) -> None:
        self._path = path
        self._file = _identity(path)
        self._connection = connect(path)  # here, so that an error reaches the caller, not the thread
        self._queue: SimpleQueue[tuple[Future[Any], Work] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="mtassay-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[sqlite3.Connection], Value]) -> Future[Value]:
        """Run `work` in a transaction; the result is available once its changes are on the disk."""
        future: Future[Value] = Future()
        self._queue.put((future, work))
        return future

    def close(self) -> None:
        """Finish the submitted work, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch: list[tuple[Future[Any], Work]] = []
            first = self._queue.get()
            while first is not None:
                batch.append(first)
                if self._queue.empty() or len(batch) == _MOST_AT_ONCE:
                    break
                first = self._queue.get()
            is_open = first is not None
            self._commit(batch)
        self._connection.close()

    def _commit(self, batch: list[tuple[Future[Any], Work]]) -> None:
        connection = self._connection
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            # SQLite would continue, and write the answers to a log beside the old name, where nobody would find them.
            if _identity(self._path) != self._file:
                raise sqlite3.OperationalError("the file of the campaign was moved")
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [(future, *_attempt(connection, work)) for future, work in batch]
            connection.execute("COMMIT")
        except sqlite3.Error as error:  # the disk is full, another process holds the lock, or the file is gone
            with suppress(sqlite3.Error):  # the thread goes on: others wait for their answers
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            outcomes = [(future, None, error) for future, _ in batch]
        for future, value, failure in outcomes:
            if failure is None:
                future.set_result(value)
            else:
                future.set_exception(failure)


def _identity(path: PathLike) -> tuple[int, int] | None:
    """Device and inode of a file, which tell it from another file of the same name; None if there is no file."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _attempt(connection: sqlite3.Connection, work: Work) -> tuple[Any, BaseException | None]:
    """Run one piece of work; if it fails, its changes are undone, and those of others stay."""
    connection.execute("SAVEPOINT work")
    try:
        value = work(connection)
    except Exception as error:
        if isinstance(error, sqlite3.OperationalError):
            raise  # such as a full disk: nothing of this transaction can be kept
        connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")
        return None, error
    connection.execute("RELEASE work")
    return value, None
