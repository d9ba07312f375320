"""Inputs read as a stream, and inputs named by URLs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay.io
from mtassay.errors import InputError, MissingExtraError
from mtassay.io import FILE_VARIABLE, LINE_VARIABLE, inputs
from mtassay.io.inputs import are_large, read_text
from mtassay.io.streams import stream_lines

PIECES = st.sampled_from([b"a", b"\n", b"\r\n", "é".encode(), "😀".encode(), b"\xff", b"\xc3", b"\xef\xbb\xbf", b" "])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("inputs")


def outcome(read: Any) -> Any:
    """What a reader returns, or says."""
    try:
        return read()
    except InputError as error:
        return str(error)


def whole(path: Path, encoding: str) -> list[str]:
    lines = read_text(path, encoding=encoding).split("\n")
    return lines if lines[-1] else lines[:-1]


def streamed(path: Path, encoding: str) -> list[str]:
    return [line for lines in stream_lines(path, encoding=encoding) for line in lines]


@given(
    st.lists(PIECES, max_size=12).map(b"".join),
    st.integers(1, 5),
    st.sampled_from(["utf-8", "latin-1", "cp1252"]),
)
def test_a_stream_has_the_lines_and_errors_of_the_whole(folder: Path, content: bytes, block: int, name: str) -> None:
    path = folder / "text"
    path.write_bytes(content)
    expected = outcome(lambda: whole(path, name))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(inputs, "_BLOCK", block)
        found = outcome(lambda: streamed(path, name))
    assert found == expected


@pytest.mark.parametrize(("suffix", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_compressed_and_damaged_streams(folder: Path, suffix: str, compress: Any) -> None:
    text = "".join(f"line {n * n}\n" for n in range(5000))
    path = folder / f"text.{suffix}"
    packed = compress(text.encode())
    path.write_bytes(packed)
    assert streamed(path, "utf-8") == text.split("\n")[:-1]
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="data are truncated or damaged"):
        streamed(path, "utf-8")
    path.write_bytes(compress(b""))
    with pytest.raises(InputError, match="is empty once decompressed"):
        streamed(path, "utf-8")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_what_follows_a_stream_is_read_or_refused(folder: Path, compress: Any) -> None:
    first, second = compress(b"1\n" * 3000), compress(b"2\n" * 3000)
    path = folder / "packed"
    path.write_bytes(first + second)
    assert streamed(path, "utf-8") == ["1"] * 3000 + ["2"] * 3000
    for rest in (b"x", b"\xff" + second[1:], second[:3], second[:-1]):
        path.write_bytes(first + rest)
        with pytest.raises(InputError, match="data are truncated or damaged"):
            streamed(path, "utf-8")


def test_zeros_may_follow_xz_and_gzip_streams(folder: Path) -> None:
    for compress in (gzip.compress, lzma.compress):
        path = folder / "padded"
        path.write_bytes(compress(b"1\n") + b"\0" * 200_000 + compress(b"2\n") + b"\0" * 4)
        assert streamed(path, "utf-8") == ["1", "2"]


@pytest.mark.parametrize(
    ("compress", "decompressor"),
    [
        (gzip.compress, lambda: zlib.decompressobj(wbits=31)),
        (lambda content: bz2.compress(content, 1), bz2.BZ2Decompressor),
        (lzma.compress, lzma.LZMADecompressor),
    ],
)
def test_the_line_at_which_an_archive_ends(folder: Path, compress: Any, decompressor: Any) -> None:
    packed = compress("".join(f"line {n * n}\n" for n in range(60_000)).encode())
    path = folder / "packed"
    path.write_bytes(packed[: len(packed) // 2])
    n_lines = decompressor().decompress(packed[: len(packed) // 2]).count(b"\n")
    assert n_lines > 1000
    with pytest.raises(InputError, match=rf"packed, line {n_lines + 1}: the \w+ data are truncated or damaged"):
        streamed(path, "utf-8")


def test_the_line_of_a_bad_byte_is_counted_over_blocks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_BLOCK", 7)
    path = folder / "bad"
    path.write_bytes(b"good line\n" * 999 + b"bad \xff\n")
    with pytest.raises(InputError, match="bad, line 1000: byte 0xff is not utf-8"):
        streamed(path, "utf-8")


def test_a_stream_has_no_limit_but_that_of_its_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "long"
    path.write_bytes(b"0123456789\n" * 50)
    monkeypatch.setattr(mtassay.io, "FILE_DEFAULT", "100")
    monkeypatch.setenv(LINE_VARIABLE, "50")
    with pytest.raises(InputError, match="has more than 100 bytes"):
        read_text(path)
    assert len(streamed(path, "utf-8")) == 50
    monkeypatch.setenv(FILE_VARIABLE, "200")
    with pytest.raises(InputError, match="has more than 200 bytes"):
        streamed(path, "utf-8")
    path.write_bytes(b"0\n" + b"0" * 60)
    with pytest.raises(InputError, match="long, line 2 has more than 50 bytes"):
        streamed(path, "utf-8")


def test_other_encodings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_BLOCK", 3)
    path = folder / "wide"
    path.write_bytes("a😀\n\nb".encode("utf-16"))
    assert streamed(path, "utf-16") == ["a😀", "", "b"]
    path.write_bytes("a\n".encode("utf-16")[:-1])
    with pytest.raises(InputError, match="is not utf-16"):
        streamed(path, "utf-16")
    path.write_bytes(b"YWJj\n")
    for name in ("no-such", "unicode-escape", "base64"):
        with pytest.raises(InputError, match=f"no text encoding named '{name}'"):
            streamed(path, name)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb")))
    assert streamed(Path("-"), "utf-8") == ["a", "b"]


def test_large_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "size"
    path.write_bytes(b"0123456789")
    monkeypatch.setattr(inputs, "_LARGE", 20)
    assert not are_large([path, "no such file", "-"])
    assert are_large([path, path])
    assert are_large(["s3://bucket/ref.txt"])


def test_urls(folder: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="pip install 'mtassay[remote]'")
    with fsspec.open("memory://texts/ref.txt.gz", "wb") as file:
        file.write(gzip.compress(b"a b\nc\n"))
    assert read_text("memory://texts/ref.txt.gz") == "a b\nc\n"
    assert [*stream_lines("memory://texts/ref.txt.gz")] == [["a b", "c"]]
    (folder / "local").write_text("x\n", encoding="utf-8")
    assert read_text(f"file://{folder}/local") == "x\n"
    with pytest.raises(InputError, match=r"memory://texts/none: no such file"):
        read_text("memory://texts/none")
    with pytest.raises(InputError, match=r"nonsense://a cannot be read: .*[Pp]rotocol"):
        read_text("nonsense://a")


def test_urls_need_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[remote\]'"):
        read_text("https://example.org/ref.txt")
