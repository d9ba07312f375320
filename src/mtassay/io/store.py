"""Values that are expensive to compute, kept on disk under a key made from their input.

A store is an SQLite database with rows of a key (such as the SHA-256 of a text) and a value. Several processes may read
and write at once. An interrupted run keeps what it has written; a damaged database is replaced. If the folder is not
writable, there is one warning. The code that unpacks values checks them.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: Number of keys in one query; SQLite allows at least 999 parameters.
_AT_ONCE = 900
#: Seconds to wait for another process that writes.
_PATIENCE = 60.0
_log = logging.getLogger("mtassay")
#: Databases that cannot be written and for which a warning was given.
_warned: set[Path] = set()


class Store:
    """One database.

    Args:
        path: the file, which may not exist yet.
        content: what the values are, in the plural; the name of the table, and used in warnings.
    """

    def __init__(self, path: Path, *, content: str) -> None:
        self.path = path
        self._content = content

    def read(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Values by key, of the keys that are stored."""
        wanted = sorted(keys)  # in the order of the database, which takes a third of the time
        found: dict[object, object] = {}
        # If the file cannot be read, nothing is stored yet.
        with suppress(sqlite3.Error, OSError, UnicodeDecodeError):  # the last: sqlite3 decodes its own messages
            if not self.path.is_file():
                return {}
            with closing(self._connect()) as database:
                for first in range(0, len(wanted), _AT_ONCE):
                    some = wanted[first : first + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT text, value FROM {self._content} WHERE text IN ({marks})"
                    found.update(database.execute(query, some))
        # A damaged file may have other keys, and values of other types.
        return {key: value for key in wanted if isinstance(value := found.get(key), bytes)}

    def write(self, rows: Mapping[bytes, bytes]) -> bool:
        """Store all of these values, or none if that fails; returns whether they are stored."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._insert(rows)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as failure:
                if not _is_damage(failure):  # locked, full, read-only
                    raise
                self.path.unlink(missing_ok=True)
                self._insert(rows)
        except (sqlite3.Error, OSError) as failure:
            if self.path not in _warned:
                _warned.add(self.path)
                _log.warning(
                    "mtassay: %s are not kept for the next time (%s); MTASSAY_CACHE can name another folder",
                    self._content,
                    failure,
                )
            return False
        return True

    def _insert(self, rows: Mapping[bytes, bytes]) -> None:
        with closing(self._connect()) as database, database:
            database.execute(
                f"CREATE TABLE IF NOT EXISTS {self._content} (text BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )
            # Columns by name: reading names them, too, and a damaged database may have other names.
            database.executemany(f"INSERT OR REPLACE INTO {self._content} (text, value) VALUES (?, ?)", rows.items())

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_PATIENCE)


def _is_damage(failure: sqlite3.DatabaseError | UnicodeDecodeError) -> bool:
    """Whether the content of a database is wrong, not its state or its disk."""
    if isinstance(failure, sqlite3.OperationalError):
        code = getattr(failure, "sqlite_errorcode", None)  # set by SQLite, not by the module
        return code == sqlite3.SQLITE_ERROR  # our SQL does not fit the tables
    return True


def digest(text: str) -> bytes:
    """The key of a text, which may have lone surrogates."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
