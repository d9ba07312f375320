"""Inputs that are too large are refused before they fill the memory."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path

import pytest

from mtassay.cli.main import main
from mtassay.data import read_lines, set_limits
from mtassay.errors import InputError
from mtassay.io import parse_size
from mtassay.io.inputs import read_bytes

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def limited(arguments: list[str], limit: int) -> subprocess.CompletedProcess[str]:
    """Run the command with an address space of so many bytes; it prints the kilobytes that it took."""
    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
        "from mtassay.cli.main import main\n"
        "status = main(sys.argv[1:])\n"
        # Not ru_maxrss, which begins with the memory of the process that started this one.
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))\n"
        "sys.exit(status)"
    )
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(PACK[path.suffix](content))
    return path


@pytest.mark.parametrize("suffix", PACK)
def test_files(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a{suffix}", b"abcd\n" * 20)

    def limit(size: str) -> bytes:
        set_limits(file=size)
        return read_bytes(path)

    assert copy_context().run(limit, "100") == b"abcd\n" * 20
    with pytest.raises(InputError, match=r"a\S* has more than 99 bytes; .*--max-file-size \(MTASSAY_MAX_FILE_SIZE\)"):
        copy_context().run(limit, "99")
    assert read_bytes(path)


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize(("content", "line"), [(b"abcde", 1), (b"abcd\nabcde\n", 2), (b"\n\nabcd\na\nabcdefghijkl", 5)])
def test_lines(tmp_path: Path, suffix: str, content: bytes, line: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / f"a{suffix}", content)
    monkeypatch.setenv("MTASSAY_MAX_LINE_SIZE", "4")
    with pytest.raises(InputError, match=rf"a\S*, line {line} has more than 4 bytes; .*--max-line-size"):
        read_lines(path)
    assert read_bytes(path) == content  # of models and the like lines mean nothing
    monkeypatch.setenv("MTASSAY_MAX_LINE_SIZE", "12")
    assert read_lines(path) == content.decode().removesuffix("\n").split("\n")


def test_every_length_of_lines_is_measured_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_MAX_LINE_SIZE", "7")
    for first in range(10):
        for second in range(10):
            path = write(tmp_path / "a", b"x" * first + b"\n" + b"y" * second + b"\n")
            too_long = [number for number, length in enumerate((first, second), 1) if length > 7]
            if too_long:
                with pytest.raises(InputError, match=f", line {too_long[0]} has more"):
                    read_lines(path)
            else:
                assert read_lines(path) == ["x" * first, "y" * second]


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("3k", 3 << 10), ("500M", 500 << 20), ("8G", 8 << 30), ("1T", 1 << 40)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text, "x") == size


@pytest.mark.parametrize("text", ["0", "-1", "1.5G", "x", "8GB", "", "٣", "9" * 30])
def test_no_sizes(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="must be a number of bytes above 0, such as 500M or 8G"):
        parse_size(text, "x")
    if text:
        monkeypatch.setenv("MTASSAY_MAX_FILE_SIZE", text)
        with pytest.raises(InputError, match=f"MTASSAY_MAX_FILE_SIZE is '{text}'"):
            read_bytes(write(tmp_path / "a", b"x"))


def test_options_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write(tmp_path / "a", b"a b c d\n"))
    scored = ["score", path, "-i", path]
    assert main([*scored, "--max-file-size", "7"]) == 2
    assert capsys.readouterr().err.startswith(f"mtassay: {path} has more than 7 bytes")
    assert main([*scored, "--max-line-size", "6"]) == 2
    assert capsys.readouterr().err.startswith(f"mtassay: {path}, line 1 has more than 6 bytes")
    assert main([*scored, "--max-file-size", "1.5"]) == 2
    assert "--max-file-size: the size is '1.5': it must be a number of bytes" in capsys.readouterr().err
    assert main(scored) == 0


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
def test_endless_devices() -> None:
    for arguments in (
        ["score", "/dev/zero", "-i", "/dev/zero"],
        ["humans", "/dev/zero"],
        ["align", "/dev/zero", "-i", "x"],
    ):
        ran = limited(arguments, 1 << 30)
        assert ran.returncode == 2
        assert ran.stderr == (
            "mtassay: /dev/zero, line 1 has more than 128M bytes; if it is text, raise the limit: --max-line-size "
            "(MTASSAY_MAX_LINE_SIZE)\n"
        )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def feed(content: bytes) -> None:
        with suppress(BrokenPipeError):
            pipe.write_bytes(content)

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setenv("MTASSAY_MAX_FILE_SIZE", "1M")
    for content in (b"a b\n" * 1000, gzip.compress(b"a b\n" * 1000), b"a b\n" * 1_000_000):
        writer = threading.Thread(target=feed, args=(content,), daemon=True)
        writer.start()
        if len(content) > 1 << 20:
            with pytest.raises(InputError, match="pipe has more than 1M bytes"):
                read_lines(pipe)
        else:
            assert read_lines(pipe) == ["a b"] * 1000
        writer.join(timeout=10)


def test_small_archives_of_gigabytes(tmp_path: Path) -> None:
    # 5 GB of lines. A gzip file may consist of several members: the same 50 MB a hundred times.
    member = gzip.compress(b"a b c d e f g h\n" * (50_000_000 // 16), compresslevel=9)
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(member * 100)
    ran = limited(["score", str(bomb), "-i", str(bomb), "--max-file-size", "300M"], 2 << 30)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"mtassay: {bomb} has more than 300M bytes")
    assert ran.stderr.count("\n") == 1
    assert int(ran.stdout) < 1 << 20  # kilobytes


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_no_memory_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\n" * 80_000_000)  # a list of so many lines takes 640 MB
    # NIST needs all references at once; other metrics would be scored block by block.
    ran = limited(["score", str(path), "-i", str(path), "-m", "nist"], 600 << 20)
    assert ran.returncode == 2
    assert ran.stderr.startswith("mtassay: out of memory")
    assert ran.stderr.count("\n") == 1
