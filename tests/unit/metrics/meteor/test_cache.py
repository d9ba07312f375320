"""The files in which compiled tables are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mtassay.errors import InputError
from mtassay.io.cache import cache_folder
from mtassay.metrics.meteor.cache import cached_arrays, read_arrays, write_arrays

ARRAYS: dict[str, NDArray[Any]] = {
    "a": np.arange(3),
    "none": np.zeros(0, np.int32),
    "text": np.frombuffer(b"some words", np.uint8),
}
LOAD = (
    "import sys, pathlib; from mtassay.metrics.meteor import ParaphraseTable;"
    "print(ParaphraseTable.load(pathlib.Path(sys.argv[1])).pairs.tolist())"
)
_NOT_KEPT = "mtassay: nothing is kept for the next time: "


@pytest.fixture
def table_file(unpacked: Path) -> Path:
    return unpacked / "data" / "paraphrase-en.gz"


def load(table_file: Path, **options: object) -> tuple[str, list[str]]:
    """What a process prints that loads the table, and the lines of its standard error."""
    process = subprocess.run(
        [sys.executable, "-c", LOAD, str(table_file)], capture_output=True, text=True, timeout=60, **options
    )  # type: ignore[call-overload]
    assert process.returncode == 0, process.stderr
    return process.stdout, process.stderr.splitlines()


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    write_arrays(path, ARRAYS)
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        assert read_arrays(path) is None, f"bit {bit % 8} of byte {bit // 8}"


def test_every_truncated_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    write_arrays(path, ARRAYS)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert read_arrays(path) is None, f"{size} bytes"
    path.write_bytes(whole + b"\0")
    assert read_arrays(path) is None


def _flip(position: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[position] ^= 0x10
        path.write_bytes(data)

    return damage


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


# In the mark, the checksum, the length of the header, an array's name, and the arrays.
@pytest.mark.parametrize("damage", [*map(_flip, (7, 9, 13, 20, -70)), _truncate, _empty])
def test_a_damaged_file_is_built_anew(table_file: Path, cache: Path, damage: Callable[[Path], None]) -> None:
    expected, _ = load(table_file)
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    damage(path)
    assert load(table_file)[0] == expected
    assert path.read_bytes() == whole


def _fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.skipif(sys.platform == "win32", reason="has no named pipes")
@pytest.mark.parametrize("put", [_fifo, Path.mkdir])
def test_what_is_no_regular_file_stays_and_nothing_is_kept(
    table_file: Path, cache: Path, put: Callable[[Path], None]
) -> None:
    expected, _ = load(table_file)
    (path,) = cache.iterdir()
    path.unlink()
    put(path)
    printed, notices = load(table_file)
    assert printed == expected
    assert notices[1:] == [f"{_NOT_KEPT}{path} is not a regular file; MTASSAY_CACHE can name another folder"]
    assert not path.is_file()


def test_a_file_in_place_of_the_folder(table_file: Path, cache: Path) -> None:
    expected, _ = load(table_file)
    cache.rename(cache.with_name("before"))
    cache.write_text("in the way")
    printed, notices = load(table_file)
    assert printed == expected
    assert notices[1:] == [f"{_NOT_KEPT}{cache} cannot be used: File exists; MTASSAY_CACHE can name another folder"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not hold")
def test_a_folder_that_is_read_only(table_file: Path, cache: Path) -> None:
    cache.mkdir(mode=0o555)
    printed, notices = load(table_file)
    assert printed
    assert len(notices) == 2
    assert notices[1].startswith(_NOT_KEPT)
    assert "Permission denied" in notices[1]


@pytest.mark.skipif(sys.platform == "win32", reason="has no limits of processes")
def test_no_space(table_file: Path, cache: Path) -> None:
    from resource import RLIMIT_FSIZE, setrlimit

    # A limit on the size of files fails in the place where a full disk does.
    printed, notices = load(table_file, preexec_fn=lambda: setrlimit(RLIMIT_FSIZE, (100, 100)))
    assert printed
    assert len(notices) == 2
    assert notices[1].startswith(_NOT_KEPT)
    assert "cannot be written: File too large" in notices[1]
    assert list(cache.iterdir()) == []


def test_no_home(table_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTASSAY_CACHE", "~no-such-user/cache")
    printed, notices = load(table_file)
    assert printed
    (notice,) = notices
    assert notice.endswith("the home folder is not known; MTASSAY_CACHE can name a folder for the cache")
    with pytest.raises(InputError, match="the home folder is not known"):
        cache_folder()


def test_processes_that_build_at_once(table_file: Path, cache: Path) -> None:
    script = (
        "import sys, pathlib; from mtassay.metrics.meteor import ParaphraseTable; sys.stdin.readline();"
        "t = ParaphraseTable.load(pathlib.Path(sys.argv[1])); print(t.pairs.tolist(), t.longest)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(table_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(4)
    ]
    for process in running:  # all are told to start before any is waited for
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = {process.communicate()[0] for process in running}
    assert len(outputs) == 1
    assert outputs.pop().endswith("3\n")
    (path,) = cache.iterdir()
    assert read_arrays(path) is not None


def test_the_last_of_two_writers_wins(cache: Path) -> None:
    def build() -> dict[str, np.ndarray]:
        cache.mkdir()
        write_arrays(cache / "x.bin", {"a": np.array([1])})  # another process, meanwhile
        return {"a": np.array([2, 3])}

    assert cached_arrays("x.bin", build, description="building")["a"].tolist() == [2, 3]
    assert [path.name for path in cache.iterdir()] == ["x.bin"]


def test_arrays_of_all_kinds_come_back(tmp_path: Path) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "none": np.zeros(0, np.int32),
        "bytes": np.arange(100, dtype=np.uint8),
        "long": np.array([-1, 2**40]),
    }
    write_arrays(tmp_path / "x", arrays)
    found = read_arrays(tmp_path / "x")
    assert found is not None
    assert {name: (a.dtype, a.tolist()) for name, a in found.items()} == {
        name: (a.dtype, a.tolist()) for name, a in arrays.items()
    }
    assert read_arrays(tmp_path / "y") is None
