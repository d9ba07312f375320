"""Error spans through ``mtassay humans``, ``agreement`` and ``metaeval``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import refused, run

import mtassay
from mtassay.data import ErrorSpans, load, load_judgements

REFERENCE = [f"the cat number {n} sat on the mat" for n in range(12)]
MINOR = {"start": 0, "end": 3, "severity": "minor", "category": "fluency/punctuation"}
MAJOR = {"start": 4, "end": 7, "severity": "major", "category": "accuracy/mistranslation"}
#: Errors of each system by both judges; the second calls the major error minor.
MARKED = {"good": [], "fair": [MINOR], "bad": [MINOR, MAJOR]}


def write(path: str, lines: list[Any]) -> None:
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test set, MQM of two judges, ESA with scores, and the spans of a metric, in the current folder."""
    monkeypatch.chdir(tmp_path)
    write("set.jsonl", [{"ref": text, "tgt": dict.fromkeys(MARKED, text)} for text in REFERENCE])
    mqm, esa, metric = [], [], []
    for segment in range(1, len(REFERENCE) + 1):
        for number, (system, spans) in enumerate(MARKED.items()):
            line = {"segment": segment, "system": system}
            mqm.append(line | {"judge": "a", "spans": spans})
            mqm.append(line | {"judge": "b", "spans": [span | {"severity": "minor"} for span in spans]})
            esa += [line | {"judge": judge, "score": 90 - 20 * number + segment, "spans": spans} for judge in "ab"]
            metric.append(line | {"spans": [MAJOR] if system == "bad" else []})
    for name, lines in (("mqm", mqm), ("esa", esa), ("metric", metric)):
        write(f"{name}.jsonl", lines)
    Path("scores.tsv").write_text("segment\tsystem\tscore\n1\tgood\t1\n1\tbad\t0\n", encoding="utf-8")


def spans(path: str) -> ErrorSpans:
    found = load_judgements(path, testset=load("set.jsonl"))
    assert isinstance(found, ErrorSpans)
    return found


def means(shown: str) -> dict[str, float]:
    return {row["system"]: row["scores"]["mean"] for row in json.loads(shown)["aspects"][0]["ranking"]}


MEAN = ("--method", "mean", "--resamples", "20", "-f", "json")


def test_humans_rank_by_spans_or_scores(capsys: pytest.CaptureFixture[str]) -> None:
    # Judge a: .1 and 5.1; judge b, who has minor errors only: .1 and 1.1.
    by_mqm = run(capsys, "humans", "mqm.jsonl", "--test-set", "set.jsonl", *MEAN)
    assert means(by_mqm) == pytest.approx({"good": 0, "fair": -0.1, "bad": -3.1})
    assert json.loads(by_mqm)["aspects"][0]["name"] == "error spans (weights mqm)"
    assert means(run(capsys, "humans", "esa.jsonl", *MEAN)) == pytest.approx({"good": 96.5, "fair": 76.5, "bad": 56.5})
    by_esa = run(capsys, "humans", "esa.jsonl", "--span-weights", "esa", *MEAN)
    assert means(by_esa) == pytest.approx({"good": 0, "fair": -1, "bad": -6})
    own = run(capsys, "humans", "esa.jsonl", "--span-weights", "minor=2", "major=3", *MEAN)
    assert means(own) == pytest.approx({"good": 0, "fair": -2, "bad": -5})
    in_python = mtassay.humans(
        load_judgements("esa.jsonl"), span_weights={"minor": 2, "major": 3}, method="mean", resamples=20
    )
    assert means(json.dumps(in_python.to_dict())) == means(own)
    assert "error spans (weights mqm)" in run(capsys, "humans", "mqm.jsonl", "--resamples", "20")


def test_two_aspects_can_be_spans_and_scores(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(run(capsys, "humans", "esa.jsonl", "mqm.jsonl", *MEAN))
    assert [aspect["name"] for aspect in shown["aspects"]] == ["score", "error spans (weights mqm)"]


def test_agreement_on_spans(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(run(capsys, "agreement", "mqm.jsonl", "-f", "json"))["sets"][0]
    # Per segment: fair 3 characters alike; bad 3 alike, 3 of another severity.
    assert shown["spans"]["f1"] == pytest.approx({"place": 1.0, "half": 7.5 / 9, "severity": 6 / 9})
    assert (shown["spans"]["marked"], shown["spans"]["outputs"], shown["spans"]["pairs"]) == (72, 36, 36)
    assert [row["spans"]["f1"]["half"] for row in shown["by_judge"]] == pytest.approx([7.5 / 9] * 2)
    text = run(capsys, "agreement", "mqm.jsonl", "--by-judge")
    assert "all judges    1.000         .833           .667     36" in text
    header, total, *judges = run(capsys, "agreement", "mqm.jsonl", "--by-judge", "-f", "tsv").splitlines()
    assert header.split("\t")[-3:] == ["f1_place", "f1_half", "f1_severity"]
    assert [line.split("\t")[2] for line in (total, *judges)] == ["", "a", "b"]
    assert "no output was marked by two judges" in run(capsys, "agreement", "metric.jsonl")
    assert mtassay.agreement({"mqm.jsonl": spans("mqm.jsonl")}).to_dict()["sets"][0] == shown


METAEVAL = ("metaeval", "set.jsonl", "--judgements", "mqm.jsonl", "--correlation", "accuracy", "-m", "chrf")


def test_spans_of_a_metric(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(run(capsys, *METAEVAL, "--metric-spans", "metric.jsonl", "mine=mqm.jsonl.a", "-f", "json"))
    [direction] = shown["directions"]
    # Of 9 marked characters of each judge and segment the metric finds 3; judge b calls them minor.
    found = direction["spans"]["metric"]
    assert (found["outputs"], found["characters"], found["human_characters"]) == (72, 72, 216)
    assert found["place"] == pytest.approx({"precision": 1.0, "recall": 1 / 3, "f1": 0.5})
    assert found["half"] == pytest.approx({"precision": 0.75, "recall": 0.25, "f1": 0.375})
    assert found["severity"] == pytest.approx({"precision": 0.5, "recall": 1 / 6, "f1": 0.25})
    assert direction["spans"]["mine"]["place"]["f1"] == 1.0
    assert direction["systems"]["bad"]["gold"] < direction["systems"]["fair"]["gold"]
    text = run(capsys, *METAEVAL, "--metric-spans", "metric.jsonl")
    assert "metric      *1.000    *.333  *.500             *.375               *.250        72" in text
    rows = run(capsys, *METAEVAL, "--metric-spans", "metric.jsonl", "-f", "tsv").splitlines()
    assert "set\tmetric\tspans-half-f1\t0.375" in "\n".join(rows)


@pytest.fixture(autouse=True)
def one_judge(files: None) -> None:
    """The spans of judge a, in a file with a name of its own."""
    lines = Path("mqm.jsonl").read_text(encoding="utf-8").splitlines()
    write("mqm.jsonl.a", [line for line in map(json.loads, lines) if line["judge"] == "a"])


def test_in_python_by_direction() -> None:
    testset, judged = load("set.jsonl"), spans("mqm.jsonl")
    given: Any = {"judgements": {"de-en": judged}, "metrics": ["chrf"], "correlation": ["accuracy"]}
    result = mtassay.metaeval({"de-en": testset}, metric_spans={"de-en": {"m": spans("metric.jsonl")}}, **given)
    assert result.directions[0].spans["m"].f1(0.5) == pytest.approx(0.375)
    with pytest.raises(mtassay.InputError, match="no metric spans for de-en"):
        mtassay.metaeval({"de-en": testset}, metric_spans={"fr-en": {"m": judged}}, **given)


def test_faults(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "humans", "scores.tsv", "--span-weights", "mqm")
    assert said == "span weights are for spans of errors, but these judgements have none: leave them out"
    assert refused(capsys, "humans", "esa.jsonl", "--span-weights", "mq").startswith("no span weights named 'mq'")
    said = refused(capsys, *METAEVAL[:2], "--judgements", "scores.tsv", "--metric-spans", "metric.jsonl")
    assert said == "spans of metrics are compared with spans of judges, but these judgements have none"
    assert refused(capsys, *METAEVAL, "--metric-spans", "scores.tsv") == "scores.tsv has no error spans"
    said = refused(capsys, *METAEVAL, "--metric-spans", "metric.jsonl", "metric=mqm.jsonl.a")
    assert said == "--metric-spans: two files are called metric: write NAME=FILE"
    said = refused(capsys, *METAEVAL, "--metric-spans", "esa.jsonl")
    assert said == "the spans of esa are of several judges: a metric marks every output once"
    lines = Path("metric.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("metric.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    said = refused(capsys, *METAEVAL, "--metric-spans", "metric.jsonl")
    assert said == "metric has no spans for bad, segment 12, which was judged: write [] where it marks nothing"
