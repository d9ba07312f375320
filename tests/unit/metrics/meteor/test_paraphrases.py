"""The compiled paraphrase table."""

from __future__ import annotations

import gzip
import logging
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import InputError
from mtassay.metrics.meteor import ParaphraseTable
from mtassay.metrics.meteor.paraphrases import _load

PHRASES = st.lists(st.sampled_from(["a", "b", "c", "é", "word"]), min_size=1, max_size=4).map(" ".join)
PAIRS = [("in order to", "to"), ("to", "so as to"), ("in order to", "for"), ("in", "within")]


@pytest.fixture
def table_file(unpacked: Path) -> Path:
    return unpacked / "data" / "paraphrase-en.gz"


@pytest.fixture(autouse=True)
def _not_in_memory() -> None:
    _load.cache_clear()


def phrase(table: ParaphraseTable, text: str) -> int:
    node = 0
    for word in text.split():
        node = table.child(node, word)
    return -1 if node < 0 else int(table.phrase_of_node[node])


def matches(table: ParaphraseTable, text: str) -> list[int]:
    number = phrase(table, text)
    pairs: list[int] = table.pairs[table.pair_offsets[number] : table.pair_offsets[number + 1]].tolist()
    return pairs


@given(st.lists(st.tuples(PHRASES, PHRASES), max_size=40))
def test_the_table_holds_the_pairs(pairs: list[tuple[str, str]]) -> None:
    table = ParaphraseTable.from_pairs(pairs)
    phrases = {side for pair in pairs for side in pair}
    assert sorted(phrase(table, text) for text in phrases) == list(range(len(phrases)))
    for text in phrases:
        assert matches(table, text) == [phrase(table, q) for p, q in pairs if p == text]
    assert table.longest == max((len(text.split()) for text in phrases), default=0)
    assert phrase(table, "a b unknown") == phrase(table, "a a a a a") == -1
    assert table.keys[-1] == -1
    assert len(table.keys) == len(table.values)


def test_word_ids() -> None:
    table = ParaphraseTable.from_pairs(PAIRS)
    ids = table.word_ids(["in", "chaos", "to", ""])
    assert ids.dtype == np.int32
    assert (ids < 0).tolist() == [False, True, False, True]


def test_many_phrases_collide_in_the_hash_table() -> None:
    pairs = [(f"w{i} x{i % 7}", f"x{i % 7} w{i}") for i in range(3000)]
    table = ParaphraseTable.from_pairs(pairs)
    assert all(matches(table, p) == [phrase(table, q)] for p, q in pairs)


def test_a_table_is_compiled_once(table_file: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="mtassay"):
        first = ParaphraseTable.load(table_file)
    assert "compiling paraphrase-en.gz" in caplog.text
    assert [path.name for path in cache.iterdir()] == [path.name for path in cache.glob("meteor-paraphrases-v1-*.bin")]
    caplog.clear()
    _load.cache_clear()
    with caplog.at_level(logging.WARNING, logger="mtassay"):
        again = ParaphraseTable.load(table_file)
    assert caplog.text == ""
    assert not again.keys.flags.writeable
    assert again.words == first.words
    assert matches(again, "in order to") == [phrase(again, "to"), phrase(again, "for")]


def test_another_table_has_another_cache(table_file: Path, cache: Path) -> None:
    ParaphraseTable.load(table_file)
    with gzip.open(table_file, "wt") as file:
        file.write("1\nx y\nz\n")
    assert matches(ParaphraseTable.load(table_file), "x y") == [1]
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("0.5\na\nb\n0.5\nc\n", "line 5: the table ends within a pair"),
        ("0.5\na\n\n", "has a phrase without words"),
    ],
)
def test_tables_that_are_wrong(tmp_path: Path, contents: str, message: str) -> None:
    path = tmp_path / "paraphrase-en.gz"
    with gzip.open(path, "wt") as file:
        file.write(contents)
    with pytest.raises(InputError, match=message):
        ParaphraseTable.load(path)


def test_tables_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "paraphrase-en.gz"
    with pytest.raises(InputError, match="cannot be read"):
        ParaphraseTable.load(path)
    path.write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"paraphrase-en\.gz cannot be read"):
        ParaphraseTable.load(path)
    path.write_bytes(gzip.compress(b"0.5\na\nb\n" * 99)[:-12])
    with pytest.raises(InputError, match=r"paraphrase-en\.gz cannot be read"):
        ParaphraseTable.load(path)
    path.write_bytes(gzip.compress(b"0.5\na\n\xff\n"))
    with pytest.raises(InputError, match="is not UTF-8"):
        ParaphraseTable.load(path)


@pytest.mark.parametrize("contents", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_table_is_refused_and_not_kept(tmp_path: Path, cache: Path, contents: bytes) -> None:
    path = tmp_path / "paraphrase-en.gz"
    path.write_bytes(contents)
    for _ in range(2):
        with pytest.raises(InputError, match=r"paraphrase-en\.gz is empty"):
            ParaphraseTable.load(path)
    assert not cache.exists()


def test_the_notice_speaks_of_time_where_it_takes_some(
    tmp_path: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "paraphrase-en.gz"
    lines = "".join(f"0.5\na{i} b\nc\n" for i in range(90_000))
    for contents, said in (("0.5\na\nb\n", ""), (lines, r" \(1 MB, which takes a while\)")):
        path.write_bytes(gzip.compress(contents.encode(), compresslevel=0))
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="mtassay"):
            ParaphraseTable.load(path)
        assert re.fullmatch(rf"mtassay: compiling paraphrase-en\.gz{said}, to keep in {cache}", caplog.messages[0])
