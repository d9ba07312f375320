from __future__ import annotations

import dataclasses
import json
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import TestSet, read_evalset, read_jsonl, write_evalset, write_jsonl
from mtassay.errors import InputError

SPECIAL = "\u2028\x85\0\r\ufeff\t \x0c\x1e\u2029é"
NAMES = st.text("abcXYZ019-._: é", min_size=1, max_size=8).filter(lambda name: name.strip() and name[0] != ".")


@st.composite
def some_testsets(draw: st.DrawFn, characters: st.SearchStrategy[str], *, missing: bool) -> TestSet:
    text = st.text(characters, max_size=8)
    n = draw(st.integers(1, 4))

    def column(values: st.SearchStrategy[str]) -> list[str]:
        return draw(st.lists(values, min_size=n, max_size=n))

    references: list[list[str | None]] = [list(column(text))]
    for _ in range(draw(st.integers(0, 2))):
        other: list[str | None] = list(column(text))
        if missing:
            other = [None if draw(st.booleans()) else t for t in other]
        references.append(other)
    names = draw(st.lists(NAMES, unique_by=str.lower, max_size=3))
    labels = st.text("abc é", min_size=1, max_size=3)
    own_names = [f"ref{c}" for c in "ABC"[: len(references)]] if draw(st.booleans()) else None
    return TestSet(
        references,
        {name: column(text) for name in sorted(names)},
        sources=column(text) if draw(st.booleans()) else None,
        documents=column(labels) if draw(st.booleans()) else None,
        domains=column(labels) if draw(st.booleans()) else None,
        reference_names=own_names,
    )


def is_pair_free(testset: TestSet) -> bool:
    streams = [*testset.references, *testset.systems.values(), testset.sources or ()]
    text = "\n".join(t or "" for stream in streams for t in stream)
    return not any("\ud800" <= a < "\udc00" <= b <= "\udfff" for a, b in pairwise(text))


ANY = st.one_of(st.characters(), st.sampled_from(SPECIAL + "\n\ud800\udfff"), st.characters(categories=["Cs"]))
LINE = st.one_of(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), st.sampled_from(SPECIAL))


@given(some_testsets(ANY, missing=True).filter(is_pair_free))
def test_jsonl_round_trip(testset: TestSet) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "set.jsonl")
        write_jsonl(testset, path)
        assert path.read_bytes().count(b"\n") == testset.n_segments
        assert read_jsonl(path) == testset


@given(some_testsets(LINE, missing=False))
def test_evalset_round_trip(testset: TestSet) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_evalset(testset, Path(folder, "set"), "en-de")
        again = read_evalset(Path(folder, "set"), "en-de", references="all", include_references=True)
    assert dataclasses.replace(again, name=None, language_pair=None) == testset


def test_windows_like_text_and_byte_order_mark_survive(tmp_path: Path) -> None:
    testset = TestSet([["\ufeffa\r", "b\r"]], {"A": ["\ufeff", ""]})
    write_evalset(testset, tmp_path / "set", "en-de")
    again = read_evalset(tmp_path / "set")
    assert (again.references, again.systems) == (testset.references, testset.systems)


def test_jsonl_is_readable_text(tmp_path: Path) -> None:
    testset = TestSet([["Füße"], [None]], {"A": ["x"]}, ids=["7"])
    write_jsonl(testset, tmp_path / "x")
    line = (tmp_path / "x").read_text(encoding="utf-8")
    assert "Füße" in line
    assert json.loads(line) == {"refs": ["Füße", None], "tgt": {"A": "x"}, "id": "7"}


def test_jsonl_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    write_jsonl(TestSet([["a"]], {}), "-")
    assert capsys.readouterr().out == '{"ref": "a"}\n'


def test_surrogates_that_json_would_join_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="segment 1 contains two surrogates"):
        write_jsonl(TestSet([["\ud83d" + "\ude00"]], {}), tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("testset", "lp", "message"),
    [
        (TestSet([["a", "b\nc"]], {}), "en-de", "reference 'ref', segment 2 contains a line break"),
        (TestSet([["a"]], {"A": ["\udc80"]}), "en-de", "system 'A', segment 1 contains a lone surrogate"),
        (TestSet([["a"], [None]], {}), "en-de", "segment 1 has no reference 'ref2'"),
        (TestSet([["a"]], {"a/b": ["x"]}), "en-de", "system name 'a/b' cannot be a file name"),
        (TestSet([["a"]], {"..": ["x"]}), "en-de", r"system name '\.\.' cannot be a file name"),
        (TestSet([["a"]], {}, reference_names=["a/b"]), "en-de", "reference name 'a/b'"),
        (TestSet([["a"]], {}, documents=["d\t1"]), "en-de", "document label of segment 1 contains a tab"),
        (TestSet([["a"]], {}, domains=["d\n1"]), "en-de", "the labels, segment 1 contains a line break"),
        (TestSet([["a"]], {}), "../x", "a language pair is written SRC-TGT"),
        (TestSet([["a"]], {}), "en-de.x", "a language pair is written SRC-TGT"),
        (TestSet([["a"]], {}), "A", "a language pair is written SRC-TGT"),
    ],
)
def test_what_line_files_cannot_hold(tmp_path: Path, testset: TestSet, lp: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_evalset(testset, tmp_path / "new", lp)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(InputError, match="not empty"):
        write_evalset(TestSet([["a"]], {}), tmp_path, "en-de")
