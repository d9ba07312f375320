"""``mtassay align``, ``convert``, ``demo``, and what all verbs share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu
from command import refused

from mtassay.cli.main import VERBS, main
from mtassay.cli.parsers import actions_of, all_commands
from mtassay.report.render import FORMATS


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("the house that jack built\nthe cat is here\n")
    Path("other.txt").write_text("the building that was built by jack\nhere is the cat\n")
    Path("hyp.txt").write_text("the building jack built\nhere is the cat\n")


def test_align_shows_edits_of_one_segment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "ref.txt", "-i", "hyp.txt", "--segment", "1"]) == 0
    out = capsys.readouterr().out
    assert "1 substitution, 1 deletion, 0 insertions, 0 shifts" in out
    assert out.startswith("segment 1   TER 40.0\n")


def test_align_as_json_agrees_with_sacrebleu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "ref.txt", "-i", "hyp.txt", "-f", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["alignments"]
    hyps, refs = Path("hyp.txt").read_text().splitlines(), Path("ref.txt").read_text().splitlines()
    for row, hyp, ref in zip(rows, hyps, refs, strict=True):
        assert row["score"] == pytest.approx(sacrebleu.TER().sentence_score(hyp, [ref]).score)
        edits = row["substitutions"] + row["insertions"] + row["deletions"] + len(row["shifts"])
        assert edits == sacrebleu.TER().sentence_score(hyp, [ref]).num_edits
        # The columns spell both texts: the reference in its order, the hypothesis in its own.
        assert [step["reference"] for step in row["steps"] if step["reference"]] == ref.split()
        placed = sorted((s["position"], s["hypothesis"]) for s in row["steps"] if s["hypothesis"])
        assert [word for _, word in placed] == hyp.split()


def test_align_takes_the_better_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "ref.txt", "other.txt", "-i", "hyp.txt", "--segment", "2", "-f", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["alignments"]
    assert (row["reference"], row["score"]) == (2, 0.0)


def test_align_of_several_systems_and_of_a_test_set(capsys: pytest.CaptureFixture[str]) -> None:
    files = ["ref.txt", "-i", "hyp.txt", "other.txt"]
    assert main(["convert", *files, "-o", "set.jsonl"]) == 0
    shown = []
    for inputs in (files, ["set.jsonl"]):
        assert main(["align", *inputs, "-f", "tsv"]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    rows = [line.split("\t")[:2] for line in shown[0].splitlines()[1:]]
    assert rows == [["1", "hyp"], ["1", "other"], ["2", "hyp"], ["2", "other"]]
    assert main(["align", "set.jsonl", "--systems", "other"]) == 0
    assert capsys.readouterr().out.count("segment ") == 2


@pytest.mark.parametrize(
    ("given", "segments"), [("5", [5]), ("5-7", [5, 6, 7]), ("3,9-11", [3, 9, 10, 11]), ("2-2,1", [2, 1])]
)
def test_segments_to_align(capsys: pytest.CaptureFixture[str], given: str, segments: list[int]) -> None:
    for name in ("ref", "hyp"):
        Path(f"{name}.txt").write_text("".join(f"{name} {n}\n" for n in range(1, 13)))
    assert main(["align", "ref.txt", "-i", "hyp.txt", "--segment", given, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["alignments"]
    assert [one["segment"] for one in found] == segments
    assert [one["steps"][1]["hypothesis"] for one in found] == [str(n) for n in segments]


@pytest.mark.parametrize("format_", FORMATS)
def test_align_in_every_format(capsys: pytest.CaptureFixture[str], format_: str) -> None:
    assert main(["align", "ref.txt", "-i", "hyp.txt", "-f", format_]) == 0
    out = capsys.readouterr().out
    assert {
        "text": "REF  the  house  that",
        "json": '"schema": "mtassay.align/2"',
        "tsv": "1\thyp\t1\t40.0\t3\t1\t0\t1\t0",
        "latex": "\\begin{verbatim}\nsegment 1   TER 40.0",
        "markdown": "```\nsegment 1   TER 40.0",
        "html": "<pre>segment 1   TER 40.0",
    }[format_] in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ref.txt"], "no outputs given"),
        (["ref.txt", "other.txt", "hyp.txt"], "no outputs given: write REF... -i SYS..."),
        (["ref.txt", "-i", "hyp.txt", "--segment", "3"], "--segment 3: there are only 2 segments"),
        (["ref.txt", "-i", "hyp.txt", "--segment", "1,2-999"], "--segment 2-999: there are only 2 segments"),
        (["ref.txt", "-i", "hyp.txt", "--segment", "1-999999999"], "there are only 2 segments"),
        (["ref.txt", "-i", "hyp.txt", "--segment", "0"], "'0' names no segments: write 5, 5-7 or 3,9-11"),
        (["ref.txt", "-i", "hyp.txt", "--segment", "2-1"], "'2-1' names no segments"),
        (["ref.txt", "-i", "hyp.txt", "--segment", "1,"], "'1,' names no segments"),
        (
            ["ref.txt", "-i", "hyp.txt", "-m", "bleu"],
            "bleu gives no alignments; ter, wer, meteor, hjerson and addicter, for example, do",
        ),
    ],
)
def test_align_refuses(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(["align", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert said in captured.err


def test_convert_there_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "ref.txt", "other.txt", "-i", "hyp.txt", "-o", "set.jsonl"]) == 0
    assert main(["convert", "set.jsonl", "--to", "evalset", "-l", "xx-en", "-o", "folder"]) == 0
    assert Path("folder/system-outputs/xx-en/hyp.txt").read_text() == Path("hyp.txt").read_text()
    assert main(["convert", "folder", "-l", "xx-en", "-o", "-"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[1]["tgt"] == {"hyp": "here is the cat"}


def test_demo_runs_everywhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "illustration" in out
    assert out.count("$ mtassay ") >= 3
    assert not (tmp_path / "sample").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_help_teaches_with_examples(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert f"examples:\n  mtassay {verb}" in out
    if "\nlimits on the size" in out:
        options, _, after = out.partition("\nlimits on the size")[2].partition("\n\n")
        assert "--max-line-size" in options
        assert after.startswith("examples:")  # few need the limits, so they come last


def test_version_names_the_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert "kernels" in capsys.readouterr().out


def test_listing_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--list-metrics"]) == 0
    out = capsys.readouterr().out
    assert "PABC4^u" in out
    assert "short for chrf:word_order=2" in out
    assert main(["score", "--list-metrics", "-f", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["metrics"]
    assert {"metric": "chrf", "option": "word_order", "default": "0"}.items() <= next(
        row for row in rows if (row["metric"], row["option"]) == ("chrf", "word_order")
    ).items()


@pytest.mark.parametrize(
    "arguments",
    [
        ["set.jsonl", "-i", "hyp.txt"],
        ["set.jsonl", "ref.txt"],
        ["set.jsonl", "ref.txt", "-i", "hyp.txt"],
        ["ref.txt", "-i", "set.jsonl"],
        ["set.jsonl", "--names", "a"],
        ["set.jsonl", "-nr", "2"],
        ["set.jsonl", "--documents", "hyp.txt"],
        ["ref.txt", "-i", "hyp.txt", "--systems", "hyp"],
        ["ref.txt", "-i", "hyp.txt", "-v", "-f", "tsv"],
        ["ref.txt", "-i", "hyp.txt", "-b", "--by", "doc"],
        ["ref.txt", "-i", "hyp.txt", "-nr", "0"],
        ["ref.txt", "-i", "hyp.txt", "-w", "-1"],
        ["ref.txt", "-i", "hyp.txt", "-j", "5000"],
        ["ref.txt", "-i", "hyp.txt", "-m", "bleu,chrf"],
        ["ref.txt", "-i", "hyp.txt", "-m", "bleu:"],
        ["--echo", "src", "-t", "wmt13"],
        ["", "-i", "hyp.txt"],
    ],
)
def test_score_refuses_what_it_would_have_to_ignore(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["convert", "ref.txt", "-i", "hyp.txt", "-o", "set.jsonl"]) == 0
    assert main(["score", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bye", "doc"], "unrecognized arguments: --bye doc; did you mean '--by'?  (mtassay score --help)"),
        (["--formt=json"], "unrecognized arguments: --formt=json; did you mean '--format'?"),
        (["--model"], "unrecognized arguments: --model  (mtassay score --help)"),  # only the dashes are as in --help
        (["--qqqq"], "unrecognized arguments: --qqqq  (mtassay score --help)"),
        (["--detaill"], "unrecognized arguments: --detaill  (mtassay score --help)"),
        (["-f", "jsn"], "no format named 'jsn'; did you mean 'json'? (known: text, "),
        (["--by", "docs"], "no choice of --by named 'docs'; did you mean 'doc'? (known: doc, domain)"),
        (["--by", "qqqq"], "no choice of --by named 'qqqq' (known: doc, domain)"),
    ],
)
def test_what_was_meant(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(["score", "ref.txt", "-i", "hyp.txt", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert captured.err.startswith(f"mtassay: {said}")


@pytest.mark.parametrize("verb", ["judge new", "humans", "convert", "agreement"])
@pytest.mark.parametrize("option", ["-lc", "-tok=intl", "--tokenize"])
def test_verbs_without_metrics_have_no_options_of_metrics(
    verb: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = option.partition("=")[0]
    assert refused(capsys, *verb.split(), "x", option) == f"mtassay {verb} has no {flag}  (mtassay {verb} --help)"


def test_errors_name_the_help_of_their_command(capsys: pytest.CaptureFixture[str]) -> None:
    given = {"learn score": ["m.model", "ref.txt"], "learn study": ["nested", "ref.txt", "--judgements", "da.tsv"]}
    for command in all_commands():
        name = " ".join(command)
        if len(command) == 1 and actions_of(name):
            continue
        assert main([*command, *given.get(name, []), "--qqqq"]) == 2
        assert capsys.readouterr().err.endswith(f"  (mtassay {name} --help)\n")
    assert main(["compare", "ref.txt", "-baseline", "hyp"]) == 2
    assert "did you mean '--baseline'?  (mtassay compare --help)" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["score", "compare", "humans", "judge status", "rerank"])
def test_two_dashes_are_no_value(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    assert main([*verb.split(), "x", "--output=--"]) == 2
    assert capsys.readouterr().err.startswith("mtassay: argument -o/--output: expected a value, not '--'")


def test_convert_refuses_names_that_promise_another_format(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("set.tsv", "set.jsonl.gz"):
        assert main(["convert", "ref.txt", "-i", "hyp.txt", "-o", name]) == 2
        assert not Path(name).exists()
    assert capsys.readouterr().err.count("\n") == 2


def test_convert_takes_the_language_pair_from_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "ref.txt", "-i", "hyp.txt", "-o", "set.de-en.jsonl"]) == 0
    assert main(["convert", "set.de-en.jsonl", "--to", "evalset", "-o", "folder"]) == 0
    assert main(["convert", "folder/de-en", "--to", "evalset", "-o", "again"]) == 0
    assert Path("again/system-outputs/de-en/hyp.txt").read_text() == Path("hyp.txt").read_text()
    assert main(["convert", "ref.txt", "-i", "hyp.txt", "--to", "evalset", "-o", "none"]) == 2
    assert capsys.readouterr().err.endswith("names files after a language pair: give -l SRC-TGT\n")


def test_convert_writes_no_folder_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "ref.txt", "-i", "hyp.txt", "--to", "evalset", "-l", "de-en", "-o", "-"]) == 2
    assert "cannot go to standard output" in capsys.readouterr().err
    assert not Path("-").exists()


@pytest.mark.parametrize("path", ["set.jsonl", "set.tsv", "folder"])
def test_a_test_set_without_systems_is_named(capsys: pytest.CaptureFixture[str], path: str) -> None:
    Path("set.jsonl").write_text('{"ref": "a b"}\n')
    Path("set.tsv").write_text("src\tref\na\tb\n")
    Path("folder").mkdir()
    Path("folder/ref").write_text("a b\n")
    for verb in ("score", "compare", "rank"):
        assert main([verb, path]) == 2
        said = f"mtassay: {path} has references but no systems: there is nothing to score\n"
        assert capsys.readouterr().err == said
    assert main(["convert", path, "-o", "-"]) == 0


def test_references_among_the_outputs_are_not_scored(capsys: pytest.CaptureFixture[str]) -> None:
    both = [
        "convert",
        "ref.txt",
        "other.txt",
        "-i",
        "hyp.txt",
        "ref.txt",
        "--to",
        "evalset",
        "-l",
        "xx-en",
        "-o",
        "folder",
    ]
    assert main(both) == 0
    assert main(["score", "folder", "-l", "xx-en", "-f", "tsv"]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == ["system", "hyp"]
    assert main(["score", "folder", "-l", "xx-en", "-f", "tsv", "--references", "other"]) == 0
    assert {line.split("\t")[0] for line in capsys.readouterr().out.splitlines()} == {"system", "hyp"}
    assert main(["score", "folder", "-l", "xx-en", "-f", "tsv", "--include-references"]) == 0
    printed = capsys.readouterr()
    assert {line.split("\t")[0] for line in printed.out.splitlines()} == {"system", "hyp", "ref"}
    assert printed.err == ""  # the reference is `other`, not `ref`
    assert main(["score", "folder", "-l", "xx-en", "--references", "ref", "--include-references"]) == 0
    assert capsys.readouterr().err == (
        "mtassay: note: ref is a system and a reference: metrics with references compare it with itself\n"
    )


def test_convert_tells_of_a_standard_reference(capsys: pytest.CaptureFixture[str]) -> None:
    files = ["convert", "ref.txt", "other.txt", "-i", "hyp.txt"]
    assert main([*files, "--to", "evalset", "-l", "xx-en", "-o", "folder"]) == 0
    assert capsys.readouterr().err == (
        "mtassay: note: folder has all 2 references, and scores use the standard one, other; "
        "for all of them: --references ref other\n"
    )
    assert main(["convert", "folder", "-l", "xx-en", "--to", "evalset", "-o", "copy"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["convert", "folder", "-l", "xx-en", "-o", "all.xx-en.jsonl"]) == 0
    assert "the standard one is other: --references other" in capsys.readouterr().err
    assert main(["convert", "folder", "-l", "xx-en", "--references", "other", "-o", "one.xx-en.jsonl"]) == 0
    assert capsys.readouterr().err == ""


def test_convert_tells_of_a_lost_language_pair(capsys: pytest.CaptureFixture[str]) -> None:
    """Names of test sets have languages of two letters only."""
    files = ["convert", "ref.txt", "-i", "hyp.txt", "-l"]
    lost = "mtassay: note: {} does not say that it is {}: "
    for pair, output, note in (
        ("en-zh", "set.jsonl", "name the file set.en-zh.jsonl or give -l en-zh with it\n"),
        ("eng-liv", "set.jsonl", "give -l eng-liv with it\n"),
        ("en-zh", "-", "give -l en-zh with it\n"),
    ):
        assert main([*files, pair, "-o", output]) == 0
        assert capsys.readouterr().err == lost.format(output, pair) + note
    assert main([*files, "en-zh", "-o", "set.en-zh.jsonl"]) == 0
    assert capsys.readouterr().err == ""


def _in_shell(arguments: str, unbuffered: str = "") -> subprocess.CompletedProcess[str]:
    command, environment = f"{sys.executable} -m mtassay {arguments}", os.environ | {"PYTHONUNBUFFERED": unbuffered}
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("redirect", ["> /dev/full", ">&-"])
def test_standard_output_that_takes_nothing(redirect: str) -> None:
    done = _in_shell(f"score ref.txt -i hyp.txt {redirect}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("asked", ["--help", "--version", "score --help", "learn train -h"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_that_cannot_be_written(asked: str, unbuffered: str) -> None:
    done = _in_shell(f"{asked} > /dev/full", unbuffered)
    assert done.returncode == 2
    assert done.stderr == "mtassay: cannot write to standard output: No space left on device\n"


def test_standard_error_that_is_closed_hinders_nothing() -> None:
    command = f"{sys.executable} -m mtassay score ref.txt -i hyp.txt"
    asked = subprocess.run(command, shell=True, capture_output=True, check=True)
    done = subprocess.run(f"{command} 2>&-", shell=True, capture_output=True, check=True)
    assert done.stdout == asked.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("redirect", ["2>&-", "2> /dev/full", "2> /dev/full > /dev/full", "2>&- >&-"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_without_standard_error_the_exit_status_tells(redirect: str, unbuffered: str) -> None:
    done = _in_shell(f"score ref.txt -i absent.txt {redirect}", unbuffered)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.parametrize("format", ["text", "json", "tsv", "latex", "markdown"])
def test_names_that_are_no_utf8_are_written_to_files_as_to_standard_output(
    capsys: pytest.CaptureFixture[str], format: str
) -> None:
    scored = ["score", "ref.txt", "-i", "hyp.txt", "other.txt", "--names", "n\udcff", "x", "-f", format]
    command = [sys.executable, "-m", "mtassay", *scored]
    shown = subprocess.run(command, capture_output=True, check=True).stdout
    assert b"n\\udcff" in shown
    assert main([*scored, "-o", "out"]) == 0
    assert Path("out").read_bytes() == shown
    assert capsys.readouterr().err == ""


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m mtassay score --list-metrics | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
