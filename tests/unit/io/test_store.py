from __future__ import annotations

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
