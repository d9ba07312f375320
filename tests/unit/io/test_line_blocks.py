"""Byte ranges of line files have the lines of the whole files."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import InputError
from mtassay.io import inputs
from mtassay.io.inputs import NamedBytes
from mtassay.io.line_blocks import is_divisible, read_block, split_lines
from mtassay.io.streams import stream_lines

PIECES = st.sampled_from([b"a", b"\n", b"\r\n", "é".encode(), b"\xff", b"\xc3", b"\xef\xbb\xbf", b" "])


def outcome(read: Any) -> Any:
    """What a reader returns, or says."""
    try:
        return read()
    except InputError as error:
        return str(error)


@given(
    st.lists(PIECES, max_size=12).map(b"".join),
    st.integers(1, 4),
    st.integers(1, 5),
    st.sampled_from(["utf-8", "latin-1"]),
    st.booleans(),
)
def test_blocks_have_the_lines_and_errors_of_a_stream(
    content: bytes, size: int, n_bytes_read: int, encoding: str, exact: bool
) -> None:
    text = NamedBytes("text", content)

    def streamed() -> list[str]:
        return [line for lines in stream_lines(text, encoding=encoding, exact=exact) for line in lines]

    def split() -> list[str]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(inputs, "_BLOCK", n_bytes_read)
            blocks = list(split_lines(text, size, encoding=encoding))
        assert all(block.n_lines == size for block in blocks[:-1])
        assert b"".join(content[block.offset : block.offset + block.n_bytes] for block in blocks) == content
        parts = [read_block(block, encoding=encoding, exact=exact) for block in blocks]
        assert [len(part) for part in parts] == [block.n_lines for block in blocks]
        return [line for part in parts for line in part]

    found, expected = outcome(split), outcome(streamed)
    if exact and isinstance(expected, str):  # of two faults, bad bytes and mixed line ends, either may be met first
        assert isinstance(found, str)
    else:
        assert found == expected


def test_ranges_numbers_and_hashes(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"ab\nc\n\nd")
    first, second = split_lines(path, 3)
    assert (first.offset, first.n_bytes, first.first_line, first.n_lines) == (0, 6, 1, 3)
    assert (second.offset, second.n_bytes, second.first_line, second.n_lines) == (6, 1, 4, 1)
    assert first.sha256 == hashlib.sha256(b"ab\nc\n\n").hexdigest()
    assert read_block(second) == ["d"]


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\nc\n")
    first, second = split_lines(path, 2)
    path.write_bytes(b"a\nb\nC\n")
    assert read_block(first) == ["a", "b"]
    with pytest.raises(InputError, match=r"text, lines 3 to 3: bytes differ from those that were split"):
        read_block(second)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        read_block(first)


def test_the_line_of_a_bad_byte(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\nc\nd\xff\n")
    second = [*split_lines(path, 2)][1]
    with pytest.raises(InputError, match="text, line 4: byte 0xff is not utf-8"):
        read_block(second)
    assert read_block(second, encoding="latin-1") == ["c", "dÿ"]


def test_what_cannot_be_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.gz").write_bytes(gzip.compress(b"a\n"))
    (tmp_path / "text").write_bytes(b"a\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    assert is_divisible(tmp_path / "text")
    assert is_divisible(tmp_path / "text", encoding="cp1252")
    for path, encoding in [("text.gz", "utf-8"), ("text", "utf-16"), ("text", "no-such"), ("text", "iso2022_jp")]:
        assert not is_divisible(tmp_path / path, encoding=encoding)
    assert not is_divisible("-")
    assert not is_divisible("https://127.0.0.1:1/text")
    with pytest.raises(InputError, match=r"text.gz cannot be split: only plain files"):
        list(split_lines(tmp_path / "text.gz", 2))


def test_urls_can_be_split(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="pip install 'mtassay[remote]'")
    (tmp_path / "text").write_bytes(b"a\nb\nc\n")
    blocks = [*split_lines(f"file://{tmp_path}/text", 2)]
    assert [read_block(block) for block in blocks] == [["a", "b"], ["c"]]


def test_hashes_are_checked_before_lines(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\n")
    (block,) = split_lines(path, 2)
    with pytest.raises(InputError, match="bytes differ"):
        read_block(replace(block, sha256="0" * 64))
