"""The commands ``analyse`` and ``diff``: what they refuse, and colours."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest
from command import refused, run

from mtassay.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    texts = {
        "ref": "the cat sat\nit rains\n",
        "a": "the cat sat\nit rained\n",
        "b": "a cat sat down\nit rains\n",
        "ref.pos": "D N V\nP V\n",
        "a.pos": "D N V\nP V\n",
        "b.pos": "D N V R\nP V\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return ["ref", "-i", "a", "b"]


def test_labels_of_files(inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    labels = ["--labels", "ref.pos", "a.pos", "b.pos", "--tok", "none"]
    assert main(["analyse", *inputs, "--by", "label", *labels, "-f", "json"]) == 0
    (view,) = json.loads(capsys.readouterr().out)["words"]
    found = {
        bucket["bucket"]: [(one["matched"], one["in_output"], one["in_reference"]) for one in bucket["systems"]]
        for bucket in view["buckets"]
    }
    assert found == {
        "V": [(1, 2, 2), (2, 2, 2)],
        "D": [(1, 1, 1), (0, 1, 1)],
        "N": [(1, 1, 1), (1, 1, 1)],
        "P": [(1, 1, 1), (1, 1, 1)],
        "R": [(0, 0, 0), (0, 1, 0)],
    }


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("b.pos", "D N V\nP V\n", "b.pos, line 1: 3 labels for 4 words"),
        ("b.pos", "D N V R\n", "b.pos has 1 line, but there are 2 segments"),
    ],
)
def test_labels_that_do_not_fit(
    inputs: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    message: str,
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    labels = ["--labels", "ref.pos", "a.pos", "b.pos", "--tok", "none"]
    assert message in refused(capsys, "analyse", *inputs, *labels)


@pytest.mark.parametrize("line", ["the", "the\t", "the\tmany", "the\t-3", "the\t2\t3", ""])
def test_a_damaged_file_of_counts(
    inputs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (tmp_path / "counts").write_text(f"cat\t7\n{line}\n", encoding="utf-8")
    error = refused(capsys, "analyse", *inputs, "--frequencies", "counts")
    assert error == "counts, line 2: expected a word, a tab and its count"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "frequence"], "no view named 'frequence'; did you mean 'frequency'?"),
        (["--pair", "a", "c"], "no system named 'c'"),
        (["--segment-labels", "a.pos2"], "a.pos2: no such file; did you mean 'a.pos'?"),
        (["--frequencies", "missing"], "missing: no such file"),
        (["--table", "ngrams"], "--table ngrams is for -f tsv"),
        (["--table", "ngram", "-f", "tsv"], "no table named 'ngram'; did you mean 'ngrams'?"),
        (["-n", "0"], "must be a whole number from 1"),
        (["--by", "ngrams", "examples", "-f", "tsv"], "there are no buckets: choose --table ngrams or examples"),
        (["--table", "buckets"], "--table buckets is for -f tsv"),
        (["--rename", "a=b"], "--rename is about human judgements, but there are none: also give --judgements FILE"),
    ],
)
def test_refusals(inputs: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert message in refused(capsys, "analyse", *inputs, *arguments)


@pytest.mark.parametrize("view", ["ngrams", "examples"])
def test_tsv_has_the_only_table(view: str, inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given = run(capsys, "analyse", *inputs, "--by", view, "-f", "tsv", "--table", view)
    assert given.count("\n") > 1
    assert run(capsys, "analyse", *inputs, "--by", view, "-f", "tsv") == given


def test_no_output_is_better_by_a_metric_without_direction(
    inputs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, "diff", *inputs, "-m", "length_ratio")
    assert error == "length ratio has no direction, so no output is better by it: choose another metric"
    error = refused(capsys, "analyse", *inputs, "-m", "length_ratio", "--by", "examples")
    assert error.endswith("put another metric first, or leave examples out of --by (by=)")
    found = json.loads(run(capsys, "analyse", *inputs, "-m", "length_ratio", "-f", "json"))
    assert found["examples"] is None
    assert found["ngrams"]["kinds"]
    found = json.loads(run(capsys, "analyse", *inputs, "-m", "chrf", "length_ratio", "-f", "json"))
    assert found["examples"]["better_first"]


def test_segment_labels_of_another_length(
    inputs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "labels").write_text("u\nv\nw\n", encoding="utf-8")
    error = refused(capsys, "analyse", *inputs, "--segment-labels", "labels")
    assert error == "labels has 3 lines, but there are 2 segments: labels need one line per segment"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_colour", ["", "1"])
def test_colours_on_a_terminal(inputs: list[str], monkeypatch: pytest.MonkeyPatch, no_colour: str) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("NO_COLOR", no_colour)
    assert main(["diff", *inputs]) == 0
    if no_colour:
        assert "\x1b" not in screen.getvalue()
        assert "[rained]" in screen.getvalue()
    else:
        assert "\x1b[31mrained\x1b[0m" in screen.getvalue()
        assert "[rained]" not in screen.getvalue()


def test_no_colours_in_a_pipe_or_file(inputs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *inputs]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert main(["diff", *inputs, "-o", "out.txt"]) == 0
    assert "[rained]" in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_an_escape_sequence_in_a_text_is_not_sent_to_the_terminal(
    inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ref", "a"):
        (tmp_path / name).write_text(f"the \x1b[2J cat of {name}\nit rained\n", encoding="utf-8")
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["diff", *inputs, "--tok", "none"]) == 0
    assert "\\x1b[2J" in screen.getvalue()
    assert "\x1b[2J" not in screen.getvalue()


def test_equal_systems_have_no_segments_to_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref", "one", "two"):
        (tmp_path / name).write_text("It rained .\nNo .\n", encoding="utf-8")
    assert main(["diff", str(tmp_path / "ref"), "-i", str(tmp_path / "one"), str(tmp_path / "two")]) == 0
    printed = capsys.readouterr().out
    for name in ("one", "two"):
        assert f"segments in which {name} is better by chrF2" in printed
    assert printed.count("none of 2 segments") == 2
