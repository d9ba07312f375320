"""Random line files in blocks of any size: the lines, scores and errors of the whole files."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.data import TestSet, load_files
from mtassay.data.text_stream import TextStream
from mtassay.errors import MtassayError
from mtassay.execution import blocks
from mtassay.io import inputs
from mtassay.io.inputs import NamedBytes
from mtassay.io.line_blocks import is_divisible, read_block, split_lines
from mtassay.io.streams import stream_lines
from mtassay.report.parquet import writing_segments

PIECES = st.one_of(
    st.sampled_from(
        ["a", "b c", " ", "\t", "\n", "\n", "\r\n", "\r", "é", "字", "👍", "\x00", "\x0c", "\x85", "\u2028"]
    ),
    st.text(max_size=3),
)
TEXT = st.lists(PIECES, max_size=12).map("".join)
ENCODINGS = ["utf-8", "utf-8-sig", "latin-1", "cp1252", "koi8-r", "ascii", "utf-16", "utf-32-be", "big5", "gb18030"]
MARKS = st.sampled_from([b"", b"", b"", codecs.BOM_UTF8])


@st.composite
def contents(draw: st.DrawFn) -> tuple[bytes, str]:
    """The bytes of a text file, and an encoding that is mostly its own."""
    written, read = draw(st.sampled_from(ENCODINGS)), draw(st.one_of(st.none(), st.sampled_from(ENCODINGS)))
    return draw(MARKS) + draw(TEXT).encode(written, errors="replace"), read or written


def outcome(read: Callable[[], Any]) -> Any:
    """What a reader returns, or says."""
    try:
        return read()
    except MtassayError as error:
        return str(error)


@given(contents(), st.integers(1, 4), st.integers(1, 20), st.booleans())
def test_lines_in_blocks(content: tuple[bytes, str], n_lines: int, n_bytes: int, exact: bool) -> None:
    raw, encoding = content
    file = NamedBytes("text", raw)

    def in_pieces() -> list[str]:
        return [line for lines in stream_lines(file, encoding=encoding, exact=exact) for line in lines]

    def in_ranges() -> list[str]:
        return [
            line
            for block in split_lines(file, n_lines, encoding=encoding)
            for line in read_block(block, encoding=encoding, exact=exact)
        ]

    whole = outcome(in_pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "_BLOCK", n_bytes)
        found = [outcome(in_pieces)]
        if raw and is_divisible(file, encoding=encoding):
            found.append(outcome(in_ranges))
    for lines in found:
        # Of two faults, bad bytes and mixed line ends, either may be met first.
        assert lines == whole or (isinstance(lines, str) and isinstance(whole, str))


LINES = st.one_of(
    st.lists(st.text("ab \t\ré", max_size=3), min_size=1, max_size=6).map("\n".join),
    st.lists(st.sampled_from(["a b", "c", "", "a"]), min_size=3, max_size=3).map("\n".join),
)


def parts(found: list[TestSet]) -> Any:
    """The texts of successive test sets."""
    return [
        [sum((one.references[r] for one in found), ()) for r in range(found[0].n_references)],
        {name: sum((one.systems[name] for one in found), ()) for name in found[0].systems},
        None if found[0].sources is None else sum((one.sources or () for one in found), ()),
    ]


@given(st.lists(LINES, min_size=3, max_size=4), st.integers(1, 4), st.integers(1, 9), st.integers(1, 2), st.booleans())
def test_texts_in_blocks(files: list[str], n_segments: int, n_bytes: int, n_columns: int, has_source: bool) -> None:
    paths = [NamedBytes(f"text{number}", text.encode()) for number, text in enumerate(files)]
    source = paths[0] if has_source else None
    stream = TextStream(paths[:1], paths[1:], source=source, n_ref_columns=n_columns)
    whole = outcome(lambda: parts([load_files(paths[:1], paths[1:], source=source, n_ref_columns=n_columns)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "_BLOCK", n_bytes)
        for read in (
            lambda: parts(list(stream.blocks(n_segments))),
            lambda: parts([stream.read(ranges) for ranges in stream.ranges(n_segments)]),
        ):
            found = outcome(read)
            # Of several faults another one may be met first; a stream also refuses mixed line ends.
            assert isinstance(found, str) if isinstance(whole, str) else found == whole or "ends in LF" in found


@given(
    st.lists(st.sampled_from(["a b c d", "c", "", "a", "é b"]), min_size=4, max_size=12),
    st.integers(1, 4),
    st.sampled_from(["bleu", "chrf", "ter", "wer", "chrf++", "0.5*bleu-0.5*ter"]),
)
def test_scores_in_blocks(texts: list[str], n_segments: int, metric: str) -> None:
    n = len(texts) // 2
    files = [
        NamedBytes(name, "".join(f"{text}\n" for text in part).encode())
        for name, part in (("ref", texts[:n]), ("sys", texts[n : 2 * n]))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", n_segments)
        whole = mtassay.score([texts[:n]], {"sys": texts[n : 2 * n]}, metrics=[metric])
        streamed = mtassay.score_files(files[:1], files[1:], metrics=[metric])
    assert streamed.scores.tolist() == whole.scores.tolist()


@given(st.lists(st.one_of(PIECES, st.text(st.characters(exclude_categories=()), max_size=3)), min_size=2, max_size=4))
def test_parquet(folder: Path, labels: list[str]) -> None:
    """Whatever systems and documents are named, the table has all rows and the very scores."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="no pyarrow: pip install 'mtassay[parquet]'")
    texts = ["a b c", "d", "e f", "g"][: len(labels)]
    try:
        testset = TestSet([texts], {labels[0]: texts[::-1]}, documents=labels)
    except MtassayError:
        return
    result = mtassay.score(testset, metrics=["chrf"])
    path = folder / "scores.parquet"
    with writing_segments(str(path)) as write:
        write(1, result)
    found = parquet.read_table(path).to_pydict()
    assert found["chrF2"] == result.segment_scores()[0, :, 0].tolist()
    assert found["segment"] == list(range(1, len(labels) + 1))
    names = [label.encode("utf-8", "backslashreplace").decode() for label in labels]
    assert (found["doc"], found["system"]) == (names, names[:1] * len(names))
