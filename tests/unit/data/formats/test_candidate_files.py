"""Candidates from files: three formats, recognised or named, and faults by file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mtassay.data.candidate_lists import CandidateList
from mtassay.data.formats.candidate_files import read_candidates
from mtassay.errors import InputError


def _read(tmp_path: Path, text: str, **options: object) -> list[CandidateList]:
    path = tmp_path / "lists"
    path.write_text(text, encoding="utf-8")
    return list(read_candidates(path, **options))  # type: ignore[arg-type]


def test_moses(tmp_path: Path) -> None:
    first, second = _read(
        tmp_path, "0 ||| a b ||| LM= 1 ||| -2\n0 ||| c ||| LM= 1 ||| -3.5 ||| 0-0\n\n1 ||| d ||| x ||| 0\n"
    )
    assert (first.texts, first.scores, first.counts) == (("a b", "c"), (-2.0, -3.5), (1, 1))
    assert (second.texts, second.scores) == (("d",), (0.0,))
    assert second.place.endswith("line 4") or ":4" in second.place
    assert _read(tmp_path, "0 ||| a ||| LM= 1\n")[0].scores is None


def test_json(tmp_path: Path) -> None:
    first, second = _read(
        tmp_path,
        '{"candidates": ["a", "b"], "scores": [-1, -2.5], "counts": [2, 1], "references": ["c"], "source": "s"}\n'
        '\n{"candidates": [{"text": "a", "score": -1, "count": 3}, {"text": "b", "score": -2}]}\n',
    )
    assert (first.texts, first.scores, first.counts) == (("a", "b"), (-1.0, -2.5), (2, 1))
    assert (first.references, first.source) == (("c",), "s")
    assert (second.texts, second.scores, second.counts) == (("a", "b"), (-1.0, -2.0), (3, 1))


def test_lines(tmp_path: Path) -> None:
    first, second = _read(tmp_path, "a b\t3\nc\n\nd\n")
    assert (first.texts, first.counts) == (("a b", "c"), (3, 1))
    assert (second.texts, second.counts) == (("d",), (1,))
    assert [one.texts for one in _read(tmp_path, "a\n\nc\nd\n", per_segment=2)] == [("a", ""), ("c", "d")]
    assert [one.texts for one in _read(tmp_path, "0 ||| a\n", file_format="lines")] == [("0 ||| a",)]


def test_compressed(tmp_path: Path) -> None:
    path = tmp_path / "lists.gz"
    path.write_bytes(gzip.compress("ä\r\nb\n".encode()))
    assert next(read_candidates(path)).texts == ("ä", "b")
    path.write_bytes(gzip.compress(b"a\n" * 100_000)[:-20])
    with pytest.raises(InputError, match="truncated or damaged"):
        list(read_candidates(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("0 ||| a ||| x\n2 ||| b ||| x\n", "line 2: sentence 2, where 0 or 1 is expected"),
        ("1 ||| a ||| x\n", "line 1: sentence 1, where 0 is expected"),
        ("0 ||| a ||| x\n1 ||| b ||| x\n0 ||| c ||| x\n", "line 3: sentence 0, where 1 or 2 is expected"),
        ("x ||| a ||| x\n", "line 1: 'x' is not a sentence number"),
        (f"{'9' * 5000} ||| a ||| x\n", f"line 1: '{'9' * 60}' is not a sentence number"),
        ("0 ||| a ||| x ||| 1\n0\n", "line 2: 1 field"),
        ("0 ||| a ||| x ||| y\n", "line 1: the score 'y' is not a finite number"),
        ("0 ||| a ||| x ||| 1\n0 ||| a ||| x\n", "some candidates of sentence 0 have no score"),
        ("{}\n", 'line 1: no "candidates"'),
        ('{"candidates": []}\n', "line 1: no candidates"),
        ('{"candidates": "a"}\n', 'line 1: "candidates" must be a list'),
        ('{"candidates": ["a", 1]}\n', 'line 1: every item of "candidates" must be a text'),
        ('{"candidates": ["a"], "references": [1]}\n', 'every item of "references" must be a text'),
        ('{"candidates": ["a"], "references": []}\n', "no references"),
        ('{"candidates": ["a"], "scores": ["x"]}\n', 'every item of "scores" must be a number'),
        ('{"candidates": ["a"], "counts": [1.5]}\n', 'every item of "counts" must be a number'),
        ('{"candidates": ["a"], "scores": [1, 2]}\n', "1 candidate, but 2 scores"),
        ('{"candidates": ["a"], "source": 1}\n', '"source" must be a text'),
        ('{"candidates": ["a"]}\nx\n', "line 2: not JSON"),
        ("\na\n", "line 1: an empty line, but no candidates before it"),
        ("a\tx\n", "line 1: 'x' after the tab is not a count"),
        (f"a\t{'9' * 5000}\n", f"line 1: '{'9' * 60}' after the tab is not a count"),
        ("a\t0\n", "a count is 0"),
    ],
)
def test_faults(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _read(tmp_path, text)
    assert message in str(raised.value).replace("lists:", "lists, line ")
    assert "lists" in str(raised.value)


def test_faults_of_options(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no format of candidates named 'x'"):
        _read(tmp_path, "a\n", file_format="x")
    with pytest.raises(InputError, match="at least one candidate, not 0"):
        _read(tmp_path, "a\n", per_segment=0)
    with pytest.raises(InputError, match="for files with a candidate per line"):
        _read(tmp_path, "{}\n", per_segment=2, file_format="jsonl")
    with pytest.raises(InputError, match="1 line for the last segment, which needs 2"):
        _read(tmp_path, "a\nb\nc\n", per_segment=2)
    with pytest.raises(InputError, match="no such file"):
        next(read_candidates(tmp_path / "none"))
    (tmp_path / "latin").write_bytes(b"a\n\xe4\n")
    with pytest.raises(InputError, match="0xe4 is not utf-8"):
        list(read_candidates(tmp_path / "latin"))


@pytest.mark.parametrize("text", ["a\n" + "b" * 50 + "\n", "a\n" + "b" * 200_000])
def test_lines_above_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("MTASSAY_MAX_LINE_SIZE", "40")
    with pytest.raises(InputError, match="2 has more than 40 bytes"):
        _read(tmp_path, text)
