"""Scores of streams are the bytes of scores of test sets."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamed_files import both, write_sample

import mtassay
from mtassay.cli.main import main
from mtassay.data import load_files
from mtassay.execution import blocks
from mtassay.io import inputs
from mtassay.report import parquet
from mtassay.verbs import score_files as streaming

METRICS = ["bleu", "chrf", "ter", "gtm", "rougeL", "lepor", "wer", "0.5*bleu-0.5*ter"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The built-in sample as files, and blocks of few segments."""
    monkeypatch.chdir(tmp_path)
    write_sample()
    Path("domains").write_text("".join(f"{'news' if n < 40 else 'talks'}\n" for n in range(64)), encoding="utf-8")
    lines = zip(*(Path(name).read_text(encoding="utf-8").splitlines() for name in ("ref", "dune")), strict=True)
    Path("refs.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in lines), encoding="utf-8")
    monkeypatch.setattr(blocks, "BLOCK", 7)


@pytest.mark.parametrize(
    "options",
    [
        ["-f", "json"],
        ["-f", "json", "-j", "3"],
        ["-f", "tsv"],
        ["-v", "--signatures"],
        ["-sl"],
        ["-sl", "-f", "json", "-w", "3"],
        ["-sl", "-b"],
        ["-b"],
        ["-f", "html"],
        ["--source", "dune"],
        ["--documents", "docs", "--domains", "domains", "-sl"],
        *(["--documents", "docs", "--by", "doc", "-f", form] for form in ("text", "json", "tsv", "markdown")),
        ["--domains", "domains", "--by", "domain", "-w", "4"],
    ],
)
def test_a_stream_gives_the_same_bytes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    streamed: list[int] = []
    used = streaming.score_files

    def counted(*given: Any, **options: Any) -> Any:
        streamed.append(1)
        return used(*given, **options)

    monkeypatch.setattr(streaming, "score_files", counted)
    whole, stream = both(
        capsys, monkeypatch, "score", "ref", "-i", "atlas.gz", "dune", "ember", "-m", *METRICS, *options
    )
    assert whole[0] == 0
    assert stream == whole
    assert streamed == [1]


@pytest.mark.parametrize("options", [["-sl", "--documents", "docs"], [], ["--by", "doc", "--documents", "docs"]])
def test_parquet_files_are_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    pytest.importorskip("pyarrow", reason="pip install 'mtassay[parquet]'")
    monkeypatch.setattr(parquet, "_ROWS", 33)
    files = []
    for size in (1 << 40, 0):
        monkeypatch.setattr(inputs, "_LARGE", size)
        given = ["ref", "-i", "atlas.gz", "dune", "-m", *METRICS, "-f", "parquet", "-o", "out", *options]
        assert main(["score", *given]) == 0
        files.append(Path("out").read_bytes())
    assert files[0] == files[1]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["ref", "-i", "atlas", "-m", "act", "bleu", "-l", "en-fr", "--source", "dune", "-v"],
        ["ref", "-i", "atlas", "-m", "act", "-l", "en-fr"],
        ["ref", "-i", "atlas", "-m", "bleu", "nist"],
        ["ref", "-i", "atlas", "--by", "doc", "--documents", "short"],
        ["ref", "-i", "atlas", "--by", "doc", "--domains", "domains"],
        ["ref", "-i", "atlas", "--source", "none"],
        ["refs.tsv", "-nr", "2", "-i", "atlas", "-f", "json"],
        ["refs.tsv", "-nr", "3", "-i", "atlas"],
        ["refs.tsv", "-i", "atlas"],
        ["ref", "-i", "atlas", "--origlang", "de"],
        ["ref", "-i", "atlas", "dune", "--paired-bs", "--paired-bs-n", "50"],
        ["ref", "dune", "-i", "atlas", "-nr", "1"],
        ["ref", "-i", "short"],
        ["ref", "-i", "atlas", "none"],
        ["ref", "-i", "atlas", "-e", "ascii"],
        ["ref", "-i", "atlas", "-l", "en-zh"],
    ],
)
def test_columns_what_cannot_be_streamed_and_errors_are_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    Path("short").write_text("one line\n", encoding="utf-8")
    whole, stream = both(capsys, monkeypatch, "score", *arguments)
    assert stream == whole


@pytest.mark.parametrize("form", ["tsv", "json", "parquet"])
def test_nothing_half_written_stays(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(parquet, "_ROWS", 10)
    Path("short").write_bytes(b"".join(Path("atlas").read_bytes().splitlines(keepends=True)[:20]))
    monkeypatch.setattr(inputs, "_LARGE", 0)
    before = sorted(Path().iterdir())
    assert main(["score", "ref", "-i", "short", "-sl", "-f", form, "-o", "out"]) == 2
    assert "short has 20 lines, ref has 64: every system needs one line per reference line" in capsys.readouterr().err
    assert sorted(Path().iterdir()) == before


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for size in (1 << 40, 0):
        monkeypatch.setattr(inputs, "_LARGE", size)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("atlas").read_bytes())))
        assert main(["score", "ref", "-b", "-w", "9"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]


def test_tokenised_text_is_noticed_over_blocks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tokens", "their.ref"):
        Path(name).write_text("a b .\n" * 150, encoding="utf-8")
    whole, stream = both(capsys, monkeypatch, "score", "their.ref", "-i", "tokens")
    assert "tokens looks tokenised" in whole[2]
    assert stream == whole
    assert both(capsys, monkeypatch, "score", "their.ref", "-i", "tokens", "-q")[1][2] == ""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is measured as Linux reports it")
def test_memory_does_not_grow(tmp_path: Path) -> None:
    code = (
        "import sys; from mtassay.verbs.score_files import score_files\n"
        "score_files(sys.argv[1:2], sys.argv[2:])\n"
        # Not ru_maxrss, which counts the process that started this one.
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    texts = [Path(name).read_text(encoding="utf-8") for name in ("ref", "atlas")]
    peaks = []
    for n_copies in (600, 2400):  # of 64 segments
        paths = [tmp_path / f"{name}{n_copies}" for name in ("ref", "hyp")]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text * n_copies, encoding="utf-8")
        ran = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, check=True)
        peaks.append(int(ran.stdout) / 1024)
    # 115,200 segments more; held in memory they take some 100 MB.
    assert peaks[1] - peaks[0] < 25


def test_in_python() -> None:
    blocks = []
    result = mtassay.score_files(
        ["ref"], ["atlas", "dune"], metrics=METRICS, each_block=lambda first, scored: blocks.append((first, scored))
    )
    whole = mtassay.score(load_files(["ref"], ["atlas", "dune"]), metrics=METRICS)
    assert result.to_dict() == whole.to_dict()
    assert str(result) == str(whole)
    assert result["dune", "chrf"] == whole["dune", "chrf"]
    assert [first for first, _ in blocks] == list(range(1, 65, 7))
    segments = np.concatenate([scored.segment_scores() for _, scored in blocks], axis=1)
    np.testing.assert_array_equal(segments, whole.segment_scores())
    grouped = mtassay.score_files(["ref"], ["atlas"], by="doc", documents="docs", metrics=METRICS)
    assert len(grouped.groups) == 9
    documents = Path("docs").read_text(encoding="utf-8").split()
    part = load_files(["ref"], ["atlas"]).at([n for n, label in enumerate(documents) if label == "doc3"])
    assert (grouped.groups[3].label, grouped.groups[3].n_segments) == ("doc3", part.n_segments)
    np.testing.assert_allclose(grouped.groups[3].scores, mtassay.score(part, metrics=METRICS).scores, rtol=1e-14)
    with pytest.raises(mtassay.InputError, match="nist needs all segments at once"):
        mtassay.score_files(["ref"], ["atlas"], metrics=["nist"])
    with pytest.raises(mtassay.InputError, match="no metric to score with"):
        mtassay.score_files(["ref"], ["atlas"], metrics=[])
