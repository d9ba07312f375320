from __future__ import annotations

import json
from hashlib import sha256
from operator import add, mul
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mtassay.cli.main import main
from mtassay.errors import InputError
from mtassay.execution import Execution


def _never(shared: int, item: int) -> NoReturn:
    raise AssertionError((shared, item))


def _chunks(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.chunk"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a job that ended after three of six chunks."""
    results = Execution(resume=tmp_path / "kept").map_chunks(add, range(6), shared=10)
    assert [next(results) for _ in range(3)] == [10, 11, 12]
    return tmp_path / "kept"


@pytest.mark.parametrize("threads", [1, 3])
def test_a_job_goes_on(folder: Path, threads: int) -> None:
    kept = {path: path.stat().st_mtime_ns for path in _chunks(folder)}
    assert len(kept) == 3
    assert list(Execution(threads, resume=folder).map_chunks(add, range(6), shared=10)) == list(range(10, 16))
    assert {path: path.stat().st_mtime_ns for path in _chunks(folder) if path in kept} == kept
    assert len(_chunks(folder)) == 6


def test_jobs_of_a_command_are_kept_apart(tmp_path: Path) -> None:
    for _ in range(2):
        execution = Execution(resume=tmp_path / "kept")
        assert list(execution.map_chunks(add, [1, 2], shared=1)) == [2, 3]
        assert list(execution.quiet.map_chunks(add, [3, 4], shared=1)) == [4, 5]
    assert len(_chunks(tmp_path / "kept")) == 4


@pytest.mark.parametrize(
    ("function", "items", "shared"), [(mul, range(6), 10), (add, range(6), 11), (add, range(1, 7), 10)]
)
def test_chunks_of_other_work_are_refused(folder: Path, function: Any, items: range, shared: int) -> None:
    with pytest.raises(InputError, match="of other inputs or options"):
        list(Execution(resume=folder).map_chunks(function, items, shared=shared))


def test_chunks_of_another_version_are_refused(folder: Path) -> None:
    path = folder / "jobs.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": "0.0.1"}))
    with pytest.raises(InputError, match=r"of mtassay 0\.0\.1, but this is"):
        list(Execution(resume=folder).map_chunks(add, range(6), shared=10))


def test_a_chunk_that_was_changed_is_refused(folder: Path) -> None:
    path = _chunks(folder)[1]
    data = path.read_bytes()
    for changed in (data[:-1] + bytes([data[-1] ^ 1]), data[:100], b""):
        path.write_bytes(changed)
        with pytest.raises(InputError, match=f"{path.name} was changed or damaged"):
            list(Execution(resume=folder).map_chunks(add, range(6), shared=10))
    path.unlink()
    assert list(Execution(resume=folder).map_chunks(add, range(6), shared=10)) == list(range(10, 16))


def test_a_chunk_in_the_place_of_another_is_refused(folder: Path) -> None:
    first, second, _ = _chunks(folder)
    second.write_bytes(first.read_bytes())
    with pytest.raises(InputError, match="is a chunk of other inputs"):
        list(Execution(resume=folder).map_chunks(add, range(6), shared=10))


def test_a_chunk_of_no_bytes_is_refused(folder: Path) -> None:
    path = _chunks(folder)[0]
    owner = path.read_bytes().partition(b"\n")[0].rpartition(b" ")[0]
    path.write_bytes(owner + b" " + sha256(b"").hexdigest().encode() + b"\n")
    with pytest.raises(InputError, match="was changed or damaged"):
        list(Execution(resume=folder).map_chunks(add, range(6), shared=10))


@pytest.mark.parametrize("tree", ['{"of": "os:system", "fields": {}}', '{"of": "mtassay.errors:at", "fields": {}}'])
def test_nothing_but_records_is_made_of_a_file(folder: Path, tree: str) -> None:
    import io

    import numpy as np

    path = _chunks(folder)[0]
    owner = path.read_bytes().partition(b"\n")[0].rpartition(b" ")[0]
    packed = io.BytesIO()
    np.savez(packed, tree=np.frombuffer(tree.encode(), np.uint8))
    path.write_bytes(owner + b" " + sha256(packed.getvalue()).hexdigest().encode() + b"\n" + packed.getvalue())
    with pytest.raises(InputError, match="was changed or damaged"):
        list(Execution(resume=folder).map_chunks(add, range(6), shared=10))


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match="it has other files; choose a new folder"):
        list(Execution(resume=tmp_path).map_chunks(add, range(6), shared=10))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(InputError, match="cannot be used for finished chunks"):
        list(Execution(resume=tmp_path / "notes.txt").map_chunks(add, range(6), shared=10))
    for content in ("{}", "[" * 100_000):
        (tmp_path / "jobs.json").write_text(content)
        with pytest.raises(InputError, match="is damaged"):
            list(Execution(resume=tmp_path).map_chunks(add, range(6), shared=10))


def test_the_command_goes_on_and_refuses_other_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("ref", "a b c d e"), ("hyp", "a b c d"), ("other", "a b")):
        Path(f"{name}.txt").write_text(f"{text}\n" * 5)
    printed = []
    for _ in range(2):
        assert main(["score", "ref.txt", "-i", "hyp.txt", "-m", "bleu", "--resume", "kept", "-b"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert main(["score", "ref.txt", "-i", "other.txt", "-m", "bleu", "--resume", "kept"]) == 2
    error = capsys.readouterr().err
    assert "of other inputs or options" in error
    assert error.count("\n") == 1
