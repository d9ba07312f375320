"""``mtassay humans``: formats, options, pictures, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mtassay.cli.main import main

NAMES = ("good", "fair", "bad")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rankings, scores of two aspects in one file and in two, and a test set, in the current folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rankings, scores = ["segment\tjudge\titem\tsystem\trank"], ["segment\tjudge\tsystem\tscore\taspect"]
    for n in range(1, 41):
        quality = np.round(np.array([1.2, 0.8, -1.0]) + rng.normal(0, 1, 3), 1)
        for name, value in zip(NAMES, quality, strict=True):
            rankings.append(f"{n}\tj{n % 3}\t{n}\t{name}\t{1 + int((quality > value).sum())}")
            for aspect, weight in (("adequacy", 1.0), ("fluency", 2.0)):
                score = 50 + 10 * (weight * value + rng.normal(0, 1))
                scores.append(f"{n}\tj{n % 3}\t{name}\t{score:.2f}\t{aspect}")
    Path("rankings.tsv").write_text("\n".join(rankings) + "\n", encoding="utf-8")
    Path("scores.tsv").write_text("\n".join(scores) + "\n", encoding="utf-8")
    for aspect in ("adequacy", "fluency"):
        chosen = [scores[0], *(line for line in scores if line.endswith(aspect))]
        Path(f"{aspect}.tsv").write_text("\n".join(chosen) + "\n", encoding="utf-8")
    items = [{"ref": "a b", "tgt": dict.fromkeys(NAMES, "a")} for _ in range(40)]
    Path("set.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    Path("empty.tsv").write_text("", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    status = main(["humans", *arguments])
    captured = capsys.readouterr()
    assert (status, captured.err) == (0, "")
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["humans", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("mtassay: ")
    return captured.err


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "rankings.tsv", "--method", "expected-wins", "bradley-terry", "--draws", "200")
    lines = out.splitlines()
    assert lines[0].startswith("120 preferences")
    assert lines[0].endswith("3 systems · 40 segments · 3 judges")
    assert "95 % of 200 draws of 40 screens, seed 12345" in lines[1]
    assert lines[3].split() == [
        *("system", "expected-wins", "bradley-terry", "rank", "range", "cluster", "fuzzy", "rank", "better", "than")
    ]
    assert lines[6].split()[:2] == ["c", "bad"]
    assert lines[8].split()[0] == "cluster"


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "rankings.tsv", "-f", "json", "--draws", "100", "--seed", "7", "--level", ".1"))
    assert (found["schema"], found["seed"], found["draws"], found["level"]) == ("mtassay.humans/1", 7, 100, 0.1)
    assert [row["system"] for row in found["aspects"][0]["ranking"]][-1] == "bad"


@pytest.mark.parametrize("format_", ["tsv", "latex", "markdown"])
@pytest.mark.parametrize("arguments", [["rankings.tsv"], ["adequacy.tsv", "fluency.tsv"]], ids=["one", "two"])
def test_other_formats(capsys: pytest.CaptureFixture[str], format_: str, arguments: list[str]) -> None:
    tables = [run(capsys, *arguments, "--draws", "60", "-f", format_, *flags) for flags in ([], ["--pairs"])]
    assert all("good" in table for table in tables)
    assert tables[0] != tables[1]
    if format_ == "tsv":
        for table in tables:
            header, *rows = table.splitlines()
            assert rows
            assert {row.count("\t") for row in rows} == {header.count("\t")}


def test_two_aspects_from_one_file_or_two(capsys: pytest.CaptureFixture[str]) -> None:
    one = run(capsys, "scores.tsv", "--task", "adequacy", "--then", "fluency", "--draws", "60")
    assert "adequacy, then fluency: adequacy tells" in one
    assert "better by fluency" in one
    assert run(capsys, "adequacy.tsv", "fluency.tsv", "--draws", "60") == one
    pairs = run(capsys, "adequacy.tsv", "fluency.tsv", "--draws", "60", "-f", "tsv", "--pairs").splitlines()
    assert pairs[0].split("\t")[-2:] == ["by", "better"]
    assert len(pairs) == 4


def test_a_test_set_checks_names(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "rankings.tsv", "--draws", "60", "--test-set", "set.jsonl")
    Path("odd.tsv").write_text("segment\tsystem\tscore\n1\tgood\t1\n2\tgoood\t2\n", encoding="utf-8")
    said = refused(capsys, "odd.tsv", "--test-set", "set.jsonl")
    assert "odd.tsv, line 3" in said
    assert "did you mean 'good'" in said


def test_output_file_and_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "rankings.tsv", "--draws", "60", "-o", "out.txt") == ""
    assert Path("out.txt").read_text(encoding="utf-8") == run(capsys, "rankings.tsv", "--draws", "60")
    pytest.importorskip("matplotlib")
    for kind in ("ranks", "heatmap"):
        run(capsys, "adequacy.tsv", "fluency.tsv", "--draws", "60", "--plot", kind, f"{kind}.svg")
        assert "fluency" in Path(f"{kind}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["empty.tsv"], "empty.tsv"),
        (["nowhere.tsv"], "nowhere.tsv"),
        ([], "FILE"),
        (["rankings.tsv", "--method", "expected-win"], "did you mean 'expected-wins'"),
        (["rankings.tsv", "--method", "mean"], "'mean' is for scores, and these are preferences"),
        (["scores.tsv", "--task", "adequacy", "--method", "soccer"], "'soccer' is for preferences"),
        (["scores.tsv"], "choose one with --task (task=): adequacy, fluency"),
        (["scores.tsv", "--then", "fluency"], "--then needs --task"),
        (["scores.tsv", "--task", "adequacy", "--then", "fluensy"], "did you mean 'fluency'"),
        (["adequacy.tsv", "fluency.tsv", "scores.tsv"], "two aspects are combined"),
        (["rankings.tsv", "fluency.tsv"], "rankings.tsv has preferences"),
        (["rankings.tsv", "--systems", "good", "bed"], "did you mean 'bad'"),
        (["rankings.tsv", "--unit", "word"], "unit cannot be 'word'"),
        (["rankings.tsv", "--level", "2"], "level must be between 0 and 1"),
        (["rankings.tsv", "--draws", "2"], "2 draws are too few"),
        (["rankings.tsv", "--plot", "rank", "x.svg"], "did you mean 'ranks'"),
        (["rankings.tsv", "--plot", "ranks", "x.gif"], "x.gif"),
        (["adequacy.tsv", "--drop-careless"], "nobody can be checked"),
        (["rankings.tsv", "-f", "xml"], "invalid choice"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in refused(capsys, *arguments)
    assert not Path("x.svg").exists()


def test_missing_scores_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["segment\tsystem\tscore", *(f"{n}\tx\t{n}\n{n}\ty\t{'None' if n < 3 else n / 2}" for n in range(1, 9))]
    Path("some.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = json.loads(run(capsys, "some.tsv", "-f", "json", "--draws", "60"))["aspects"][0]
    assert found["judgements"] == 14
    assert {row["system"]: row["scores"]["mean"] for row in found["ranking"]} == {"x": 4.5, "y": 2.75}
    lines = ["segment\tsystem\tscore", "1\tx\tNone", "2\ty\tNone"]
    Path("none.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "none.tsv has no judgement" in refused(capsys, "none.tsv")


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["humans", "--help"])
    out = capsys.readouterr().out
    assert "examples:" in out
    assert "--task adequacy --then fluency" in out
