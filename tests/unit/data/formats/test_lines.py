from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import read_lines, split_columns
from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError

COMPRESSORS = pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)


def refuses(path: Path | str, *parts: str, encoding: str = "utf-8") -> None:
    with pytest.raises(InputError) as caught:
        read_lines(path, encoding=encoding)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a\n\n", ["a", ""]),
        ("a\u2028b\x85c\x0cd\x1ee\u2029\n".encode(), ["a\u2028b\x85c\x0cd\x1ee\u2029"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\nb", ["a", "b"]),
        (b"a\r\nb\n", ["a\r", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r\r\nb\r\n", ["a\r", "b"]),
        (b" a \t\n", [" a \t"]),
        (b"a\0b\n", ["a\0b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("a\n\ufeffb\n".encode(), ["a", "\ufeffb"]),
    ],
)
def test_only_line_feeds_end_lines(tmp_path: Path, content: bytes, lines: list[str]) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    assert read_lines(path) == lines


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")), min_size=1))
def test_splitting_undoes_joining(lines: list[str]) -> None:
    windows = all(line.endswith("\r") for line in lines)
    assert lines_of("".join(line + "\n" for line in lines)) == [ln[:-1] if windows else ln for ln in lines]


@COMPRESSORS
def test_compression_is_seen_in_the_first_bytes(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    for name in (f"x{suffix}", "x.txt"):
        (tmp_path / name).write_bytes(compress(b"a\nb\n"))
        assert read_lines(tmp_path / name) == ["a", "b"]


@COMPRESSORS
def test_truncated_damaged_and_empty_archives(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    whole = compress(b"some text to compress\n" * 50)
    path = tmp_path / f"x{suffix}"
    path.write_bytes(whole[:-12])
    refuses(path, str(path), "truncated or damaged")
    path.write_bytes(whole[:20] + bytes(20) + whole[40:])
    refuses(path, str(path), "truncated or damaged")
    path.write_bytes(compress(b""))
    refuses(path, f"{path} is empty")
    path.write_bytes(b"plain text\n")
    refuses(path, str(path), "is named like")


def test_text_that_begins_like_bzip2_is_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("BZh is text\n")
    assert read_lines(tmp_path / "x") == ["BZh is text"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a\nb\n"))))
    assert read_lines("-") == ["a", "b"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n\xff\n")))
    refuses("-", "standard input, line 2", "0xff")


def test_decoding_errors_name_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"one\ntwo\nthr\xe9e\n")
    refuses(path, f"{path}, line 3", "byte 0xe9", "utf-8", "name its encoding (-e, encoding=)")
    assert read_lines(path, encoding="latin-1") == ["one", "two", "thrée"]


def test_other_encodings(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("é\nb\n".encode("utf-16"))
    assert read_lines(path, encoding="utf-16") == ["é", "b"]
    path.write_bytes("é\nb\n".encode("utf-16-le")[:-1])
    refuses(path, f"{path}, line 2", encoding="utf-16-le")
    for unknown in ("unicode_escape", "raw_unicode_escape", "klingon", "rot13", "hex", "a\0b"):
        refuses(path, "no text encoding named", encoding=unknown)


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    refuses(path, f"{path} is empty")


def test_missing_file_folder_and_impossible_name(tmp_path: Path) -> None:
    (tmp_path / "online-A.txt").write_text("a\n")
    refuses(tmp_path / "online-a.txt", "no such file", "did you mean 'online-A.txt'")
    refuses(tmp_path / "none" / "x", "no such file")
    refuses(tmp_path, "is a folder")
    refuses("a\0b", "not a file name")


def test_columns() -> None:
    assert split_columns(["a\tb\t", "c\t\td"], 3, "x") == [("a", "c"), ("b", ""), ("", "d")]
    with pytest.raises(InputError, match=r"refs\.txt, line 2: 1 tab-separated column, expected 2"):
        split_columns(["a\tb", "c"], 2, "refs.txt")
    with pytest.raises(InputError, match=r"standard input, line 1: 3 tab-separated columns, expected 2"):
        split_columns(["a\tb\tc"], 2, "-")
