"""``mtassay humans``: formats, options, pictures, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import command
import numpy as np
import pytest

from mtassay.cli.main import main
from mtassay.data.formats.judgements import FORMATS

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
    plain = [line.rpartition("\t")[0] for line in scores if not line.endswith("fluency")]
    Path("plain.tsv").write_text("\n".join(plain) + "\n", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "humans", *arguments)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.refused(capsys, "humans", *arguments)


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "rankings.tsv", "--method", "expected-wins", "bradley-terry", "--resamples", "200")
    lines = out.splitlines()
    assert lines[0].startswith("120 preferences")
    assert lines[0].endswith("3 systems · 40 segments · 3 judges")
    assert "95 % of 200 resamples of 40 screens, seed 12345" in lines[1]
    assert lines[3].split() == [
        *(
            "system",
            "expected-wins",
            "bradley-terry",
            "rank",
            "range",
            "WMT",
            "cluster",
            "fuzzy",
            "rank",
            "better",
            "than",
        )
    ]
    assert lines[6].split()[:2] == ["c", "bad"]
    assert lines[8] == "overlapping cluster  systems without a significant difference"


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "rankings.tsv", "-f", "json", "--resamples", "100", "--seed", "7", "--alpha", ".1"))
    assert (found["schema"], found["seed"], found["resamples"], found["alpha"]) == ("mtassay.humans/1", 7, 100, 0.1)
    assert [row["system"] for row in found["aspects"][0]["ranking"]][-1] == "bad"


@pytest.mark.parametrize("format_", ["tsv", "latex", "markdown", "html"])
@pytest.mark.parametrize("arguments", [["rankings.tsv"], ["adequacy.tsv", "fluency.tsv"]], ids=["one", "two"])
def test_other_formats(capsys: pytest.CaptureFixture[str], format_: str, arguments: list[str]) -> None:
    tables = [run(capsys, *arguments, "--resamples", "60", "-f", format_, *flags) for flags in ([], ["--pairs"])]
    assert all("good" in table for table in tables)
    assert tables[0] != tables[1]
    if format_ == "tsv":
        assert [name for name in tables[0].splitlines()[0].split("\t") if "cluster" in name] == ["wmt_cluster"]
        for table in tables:
            header, *rows = table.splitlines()
            assert rows
            assert {row.count("\t") for row in rows} == {header.count("\t")}


def test_two_aspects_from_one_file_or_two(capsys: pytest.CaptureFixture[str]) -> None:
    one = run(capsys, "scores.tsv", "--task", "adequacy", "--then", "fluency", "--resamples", "60")
    assert "adequacy, then fluency: " in one
    assert "pairs differ significantly by adequacy, another" in one
    assert "better by fluency" in one
    assert run(capsys, "adequacy.tsv", "fluency.tsv", "--resamples", "60") == one
    pairs = run(capsys, "adequacy.tsv", "fluency.tsv", "--resamples", "60", "-f", "tsv", "--pairs").splitlines()
    assert pairs[0].split("\t")[-2:] == ["by", "better"]
    assert len(pairs) == 4


def test_a_test_set_checks_names(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "rankings.tsv", "--resamples", "60", "--test-set", "set.jsonl")
    Path("odd.tsv").write_text("segment\tsystem\tscore\n1\tgood\t1\n2\tgoood\t2\n", encoding="utf-8")
    said = refused(capsys, "odd.tsv", "--test-set", "set.jsonl")
    assert "odd.tsv, line 3" in said
    assert "did you mean 'good'" in said


def test_unknown_systems_are_named_at_once_or_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for n in range(1, 5) for line in (f"{n}\tgood\t{n}", f"{n}\tfair\t{n / 2}", f"{n}\todd{n % 2}\t1")]
    Path("odd.tsv").write_text("\n".join(["segment\tsystem\tscore", *lines]) + "\n", encoding="utf-8")
    said = refused(capsys, "odd.tsv", "--test-set", "set.jsonl")
    assert "odd.tsv: systems that the test set does not have: 'odd1' (line 4), 'odd0' (line 7)" in said
    arguments = ("odd.tsv", "--test-set", "set.jsonl", "--ignore-unknown", "--resamples", "60")
    assert "judged but left out, not in the test set: odd0, odd1" in run(capsys, *arguments)
    found = json.loads(run(capsys, *arguments, "-f", "json"))
    assert (found["systems"], found["ignored"]) == (["good", "fair"], ["odd0", "odd1"])


def test_output_file_and_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "rankings.tsv", "--resamples", "60", "-o", "out.txt") == ""
    assert Path("out.txt").read_text(encoding="utf-8") == run(capsys, "rankings.tsv", "--resamples", "60")
    pytest.importorskip("matplotlib")
    kinds = ("ranks", "heatmap")
    both = [word for kind in kinds for word in ("--plot", kind, f"{kind}.svg")]
    run(capsys, "adequacy.tsv", "fluency.tsv", "--resamples", "60", *both)
    assert all("fluency" in Path(f"{kind}.svg").read_text(encoding="utf-8") for kind in kinds)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["empty.tsv"], "empty.tsv"),
        (["nowhere.tsv"], "nowhere.tsv"),
        ([], "FILE"),
        (["rankings.tsv", "--method", "expected-win"], "did you mean 'expected-wins'"),
        (["rankings.tsv", "--method", "mean"], "'mean' is for scores, but these are preferences"),
        (["scores.tsv", "--task", "adequacy", "--method", "soccer"], "'soccer' is for preferences"),
        (["scores.tsv"], "choose one with --task (task=): adequacy, fluency"),
        (["scores.tsv", "--then", "fluency"], "--then needs --task"),
        (["scores.tsv", "--task", "adequacy", "--then", "fluensy"], "did you mean 'fluency'"),
        (["adequacy.tsv", "fluency.tsv", "scores.tsv"], "two aspects can be combined"),
        (["rankings.tsv", "fluency.tsv"], "rankings.tsv has preferences"),
        (["rankings.tsv", "--systems", "good", "bed"], "did you mean 'bad'"),
        (["rankings.tsv", "--unit", "word"], "no unit named 'word'"),
        (["rankings.tsv", "--alpha", "2"], "alpha must be between 0 and 1"),
        (["rankings.tsv", "--resamples", "2"], "2 resamples are too few"),
        (["rankings.tsv", "--alpha", "5e-324"], "the significance level 5e-324 is too small"),
        (["rankings.tsv", "--plot", "rank", "x.svg"], "did you mean 'ranks'"),
        (["rankings.tsv", "--plot", "ranks", "x.gif"], "x.gif"),
        (["adequacy.tsv", "--drop-careless"], "no judge can be checked"),
        (["rankings.tsv", "-f", "xml"], "no format named 'xml'"),
        (["rankings.tsv", "--column", "judge"], "--column (column=) chooses nothing here"),
        (["rankings.tsv", "--task", "adequacy"], "--task (task=) chooses nothing here"),
        (["rankings.tsv", "--domain", "News"], "--domain (domain=) chooses nothing here"),
        (["rankings.tsv", "-l", "xx"], "-l (lp=) chooses nothing here"),
        (["rankings.tsv", "--joined"], "--joined (split=False) chooses nothing here"),
        (["rankings.tsv", "--rename", "god=a"], "--rename (rename=): no system named 'god'; did you mean 'good'?"),
        (["plain.tsv", "--task", "adequacy", "--then", "fluency"], "adequacy and fluency have the same scores"),
        (["adequacy.tsv", "./adequacy.tsv"], "have the same scores: give two files"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in refused(capsys, *arguments)
    assert not Path("x.svg").exists()


def test_missing_scores_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["segment\tsystem\tscore", *(f"{n}\tx\t{n}\n{n}\ty\t{'None' if n < 3 else n / 2}" for n in range(1, 9))]
    Path("some.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = json.loads(run(capsys, "some.tsv", "-f", "json", "--resamples", "60"))["aspects"][0]
    assert found["judgements"] == 14
    assert {row["system"]: row["scores"]["mean"] for row in found["ranking"]} == {"x": 4.5, "y": 2.75}
    lines = ["segment\tsystem\tscore", "1\tx\tNone", "2\ty\tNone"]
    Path("none.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "none.tsv has no judgement" in refused(capsys, "none.tsv")


def test_scores_of_whole_systems_are_ranked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("en-de.mqm.sys.score").write_text("x\t-2.5\ny\t-1\nz\tNone\nw\t-7\n", encoding="utf-8")
    lines = run(capsys, "en-de.mqm.sys.score").splitlines()
    assert lines[0] == "3 scores of mqm · 3 systems"
    assert "no tests" in lines[1]
    assert [line.split() for line in lines[3:7]] == [
        ["system", "mean", "rank"], ["a", "y", "*-1.000", "1"], ["b", "x", "-2.500", "2"], ["c", "w", "-7.000", "3"]
    ]  # fmt: skip
    found = json.loads(run(capsys, "en-de.mqm.sys.score", "-f", "json"))
    assert (found["resamples"], found["unit"], found["aspects"][0]["pairs"]) == (0, "system", [])
    assert found["aspects"][0]["ranking"][0] == {
        "system": "y", "scores": {"mean": -1.0}, "rank": 1, "rank_range": None, "wmt_cluster": None,
        "fuzzy_rank": None, "judgements": 1, "segments": 0, "clusters": [], "better_than": [],
    }  # fmt: skip
    assert run(capsys, "en-de.mqm.sys.score", "-f", "tsv").splitlines()[1].split("\t")[:6] == [
        "mqm", "y", "-1.0", "1", "", ""
    ]  # fmt: skip
    for rest in (["--pairs"], ["--plot", "ranks", "x.svg", "-o", "x.txt"], ["adequacy.tsv"]):
        said = refused(capsys, "en-de.mqm.sys.score", *rest)
        assert "judged in only one aspect" in said if rest == ["adequacy.tsv"] else "scores of whole systems" in said
    assert not Path("x.txt").exists()
    Path("en-de.da.sys.score").write_text("x\t-2\ny\t-1\nz\t2\nw\t-7\n", encoding="utf-8")
    both = refused(capsys, "en-de.mqm.sys.score", "en-de.da.sys.score", "--systems", "x", "y")
    assert "scores of whole systems" in both


def test_systems_that_never_met(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{n}\t{better}\t{worse}" for n in range(1, 21) for better, worse in (("a", "b"), ("c", "d"))]
    Path("apart.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = json.loads(run(capsys, "apart.tsv", "--method", "bradley-terry", "--resamples", "60", "-f", "json"))
    [aspect] = found["aspects"]
    # a and c won everything, b and d lost everything.
    assert {row["system"]: row["rank"] for row in aspect["ranking"]} == {"a": 1, "c": 1, "b": 3, "d": 3}
    assert aspect["parts"] == 2
    assert "2 groups of systems" in run(capsys, "apart.tsv", "--resamples", "60")
    assert "groups" not in run(capsys, "rankings.tsv", "--resamples", "60")
    Path("one.tsv").write_text("1\ta\tb\n", encoding="utf-8")
    out = run(capsys, "one.tsv", "--resamples", "60")
    assert out.startswith("1 preference · 2 systems · 1 segment\n")
    assert "60 resamples of 1 judgement," in out


def test_tsv_keeps_names_with_blanks_apart(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("rankings.tsv").read_text(encoding="utf-8").replace("\tbad\t", "\tbad, very\t")
    Path("rankings.tsv").write_text(text, encoding="utf-8")
    header, first, *_ = run(capsys, "rankings.tsv", "-f", "tsv", "--resamples", "60").splitlines()
    assert header.split("\t")[-1] == "better_than"
    best = json.loads(run(capsys, "rankings.tsv", "-f", "json", "--resamples", "60"))["aspects"][0]["ranking"][0]
    assert json.loads(first.split("\t")[-1]) == best["better_than"]
    assert "bad, very" in best["better_than"]


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["humans", "--help"])
    out = capsys.readouterr().out
    assert "examples:" in out
    assert "--task adequacy --then fluency" in out


def test_help_lists_all_formats(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["humans", "--help"])
    listed = " ".join(capsys.readouterr().out.split()).split("--judgement-format FORMAT ")[1].split(" (default")[0]
    assert tuple(re.split(r", | or ", listed)) == FORMATS
