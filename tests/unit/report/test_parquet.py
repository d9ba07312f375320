"""Parquet files have the rows of TSV, whatever the sizes of blocks and row groups."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.errors import InputError, MissingExtraError
from mtassay.report import parquet
from mtassay.report.parquet import check_parquet, write_scores, writing_segments

arrow = pytest.importorskip("pyarrow.parquet", reason="pip install 'mtassay[parquet]'")

TESTSET = mtassay.TestSet(
    [["a b c d e", "f g", "h i j"]],
    {"x": ["a b c d", "f g", "i j"], "y": ["a c", "g", "h i j"]},
    documents=["d1", "d1", "d2"],
)


def test_segments(tmp_path: Path) -> None:
    result = mtassay.score(TESTSET, metrics=["bleu", "ter"])
    path = str(tmp_path / "out.parquet")
    with writing_segments(path) as write:
        write(11, result)
    table = arrow.read_table(path)
    assert table.column_names == ["segment", "system", "doc", "BLEU", "TER"]
    assert table["segment"].to_pylist() == [11, 11, 12, 12, 13, 13]
    assert table["system"].to_pylist() == ["x", "y"] * 3
    assert table["doc"].to_pylist() == ["d1", "d1", "d1", "d1", "d2", "d2"]
    expected = result.segment_scores().transpose(1, 0, 2).reshape(6, 2)
    np.testing.assert_array_equal(np.column_stack([table["BLEU"], table["TER"]]), expected)
    about = json.loads(table.schema.metadata[b"mtassay"])
    assert about["signatures"]["ter"] == str(result.signatures[1])


def test_tables_have_the_rows_of_tsv(tmp_path: Path) -> None:
    result = mtassay.score(TESTSET, metrics=["bleu", "chrf"], by="doc")
    path = str(tmp_path / "out.parquet")
    write_scores(path, result, width=2)
    table = arrow.read_table(path)
    header, *rows = (line.split("\t") for line in result.render("tsv", width=2).split("\n"))
    assert table.column_names == header == ["doc", "system", "segments", "BLEU", "chrF2"]
    assert [[str(value) for value in row.values()] for row in table.to_pylist()] == rows
    assert [str(kind) for kind in table.schema.types] == ["string", "string", "int64", "double", "double"]


@pytest.mark.parametrize("size", [1, 2, 4, 100])
def test_row_groups_do_not_depend_on_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(parquet, "_ROWS", size)
    found = []
    for name, parts in (("whole", [[0, 1, 2]]), ("parts", [[0], [1, 2]])):
        with writing_segments(str(tmp_path / name), width=3) as write:
            for part in parts:
                write(part[0] + 1, mtassay.score(TESTSET.at(part), metrics=["bleu"]))
        found.append((tmp_path / name).read_bytes())
    assert found[0] == found[1]
    assert arrow.ParquetFile(tmp_path / "whole").metadata.num_row_groups == -(-6 // size)


def test_missing_scores_are_null(tmp_path: Path) -> None:
    scores = tmp_path / "m.seg.score"
    scores.write_text("x\t0.5\nx\tNone\nx\t1\ny\t1\ny\t2\ny\t3\n", encoding="utf-8")
    result = mtassay.score(TESTSET, metrics=[f"file:{scores}"], by="doc")
    path = str(tmp_path / "out.parquet")
    with writing_segments(path) as write:
        write(1, result)
    assert arrow.read_table(path)[-1].to_pylist() == [0.5, 1.0, None, 2.0, 1.0, 3.0]
    write_scores(path, result)
    assert arrow.read_table(path)[-1].to_pylist() == [2.0, 0.75, 1.5, 0.5, 3.0, 1.0]


def test_names_that_are_not_utf8_are_escaped(tmp_path: Path) -> None:
    path = str(tmp_path / "out.parquet")
    write_scores(path, mtassay.score([["a"]], {"caf\udce9": ["a"]}))
    assert arrow.read_table(path)["system"].to_pylist() == ["caf\\udce9"]


def test_a_fault_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROWS", 2)
    path = tmp_path / "out.parquet"
    path.write_bytes(b"before")

    def fail() -> None:
        with writing_segments(str(path)) as write:
            write(1, mtassay.score(TESTSET))
            raise InputError("stop")

    with pytest.raises(InputError, match="stop"):
        fail()
    assert path.read_bytes() == b"before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.parquet"]


def test_standard_output_and_a_missing_package_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (None, "-", "/dev/stdout", "/dev/fd/1"):
        with pytest.raises(InputError, match="give -o FILE"):
            check_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"mtassay\[parquet\]"):
        check_parquet("out.parquet")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give -o FILE"),
        (["-b", "-o", "x"], "-b cannot be written as parquet"),
        (["-ci", "-o", "x"], "-ci and paired tests cannot be written as parquet"),
        (["-v", "-o", "x"], "-v is for tables of systems"),
        (["--list-metrics"], "--list-metrics cannot be written as parquet"),
    ],
)
def test_what_the_format_cannot_show(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("a\n", encoding="utf-8")
    assert main(["score", "ref", "-i", "ref", "-f", "parquet", *options]) == 2
    assert message in capsys.readouterr().err
    assert not Path("x").exists()
