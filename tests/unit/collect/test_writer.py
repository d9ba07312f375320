"""The thread that writes answers."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mtassay.collect import writer


def test_a_file_that_cannot_be_opened_is_reported_where_the_writer_is_made(tmp_path: Path) -> None:
    """In the thread nobody would see it, and answers would wait for ever."""
    path = tmp_path / "campaign.db"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        writer.Writer(path)


def test_the_thread_survives_a_transaction_that_cannot_be_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(sqlite3.Connection):
        fails = False

        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if self.fails and sql in {"COMMIT", "ROLLBACK"}:
                if sql == "ROLLBACK":
                    super().execute(sql)
                    self.fails = False
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, *values)

    path = tmp_path / "campaign.db"
    monkeypatch.setattr(
        writer,
        "connect",
        lambda name: sqlite3.connect(name, isolation_level=None, check_same_thread=False, factory=Failing),
    )
    with closing(writer.Writer(path)) as made:
        made._file = writer._identity(path)
        made.submit(lambda connection: connection.execute("CREATE TABLE t (x)").rowcount).result(timeout=10)
        made._connection.fails = True  # type: ignore[attr-defined]
        with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
            made.submit(lambda connection: connection.execute("INSERT INTO t VALUES (1)").lastrowid).result(timeout=10)
        stored = made.submit(lambda connection: connection.execute("SELECT count(*) FROM t").fetchone()[0])
        assert stored.result(timeout=10) == 0
