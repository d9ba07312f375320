"""``mtassay mbr`` in the shell: the same decisions as in Python, streams, faults in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mtassay
from mtassay.cli.main import main

_LISTS = [["the cat sat", "a cat sat", "the cat sat down", "dogs"], ["yes", "yes", "no"]]


@pytest.fixture
def lists(tmp_path: Path) -> str:
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps({"candidates": texts}) + "\n" for texts in _LISTS), encoding="utf-8")
    return str(path)


def test_best_texts(lists: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mbr", lists]) == 0
    assert capsys.readouterr().out.splitlines() == list(mtassay.mbr(_LISTS).texts)
    assert main(["mbr", lists, "-m", "bleu", "--n-best", "2", "-f", "json", "-j", "2"]) == 0
    assert json.loads(capsys.readouterr().out) == mtassay.mbr(_LISTS, metric="bleu", n_best=2).to_dict()


def test_formats(lists: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = mtassay.mbr(_LISTS, n_best=2)
    best = result.segments[0].best[0]
    assert main(["mbr", lists, "--n-best", "2", "-f", "nbest"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"0 ||| {best.text} ||| MBR= {best.utility!r}"
    assert main(["mbr", lists, "--n-best", "2", "-f", "tsv"]) == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header == "segment\trank\tcandidate\tutility\ttext"
    assert first == f"1\t1\t{best.position + 1}\t{best.utility!r}\t{best.text}"
    assert main(["mbr", lists, "--n-best", "2", "--signatures", "-o", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert "expected chrF2" in text
    assert "nrefs:1|case:mixed" in text


def test_several_files_and_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, texts in enumerate(_LISTS):
        lines = "".join(f"0 ||| {text} ||| x= 1 ||| -{i}\n" for i, text in enumerate(texts))
        (tmp_path / f"{number}.nbest").write_text(lines, encoding="utf-8")
    paths = [str(tmp_path / f"{number}.nbest") for number in range(2)]
    assert main(["mbr", *paths, "--weights", "scores", "--scale", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == ["the cat sat", "yes"]
    (tmp_path / "refs.txt").write_text("dogs\n\nno\n", encoding="utf-8")
    assert main(["mbr", *paths, "-r", str(tmp_path / "refs.txt")]) == 0
    assert capsys.readouterr().out.splitlines() == ["dogs", "no"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "length_ratio"], "has no direction"),
        (["-lc"], "mtassay mbr has no -lc: write it into the metric, as in -m bleu:case=lower"),
        (["-tok", "intl"], "mtassay mbr has no -tok: write it into the metric, as in -m bleu:tok=intl"),
        (["-m", "ter", "--aggregate"], "ter cannot aggregate references"),
        (["--confidence", "2"], "the confidence must be between 0 and 1"),
        (["--weights", "scores"], "line 1: weights from model scores need scores"),
        (["--per-segment", "2", "--list-format", "jsonl"], "for files with a candidate per line"),
        (["-r", "missing.txt"], "missing.txt: no such file"),
        (["-j", "-1"], "threads must be a whole number"),
        (["--keep", "20"], "keep is the length of a shortlist: also give --shortlist METRIC"),
    ],
)
def test_refusals(lists: str, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["mbr", lists, *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert message in captured.err.replace("lists.jsonl:", "lists.jsonl, line ")


def test_line_breaks_need_another_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps({"candidates": ["a\nb"]}) + "\n", encoding="utf-8")
    assert main(["mbr", str(path)]) == 2
    assert capsys.readouterr().err == "mtassay: segment 1: the text has a line break; write -f json or tsv\n"
    assert main(["mbr", str(path), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["segments"][0]["best"][0]["text"] == "a\nb"


def test_a_scale_without_model_scores_is_refused(lists: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mbr", lists, "--scale", "2"]) == 2
    assert "the scale applies to model scores: also give --weights scores" in capsys.readouterr().err
