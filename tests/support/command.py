"""The command ``mtassay``, run inside a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.cli.main import main

if TYPE_CHECKING:
    import pytest


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must succeed without a word on standard error; returns its output."""
    status = main(list(arguments))
    captured = capsys.readouterr()
    assert (status, captured.err) == (0, "")
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must fail; returns its one line of complaint, without the name of the command."""
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mtassay: ")
    assert captured.err.count("\n") == 1
    return captured.err.removeprefix("mtassay: ").rstrip("\n")
