"""The SQLite file of a campaign: its tables, and connections that write."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mtassay.data.campaigns import DATABASE_ERRORS, check_database, read_meta
from mtassay.errors import InputError
from mtassay.io.atomic import is_standard_output
from mtassay.io.inputs import shown

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

#: Seconds to wait for another process that writes.
_BUSY_TIMEOUT = 10.0
#: Place and value of the bytes of a file's header by which it has a write-ahead log (SQLite's file format, 1.3.3).
_VERSIONS, _WITH_LOG = slice(18, 20), b"\2\2"

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE segment (number INTEGER PRIMARY KEY, texts TEXT NOT NULL);
CREATE TABLE judge (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token_hash TEXT NOT NULL UNIQUE,
    disabled INTEGER NOT NULL DEFAULT 0, invited_at REAL NOT NULL
);
CREATE TABLE task (
    id INTEGER PRIMARY KEY, k INTEGER NOT NULL, n_screens INTEGER NOT NULL, training INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE personal (task INTEGER NOT NULL REFERENCES task, judge INTEGER NOT NULL REFERENCES judge,
    PRIMARY KEY (judge, task)) WITHOUT ROWID;
CREATE TABLE screen (
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task, position INTEGER NOT NULL,
    segment INTEGER NOT NULL REFERENCES segment, kind TEXT NOT NULL, shown TEXT NOT NULL, expected TEXT,
    UNIQUE (task, position)
);
CREATE TABLE lease (
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task, judge INTEGER NOT NULL REFERENCES judge,
    expires REAL NOT NULL, answered INTEGER NOT NULL DEFAULT 0, done_at REAL, UNIQUE (judge, task)
);
CREATE INDEX lease_of_task ON lease (task);
CREATE TABLE answer (
    id INTEGER PRIMARY KEY, screen INTEGER NOT NULL REFERENCES screen, judge INTEGER NOT NULL REFERENCES judge,
    revision INTEGER NOT NULL, payload TEXT NOT NULL, shown_at REAL NOT NULL, submitted_at REAL NOT NULL,
    active_ms INTEGER, nonce TEXT NOT NULL, UNIQUE (judge, nonce), UNIQUE (judge, screen, revision)
);
CREATE TRIGGER answers_stay BEFORE UPDATE ON answer BEGIN SELECT raise(ABORT, 'answers are only added'); END;
CREATE TRIGGER answers_are_kept BEFORE DELETE ON answer BEGIN SELECT raise(ABORT, 'answers are only added'); END;
CREATE TRIGGER screens_stay BEFORE UPDATE ON screen BEGIN SELECT raise(ABORT, 'screens never change'); END;
CREATE TRIGGER screens_are_kept BEFORE DELETE ON screen BEGIN SELECT raise(ABORT, 'screens never change'); END;
CREATE TRIGGER segments_stay BEFORE UPDATE ON segment BEGIN SELECT raise(ABORT, 'segments never change'); END;
"""


def check_new(path: PathLike, otherwise: str) -> None:
    """Reject standard output, a file that exists, and one whose folder does not.

    Args:
        path: the file to make.
        otherwise: what to do if it exists.
    """
    if is_standard_output(path):
        raise InputError("a campaign cannot be written to standard output; give a file name")
    if os.path.lexists(path):  # also a link to nowhere, which would be replaced
        raise InputError(f"{shown(path)} exists; {otherwise}")
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"{shown(path)} cannot be written: there is no folder {folder}; create it first")


def cannot_write(path: PathLike, error: Exception) -> InputError:
    """The error for a file that cannot be written."""
    return InputError(f"{shown(path)} cannot be written: {getattr(error, 'strerror', None) or error}")


def serialized(connection: sqlite3.Connection) -> bytes:
    """The file of a database in memory, marked as one with a write-ahead log, which databases in memory do not have.

    The first connection would change the journal of an unmarked file, and fail while others read.
    """
    content = bytearray(connection.serialize() if hasattr(connection, "serialize") else _copied(connection))
    content[_VERSIONS] = _WITH_LOG
    return bytes(content)


def _copied(connection: sqlite3.Connection) -> bytes:
    """The file of a database where Python's SQLite cannot serialize (before 3.36, unless it was built for it)."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "copy.db"
        with closing(sqlite3.connect(file)) as copy:
            connection.backup(copy)
        return file.read_bytes()


def connect(path: PathLike) -> sqlite3.Connection:
    """A connection for reading and writing; a commit returns when the data are on the disk.

    Transactions must be started and committed explicitly.
    """
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
    return connection


@contextmanager
def writing(path: PathLike) -> Iterator[sqlite3.Connection]:
    """One transaction on an existing campaign; after an error nothing is changed."""
    check_database(path)
    try:
        with closing(connect(path)) as connection:
            read_meta(connection, path)
            with transaction(connection):
                yield connection
    except DATABASE_ERRORS as error:
        raise cannot_write(path, error) from None


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction; other writers wait until it ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def set_meta(connection: sqlite3.Connection, **values: str) -> None:
    """Set properties of the campaign."""
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
