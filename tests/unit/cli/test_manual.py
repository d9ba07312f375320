"""Manual pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mtassay
from mtassay.cli.main import VERBS, main
from mtassay.cli.manual import page
from mtassay.cli.parsers import all_commands, parser_of

COMMANDS = [(), *all_commands()]


def _checked(program: str, *options: str, text: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    done = subprocess.run([program, *options], input=text, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_mandoc_has_no_complaint(command: tuple[str, ...]) -> None:
    assert _checked("mandoc", "-Tlint", "-Wwarning", text=page(command)) == ""


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_groff_has_no_complaint(command: tuple[str, ...]) -> None:
    # Examples are as long as their commands.
    _checked("groff", "-man", "-Tutf8", "-k", "-ww", "-rLL=160n", text=page(command))


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_a_page_has_every_option_and_example_as_written(command: tuple[str, ...]) -> None:
    shown = re.sub(".\b", "", _checked("mandoc", "-Tutf8", "-Owidth=200", text=page(command)))
    parser = parser_of(*command)
    words = " ".join(shown.split())
    examples = (parser.epilog or "").partition("\n")[2]
    for line in examples.splitlines():
        assert " ".join(line.split()) in words
    if "ACTION" in (parser.usage or ""):
        assert "ACTIONS" in words
        return
    help_text = " ".join(parser.format_help().split())
    for action in parser._actions:
        for flag in action.option_strings:
            assert (flag in help_text) == (flag in words), flag


def test_the_page_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man"]) == 0
    text = capsys.readouterr().out
    for verb in VERBS:
        assert rf"\fB{verb}\fR" in text
        assert rf"\fBmtassay\-{verb}\fR(1)" in text
    for word in ("MTASSAY_CONFIG", "mtassay.toml", "EXIT STATUS"):
        assert word in text


def test_all_pages_are_written(tmp_path: Path) -> None:
    assert main(["man", "--folder", str(tmp_path / "man1")]) == 0
    names = {path.name for path in (tmp_path / "man1").iterdir()}
    assert names == {"-".join(("mtassay", *command)) + ".1" for command in COMMANDS}


def test_pages_need_no_package_but_our_own(tmp_path: Path) -> None:
    """The build makes them, where nothing is installed yet."""
    program = [sys.executable, "-S", "-m", "mtassay", "man", "--folder", str(tmp_path)]
    subprocess.run(program, env={"PYTHONPATH": str(Path(mtassay.__file__).parents[1])}, check=True)


def test_the_date_is_that_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert page(()).splitlines()[1].startswith('.TH MTASSAY 1 "1970-01-02" "mtassay ')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["skore"], "no verb named 'skore'; did you mean 'score'?"),
        (["learn", "trian"], "no action of learn named 'trian'; did you mean 'train'?"),
        (["score", "x"], "no action of score named 'x' (known: none)"),
        (["score", "--folder", "f"], "--folder writes the pages of all verbs: leave out the verb"),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"mtassay: {message}")
