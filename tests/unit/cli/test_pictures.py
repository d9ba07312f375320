"""Pictures are there, and whole, whatever becomes of standard output."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from mtassay.cli.main import main
from mtassay.data import load, write_evalset
from mtassay.sample import human_scores_path, sample_path

# A language that METEOR, a baseline of learned metrics, has no data for: they take long to load.
TEXTS = [".", "-l", "de-xx"]
SCORED = [*TEXTS, "-m", "bleu", "--resamples", "100"]
HUMANS = ["--judgements", str(human_scores_path())]
CASES = {
    "compare": ["compare", *SCORED, "--plot", "heatmap"],
    "compare all tests": ["compare", *SCORED, "--test", "all", "--plot", "heatmap"],
    "rank": ["rank", *SCORED, "--plot", "clusters"],
    "humans": ["humans", str(human_scores_path()), "--resamples", "50", "--plot", "ranks"],
    "metaeval": ["metaeval", *TEXTS, "-m", "bleu", *HUMANS, "--resamples", "50", "--plot", "scatter"],
    "conclusions": ["conclusions", *TEXTS, "-m", "bleu", *HUMANS, "--resamples", "1000", "--plot", "humans"],
    "learn curve": [
        "learn",
        "curve",
        *TEXTS,
        *HUMANS,
        "--sets",
        "bleu",
        "--sizes",
        "8",
        "--folds",
        "2",
        "--plot",
        "curve",
    ],
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample in the current folder."""
    write_evalset(load(sample_path()), tmp_path / "sample", "de-xx")
    monkeypatch.chdir(tmp_path / "sample")
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))


def run_unread(arguments: list[str]) -> int:
    """Run the command with standard output a pipe that nobody reads any more, as after ``| head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=1) as stream, redirect_stdout(stream):
        return main(arguments)


def is_whole(path: Path) -> bool:
    content = path.read_bytes()
    if path.suffix == ".svg":
        return content.rstrip().endswith(b"</svg>")
    return content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize("case", CASES)
def test_the_picture_is_drawn_before_anything_is_printed(case: str) -> None:
    assert run_unread([*CASES[case], "p.png"]) == 0
    assert is_whole(Path("p.png"))


def test_the_pictures_of_the_tour() -> None:
    assert run_unread(["demo", "--keep", "tour"]) == 0
    drawn = sorted(Path("tour").glob("*.svg"))
    assert [path.name for path in drawn] == ["clusters.svg", "metrics.svg", "pairs.svg"]
    assert all(map(is_whole, drawn))


def test_the_picture_of_a_tuned_decoder() -> None:
    Path("ref.txt").write_text("the house is small\n", encoding="utf-8")
    listed = ["the house is small ||| A= 1 B= 2", "the house is small indeed ||| A= 2 B= 1"]
    Path("list.txt").write_text("".join(f"0 ||| {line} ||| 0\n" for line in listed), encoding="utf-8")
    Path("start.txt").write_text("A_0 1\nB_0 1\n", encoding="utf-8")
    decoder = ["--decoder", "cp list.txt {nbest} # {weights}", "--start", "start.txt", "--restarts", "1"]
    run = ["tune", *decoder, "-r", "ref.txt", "--run-folder", "run", "--plot", "iterations", "p.png"]
    assert run_unread(run) == 0
    assert is_whole(Path("p.png"))
