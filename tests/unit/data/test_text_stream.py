"""Line files read side by side, block by block."""

from __future__ import annotations

import io
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import TestSet, load_files
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
    return contents(list(stream.blocks(n_segments)), n_segments)


def in_ranges(stream: TextStream, n_segments: int) -> Any:
    return contents([stream.read(ranges) for ranges in stream.ranges(n_segments)], n_segments)


def contents(blocks: list[TestSet], n_segments: int) -> Any:
    assert all(block.n_segments == n_segments for block in blocks[:-1])
    return (
        tuple(sum((block.references[r] for block in blocks), ()) for r in range(blocks[0].n_references)),
        {name: sum((block.systems[name] for block in blocks), ()) for name in blocks[0].systems},
        blocks[0].reference_names,
        *(None if of is None else sum(map(of, blocks), ()) for of in labels_of(blocks[0])),
    )


def labels_of(block: TestSet) -> list[Any]:
    """What returns the sources and labels of a block; None for those that it does not have."""
    return [attrgetter(of) if getattr(block, of) else None for of in ("sources", "documents", "domains")]


@given(st.lists(LINES, min_size=2, max_size=4), st.integers(1, 2), st.integers(1, 4))
def test_blocks_are_those_of_the_whole_files(folder: Path, files: list[list[str]], n_refs: int, size: int) -> None:
    paths = [write(folder / f"text{number}", lines) for number, lines in enumerate(files)]
    stream = TextStream(paths[:n_refs], paths[n_refs:] or paths[:1])

    # Files of unequal lengths have the same message, too.
    expected = outcome(lambda: whole(stream))
    assert outcome(lambda: joined(stream, size)) == expected
    assert outcome(lambda: in_ranges(stream, size)) == expected


def whole(stream: TextStream) -> Any:
    testset = load_files(
        stream.references,
        stream.systems,
        source=stream.source,
        documents=stream.documents,
        domains=stream.domains,
        n_ref_columns=stream.n_ref_columns,
    )
    return contents([testset], testset.n_segments)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_sources_labels_and_columns(folder: Path, size: int, end: bytes) -> None:
    for name, content in {
        "refs": b"a b \tc \n \td\ne\t\n",
        "hyp": b"x \ny\nz\n",
        "src": b"s \n\nt\r\n",
        "docs": b"d1\n d1\nd2",
        "domains": b"news\nnews \ntalks\n",
    }.items():
        (folder / name).write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", end))
    stream = TextStream(
        [folder / "refs"],
        [folder / "hyp"],
        source=folder / "src",
        documents=folder / "docs",
        domains=folder / "domains",
        n_ref_columns=2,
    )
    expected = whole(stream)
    assert joined(stream, size) == in_ranges(stream, size) == expected
    assert expected[0] == (("a b ", " ", "e"), ("c", "d", ""))
    assert expected[2] == ("refs:1", "refs:2")
    assert expected[3:] == (("s ", "", "t"), ("d1", " d1", "d2"), ("news", "news ", "talks"))


def test_faults_of_sources_labels_and_columns(folder: Path) -> None:
    refs, hyp = write(folder / "refs", ["a\tb", "c"]), write(folder / "hyp", ["x", "y"])
    with pytest.raises(InputError, match="refs, line 2: 1 tab-separated column, expected 2"):
        joined(TextStream([refs], [hyp], n_ref_columns=2), 1)
    short = write(folder / "short", ["d"])
    for stream, what in (
        (TextStream([refs], [hyp], source=short), "sources"),
        (TextStream([refs], [hyp], documents=short), "documents"),
        (TextStream([refs], [hyp], domains=short), "domains"),
    ):
        expected = outcome(lambda stream=stream: whole(stream))
        assert f"short has 1 line, {refs} has 2: the {what} need one line per reference line" in expected
        assert outcome(lambda stream=stream: joined(stream, 1)) == expected
        assert outcome(lambda stream=stream: in_ranges(stream, 1)) == expected
    (folder / "mixed").write_bytes(b"d1\r\nd2\n")
    for read in (joined, in_ranges):
        with pytest.raises(InputError, match="mixed, line 2 ends in LF, line 1 in CR LF"):
            read(TextStream([refs], [hyp], documents=folder / "mixed"), 1)
    with pytest.raises(InputError, match="a language pair is written SRC-TGT"):
        TextStream([refs], [hyp], language_pair="en_zh")


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
