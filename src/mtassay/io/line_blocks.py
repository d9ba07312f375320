"""Blocks of lines of a file as byte ranges: a file is split in one pass, and any process that sees it can read a block.

Only plain files can be split: a part of a compressed file cannot be read alone, and not every web server sends parts.
In the encoding, the byte 0x0A must be a line feed and nothing else, as in UTF-8 and in single-byte encodings.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.io.inputs import (
    HEAD,
    MARK,
    STDIN,
    PathLike,
    byte_blocks,
    compression_of,
    decoding,
    open_input,
    reported,
    shown,
)
from mtassay.io.streams import without_carriage_returns
from mtassay.io.urls import is_web_address

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIVISIBLE = re.compile(r"utf-8|ascii|iso8859-\d+|cp12\d\d|koi8-[rtu]")
_LINE_FEED = ord("\n")


@dataclass(frozen=True, kw_only=True)
class LineBlock:
    """Consecutive lines of a file.

    Attributes:
        path: the file.
        offset: number of bytes before the block.
        n_bytes: number of bytes of the block.
        first_line: number of its first line, counted from 1.
        n_lines: number of its lines.
        sha256: hash of its bytes, in hexadecimal.
        is_windows: whether the first line of the file ends in CR LF.
    """

    path: PathLike
    offset: int
    n_bytes: int
    first_line: int
    n_lines: int
    sha256: str
    is_windows: bool


def is_divisible(path: PathLike, *, encoding: str = "utf-8") -> bool:
    """Whether blocks of a file can be read alone: it is plain, seekable, and has a suitable encoding."""
    if os.fspath(path) == STDIN or is_web_address(path) or not _is_divisible_encoding(encoding):
        return False
    with reported(path), open_input(path) as file:
        return file.seekable() and compression_of(file.read(HEAD)) is None


def _is_divisible_encoding(encoding: str) -> bool:
    try:
        return _DIVISIBLE.fullmatch(codecs.lookup(encoding).name) is not None
    except (LookupError, ValueError):
        return False


def split_lines(path: PathLike, n_lines: int, *, encoding: str = "utf-8") -> Iterator[LineBlock]:
    """Blocks of `n_lines` lines each; the last may be shorter. Memory does not grow with the file."""
    if not is_divisible(path, encoding=encoding):
        raise InputError(f"{shown(path)} cannot be split: only plain files can, in UTF-8 or one byte per character")
    offset, first_line, is_windows = 0, 1, False
    n_bytes = n_ended = 0  # bytes and complete lines of the open block
    digest = hashlib.sha256()
    last_byte = b""

    def open_block(n_lines: int) -> LineBlock:
        return LineBlock(
            path=path,
            offset=offset,
            n_bytes=n_bytes,
            first_line=first_line,
            n_lines=n_lines,
            sha256=digest.hexdigest(),
            is_windows=is_windows,
        )

    for piece in byte_blocks(path, has_lines=True, whole=False):
        ends = np.flatnonzero(np.frombuffer(piece, dtype=np.uint8) == _LINE_FEED) + 1
        if first_line == 1 and not n_ended and len(ends):
            is_windows = (last_byte + piece[: ends[0]]).endswith(b"\r\n")
        start = 0
        while n_ended + len(ends) >= n_lines:
            n_taken = n_lines - n_ended
            end = int(ends[n_taken - 1])
            digest.update(memoryview(piece)[start:end])
            n_bytes += end - start
            yield open_block(n_lines)
            offset, first_line = offset + n_bytes, first_line + n_lines
            n_bytes = n_ended = 0
            digest = hashlib.sha256()
            start, ends = end, ends[n_taken:]
        digest.update(memoryview(piece)[start:])
        n_bytes, n_ended = n_bytes + len(piece) - start, n_ended + len(ends)
        last_byte = piece[-1:]
    if n_bytes:
        n_ended += last_byte != b"\n"
        yield open_block(n_ended)


def read_block(block: LineBlock, *, encoding: str = "utf-8", exact: bool = False) -> list[str]:
    """The lines of a block without their line feeds, as ``stream_lines`` yields them.

    It is an error if the bytes have changed since the file was split.
    """
    with reported(block.path), open_input(block.path) as file:
        file.seek(block.offset)
        raw = file.read(block.n_bytes)
    if hashlib.sha256(raw).hexdigest() != block.sha256:
        last = block.first_line + block.n_lines - 1
        raise InputError(
            f"{shown(block.path)}, lines {block.first_line} to {last}: bytes differ from those that were split; the "
            "file has changed, or is another file on this machine"
        )
    with decoding(block.path, encoding, n_lines=lambda: block.first_line - 1):
        text = raw.decode(encoding)
    if not block.offset and codecs.lookup(encoding).name == "utf-8":
        text = text.removeprefix(MARK)
    if not text:  # a file with only a byte-order mark
        raise InputError(f"{shown(block.path)} is empty")
    *lines, last_line = text.split("\n")
    if exact and block.is_windows:
        lines = without_carriage_returns(lines, block.path, first_line=block.first_line)
    return [*lines, last_line] if last_line else lines
