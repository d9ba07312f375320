"""``mtassay conclusions``."""

from __future__ import annotations

import json
from pathlib import Path

import command
import numpy as np
import pytest
from simulated_texts import write_simulated

from mtassay.cli.main import main

RATES = {"good": 0.05, "close": 0.06, "bad": 0.5}
INPUTS = ["ref.txt", "-i", "good.txt", "close.txt", "bad.txt"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference, three systems, preferences, and adequacy and fluency in one table."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    write_simulated(RATES, generator)
    pairs = [(1 + n % 40, better, "bad") for n in range(40) for better in ("good", "close")]
    Path("pairs.tsv").write_text("".join(f"{n}\t{a}\t{b}\n" for n, a, b in pairs), encoding="utf-8")
    rows = ["segment\tsystem\tscore\tjudge\taspect"]
    for aspect, means in (("adequacy", (70, 70, 30)), ("fluency", (90, 50, 30))):
        for name, mean in zip(RATES, means, strict=True):
            rows += [f"{n + 1}\t{name}\t{mean + generator.normal(0, 8):.1f}\tj{n % 3}\t{aspect}" for n in range(40)]
    Path("both.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    return command.run(capsys, "conclusions", *INPUTS, "--resamples", "1000", *arguments)


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--judgements", "pairs.tsv", "-m", "bleu", "ter", "--alpha", ".05", ".01")
    about, table, tests, between = out.rstrip("\n").split("\n\n")
    assert about.splitlines() == [
        "3 systems, 2 pairs, 1 reference (ref); 80 human judgements, exact randomisation over judgements",
        "pairs that differ significantly by human judgements: 2 at α = .05, 2 at α = .01",
        "left out: 1 pair without judgements",
    ]
    header, *rows = table.splitlines()
    assert header.split()[:3] == ["α", "metric", "pbs"]
    assert [row.split()[0] for row in rows] == [".05", "TER", ".01", "TER"]
    # Two conclusions of two: the lower end is the square root of .025.
    assert "2  100.0 [15.8, 100.0]" in rows[0]
    assert "paired bootstrap" in tests
    assert between.startswith(
        "no two metrics differ significantly in accuracy; smallest p-value: BLEU and TER with pbs, bs1, ar1"
    )
    assert "only the first is right on 0, only the second on 0, McNemar p 1; χ² 0.00, p 1" in between


def test_fluency_decides_where_adequacy_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    alone = json.loads(run(capsys, "--judgements", "both.tsv", "--task", "adequacy", "-f", "json"))
    both = json.loads(run(capsys, "--judgements", "both.tsv", "--fluency", "both.tsv", "-f", "json"))
    assert alone["pairs"] == both["pairs"] == [["good", "close"], ["good", "bad"], ["close", "bad"]]
    assert alone["alphas"][0]["people"] == [0, 1, 1]
    assert both["alphas"][0]["people"] == [1, 1, 1]
    assert (alone["people"]["combined"], both["people"]["combined"]) == (False, True)


def test_systems_of_a_test_set_may_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    Path("hyp").mkdir()
    for name in RATES:
        Path(f"{name}.txt").rename(f"hyp/{name}")
    Path("ref.txt").rename("ref")
    Path("src").write_text(Path("ref").read_text(encoding="utf-8"), encoding="utf-8")
    arguments = [".", "--systems", "good", "bad", "--judgements", "pairs.tsv", "--resamples", "1000", "-f", "json"]
    assert main(["conclusions", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["systems"], found["unscored"]) == (["good", "bad"], ["close"])
    # Of the 80 judgements, 40 are about the systems that were chosen.
    assert found["people"]["n_judgements"] == 40
    assert main(["conclusions", *arguments[:-2]]) == 0
    out = capsys.readouterr().out
    assert "judged but left out: close" in out
    assert "no output" not in out


def test_references_and_signatures(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.txt").write_text(Path("ref.txt").read_text(encoding="utf-8"), encoding="utf-8")
    options = ["-i", *INPUTS[2:], "--judgements", "pairs.tsv", "-m", "bleu", "ter", "--resamples", "1000"]
    assert main(["conclusions", "ref.txt", "other.txt", *options, "--signatures"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 systems, 2 pairs, 2 references (ref, other); 80 human judgements, ")
    assert [line.split("|")[:2] for line in out.splitlines()[-2:]] == [["BLEU", "nrefs:2"], ["TER", "nrefs:2"]]
    assert main(["conclusions", "ref.txt", "other.txt", *options, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["references"] == ["ref", "other"]
    assert [metric["signature"][:7] for metric in found["metrics"]] == ["nrefs:2"] * 2


def test_what_was_exchanged_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "80 human judgements, exact randomisation over segments" in run(
        capsys, "--judgements", "pairs.tsv", "--human-unit", "segment"
    )
    found = json.loads(run(capsys, "--judgements", "pairs.tsv", "--human-unit", "screen", "-f", "json"))
    # Every judgement of this file has a screen of its own.
    assert (found["people"]["unit"], found["unit"]) == ("judgement", "segment")


def test_a_judge_who_cannot_be_standardised_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["segment\tsystem\tscore\tjudge", *(f"{n}\tgood\t{n}\tann" for n in (1, 2, 3)), "1\tbad\t7\tbob"]
    Path("one.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert main(["conclusions", *INPUTS, "--judgements", "one.tsv"]) == 2
    said = capsys.readouterr().err
    assert "judgements cover 1 of the 3 systems here" in said
    assert "bob" in said
    lone = [f"{n}\tbad\t{n}\tjudge{n}" for n in (1, 2, 3)]
    Path("none.tsv").write_text("\n".join([rows[0], *lone]) + "\n", encoding="utf-8")
    assert main(["conclusions", *INPUTS, "--judgements", "none.tsv"]) == 2
    assert "no scores are left to compare: judge1, judge2, judge3 gave one score" in capsys.readouterr().err


def test_one_judgement(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.tsv").write_text("1\tgood\tbad\n", encoding="utf-8")
    assert "; 1 human judgement, " in run(capsys, "--judgements", "one.tsv", "--alpha", ".05")


@pytest.mark.parametrize("format_", ["tsv", "latex", "markdown", "html"])
def test_other_formats(capsys: pytest.CaptureFixture[str], format_: str) -> None:
    out = run(capsys, "--judgements", "pairs.tsv", "-f", format_)
    assert "BLEU" in out
    if format_ == "tsv":
        header, *rows = out.splitlines()
        assert len(rows) == 9
        assert all(row.count("\t") == header.count("\t") for row in rows)


def test_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    for kind in ("tests", "humans"):
        run(capsys, "--judgements", "both.tsv", "--fluency", "both.tsv", "--plot", kind, f"{kind}.svg")
        assert "</svg>" in Path(f"{kind}.svg").read_text(encoding="utf-8")
    assert ">Combined<" in Path("humans.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "write --judgements FILE"),
        (["--judgements", "nowhere.tsv"], "nowhere.tsv"),
        (["--judgements", "ref.txt"], "formats of judgements are"),
        (["--judgements", "both.tsv"], "choose one with --task"),
        (["--judgements", "pairs.tsv", "--fluency", "both.tsv"], "files in the format pairs have no tasks"),
        (["--judgements", "pairs.tsv", "--test", "arr"], "no test named 'arr'"),
        (["--judgements", "pairs.tsv", "--alpha", "2"], "alpha must be between 0 and 1"),
        (["--judgements", "pairs.tsv", "--alpha", ".0001"], "use more resamples"),
        (["--judgements", "pairs.tsv", "--human-unit", "screens"], "did you mean 'screen'"),
        (["--judgements", "both.tsv", "--task", "adequacy", "--human-unit", "foo"], "'foo' is for preferences"),
        (
            ["--judgements", "both.tsv", "--fluency", "both.tsv", "--human-unit", "screen"],
            "'screen' is for preferences",
        ),
        (["--judgements", "pairs.tsv", "--rename", "bad"], "write OLD=NEW"),
        (["--judgements", "pairs.tsv", "--plot", "humans", "x.gif"], "x.gif"),
        (["--judgements", "pairs.tsv", "--plot", "heat", "x.svg"], "known: tests, humans"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(["conclusions", *INPUTS, "--resamples", "1000", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert not Path("x.svg").exists()


def test_unknown_systems_are_named_at_once_or_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = Path("pairs.tsv").read_text(encoding="utf-8")
    Path("more.tsv").write_text(pairs + "1\tbad\tworse\n1\tworst\tbad\n", encoding="utf-8")
    assert main(["conclusions", *INPUTS, "--judgements", "more.tsv"]) == 2
    assert "more.tsv: systems that the test set does not have: 'worse' (line 81), 'worst' (line 82)" in (
        capsys.readouterr().err
    )
    out = run(capsys, "--judgements", "more.tsv", "--ignore-unknown", "-f", "json")
    found, plain = json.loads(out), json.loads(run(capsys, "--judgements", "pairs.tsv", "-f", "json"))
    assert (found["unscored"], plain["unscored"]) == (["worse", "worst"], [])
    assert found | {"unscored": []} == plain
