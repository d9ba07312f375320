from __future__ import annotations

import io
import lzma
import sys
from pathlib import Path

import pytest

from mtassay.data import TestSet, load, read_jsonl
from mtassay.errors import InputError

GOOD = '{"ref": "a", "tgt": {"A": "x"}}'


def write(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "set.jsonl"
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8", newline="")
    return path


def test_all_keys(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{"id": 7, "src": "s", "refs": ["a", null], "tgt": {"A": "x", "B": ""}, "doc": "d", "domain": "n"}',
        '{"id": "8", "src": "t", "refs": [null, "b"], "tgt": {"B": "v", "A": "u"}, "doc": "e", "domain": ""}',
    )
    assert load(path) == TestSet(
        [["a", None], [None, "b"]],
        {"A": ["x", "u"], "B": ["", "v"]},
        sources=["s", "t"],
        documents=["d", "e"],
        domains=["n", ""],
        ids=["7", "8"],
        name="set",
    )


def test_references_by_name_and_no_systems(tmp_path: Path) -> None:
    path = write(tmp_path, '{"refs": {"refA": "a", "refC": null}}', '{"refs": {"refC": "c", "refA": "b"}}')
    testset = read_jsonl(path)
    assert testset.reference_names == ("refA", "refC")
    assert testset.references == (("a", "b"), (None, "c"))
    assert testset.systems == {}


def test_line_separators_inside_strings_do_not_split(tmp_path: Path) -> None:
    assert read_jsonl(write(tmp_path, '{"ref": "a\u2028b\x85c"}')).references == (("a\u2028b\x85c",),)


def test_standard_input_and_compression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert load("-").systems == {"A": ("x",)}
    path = tmp_path / "set.jsonl.xz"
    path.write_bytes(lzma.compress(GOOD.encode()))
    assert load(path).systems == {"A": ("x",)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ("[1]", "expected an object"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "digits"),
        ('{"ref": "a", "tgt": {"A": "x"}, "source": "s"}', "no key named 'source'"),
        ('{"ref": "a", "tgt": {"A": "x"}, "dok": "s"}', "did you mean 'doc'"),
        ('{"ref": "a", "ref": "b", "tgt": {"A": "x"}}', "'ref' is given twice"),
        ('{"ref": "a", "tgt": {"A": "x", "A": "y"}}', "'A' is given twice"),
        ('{"tgt": {"A": "x"}}', "either 'ref'"),
        ('{"ref": "a", "refs": ["a"], "tgt": {"A": "x"}}', "either 'ref'"),
        ('{"ref": null, "tgt": {"A": "x"}}', "'ref' is null, but a segment needs a reference"),
        ('{"ref": 3, "tgt": {"A": "x"}}', "'ref' is 3"),
        ('{"refs": "a", "tgt": {"A": "x"}}', "'refs' must be a list"),
        ('{"refs": [1], "tgt": {"A": "x"}}', "'refs' contains 1"),
        ('{"refs": [null], "tgt": {"A": "x"}}', "no reference"),
        ('{"refs": ["a", "b"], "tgt": {"A": "x"}}', "key 'refs' is not in line 1"),
        ('{"ref": "a", "tgt": "x"}', "'tgt' must be an object"),
        ('{"ref": "a", "tgt": {"A": null}}', "output of system 'A' is null"),
        ('{"ref": "a", "tgt": {"A": ["x"]}}', "output of system 'A' is"),
        ('{"ref": "a", "tgt": {"B": "x"}}', "system 'B' is not in line 1"),
        ('{"ref": "a", "tgt": {}}', "system 'A' is missing"),
        ('{"ref": "a"}', "key 'tgt' is missing"),
        ('{"ref": "a", "tgt": {"A": "x"}, "doc": "d"}', "key 'doc' is not in line 1"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, row: str, message: str) -> None:
    path = write(tmp_path, GOOD, row)
    with pytest.raises(InputError) as caught:
        read_jsonl(path)
    assert f"{path}, line 2: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ('{"refs": ["a", "b"]}', '{"refs": ["a"]}', "1 reference, line 1 has 2; write null"),
        ('{"refs": {"a": "x"}}', '{"refs": {"b": "x"}}', "reference 'b' is not in line 1"),
        ('{"ref": "a", "src": "x"}', '{"ref": "a", "src": 3}', "'src' is 3"),
        ('{"ref": "a", "doc": "x"}', '{"ref": "a", "doc": true}', "'doc' is true"),
        ('{"ref": "a", "id": "x"}', '{"ref": "a", "id": 1.5}', "'id' is 1.5"),
    ],
)
def test_errors_against_the_first_line(tmp_path: Path, first: str, second: str, message: str) -> None:
    path = write(tmp_path, first, second)
    with pytest.raises(InputError) as caught:
        read_jsonl(path)
    assert f"{path}, line 2: {message}" in str(caught.value)
