"""The command with inputs that cannot be read: one line that names the file, and sacreBLEU's exit status 1."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn
from urllib.error import URLError

import pytest

from mtassay.compat.sacrebleu import sacrebleu as command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = [f"segment {number}\n".encode() for number in range(3000)]
    (tmp_path / "ref").write_bytes(b"".join(lines))
    (tmp_path / "short").write_bytes(b"".join(lines[:5]))
    (tmp_path / "empty").write_bytes(b"")
    # Beyond the first block that is decoded.
    (tmp_path / "latin").write_bytes(b"".join([*lines[:2499], b"caf\xe9\n", *lines[2500:]]))
    (tmp_path / "text.gz").write_bytes(b"no archive")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"".join(lines))[:-20])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def message(words: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> str:
    """The only message of a run that fails."""
    monkeypatch.setattr(sys, "argv", ["sacrebleu", *words])
    with pytest.raises(SystemExit) as left:
        command.main()
    assert left.value.code == 1
    [record] = caplog.records
    return record.getMessage()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ref", "-i", "none"], "none cannot be read: No such file"),
        (["none", "-i", "ref"], "none cannot be read: No such file"),
        (["ref", "-i", "."], ". cannot be read: Is a directory"),
        (["ref", "-i", "latin"], "latin, line 2500: byte 0xe9 is not utf-8"),
        (["latin", "-i", "ref"], "latin, line 2500: byte 0xe9 is not utf-8"),
        (["ref", "-i", "text.gz"], "text.gz cannot be read: Not a gzipped file"),
        (["ref", "-i", "cut.gz"], "cut.gz cannot be read: Compressed file ended"),
        (["ref", "-i", "ref", "-e", "utf-99"], "ref cannot be read: unknown encoding: utf-99"),
        (["ref", "-i", "ref", "-e", "utf-16"], "ref cannot be read: UTF-16 stream does not start with BOM"),
        (["ref", "-i", "short"], "different numbers of lines: 5 and 3000"),
        (["ref", "-i", "empty"], "There are no segments to score"),
        (["ref", "-i", "ref", "-l", "en"], "-l en: a language pair is written SRC-TGT"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_files(
    words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert expected in message(words, monkeypatch, caplog)


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO((folder / "latin").read_bytes())))
    assert "standard input, line 2500: byte 0xe9" in message(["ref"], monkeypatch, caplog)


def test_no_network(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> NoReturn:
        raise URLError("no route to host")

    monkeypatch.setattr(command, "get_reference_files", fail)
    expected = "The test set cannot be downloaded: no route to host"
    assert expected in message(["-t", "wmt24", "-l", "en-de", "-i", "x"], monkeypatch, caplog)


@pytest.mark.usefixtures("folder")
def test_a_closed_pipe_ends_the_command_without_a_word() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "mtassay.compat.sacrebleu", "ref", "-i", "ref"]
    try:
        done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
