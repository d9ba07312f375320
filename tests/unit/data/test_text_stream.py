"""Line files read side by side, block by block."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import load_files
from mtassay.data.text_stream import TextStream
from mtassay.errors import InputError

LINES = st.lists(st.text("ab \t\r", max_size=3), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


def write(path: Path, lines: list[str]) -> Path:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def outcome(make: Any) -> Any:
    try:
        return make()
    except InputError as error:
        return str(error)


def joined(stream: TextStream, n_segments: int) -> Any:
    blocks = list(stream.blocks(n_segments))
    assert all(len(block.references[0]) == n_segments for block in blocks[:-1])
    return (
        tuple(sum((block.references[r] for block in blocks), ()) for r in range(len(stream.references))),
        {name: sum((block.systems[name] for block in blocks), ()) for name in blocks[0].systems},
        blocks[0].reference_names,
    )


@given(st.lists(LINES, min_size=2, max_size=4), st.integers(1, 2), st.integers(1, 4))
def test_blocks_are_those_of_the_whole_files(folder: Path, files: list[list[str]], n_refs: int, size: int) -> None:
    paths = [write(folder / f"text{number}", lines) for number, lines in enumerate(files)]
    references, systems = paths[:n_refs], paths[n_refs:] or paths[:1]

    def whole() -> Any:
        testset = load_files(references, systems)
        return testset.references, testset.systems, testset.reference_names

    # Files of unequal lengths have the same message, too.
    assert outcome(lambda: joined(TextStream(references, systems), size)) == outcome(whole)


def test_standard_input_has_columns(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = write(folder / "ref", ["r", "s", "t"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\nc\td\ne\tf\n")))
    texts = joined(TextStream([reference], ["-"]), 2)
    assert texts[1] == {"System 1": ("a", "c", "e"), "System 2": ("b", "d", "f")}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\nc\td\ne\n")))
    with pytest.raises(InputError, match="standard input, line 3: 1 tab-separated column, expected 2"):
        joined(TextStream([reference], ["-"]), 2)


def test_names(folder: Path) -> None:
    reference = write(folder / "ref", ["r"])
    assert list(joined(TextStream([reference], [reference], names=["mine"]), 2)[1]) == ["mine"]
    with pytest.raises(InputError, match="both named 'ref'"):
        joined(TextStream([reference], [reference, reference]), 2)


@pytest.mark.parametrize(
    ("references", "systems", "message"),
    [
        ([], ["a"], "no reference files"),
        (["a"], [], "there is no system"),
        (["-"], ["-"], "can be read only once"),
        (["set.jsonl"], ["a"], "is a whole test set by its name"),
        (["ref.sgm"], ["a"], "ref.sgm is SGML"),
    ],
)
def test_faults(references: list[str], systems: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TextStream(references, systems)
