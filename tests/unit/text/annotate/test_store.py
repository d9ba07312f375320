"""Texts are annotated once, whatever happens in between."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import pytest
from child_processes import kill_when

from mtassay.data.annotations import DEPENDENCIES, FULL, Annotations
from mtassay.errors import MtassayError
from mtassay.execution import Execution
from mtassay.io.store import Store
from mtassay.text.annotate import annotate
from mtassay.text.annotate.store import AnnotationStore


class Counting:
    """Every word hangs from the one before it; notes what it is asked."""

    name: ClassVar[str] = "counting"
    is_parallel: ClassVar[bool] = True
    is_kept: ClassVar[bool] = True
    provides = frozenset({DEPENDENCIES})

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.seen: list[str] = []

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        self.seen += texts
        return [self._one(text.split()) for text in texts]

    def _one(self, words: list[str]) -> Annotations:
        if words == ["?"]:
            return Annotations.missing(self.provides)
        return Annotations(words=tuple(words), heads=tuple(range(len(words))), layers=self.provides)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path))
    return tmp_path


def words(annotations: list[Annotations]) -> list[str]:
    return [" ".join(found.words) for found in annotations]


def test_texts_are_annotated_once() -> None:
    texts = ["a b", "", "?", " a b ", " ", "c", "odd \ud800"]
    first, second = Counting(), Counting()
    found = annotate(texts, first)
    assert words(found) == ["a b", "", "", "a b", "", "c", "odd \ud800"]
    assert first.seen == ["a b", "?", "c", "odd \ud800"]
    assert [one.state for one in found[1:3]] == [FULL, "missing"]
    assert annotate(texts, second) == found
    assert second.seen == []
    assert words(annotate(["c", "d"], second)) == ["c", "d"]
    assert second.seen == ["d"]
    other = Counting("2")
    annotate(["c"], other)
    assert other.seen == ["c"]
    assert annotate([], other) == []


def test_threads_and_progress_change_nothing() -> None:
    texts = [f"w{i} x" for i in range(230)]
    steps: list[Any] = []

    def progress(chunks: Sequence[Any]) -> Sequence[Any]:
        steps.append(len(chunks))
        return chunks

    found = annotate(texts, Counting(), execution=Execution(3, progress))
    assert words(found) == texts
    assert steps == [5]
    annotate(texts, Counting(), execution=Execution(progress=progress))
    assert steps == [5]


def test_annotators_that_are_not_parallel_take_turns() -> None:
    class Alone(Counting):
        is_parallel = False
        busy = Lock()

        def annotate(self, texts: Sequence[str]) -> list[Annotations]:
            assert self.busy.acquire(blocking=False)
            try:
                return super().annotate(texts)
            finally:
                self.busy.release()

    texts = [f"w{i}" for i in range(200)]
    assert words(annotate(texts, Alone(), execution=Execution(4))) == texts


def test_what_was_annotated_before_an_interruption_stays() -> None:
    class Interrupted(Counting):
        def annotate(self, texts: Sequence[str]) -> list[Annotations]:
            if "w120" in texts:
                raise KeyboardInterrupt
            return super().annotate(texts)

    texts = [f"w{i}" for i in range(150)]
    with pytest.raises(KeyboardInterrupt):
        annotate(texts, Interrupted())
    after = Counting()
    assert words(annotate(texts, after)) == texts
    assert after.seen == texts[100:]


def test_a_failing_annotator_leaves_nothing(folder: Path) -> None:
    class Failing(Counting):
        def annotate(self, texts: Sequence[str]) -> list[Annotations]:
            raise MtassayError("out of order")

    with pytest.raises(MtassayError, match="out of order"):
        annotate(["a"], Failing())
    assert list(folder.rglob("*.db")) == []


def test_rows_that_were_exchanged_are_annotated_anew() -> None:
    annotate(["a", "b", "c"], Counting())
    with sqlite3.connect(AnnotationStore(Counting()).path) as database:
        database.execute("UPDATE annotations SET value = (SELECT value FROM annotations LIMIT 1)")
    database.close()
    again = Counting()
    assert words(annotate(["a", "b", "c"], again)) == ["a", "b", "c"]
    assert len(again.seen) == 2


@pytest.mark.parametrize("value", ["'text'", "5", "x''"])
def test_rows_of_other_types_are_annotated_anew(value: str) -> None:
    annotate(["a"], Counting())
    with sqlite3.connect(AnnotationStore(Counting()).path) as database:
        database.execute(f"UPDATE annotations SET value = {value}")
    database.close()
    assert words(annotate(["a"], Counting())) == ["a"]


def test_a_row_under_another_key_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "s.db", content="values_")
    store.write({b"a": b"1"})
    # As from a damaged index: SQLite finds a row by a key that it does not have.
    monkeypatch.setattr("mtassay.io.store.sqlite3.connect", lambda *_, **__: _Answering([(b"b", b"1"), (b"a", "1")]))
    assert store.read([b"a"]) == {}


class _Answering:
    """A database that gives these rows."""

    def __init__(self, rows: list[tuple[object, object]]) -> None:
        self._rows = rows

    def execute(self, query: str, keys: object) -> list[tuple[object, object]]:
        return self._rows

    def close(self) -> None:
        pass


def test_a_damaged_row_is_annotated_anew() -> None:
    annotate(["a", "b", "c"], Counting())
    with sqlite3.connect(AnnotationStore(Counting()).path) as database:
        [(key, value)] = database.execute("SELECT text, value FROM annotations LIMIT 1").fetchall()
        database.execute("UPDATE annotations SET value = ? WHERE text = ?", (value[:-3] + b"abc", key))
    database.close()
    for n_new in (1, 0):
        again = Counting()
        assert words(annotate(["a", "b", "c"], again)) == ["a", "b", "c"]
        assert len(again.seen) == n_new


@pytest.mark.parametrize("content", [b"", b"no database at all" * 300])
def test_a_damaged_database_is_begun_anew(content: bytes) -> None:
    annotate(["a", "b"], Counting())
    path = AnnotationStore(Counting()).path
    path.write_bytes(content or path.read_bytes()[:3000])
    for n_new in (2, 0):
        again = Counting()
        assert words(annotate(["a", "b"], again)) == ["a", "b"]
        assert len(again.seen) == n_new


def test_a_folder_that_cannot_be_written_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "file").write_text("in the way")
    monkeypatch.setenv("MTASSAY_CACHE", str(folder / "file" / "cache"))
    with caplog.at_level(logging.WARNING, logger="mtassay"):
        assert words(annotate(["a"], Counting())) == ["a"]
    assert "annotations are not kept for the next time" in caplog.text
    assert "MTASSAY_CACHE can name another folder" in caplog.text


_WRITER = """
import sys
import time
from mtassay.data.annotations import Annotations
from mtassay.text.annotate.store import AnnotationStore
class One:
    name, version = "one", "1"
store = AnnotationStore(One)
for i in range(60):
    store.write({f"{sys.argv[1]} {i} {j}": Annotations(words=(sys.argv[1],)) for j in range(20)})
    assert len(store.read([f"{sys.argv[1]} {i} {j}" for j in range(20)])) == 20
"""


def test_processes_that_write_at_once() -> None:
    running = [subprocess.Popen([sys.executable, "-c", _WRITER, name]) for name in ("a", "b", "c")]
    assert [process.wait() for process in running] == [0, 0, 0]

    class One(Counting):
        name = "one"

    texts = [f"{name} {i} {j}" for name in "abc" for i in range(60) for j in range(20)]
    found = AnnotationStore(One()).read(texts)
    assert {text: one.words for text, one in found.items()} == {text: (text[0],) for text in texts}


_SLOW = """
import time
from mtassay.data.annotations import DEPENDENCIES, Annotations
from mtassay.text.annotate import annotate
class Slow:
    name, version, is_parallel, is_kept, provides = "counting", "1", False, True, frozenset({DEPENDENCIES})
    def annotate(self, texts):
        time.sleep(0.1)
        return [Annotations(words=(text,), heads=(0,), layers=self.provides) for text in texts]
annotate([f"w{i}" for i in range(5000)], Slow())
"""


def test_a_killed_run_goes_on_where_it_was() -> None:
    """Of 5000 texts in chunks of 50, those of whole chunks are there after the process was killed."""
    texts = [f"w{i}" for i in range(5000)]
    store = AnnotationStore(Counting())
    process = subprocess.Popen([sys.executable, "-c", _SLOW])
    kill_when(process, lambda: len(store.read(texts)) >= 100)
    kept = store.read(texts)
    assert 100 <= len(kept) < len(texts)
    assert len(kept) % 50 == 0
    after = Counting()
    assert words(annotate(texts, after)) == texts
    assert after.seen == texts[len(kept) :]
