from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from mtassay.io.store import Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("bad", [b"\x80", b"!"])
def test_a_database_whose_table_is_damaged_is_replaced(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "cache.sqlite"
    store = Store(path, content="scores")
    assert store.write({b"a": b"1"})
    content = path.read_bytes()
    place = content.index(b"CREATE TABLE scores") + len(b"CREATE TABL")
    path.write_bytes(content[:place] + bad + content[place + 1 :])
    assert store.read([b"a"]) == {}
    assert store.write({b"b": b"2"})
    assert store.read([b"a", b"b"]) == {b"b": b"2"}


def test_a_database_whose_columns_have_other_names_is_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache.sqlite", content="scores")
    assert store.write({b"a": b"1"})
    store.path.write_bytes(store.path.read_bytes().replace(b"(text BLOB", b"(next BLOB"))
    assert store.read([b"a"]) == {}
    assert store.write({b"b": b"2"})
    assert store.read([b"a", b"b"]) == {b"b": b"2"}


def test_a_locked_database_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.io.store._PATIENCE", 0.0)
    store = Store(tmp_path / "cache.sqlite", content="scores")
    assert store.write({b"a": b"1"})
    with closing(sqlite3.connect(store.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert not store.write({b"b": b"2"})
    assert store.read([b"a", b"b"]) == {b"a": b"1"}
