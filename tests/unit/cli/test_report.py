"""``mtassay report``: one page from the shell."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.data import load_judgements
from mtassay.sample import human_scores_path, sample_path
from mtassay.verbs.report import EXAMPLES, METRICS

SAMPLE = str(sample_path())


def test_the_page_is_written_completely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.html"
    assert main(["report", SAMPLE, "-m", "chrf", "--resamples", "100", "-o", str(path), "--title", "A <title>"]) == 0
    assert capsys.readouterr().out == ""
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert "<h1>A &lt;title&gt;</h1>" in page
    assert f"$ mtassay report {SAMPLE} -m chrf --resamples 100" in page


def test_the_shell_gives_the_numbers_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--resamples", "200", "--gold", "z", "--judgements", str(human_scores_path()), "--seed", "7", "-lc"]
    assert main(["report", SAMPLE, *options, "-f", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    texts = mtassay.load(SAMPLE)
    judged = load_judgements(human_scores_path(), testset=texts)
    result = mtassay.report(texts, judgements=judged, gold="z", resamples=200, seed=7, lowercase=True)
    expected = result.to_dict()
    assert printed.pop("command").startswith("mtassay report ")
    assert expected.pop("command") == ""
    assert printed == expected


def test_defaults_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    shown = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert f"specifications (default: {' '.join(METRICS)})" in shown
    assert f"(default: {EXAMPLES})" in shown
    assert "(default: html)" in shown


@pytest.mark.parametrize("systems", [["atlas", "cobalt"], ["atlas", "cobalt", "dune"]])
def test_clusters_of_two_systems_are_no_sentence(systems: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """By the test alone: with two systems, clusters say the same again."""
    options = ["-m", "chrf", "--resamples", "500", "-f", "text", "--systems", *systems]
    assert main(["report", SAMPLE, *options]) == 0
    summary, _ = capsys.readouterr().out.split("\nScores\n", 1)
    assert "atlas is significantly better than" in " ".join(summary.split())
    assert ("differ significantly from each other" in summary) == (len(systems) == 3)


def test_the_number_of_examples_bounds_the_texts(tmp_path: Path) -> None:
    sizes = []
    for n in ("0", "5", "64"):
        path = tmp_path / f"{n}.html"
        assert main(["report", SAMPLE, "-m", "ter", "--resamples", "50", "--examples", n, "-o", str(path)]) == 0
        sizes.append(path.stat().st_size)
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--examples", "-1"], "the number of examples must be a whole number from 0"),
        (["--gold", "z"], "gold says how judgements score systems, but there are no judgements"),
        (["--span-weights", "mqm"], "span_weights says how judgements score systems, but there are no judgements"),
        (["--ignore-unknown"], "--ignore-unknown is about human judgements, but there are none"),
        (["--level", "segment"], "the level segment is of the meta-evaluation, but there are no judgements"),
        (["--layer", "upos"], "the layer upos chooses labels of words, but there are no labels"),
        (["--pair", "atlas", "bolt"], "no system named 'bolt'"),
        (["-m", "length_ratio"], "has no direction"),
        (["--judgements", "missing.tsv"], "missing.tsv"),
        (["--alignment", "bleu"], "words are marked by the alignment of ter or meteor"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    assert main(["report", SAMPLE, "--resamples", "20", *arguments, "-o", str(path)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not path.exists()


def test_a_page_does_not_flood_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["report", SAMPLE]) == 2
    assert "-o report.html" in capsys.readouterr().err


def test_the_demo_says_where_its_report_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--keep", "tour"]) == 0
    assert f"Report (open it in a browser): {Path('tour', 'report.html')}" in capsys.readouterr().out
    page = Path("tour", "report.html").read_text(encoding="utf-8")
    assert '<section id="metaeval">' in page
