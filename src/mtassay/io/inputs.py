"""Bytes and text of one input: a file, compressed or not, or standard input."""

from __future__ import annotations

import codecs
import os
import re
import sys
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay.errors import InputError, at, did_you_mean
from mtassay.io.limits import FILE_VARIABLE, LINE_VARIABLE, largest_file, largest_line
from mtassay.io.run_files import add_input

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Protocol

    class Readable(Protocol):
        """Has a method that returns at most `size` bytes, and none at the end."""

        def read(self, size: int, /) -> bytes: ...  # noqa: D102


PathLike = str | os.PathLike[str]

STDIN = "-"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
#: Number of bytes read or decoded at once.
_BLOCK = 1 << 20
#: Number of bytes of a stream read at once.
_STREAMED = 1 << 16
#: Number of first bytes that show whether a file is compressed.
_HEAD = 10
#: Python's codecs for string escapes, which are not text encodings.
_NOTATIONS = {"unicode-escape", "raw-unicode-escape"}
COMPRESSION_SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}


def shown(path: PathLike) -> str:
    """The name of an input in messages.

    >>> shown("-"), shown("ref.txt")
    ('standard input', 'ref.txt')
    """
    text = os.fspath(path)
    return "standard input" if text == STDIN else text


@contextmanager
def naming(path: PathLike) -> Iterator[None]:
    """Prefix errors raised in the block with the name of the input."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{shown(path)}: {error}") from None


@contextmanager
def open_input(path: PathLike, *, is_own: bool = False) -> Iterator[IO[bytes]]:
    """Open a file or standard input for reading, and record it so that the command does not overwrite it.

    Args:
        path: the file; ``-`` is standard input, which is left open.
        is_own: whether the file is a cache of the toolkit, which may be rewritten.
    """
    if os.fspath(path) == STDIN:
        if sys.stdin is None or sys.stdin.closed:  # by the shell: <&-
            raise InputError("standard input is closed; give a file")
        with suppress(OSError):  # standard input may be replaced by an object without a descriptor
            add_input(sys.stdin.fileno(), None)
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as file:
        add_input(file.fileno(), path, is_own=is_own)
        yield file


def read_bytes(path: PathLike, *, has_lines: bool = False) -> bytes:
    """Content of a file or of standard input, decompressed if it is compressed; never empty.

    A file above the `limits` is an error, before it fills the memory.

    Args:
        path: the file; ``-`` is standard input.
        has_lines: whether it is text, whose lines also have a limit.
    """
    with _reading(path) as file:
        return _content(file, path, has_lines=has_lines)


@contextmanager
def _reading(path: PathLike) -> Iterator[IO[bytes]]:
    """Open an input; errors of the operating system name it."""
    check_path(path)
    try:
        with open_input(path) as file:
            yield file
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: no such file{_neighbour(Path(path))}") from None
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a folder; give a file") from None
    except PermissionError:
        if os.path.isdir(path):  # noqa: PTH112  (Windows raises this for folders)
            raise InputError(f"{shown(path)} is a folder; give a file") from None
        raise InputError(f"{shown(path)} cannot be read: permission denied") from None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {error.strerror}") from None
    except ValueError:  # a NUL inside the name
        raise InputError(f"{shown(path)!r} is not a file name") from None


def _encoding_name(encoding: str) -> str:
    name = codecs.lookup(encoding).name
    if name in _NOTATIONS:
        raise LookupError(name)
    return name


def read_text(path: PathLike, *, encoding: str = "utf-8") -> str:
    """Decoded content, line ends untouched; a UTF-8 byte-order mark at the start is dropped."""
    raw = read_bytes(path, has_lines=True)
    try:
        name = _encoding_name(encoding)
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{at(shown(path), line)}: byte 0x{raw[error.start]:02x} is not {encoding} "
            f"({error.reason}); convert the file or name its encoding (-e, encoding=)"
        ) from None
    except UnicodeError as error:
        raise InputError(f"{shown(path)} is not {encoding} ({error}); name its encoding (-e, encoding=)") from None
    except (LookupError, ValueError):
        raise InputError(f"no text encoding named {encoding!r}; the default is utf-8") from None
    if name == "utf-8" and text.startswith("\ufeff"):
        text = text[1:]
    if not text:  # such as a file with only a byte-order mark
        raise InputError(f"{shown(path)} is empty")
    return text


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
            raise _not_utf8(path, place, raw[start + error.start], error.reason) from None
        if not lines[-1]:
            lines.pop()
        yield line, lines
        line += len(lines)
        start = end


def stream_lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """Lines of a UTF-8 file with their numbers, read as they are needed: memory does not grow with the file."""
    longest, written = largest_line()
    with _reading(path) as file:
        reader, kind = _reader(file, path)
        number, rest = 0, b""
        while True:
            with _decompressing(path, kind):
                block = reader.read(_STREAMED)
            *lines, rest = (rest + block).split(b"\n")
            if not block and rest:
                lines, rest = [*lines, rest], b""
            for line in lines:
                number += 1
                if len(line) > longest:
                    raise _too_long(path, number, written)
                yield number, _decoded(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line, path, number)
            if not block:
                return
            if len(rest) > longest:
                raise _too_long(path, number + 1, written)


def _decoded(line: bytes, path: PathLike, number: int) -> str:
    try:
        return line.decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, number, line[error.start], error.reason) from None


def _not_utf8(path: PathLike, line: int, byte: int, reason: str) -> InputError:
    return InputError(f"{at(shown(path), line)}: byte 0x{byte:02x} is not utf-8 ({reason}); convert the file")


def _too_long(path: PathLike, line: int, limit: str) -> InputError:
    return InputError(
        f"{at(shown(path), line)} has more than {limit} bytes; if it is text, raise the limit: --max-line-size "
        f"({LINE_VARIABLE})"
    )


def check_path(path: PathLike) -> None:
    """Reject anything but a name, and the empty name, which would mean the current folder."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"a file must be given by its name, as str or Path, not as {type(path).__name__}")
    if not os.fspath(path):
        raise InputError("an empty file name; give a file")


def _content(file: IO[bytes], path: PathLike, *, has_lines: bool) -> bytes:
    reader, kind = _reader(file, path)
    with _decompressing(path, kind):
        content = _read_limited(reader, path, has_lines=has_lines)
    if not content:
        raise InputError(f"{shown(path)} is empty once decompressed")
    return content


def _reader(file: IO[bytes], path: PathLike) -> tuple[Readable, str | None]:
    """A reader of the content of an input, and how the input is compressed."""
    head = file.read(_HEAD)
    if not head:
        raise InputError(f"{shown(path)} is empty")
    kind = _compression(head)
    if kind is not None:
        return _decompressor(kind, _WithHead(head, file)), kind
    promised = COMPRESSION_SUFFIXES.get(Path(path).suffix.lower())
    if promised is not None:
        raise InputError(f"{shown(path)} is named like a {promised} file but is not one; rename or compress it")
    return _WithHead(head, file), None


@contextmanager
def _decompressing(path: PathLike, kind: str | None) -> Iterator[None]:
    """Report damaged data; `kind` is None if the input is not compressed."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:  # zlib.error, LZMAError, BadGzipFile, EOFError, ValueError: all mean damaged data
        if kind is None:
            raise
        raise InputError(
            f"{shown(path)}: the {kind} data are truncated or damaged ({error}); compress the file again"
        ) from None


def _read_limited(file: Readable, path: PathLike, *, has_lines: bool) -> bytes:
    """All bytes of a file; an error as soon as more than the limit was read."""
    (most, written), (longest, line_written) = largest_file(), largest_line()
    # No block exceeds the limit of a line: only a line that ends in a block, or begins in it, can be too long.
    size = min(_BLOCK, longest)
    content = BytesIO()
    n_ended = n_open = 0
    while block := file.read(size):
        content.write(block)
        end = block.find(b"\n")
        n_open += len(block) if end < 0 else end
        if has_lines and n_open > longest:
            raise _too_long(path, n_ended + 1, line_written)
        if content.tell() > most:
            raise InputError(
                f"{shown(path)} has more than {written} bytes; if that is intended, raise the limit: --max-file-size "
                f"({FILE_VARIABLE})"
            )
        if end >= 0:
            n_ended += block.count(b"\n")
            n_open = len(block) - block.rfind(b"\n") - 1
    return content.getvalue()


class _WithHead:
    """A file whose first bytes were already read.

    It is not read again after its end, since a terminal would wait for a second Ctrl-D.
    """

    def __init__(self, head: bytes, file: Readable) -> None:
        self._head = head
        self._file = file
        self._is_over = len(head) < _HEAD

    def read(self, size: int, /) -> bytes:
        block, self._head = self._head[:size], self._head[size:]
        if not block and not self._is_over:
            block = self._file.read(size)
            self._is_over = len(block) < size
        return block


def _neighbour(path: Path) -> str:
    """A hint at a file with a similar name in the same folder."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    return did_you_mean(path.name, names)


def _compression(raw: bytes) -> str | None:
    if raw.startswith(b"\x1f\x8b"):
        return "gzip"
    if raw.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    return "bzip2" if _BZIP2.match(raw) else None


def _decompressor(kind: str, file: Any) -> Readable:
    """A decompressing reader of a file, which needs only ``read``."""
    # Imported here: most inputs are plain, and loading the three modules takes longer than reading them.
    if kind == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file)
    import bz2

    return bz2.BZ2File(file)
