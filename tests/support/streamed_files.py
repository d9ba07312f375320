"""Commands that read their files whole or stream them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mtassay.cli.main import main
from mtassay.data import load
from mtassay.io import inputs
from mtassay.sample import sample_path


def write_sample() -> None:
    """Write the built-in sample into the current folder, a file for the reference and for each system."""
    testset = load(sample_path())
    for name, texts in {"ref": testset.references[0], **testset.systems}.items():
        Path(name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    # A document may go on after others.
    Path("docs").write_text("".join(f"doc{n // 5 % 9}\n" for n in range(64)), encoding="utf-8")
    Path("atlas.gz").write_bytes(gzip.compress(Path("atlas").read_bytes()))


def both(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> list[tuple[int, str, str]]:
    """Status, output and errors of a command that reads its files whole, and of one that streams them."""
    found = []
    for size in (1 << 40, 0):
        monkeypatch.setattr(inputs, "_LARGE", size)
        status = main(list(arguments))
        captured = capsys.readouterr()
        found.append((status, captured.out, captured.err))
    return found
