"""Readers on real data; the counts are those that the data's own descriptions give."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from mtassay.data import TestSet, load, load_files, read_jsonl, read_lines, write_evalset, write_jsonl


@pytest.mark.parametrize(
    ("campaign", "lp", "n_segments", "reference_names", "n_systems"),
    [
        ("wmt12", "cs-en", 3003, ("ref",), 6),
        ("wmt12", "es-en", 3003, ("ref",), 12),
        ("wmt12", "en-es", 3003, ("ref",), 11),
        ("wmt13", "fr-en", 3000, ("ref",), 19),
        ("wmt13", "cs-en", 3000, ("ref",), 12),
        ("wmt15", "fi-en", 1370, ("ref",), 14),
        ("wmt15", "ru-en", 2818, ("ref",), 13),
        ("wmt21", "en-de", 1002, ("refA", "refC", "refD"), 20),
        ("wmt21", "cs-en", 1000, ("refA", "refB"), 8),
    ],
)
def test_folders(
    data_dir: Path, campaign: str, lp: str, n_segments: int, reference_names: tuple[str, ...], n_systems: int
) -> None:
    testset = load(data_dir / campaign / lp)
    assert testset == load(data_dir / campaign, lp=lp)
    assert testset.name == f"{campaign}/{lp}"
    assert testset.n_segments == n_segments
    assert testset.reference_names == reference_names
    assert set(testset.systems) == {path.name for path in (data_dir / campaign / lp / "hyp").iterdir()}
    assert len(testset.systems) == n_systems
    assert testset.sources is not None


#: Everything that a folder has.
WHOLE: Any = {"references": "all", "include_references": True, "keep_whitespace": True}


@pytest.fixture(scope="module")
def wmt23(data_dir: Path) -> TestSet:
    return load(data_dir / "wmt23", lp="en-de", **WHOLE)


def test_evalset(data_dir: Path, wmt23: TestSet) -> None:
    assert wmt23.n_segments == 557
    assert wmt23.reference_names == ("refA", "synthetic_ref")
    assert len(wmt23.systems) == 14
    assert wmt23.systems["refA"] == wmt23.references[0]
    standard = load(data_dir / "wmt23", lp="en-de")
    assert standard.reference_names == ("refA",)
    assert set(wmt23.systems) - set(standard.systems) == set(standard.set_aside) == {"refA", "synthetic_ref"}
    assert standard.outliers == ("synthetic_ref",)
    labels = (data_dir / "wmt23/documents/en-de.docs").read_text(encoding="utf-8").splitlines()
    assert len(wmt23.groups("doc")) == len({line.split("\t")[1] for line in labels})
    assert sum(len(indices) for _, indices in wmt23.groups("domain")) == 557


def test_real_sets_survive_both_writers(tmp_path: Path, wmt23: TestSet) -> None:
    write_jsonl(wmt23, tmp_path / "set.jsonl")
    assert dataclasses.replace(read_jsonl(tmp_path / "set.jsonl", name="wmt23/en-de"), outliers=wmt23.outliers) == wmt23
    write_evalset(wmt23, tmp_path / "wmt23", "en-de")
    assert load(tmp_path / "wmt23", **WHOLE) == wmt23


def test_sgml_holds_the_texts_of_the_line_files(oracle_dir: Path) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    testset = load_files([folder / "ref.sgm"], [folder / "sysABC.sgm"], source=folder / "src.sgm")
    assert testset.n_segments == 200
    assert testset.reference_names == ("ref0", "ref1")
    assert list(testset.systems) == ["sysA", "sysB", "sysC"]
    streams = dict(zip(testset.reference_names, testset.references, strict=True)) | testset.systems
    for name, texts in streams.items():
        # The SGML files write & and < of the line files as entities, and a space around each text.
        assert list(texts) == [line.strip(" ") for line in read_lines(folder / f"{name}.txt")]
    assert any("R&D" in (text or "") and "<100%" in (text or "") for text in testset.references[0])
    assert [label for label, _ in testset.groups("doc")] == ["doc01", "doc02", "doc03", "doc04"]
    assert testset.domains == ("news",) * 200
    assert testset.sources is not None
    assert testset.sources[:2] == ("src 0", "src 1")
