"""Outputs that would replace an input, or each other, or have no folder, are refused before anything is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mtassay.cli.main import main

TEXTS = {
    "ref.txt": "a b\nc d\n",
    "hyp.txt": "a b\nc\n",
    "pairs.tsv": "1\tx\ty\n2\ty\tx\n",
    "seg.tsv": "system\tsegment\tscore\nhyp\t1\t1\nhyp\t2\t2\n",
    "list.nbest": "0 ||| a ||| F= 1 ||| 1\n",
    "weights.txt": "F0 1\n",
    "cs-en.tsv": "1\tx\ty\n",
    "x.svg": "1\tx\ty\n",
}
SCORED = ["ref.txt", "-i", "hyp.txt"]
LOST = {
    "score": (["score", *SCORED, "-o", "hyp.txt"], "-o", "hyp.txt"),
    "score -r": (["score", "-r", "ref.txt", "-i", "hyp.txt", "-o", "ref.txt"], "-o", "ref.txt"),
    "score file": (["score", *SCORED, "-m", "0.5*file:seg.tsv+0.5*bleu", "-o", "seg.tsv"], "-o", "seg.tsv"),
    "score quoted": (["score", *SCORED, "-m", 'file:"seg.tsv",as=x', "-o", "seg.tsv"], "-o", "seg.tsv"),
    "compare": (["compare", *SCORED, "-o", "./hyp.txt"], "-o", "./hyp.txt"),
    "compare source": (["compare", *SCORED, "--source", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "rank": (["rank", *SCORED, "-o", "ref.txt"], "-o", "ref.txt"),
    "align": (["align", "ref.txt", "hyp.txt", "-o", "hyp.txt"], "-o", "hyp.txt"),
    "humans": (["humans", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "humans plot": (["humans", "x.svg", "--plot", "ranks", "x.svg"], "--plot", "x.svg"),
    "humans link": (["humans", "pairs.tsv", "-o", "link.tsv"], "-o", "link.tsv"),
    "agreement": (["agreement", "pairs.tsv", "--agreed", "--keep", "pairs.tsv"], "--keep", "pairs.tsv"),
    "metaeval": (["metaeval", *SCORED, "--humans", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "metaeval pair": (["metaeval", *SCORED, "--humans", "{lp}.tsv", "-o", "cs-en.tsv"], "-o", "cs-en.tsv"),
    "conclusions": (["conclusions", *SCORED, "--humans", "pairs.tsv", "-o", "pairs.tsv"], "-o", "pairs.tsv"),
    "convert": (["convert", *SCORED, "-o", "ref.txt"], "-o", "ref.txt"),
    "tune": (["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--save", "list.nbest"], "--save", "list.nbest"),
    "rerank": (["rerank", "list.nbest", "--weights", "weights.txt", "-o", "weights.txt"], "-o", "weights.txt"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something of every kind in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text, encoding="utf-8")
    os.link("pairs.tsv", "link.tsv")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err.removeprefix("mtassay: ").rstrip("\n")


@pytest.mark.parametrize("case", sorted(LOST))
def test_inputs_are_not_replaced(capsys: pytest.CaptureFixture[str], case: str) -> None:
    arguments, flag, path = LOST[case]
    assert refused(capsys, *arguments) == f"{flag} names {path}, which is read and would be lost: choose another file"
    assert {name: Path(name).read_text(encoding="utf-8") for name in TEXTS} == TEXTS


def test_other_files_are_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.txt").write_text("old", encoding="utf-8")
    assert main(["score", *SCORED, "-b", "-m", "ter", "-o", "out.txt", "--names", "pairs.tsv"]) == 0
    assert main(["score", *SCORED, "-b", "-m", "ter", "-o", "pairs.tsv", "--names", "pairs.tsv"]) == 0
    assert Path("out.txt").read_text(encoding="utf-8") == Path("pairs.tsv").read_text(encoding="utf-8") != "old"
    # Weights that are tuned may replace those that the tuning began with.
    start = ["tune", "--nbest", "list.nbest", "-r", "ref.txt", "--start", "weights.txt"]
    assert "weights.txt" not in refused(capsys, *start, "--save", "weights.txt")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["humans", "pairs.tsv", "-o", "a.svg", "--plot", "ranks", "./a.svg"], "-o and --plot name the same file"),
        (["humans", "pairs.tsv", "--plot", "ranks", "no/where/a.svg"], "there is no folder no/where; create it first"),
        (["humans", "pairs.tsv", "--plot", "ranks", "a.svg", "--plot", "heatmap", "a.svg"], "--plot is given twice"),
        (["agreement", "pairs.tsv", "--agreed", "--keep", "k.tsv", "-o", "nowhere/x"], "there is no folder nowhere"),
        (["agreement", "pairs.tsv", "--agreed", "--keep", "-"], "-o and --keep name the same file: -"),
        (["rank", "nothing.txt", "-o", "nowhere/x"], "there is no folder nowhere"),
        (["demo", "--keep", "-"], "--keep names a folder, which cannot go to standard output"),
    ],
)
def test_refused_before_anything_is_read(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in refused(capsys, *arguments)
    assert not Path("a.svg").exists()
    assert not Path("k.tsv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", *SCORED, "-sl", "-o", "x.tsv.gz"],
        ["compare", *SCORED, "-o", "x.tsv.gz"],
        ["humans", "pairs.tsv", "-o", "x.tsv.gz"],
        ["agreement", "pairs.tsv", "--agreed", "--keep", "x.tsv.gz"],
        ["rerank", "list.nbest", "--weights", "weights.txt", "-o", "x.tsv.gz"],
    ],
)
def test_names_of_compressed_files_are_refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    for suffix, kind in {".gz": "gzip", ".BZ2": "bzip2", ".xz": "xz"}.items():
        path = f"x.tsv{suffix}"
        said = f"{path} is named like a {kind} file, and outputs are not compressed: leave out {suffix}"
        assert refused(capsys, *arguments[:-1], path) == said
        assert not Path(path).exists()


def test_a_folder_may_have_any_name() -> None:
    assert main(["convert", *SCORED, "--to", "evalset", "-l", "cs-en", "-o", "set.gz"]) == 0


def test_only_folders_may_be_added_to(capsys: pytest.CaptureFixture[str]) -> None:
    Path("there").mkdir()
    assert refused(capsys, "score", *SCORED, "-o", "there") == "there is a folder; give a file name"
    assert main(["convert", *SCORED, "--to", "evalset", "-l", "cs-en", "-o", "there"]) == 0
    # The folder is no obstacle; the unknown annotator is.
    assert "no annotator named 'no'" in refused(capsys, "annotate", *SCORED, "--annotator", "no", "-o", "there")
