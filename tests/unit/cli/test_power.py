"""``mtassay power``."""

from __future__ import annotations

import json
from pathlib import Path

import command
import numpy as np
import pytest
from simulated_texts import write_simulated

from mtassay.cli.main import main

INPUTS = ["ref.txt", "-i", "good.txt", "bad.txt"]
FAST = ["--trials", "20", "--resamples", "60"]


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference and two systems in the current folder."""
    monkeypatch.chdir(tmp_path)
    write_simulated({"good": 0.05, "bad": 0.5}, np.random.default_rng(1))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "power", *INPUTS, *FAST, *arguments)


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--sizes", "10", "40")
    lines = out.splitlines()
    assert lines[0].startswith("BLEU, good ")
    assert lines[0].endswith(
        "ahead of bad in 40 segments: approximate randomisation, 60 resamples, α = .05, 20 trials per size, seed 12345"
    )
    assert lines[2].split() == ["segments", "power", "wrong", "sign", "exaggeration", "found", "with", "80", "%"]
    assert [line.split()[0] for line in lines[3:5]] == ["10", "40"]
    assert "With 40 segments a difference of " in out
    assert "BLEU between good and bad would be found with 80 % probability." in out
    assert "wrong sign: share of" in out
    assert "wrong sign: share of" not in run(capsys, "--sizes", "10", "40", "-q")


def test_too_few_resamples(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no difference can be significant: use more --resamples" in run(capsys, "--resamples", "10")


def test_too_few_segments(capsys: pytest.CaptureFixture[str]) -> None:
    """Of three segments all eight exchanges are taken, so no number of resamples helps."""
    out = run(capsys, "--sizes", "2", "3", "--resamples", "1000")
    assert "With so few segments no difference can be significant.\n" in out
    assert "more --resamples" not in out


def test_few_significant_trials(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--sizes", "10", "40")
    note = "fewer than 100 trials were significant: wrong sign and exaggeration are imprecise there"
    assert f"With 10 and 40 segments {note}; use more --trials." in out
    assert note not in command.run(capsys, "power", *INPUTS, "--sizes", "40", "--trials", "120", "--resamples", "60")


def test_same_bytes_whatever_the_threads(capsys: pytest.CaptureFixture[str]) -> None:
    for test in ("ar", "bs"):
        options = ["-m", "bleu", "ter", "-f", "json", "--test", test, "--sizes", "20", "50"]
        assert run(capsys, *options) == run(capsys, *options, "-j", "3")


def test_json_and_tsv(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "-f", "json", "--sizes", "10", "40", "--difference", "2.5", "--power", ".9"))
    assert found["schema"] == "mtassay.power/1"
    assert found["power"] == 0.9
    [pair] = found["metrics"][0]["pairs"]
    assert (pair["needed"] is None) == (pair["sizes"][-1]["power"] < 0.9)
    assert (pair["better"], pair["worse"], pair["difference"]) == ("good", "bad", 2.5)
    assert [size["size"] for size in pair["sizes"]] == [10, 40]
    header, *rows = run(capsys, "-f", "tsv", "--sizes", "10", "40").splitlines()
    assert header.split("\t") == [
        *("metric", "better", "worse", "difference"),
        *("size", "power", "wrong_sign", "exaggeration", "detectable"),
    ]
    assert len(rows) == 2


def test_picture(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    run(capsys, "--plot", "power", "power.svg", "-m", "bleu", "ter")
    assert "</svg>" in Path("power.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [
        ["--sizes", "40", "10"],
        ["--sizes", "1", "10"],
        ["--trials", "0"],
        ["--power", "2"],
        ["--alpha", "0"],
        ["--difference", "-1"],
        ["--pair", "good", "other"],
        ["--baseline", "other"],
        ["--pair", "good", "bad", "--baseline", "good"],
        ["--plot", "curve", "power.svg"],
        ["--adjust", "holm"],
    ],
)
def test_bad_input(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", *INPUTS, *FAST, "-o", "out.txt", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mtassay: ")
    assert captured.err.count("\n") == 1
    assert not Path("out.txt").exists()


def test_one_system(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", "ref.txt", "-i", "good.txt"]) == 2
    assert capsys.readouterr().err == "mtassay: there is only one system: a comparison needs two\n"
