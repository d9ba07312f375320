"""Bytes and text of one input: a file, compressed or not, a URL, or standard input.

A URL (``s3://``, ``gs://``, ``https://`` …) is opened by fsspec, which needs the package of its protocol.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
from contextlib import contextmanager, suppress
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING

from mtassay.errors import InputError, MtassayError, at, did_you_mean
from mtassay.io import (
    FILE_VARIABLE,
    LINE_VARIABLE,
    largest_file,
    largest_line,
    largest_stream,
    register_input,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO

    from mtassay.io.decompression import Readable


PathLike = str | os.PathLike[str]

STDIN = "-"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
#: Files with at least this many bytes in total are streamed; about 100,000 segments of one system.
_LARGE = 1 << 25
#: The byte-order mark.
MARK = "\ufeff"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
#: Number of bytes read at once.
_BLOCK = 1 << 20
_SQLITE = b"SQLite format 3\0"
#: Number of first bytes that show whether a file is compressed.
HEAD = 10
#: Python's codecs for string escapes, which are not text encodings.
_NOTATIONS = {"unicode-escape", "raw-unicode-escape"}
COMPRESSION_SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}


class NamedBytes(os.PathLike[str]):
    """An input in memory, which all readers accept in place of a file.

    Args:
        name: its name in messages, and that of a system or reference.
        content: its bytes.
    """

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.content = content

    def __fspath__(self) -> str:
        return self.name


def shown(path: PathLike) -> str:
    """The name of an input in messages.

    >>> shown("-"), shown("ref.txt")
    ('standard input', 'ref.txt')
    """
    text = os.fspath(path)
    return "standard input" if text == STDIN else text


def is_database(path: PathLike) -> bool:
    """Whether a file is an SQLite database; nothing is read of a pipe, which could not be read again."""
    try:
        if not os.path.isfile(path):  # noqa: PTH113 (any name)
            return False
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError, TypeError):
        return False


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
    if isinstance(path, NamedBytes):
        yield BytesIO(path.content)
        return
    if os.fspath(path) == STDIN:
        if sys.stdin is None or sys.stdin.closed:  # by the shell: <&-
            raise InputError("standard input is closed; give a file")
        with suppress(OSError):  # standard input may be replaced by an object without a descriptor
            register_input(sys.stdin.fileno(), None)
        yield sys.stdin.buffer
        return
    if is_url(path):
        from mtassay.io.urls import open_url  # imported here: most inputs are files

        with open_url(os.fspath(path)) as file:
            yield file
        return
    with open(path, "rb") as file:  # noqa: PTH123  (pathlib takes 2 ms to load)
        register_input(file.fileno(), path, is_own=is_own)
        yield file


def is_url(path: PathLike) -> bool:
    """Whether an input is named by a URL.

    >>> is_url("s3://bucket/ref.txt"), is_url("C:/ref.txt")
    (True, False)
    """
    return _URL.match(os.fspath(path)) is not None


def are_large(paths: Sequence[PathLike]) -> bool:
    """Whether files are large enough in total to be streamed, or one of them is a URL."""
    sizes = [os.path.getsize(path) for path in paths if os.path.isfile(path)]  # noqa: PTH113, PTH202 (any name)
    return sum(sizes) >= _LARGE or any(map(is_url, paths))


def can_reread(path: PathLike) -> bool:
    """Whether an input can be read twice: a file or a URL, not standard input or a pipe."""
    return is_url(path) or os.path.isfile(path)  # noqa: PTH113 (any name)


class UnreadableUrlError(InputError):
    """A URL cannot be read.

    Attributes:
        reason: what the package of its protocol says.
    """

    def __init__(self, url: str, reason: BaseException) -> None:
        self.reason = str(reason) or type(reason).__name__
        super().__init__(f"{url} cannot be read: {self.reason}")


def read_bytes(path: PathLike, *, has_lines: bool = False) -> bytes:
    """Content of a file or of standard input, decompressed if it is compressed; never empty.

    A file above the `limits` is an error, before it fills the memory.

    Args:
        path: the file; ``-`` is standard input.
        has_lines: whether it is text, whose lines also have a limit.
    """
    check_path(path)
    place = _Place(path)
    with reported(path, place), open_input(path) as file:
        raw = _read_at_once(file, path)
        return raw or b"".join(_decompressed(file, place, has_lines=has_lines, whole=True))


def _read_at_once(file: IO[bytes], path: PathLike) -> bytes:
    """Content of an uncompressed regular file below all limits; empty, with nothing read, for any other file.

    Most files are of this kind. Joining blocks would copy their content, which takes as long as reading it.
    """
    if not isinstance(file, BufferedReader) or _suffix(path) in COMPRESSION_SUFFIXES:
        return b""
    status = os.fstat(file.fileno())
    # Do not read from a terminal here: it would wait for a second Ctrl-D.
    if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= min(largest_file()[0], largest_line()[0]):
        return b""
    return b"" if compression_of(file.peek(HEAD)) else file.read()


def byte_blocks(path: PathLike, *, has_lines: bool, whole: bool) -> Iterator[bytes]:
    """Blocks of the content of an input, decompressed if it is compressed; at least one.

    Args:
        path: the file; ``-`` is standard input.
        has_lines: whether it is text, whose lines have a limit.
        whole: whether all blocks will be in memory, so that the size is limited even if the user sets no limit.
    """
    check_path(path)
    place = _Place(path)
    with reported(path, place), open_input(path) as file:
        yield from _decompressed(file, place, has_lines=has_lines, whole=whole)


class _Place:
    """The place up to which an input was read, for messages: its name, and the line if lines were read before it.

    Attributes:
        path: the input.
        n_lines: number of lines that were read.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = path
        self.n_lines = 0

    def __str__(self) -> str:
        return at(shown(self.path), self.n_lines + 1 if self.n_lines else None)


@contextmanager
def reported(path: PathLike, place: _Place | None = None) -> Iterator[None]:
    """Convert exceptions while an input is read to errors that name the input and the place in it."""
    place = place or _Place(path)
    try:
        yield
    except UnreadableUrlError as error:
        raise InputError(f"{place} cannot be read: {error.reason}") from None
    except MtassayError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: no such file{_neighbour(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a folder; give a file") from None
    except PermissionError:
        if os.path.isdir(path):  # noqa: PTH112  (Windows raises this for folders)
            raise InputError(f"{shown(path)} is a folder; give a file") from None
        raise InputError(f"{shown(path)} cannot be read: permission denied") from None
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror or error}") from None
    except ValueError:  # a NUL inside the name
        raise InputError(f"{shown(path)!r} is not a file name") from None


def encoding_name(encoding: str) -> str:
    """The codec's name of a text encoding; a LookupError for others."""
    name = codecs.lookup(encoding).name
    if name in _NOTATIONS:
        raise LookupError(name)
    return name


def read_text(path: PathLike, *, encoding: str = "utf-8") -> str:
    """Decoded content, line ends untouched; a UTF-8 byte-order mark at the start is dropped."""
    raw = read_bytes(path, has_lines=True)
    with decoding(path, encoding, n_lines=lambda: 0):
        name = encoding_name(encoding)
        text = raw.decode(encoding)
    if name == "utf-8" and text.startswith(MARK):
        text = text[1:]
    if not text:  # such as a file with only a byte-order mark
        raise InputError(f"{shown(path)} is empty")
    return text


@contextmanager
def decoding(path: PathLike, encoding: str, *, n_lines: Callable[[], int]) -> Iterator[None]:
    """Convert exceptions while text is decoded to errors with the line; `n_lines` counts the lines before the bytes."""
    try:
        yield
    except MtassayError:
        raise
    except UnicodeDecodeError as error:
        line = n_lines() + error.object.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{at(shown(path), line)}: byte 0x{error.object[error.start]:02x} is not {encoding} "
            f"({error.reason}); convert the file or name its encoding (-e, encoding=)"
        ) from None
    except UnicodeError as error:
        raise InputError(f"{shown(path)} is not {encoding} ({error}); name its encoding (-e, encoding=)") from None
    except (LookupError, ValueError):
        raise InputError(f"no text encoding named {encoding!r}; the default is utf-8") from None


def check_path(path: PathLike) -> None:
    """Reject anything but a name, and the empty name, which would mean the current folder."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"a file must be given by its name, as str or Path, not as {type(path).__name__}")
    if not os.fspath(path):
        raise InputError("an empty file name; give a file")


def _decompressed(file: IO[bytes], place: _Place, *, has_lines: bool, whole: bool) -> Iterator[bytes]:
    from mtassay.io.decompression import FileWithHead, decompressor  # imported here: most files are read at once

    path = place.path
    raw = FileWithHead(file, HEAD, reads_short=is_url(path))
    if not raw.head:
        raise InputError(f"{shown(path)} is empty")
    kind = compression_of(raw.head)
    promised = COMPRESSION_SUFFIXES.get(_suffix(path))
    if kind is None:
        if promised is not None:
            raise InputError(f"{shown(path)} is named like a {promised} file but is not one; rename or compress it")
        yield from _limited(raw, place, has_lines=has_lines, whole=whole)
        return
    is_empty = True
    try:
        for block in _limited(decompressor(kind, raw), place, has_lines=has_lines, whole=whole):
            is_empty = False
            yield block
    except (InputError, MemoryError):
        raise
    except Exception as error:  # zlib.error, LZMAError, BadGzipFile, EOFError, ValueError: all mean damaged data
        if raw.has_failed:
            raise
        raise InputError(
            f"{place}: the {kind} data are truncated or damaged ({error}); compress the file again"
        ) from None
    if is_empty:
        raise InputError(f"{shown(path)} is empty once decompressed")


def _limited(file: Readable, place: _Place, *, has_lines: bool, whole: bool) -> Iterator[bytes]:
    """All bytes of a file in blocks; an error as soon as more than the limit was read."""
    path = place.path
    most, written = largest_file() if whole else largest_stream()
    longest, line_written = largest_line()
    # Blocks are not larger than the limit of a line, so only a line that crosses a block boundary can be too long.
    size = min(_BLOCK, longest)
    n_bytes = n_open = 0
    while block := file.read(size):
        n_bytes += len(block)
        end = block.find(b"\n")
        n_open += len(block) if end < 0 else end
        if has_lines and n_open > longest:
            raise InputError(
                f"{at(shown(path), place.n_lines + 1)} has more than {line_written} bytes; if it is text, raise the "
                f"limit: --max-line-size ({LINE_VARIABLE})"
            )
        if n_bytes > most:
            raise InputError(
                f"{shown(path)} has more than {written} bytes; if that is intended, raise the limit: --max-file-size "
                f"({FILE_VARIABLE})"
            )
        if end >= 0:
            place.n_lines += block.count(b"\n") if has_lines else 0
            n_open = len(block) - block.rfind(b"\n") - 1
        yield block


def _suffix(path: PathLike) -> str:
    """The end of a file name from its last dot on, in lower case."""
    return os.path.splitext(os.fspath(path))[1].lower()  # noqa: PTH122


def _neighbour(path: PathLike) -> str:
    """A hint at a file with a similar name in the same folder."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except OSError:
        return ""
    return did_you_mean(name, names)


def compression_of(raw: bytes) -> str | None:
    """The compression that the first bytes of a file show: ``gzip``, ``xz``, ``bzip2`` or None."""
    if raw.startswith(b"\x1f\x8b"):
        return "gzip"
    if raw.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    return "bzip2" if _BZIP2.match(raw) else None
