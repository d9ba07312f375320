"""Every option is completed by the names that its verb accepts, by files or folders, or by nothing on purpose."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from mtassay.cli.completion import Names, completer_of, nothing
from mtassay.cli.main import main
from mtassay.cli.output import OutputPlots
from mtassay.cli.parsers import actions_of, all_commands, parser_of
from mtassay.judging.quality_control import TESTS
from mtassay.learn.features import FEATURE_SETS, FEATURES, chosen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

#: Options that take numbers with units, names in the user's files, or any text: nothing is offered.
FREE = {
    *("--max-file-size", "--max-line-size", "--max-size", "--num-refs", "--width", "--segment"),
    *("--names", "--systems", "--references", "--on-references", "--baseline", "--pair", "--better", "--rename"),
    *("--task", "--then", "--domain", "--column", "--encoding", "--language-pair", "--token", "--cluster"),
    *("--test-set", "--origlang", "--subset", "--echo", "--download", "--title", "--name", "--categories", "--weights"),
    *("--renew", "--disable", "--enable", "--url", "--host", "--runs", "--grep", "--bucket"),
    *("--decoder", "--set", "--bounds", "--ranges", "judges"),
}
_TEXTS = ("ref.txt", "-i", "a.txt", "b.txt", "-l", "cs-en")
_JUDGED = (*_TEXTS, "--judgements", "scores.tsv")
_SPANS = (*_TEXTS, "--judgements", "spans.jsonl")
_TUNE = ("--nbest", "nbest.txt", "-r", "ref.txt")
_STUDY = ("nested", *_JUDGED)
#: Arguments with which a command reaches the check of an option; several lines if their names are not the same.
LINES: dict[str, list[tuple[str, ...]]] = {
    "score": [_TEXTS],
    "compare": [_TEXTS],
    "rank": [_TEXTS],
    "power": [_TEXTS],
    "analyse": [_JUDGED],
    "analyse --layer": [(*_TEXTS, "--labels", "file:parsed")],
    "analyse --table": [(*_TEXTS, "-f", "tsv")],
    "diff": [_JUDGED],
    "report": [_JUDGED],
    "report --gold": [_JUDGED, (*_TEXTS, "--judgements", "pairs.tsv")],
    "report --layer": [(*_TEXTS, "--labels", "file:parsed")],
    "report --span-weights": [_SPANS],
    "metaeval": [_JUDGED],
    "metaeval --gold": [_JUDGED, (*_TEXTS, "--judgements", "pairs.tsv")],
    "metaeval --span-weights": [_SPANS],
    "metaeval --correlation": [
        (*_JUDGED, "--level", "system"),
        (*_JUDGED, "--level", "segment"),
        (*_TEXTS, "--judgements", "pairs.tsv", "--level", "segment"),
    ],
    "humans": [("pairs.tsv",)],
    "humans --method": [("pairs.tsv",), ("scores.tsv",)],
    "humans --span-weights": [("spans.jsonl",)],
    "agreement": [("pairs.tsv", "--least-self", ".2")],
    "agreement --span-weights": [("spans.jsonl",)],
    "judge new": [("new.db", *_TEXTS, "--source", "ref.txt", "--segments", "2")],
    "judge new --aspect": [("new.db", *_TEXTS, "--protocol", "da")],
    "conclusions": [(*_TEXTS, "--judgements", "pairs.tsv")],
    "annotate": [(*_TEXTS, "-o", "folder")],
    "learn train": [(*_JUDGED, "--features", "small", "-o", "new.model")],
    "learn train --annotator": [(*_JUDGED, "--features", "terrorcat", "-o", "new.model")],
    "learn study": [_STUDY],
    "learn study --plot": [("grid", *_JUDGED)],
    "learn curve": [_JUDGED],
    "learn meant": [(*_TEXTS, "--judgements", "pairs.tsv", "-m", "meant:annotator=file:.", "-o", "weights.txt")],
    "learn index": [("ref.txt", "-o", "new.index")],
    "tune": [_TUNE],
    "tune --test": [(*_TUNE, "-m", "bleu", "ter")],
    "tune --judgement-format": [(*_TUNE, "-m", "bleu", "ter", "--judgements", "pairs.tsv")],
    "tune --plot": [("--decoder", "false", "--run-folder", "run", "--start", "start.txt", "-r", "ref.txt")],
}
#: Names that a command accepts beside those that its message lists, and what else the message lists.
ALSO = {"compare --test": {"all"}, "annotate --annotator": {"eflomal"}}
BESIDE = {"SEVERITY=WEIGHT"}
#: Options whose messages list no names, or more than can be meant, or that are checked late; they have other tests.
UNLISTED = {"--features", "--sets", "--alignment", "--control-test", "learn study --model", "learn meant --normalise"}


def _options() -> Iterator[tuple[str, argparse.Action]]:
    for command in all_commands():
        if (actions_of(command[0]) and len(command) == 1) or command == ("learn", "score"):
            continue
        for action in parser_of(*command)._actions:
            if action.choices is None and action.nargs != 0:
                yield " ".join(command), action


OPTIONS = {
    f"{command} {(action.option_strings or [action.dest])[-1]}": (command, action) for command, action in _options()
}


def _names(option: str) -> set[str] | None:
    """The names that complete an option; None for files, folders, metrics and their options, and nothing."""
    command, action = OPTIONS[option]
    if isinstance(action, OutputPlots):
        return set(action.kinds)
    completer = completer_of(action, command)
    return set(completer()) if isinstance(completer, Names) else None


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts, judgements and an n-best list in the current folder."""
    monkeypatch.chdir(tmp_path)
    span = {"start": 0, "end": 3, "severity": "minor", "category": "style"}
    spans = [{"segment": n, "system": system, "judge": "ann", "spans": [span]} for n in (1, 2, 3) for system in "ab"]
    lines = {
        "ref.txt": ["the cat sat on the mat", "a dog barked", "yes"],
        "a.txt": ["the cat sat on a mat", "a dog barked", "yes"],
        "b.txt": ["cat mat", "a dog", "oh no"],
        "pairs.tsv": [f"{n}\ta\tb" for n in (1, 2, 3)],
        "scores.tsv": [
            "segment\tsystem\tjudge\tscore",
            *(f"{n}\t{system}\tann\t{10 * n + (system == 'a')}" for n in (1, 2, 3) for system in "ab"),
        ],
        "spans.jsonl": [json.dumps(row) for row in spans],
        "nbest.txt": [f"{n} ||| a dog barked ||| LM= {rank} ||| {rank}" for n in (0, 1, 2) for rank in (1, 2)],
        "start.txt": ["LM 1"],
    }
    for name, texts in lines.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    (tmp_path / "parsed").mkdir()
    (tmp_path / "parsed" / "ref.conllu").write_text("1\tyes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n", encoding="utf-8")


def test_each_option_is_completed_or_free() -> None:
    for option, (command, action) in OPTIONS.items():
        if action.type not in (int, float) and completer_of(action, command) is nothing:
            assert option.split()[-1] in FREE, f"{option}: name its table in cli/completion.py, or add it to FREE"


@pytest.mark.parametrize("option", [option for option in OPTIONS if _names(option) is not None])
def test_names_are_those_that_the_verb_accepts(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, flag = option.rsplit(" ", 1)
    if UNLISTED & {flag, option}:
        return
    listed: set[str] = set()
    for line in LINES.get(option) or LINES[command]:
        assert main([*command.split(), *line, flag, "nonsense", *(["x.svg"] if flag == "--plot" else [])]) == 2
        message = capsys.readouterr().err
        known = re.search(r"'nonsense'.*\(known: ([^)]*)\)", message)
        assert known is not None, message
        listed.update(known[1].split(", "))
    assert _names(option) == listed - BESIDE | ALSO.get(option, set())


def test_features() -> None:
    assert _names("learn train --features") == _names("learn curve --sets") == {*FEATURE_SETS, *FEATURES}
    assert {feature.name for feature in chosen(sorted(_names("learn train --features") or ()))} == set(FEATURES)


def test_names_that_no_message_lists() -> None:
    assert _names("humans --control-test") == set(TESTS)
    assert _names("learn meant --normalise") == _names("learn train --normalise")
    assert _names("learn study --model") == {"svr", "ridge", "trees"}


def test_alignments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *_TEXTS, "--alignment", "bleu"]) == 2
    assert "by the alignment of ter or meteor" in capsys.readouterr().err
    assert _names("diff --alignment") == {"ter", "meteor"}
