"""Completion in real shells; where a shell is missing, its tests skip."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import argcomplete
import pytest
from argcomplete.finders import CompletionFinder

from mtassay.cli.completion import SHELLS
from mtassay.cli.main import VERBS, main

#: Lines, what must be offered at their end, and what must not.
LINES: dict[str, tuple[set[str], set[str]]] = {
    "mtassay ": ({*VERBS, "completion", "man"}, {"-h", "ref.txt"}),
    "mtassay comp": ({"compare", "completion"}, {"score"}),
    "mtassay completion ": (set(SHELLS), {"ref.txt"}),
    "mtassay man mb": ({"mbr"}, set()),
    "mtassay man learn ": ({"train", "study"}, {"ref.txt", "judge"}),
    "mtassay man score ": (set(), {"train", "ref.txt"}),
    "mtassay compare --adjust ": ({"none", "holm", "bh"}, {"ref.txt"}),
    "mtassay compare ref.txt --plot ": ({"intervals", "heatmap", "distribution"}, {"ref.txt"}),
    "mtassay compare ref.txt --plot heat": ({"heatmap"}, {"intervals"}),
    "mtassay compare ref.txt --plot heatmap ": ({"ref.txt", "folder/"}, {"intervals", "heatmap"}),
    "mtassay metaeval --correlation pearson sp": ({"spearman"}, {"soccer", "ref.txt"}),
    "mtassay metaeval --metric-scores ": ({"folder/"}, {"ref.txt"}),
    "mtassay score --for": ({"--format", "--force"}, {"--metrics"}),
    "mtassay score -t": ({"-t", "-tok"}, {"-m"}),
    "mtassay score r": ({"ref.txt"}, {"hyp.txt"}),
    "mtassay score ref.txt -i hyp.txt h": ({"hyp.txt"}, {"ref.txt"}),
    "mtassay score ref.txt -m chrf": ({"chrf", "chrf+", "chrf++"}, {"bleu"}),
    "mtassay score ref.txt -m bleu chrf": ({"chrf", "chrf+", "chrf++"}, {"bleu"}),
    "mtassay score ref.txt -f ": ({"text", "json", "tsv", "latex", "markdown", "html"}, {"ref.txt"}),
    "mtassay score -tok int": ({"intl"}, {"none"}),
    "mtassay compare ref.txt --alpha ": (set(), {"ref.txt"}),
    "mtassay compare ref.txt --test p": ({"pbs"}, {"ar"}),
    "mtassay conclusions ref.txt --test pbs p": ({"pbs"}, {"ar"}),
    "mtassay tune --test p": ({"pbs"}, {"ar"}),
    "mtassay humans pairs.tsv --judgement-format ra": ({"rankings", "ratings"}, {"pairs", "ref.txt"}),
    "mtassay demo --keep fo": ({"folder/"}, {"ref.txt"}),
    "mtassay learn ": ({"train", "score", "study", "curve", "meant", "index"}, {"ref.txt"}),
    "mtassay learn train --feat": ({"--features"}, {"--format"}),
    "mtassay learn study ne": ({"nested"}, {"grid"}),
    "mtassay learn score model --met": ({"--metrics"}, set()),
    "mtassay learn score model --anno": ({"--annotator"}, set()),
    "mtassay judge new --proto": ({"--protocol"}, set()),
    "mtassay judge new --protocol ": ({"rank", "pair", "da", "likert", "esa", "mqm"}, {"ref.txt"}),
    "mtassay judge sta": ({"status"}, {"new"}),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with some files, and a folder with the command for the path."""
    for name in ("ref.txt", "hyp.txt"):
        (tmp_path / name).write_text("a\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "mtassay"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mtassay "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def _run(folder: Path, *command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder), "TERM": "dumb"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


class _Answered(Exception):  # noqa: N818
    """Raised where the program would end."""


class _Finder(CompletionFinder):
    def _init_debug_stream(self) -> None:
        """The descriptor it would open is one of pytest's."""


@pytest.mark.parametrize("line", LINES)
def test_answers(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = io.StringIO()

    def end(status: int) -> None:
        raise _Answered(status)

    monkeypatch.setattr(argcomplete, "autocomplete", partial(_Finder(), exit_method=end, output_stream=answers))
    monkeypatch.chdir(folder)
    given = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(_Answered, match="0"):
        main([])
    wanted, unwanted = LINES[line]
    offered = {word.strip() for word in answers.getvalue().split("\n")}
    assert wanted <= offered
    assert not unwanted & offered


#: Lines that real shells are tried with.
IN_SHELLS = [
    "mtassay comp",
    "mtassay score -t",
    "mtassay score ref.txt -i hyp.txt h",
    "mtassay score ref.txt -m bleu chrf",
    "mtassay compare ref.txt --alpha ",
]
_BASH = r"""
eval "$(mtassay completion bash)"
for line in "$@"; do
    COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMPREPLY=()
    _python_argcomplete mtassay
    printf '%s\n' "${COMPREPLY[*]}" | tr '\013' ' '
done
"""
_FISH = r"""
mtassay completion fish | source
for line in $argv
    echo (complete -C $line | string split --fields 1 \t | string join ' ')
end
"""


@pytest.mark.parametrize(("shell", "script"), [("bash", _BASH), ("fish", _FISH)])
def test_shells(shell: str, script: str, folder: Path) -> None:
    (folder / "script").write_text(script, encoding="utf-8")
    found = _run(folder, shell, "script", *IN_SHELLS).splitlines()
    for line, words in zip(IN_SHELLS, found, strict=True):
        wanted, unwanted = LINES[line]
        assert wanted <= set(words.split()), line
        assert not unwanted & set(words.split()), line


def test_options_of_metrics(folder: Path) -> None:
    lines = ["mtassay score -m bleu:", "mtassay score -m bleu:case=", "mtassay score -m bleu:tok=none,clip="]
    script = "mtassay completion fish | source; for line in $argv; complete -C $line; echo end; end"
    options, cases, clipping, _ = _run(folder, "fish", "-c", script, *lines).split("end\n")
    assert "bleu:tok=\ttokenizer\n" in options
    assert cases.split() == ["bleu:case=ascii", "bleu:case=lower", "bleu:case=mixed"]
    assert clipping.split() == ["bleu:tok=none,clip=no", "bleu:tok=none,clip=yes"]


# A shell on a terminal of its own; Ctrl-T writes the line as it is after completion, and empties it.
_ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u; eval "$(mtassay completion zsh)"'
zpty -w shell 'write() { print -r -- "$BUFFER" >>lines; BUFFER= }; zle -N write; bindkey "^T" write; : >lines'
for line in "$@"; do
    zpty -n -w shell "$line"$'\t\x14'
done
for wait in {1..300}; do
    [[ -f lines ]] && (( $(wc -l <lines) == $# )) && break
    zpty -r -t shell shown  # or its terminal is full
    sleep 0.1
done
zpty -d shell
cat lines
"""


def test_zsh(folder: Path) -> None:
    lines = {
        "mtassay sco": "mtassay score",
        "mtassay score ref.txt -m charac": "mtassay score ref.txt -m character",
        "mtassay score ref.txt -i hyp.txt hy": "mtassay score ref.txt -i hyp.txt hyp.txt",
        "mtassay score -m bleu:tok=int": "mtassay score -m bleu:tok=intl",
    }
    (folder / "script").write_text(_ZSH, encoding="utf-8")
    completed = _run(folder, "zsh", "-f", "script", *lines).splitlines()
    assert [line.rstrip() for line in completed] == list(lines.values())


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_the_same_every_time(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    first = capsys.readouterr().out
    assert "mtassay" in first
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == first


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "csh"]) == 2
    assert "no choice of shell named 'csh'; did you mean 'zsh'? (known: bash, zsh, fish)" in capsys.readouterr().err
    assert main(["completion"]) == 2
    assert "the following arguments are required: SHELL" in capsys.readouterr().err
