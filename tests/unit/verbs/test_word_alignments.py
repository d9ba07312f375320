"""Word alignments in files: a stand-in for eflomal, and eflomal itself where it is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mtassay.cli.main import main
from mtassay.data import TestSet
from mtassay.errors import InputError, MtassayError
from mtassay.metrics import References, parse
from mtassay.verbs.word_alignments import write_word_alignments

SOURCE = "He stays since it rains , and since then ."
REFERENCE = "Il reste puisqu'il pleut, et depuis."
OUTPUT = "Depuis, il reste, car il pleut."


class Aligner:
    """Links the first words forward, and the last words in reverse."""

    def align(self, sources: Any, targets: Any, *, links_filename_fwd: str, links_filename_rev: str) -> None:
        Path(links_filename_fwd).write_text("".join("0-0\n" for _ in sources), encoding="ascii")
        last = [(len(s.split()) - 1, len(t.split()) - 1) for s, t in zip(sources, targets, strict=True)]
        Path(links_filename_rev).write_text("".join(f"{i}-{j}\n" for i, j in last), encoding="ascii")


@pytest.fixture
def eflomal(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("eflomal")
    module.Aligner = Aligner  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "eflomal", module)
    monkeypatch.setattr("mtassay.text.annotate.eflomal.version", lambda name: "2.0.0")


@pytest.mark.usefixtures("eflomal")
def test_files_that_act_reads(tmp_path: Path) -> None:
    testset = TestSet([[REFERENCE, "x"]], {"a": [OUTPUT, ""]}, sources=[SOURCE, "y"])
    result = write_word_alignments(testset, output=tmp_path / "links")
    assert result.annotator == "eflomal 2.0.0"
    assert (result.texts["a"].full, result.texts["a"].empty) == (1, 1)
    [name] = testset.reference_names
    first, second = (tmp_path / "links" / "a.tsv").read_text(encoding="utf-8").splitlines()
    assert first == f"{SOURCE}\tDepuis , il reste , car il pleut .\t0-0 9-8"
    assert second == "y\t\t"
    assert (tmp_path / "links" / f"{name}.tsv").exists()
    metric = parse(f"act:lang=fr,alignments={tmp_path / 'links'}")
    [row] = metric.prepare(References([[REFERENCE]], sources=[SOURCE])).statistics([OUTPUT])
    assert row.sum() == 2


@pytest.mark.usefixtures("eflomal")
def test_from_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("src", SOURCE), ("ref", REFERENCE), ("a", OUTPUT)):
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    texts = [str(tmp_path / "ref"), "-i", str(tmp_path / "a")]
    links = ["--annotator", "eflomal", "-o", str(tmp_path / "links")]
    assert main(["annotate", *texts, "--source", str(tmp_path / "src"), *links]) == 0
    assert "by eflomal 2.0.0" in capsys.readouterr().out
    assert main(["annotate", *texts, *links]) == 2
    assert "need source texts" in capsys.readouterr().err
    assert main(["annotate", "--texts", str(tmp_path / "a"), *links]) == 2
    assert "leave out --texts" in capsys.readouterr().err


@pytest.mark.usefixtures("eflomal")
def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="has other files"):
        write_word_alignments(TestSet([["x"]], {"a": ["x"]}, sources=["x"]), output=tmp_path)


def test_without_eflomal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(MtassayError, match="pip install eflomal"):
        write_word_alignments(TestSet([["x"]], {"a": ["x"]}, sources=["x"]), output=tmp_path)


@pytest.mark.skipif(find_spec("eflomal") is None, reason="pip install eflomal")
def test_eflomal_itself(tmp_path: Path) -> None:
    words = {"one": "un", "two": "deux", "three": "trois", "four": "quatre", "five": "cinq", "six": "six"}
    numbers = list(words)
    sources = [" ".join(numbers[(i + j) % 6] for j in range(1 + i % 4)) for i in range(120)]
    targets = [" ".join(words[word] for word in source.split()) for source in sources]
    write_word_alignments(TestSet([targets], {"a": targets}, sources=sources), output=tmp_path / "links")
    lines = [line.split("\t") for line in (tmp_path / "links" / "a.tsv").read_text(encoding="utf-8").splitlines()]
    right = [links == " ".join(f"{i}-{i}" for i in range(len(source.split()))) for source, _, links in lines]
    assert sum(right) > 0.9 * len(right)
