from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mtassay.data import TestSet, load, read_tsv
from mtassay.errors import InputError


def write(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "set.tsv"
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8", newline="")
    return path


def test_columns_by_name(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "id\tsrc\tref:A\tonline-A\tdoc\trefB\tdomain\tjhu",
        '1\ts1\ta1\tx1\td\tb1\tnews\t"y1"',
        "2\ts2\ta2\tx2\td\tb2\tnews\t",
    )
    expected = TestSet(
        [["a1", "a2"], ["b1", "b2"]],
        {"online-A": ["x1", "x2"], "jhu": ['"y1"', ""]},
        sources=["s1", "s2"],
        documents=["d", "d"],
        domains=["news", "news"],
        ids=["1", "2"],
        reference_names=["ref:A", "refB"],
        name="set",
    )
    assert load(path) == expected


def test_an_empty_cell_is_missing_only_beside_another_reference(tmp_path: Path) -> None:
    several = read_tsv(write(tmp_path, "ref1\tref2\tA", "a\t\tx", "\t\tx", "\tb\tx"))
    assert several.references == (("a", "", None), (None, "", "b"))
    single = read_tsv(write(tmp_path, "ref\tA", "\tx"))
    assert single.references == (("",),)


def test_names_that_begin_like_ref_are_systems(tmp_path: Path) -> None:
    testset = read_tsv(write(tmp_path, "ref\trefined\tREF2", "a\tb\tc"))
    assert testset.reference_names == ("ref",)
    assert list(testset.systems) == ["refined", "REF2"]


def test_windows_and_compressed(tmp_path: Path) -> None:
    path = tmp_path / "set.tsv.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfref\tA\r\na\tb\r\n"))
    assert load(path).systems == {"A": ("b",)}


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["ref\tA", "a\tb", "a"], 3, "1 tab-separated column, expected 2"),
        (["ref\tA", "a\tb\tc"], 2, "3 tab-separated columns, expected 2"),
        (["src\tA", "a\tb"], 1, "no reference column"),
        (["ref\tA\tA", "a\tb\tc"], 1, "two columns are named 'A'"),
        (["ref\t\tA", "a\tb\tc"], 1, "column 2 has no name"),
        (["ref\tA"], 1, "only a header"),
        (["ref\tSource\tA", "a\tb\tc"], 1, "did you mean 'src'"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, rows: list[str], line: int, message: str) -> None:
    path = write(tmp_path, *rows)
    with pytest.raises(InputError) as caught:
        read_tsv(path)
    assert f"{path}, line {line}: " in str(caught.value)
    assert message in str(caught.value)


def test_a_name_that_no_table_can_show_names_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "ref\ta\0b", "x\ty")
    with pytest.raises(InputError, match=r"set\.tsv: the system name"):
        read_tsv(path)
