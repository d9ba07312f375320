"""Annotations kept on disk, so that an annotator annotates no text twice.

One SQLite database per annotator and version, in the folder ``annotations`` of the cache (``mtassay.io.cache``); a row
is the SHA-256 of a text and its annotations, packed with a check sum. Several processes may read and write at once. An
interrupted run keeps what it has written; a damaged row is annotated again, a damaged database is replaced. If the
folder is not writable, a warning says so and texts are annotated each time.
"""

from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from mtassay.data.annotations import Annotations
from mtassay.io.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mtassay.text.annotate.annotator import Annotator

#: Increase when the format of rows changes.
_SCHEMA = 1
_TABLE = "CREATE TABLE IF NOT EXISTS annotations (text BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
#: Number of texts in one query; SQLite allows at least 999 parameters.
_AT_ONCE = 900
#: Seconds to wait for another process that writes.
_PATIENCE = 60.0
_log = logging.getLogger("mtassay")


class AnnotationStore:
    """Annotations by one version of an annotator."""

    def __init__(self, annotator: Annotator) -> None:
        of = sha256(repr((_SCHEMA, annotator.name, annotator.version)).encode()).hexdigest()
        self.path: Path = cache_folder() / "annotations" / f"{re.sub(r'[^a-z0-9-]+', '-', annotator.name)}-{of[:16]}.db"

    def read(self, texts: Iterable[str]) -> dict[str, Annotations]:
        """Annotations of the texts that are stored and undamaged."""
        of_keys = {_key(text): text for text in texts}
        keys = sorted(of_keys)  # in the order of the database: a third of the time
        found: dict[str, Annotations] = {}
        # No readable file: nothing is stored.
        with suppress(sqlite3.Error, OSError):
            if not self.path.is_file():
                return {}
            with closing(self._connect()) as database:
                for first in range(0, len(keys), _AT_ONCE):
                    some = keys[first : first + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT text, value FROM annotations WHERE text IN ({marks})"
                    for key, value in database.execute(query, some):
                        with suppress(ValueError):
                            found[of_keys[key]] = Annotations.unpack(value)
        return found

    def write(self, annotated: Mapping[str, Annotations]) -> None:
        """Store all of these annotations, or none if that fails."""
        rows = [(_key(text), annotations.pack()) for text, annotations in annotated.items()]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._insert(rows)
            except sqlite3.OperationalError:  # locked, full, read-only
                raise
            except sqlite3.DatabaseError:  # damaged
                self.path.unlink(missing_ok=True)
                self._insert(rows)
        except (sqlite3.Error, OSError) as failure:
            _log.warning(
                "mtassay: annotations are not kept for the next time (%s); MTASSAY_CACHE can name another folder",
                failure,
            )

    def _insert(self, rows: list[tuple[bytes, bytes]]) -> None:
        with closing(self._connect()) as database, database:
            database.execute(_TABLE)
            database.executemany("INSERT OR REPLACE INTO annotations VALUES (?, ?)", rows)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_PATIENCE)


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
