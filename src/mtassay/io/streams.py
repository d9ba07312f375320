"""Reading the text of one input some lines at a time."""

from __future__ import annotations

import codecs
from itertools import chain
from typing import TYPE_CHECKING

from mtassay.errors import InputError, at
from mtassay.io.inputs import MARK, PathLike, byte_blocks, decoding, encoding_name, read_bytes, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Number of bytes decoded at once.
_BLOCK = 1 << 20


def stream_lines(path: PathLike, *, encoding: str = "utf-8", exact: bool = False) -> Iterator[list[str]]:
    """Lines of an input without their line feeds, some at a time: memory does not grow with the file.

    As in ``read_text``, a byte-order mark is dropped; the last line feed is optional. Lines have a limit; the file has
    one only if the user sets it.

    Args:
        path: the file; ``-`` is standard input.
        encoding: its encoding.
        exact: whether white space at the end of lines matters: the carriage returns of a Windows file are then removed,
            as when it is read whole.
    """
    n_lines = 0
    pieces: list[str] = []  # parts of a line whose end is not yet read
    is_start, is_windows = True, False
    with decoding(path, encoding, n_lines=lambda: n_lines):
        name = encoding_name(encoding)
        b"".decode(encoding)  # raises an error for codecs that are not text encodings
        decoder = codecs.getincrementaldecoder(encoding)()
        for block in chain(byte_blocks(path, has_lines=True, whole=False), [b""]):
            text = decoder.decode(block, final=not block)
            if is_start and text:
                text, is_start = text.removeprefix(MARK) if name == "utf-8" else text, False
            pieces.append(text)
            if "\n" in text:
                lines = "".join(pieces).split("\n")
                pieces = [lines.pop()]
                is_windows = is_windows or (exact and not n_lines and lines[0].endswith("\r"))
                yield without_carriage_returns(lines, path, first_line=n_lines + 1) if is_windows else lines
                n_lines += len(lines)
    if last := "".join(pieces):
        yield [last]
    elif not n_lines:
        raise InputError(f"{shown(path)} is empty")


def without_carriage_returns(lines: Sequence[str], path: PathLike, *, first_line: int) -> list[str]:
    """Lines of a Windows file without the carriage return at the end of each.

    A file that is read whole keeps its carriage returns if some line has none. A stream cannot know that in advance, so
    such a file is an error.
    """
    for number, line in enumerate(lines, first_line):
        if not line.endswith("\r"):
            raise InputError(
                f"{at(shown(path), number)} ends in LF, line 1 in CR LF: convert the file to one kind of line ends"
            )
    return [line[:-1] for line in lines]


def decode_blocks(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Lines of a large UTF-8 file, some megabytes at a time, with the number of the first line."""
    raw = read_bytes(path, has_lines=True)
    start, line = (3 if raw.startswith(codecs.BOM_UTF8) else 0), 1
    while start < len(raw):
        end = raw.find(b"\n", start + _BLOCK) + 1 or len(raw)
        try:
            lines = raw[start:end].decode().split("\n")
        except UnicodeDecodeError as error:
            place = line + raw.count(b"\n", start, start + error.start)
            raise InputError(
                f"{at(shown(path), place)}: byte 0x{raw[start + error.start]:02x} is not utf-8 ({error.reason}); "
                "convert the file"
            ) from None
        if not lines[-1]:
            lines.pop()
        yield line, lines
        line += len(lines)
        start = end
