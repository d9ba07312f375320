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
        """Gives bytes, at most so many at a time, and none at the end."""

        def read(self, size: int, /) -> bytes: ...  # noqa: D102


PathLike = str | os.PathLike[str]

STDIN = "-"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
#: Bytes that are read, or decoded, at once where a file is taken piece by piece.
_BLOCK = 1 << 20
#: Bytes that tell whether a file is compressed.
_HEAD = 10
#: Ways of writing strings in Python programs, which Python has among its encodings.
_NOTATIONS = {"unicode-escape", "raw-unicode-escape"}
COMPRESSION_SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}


def shown(path: PathLike) -> str:
    """How messages name an input.

    >>> shown("-"), shown("ref.txt")
    ('standard input', 'ref.txt')
    """
    text = os.fspath(path)
    return "standard input" if text == STDIN else text


@contextmanager
def naming(path: PathLike) -> Iterator[None]:
    """Put the name of the input before messages of checks that know no files."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{shown(path)}: {error}") from None


@contextmanager
def open_input(path: PathLike, *, is_own: bool = False) -> Iterator[IO[bytes]]:
    """Open a file or standard input for reading; the command then refuses to write it (`run_files`).

    Args:
        path: the file; ``-`` is standard input, which is left open.
        is_own: the file belongs to the toolkit, which may write it anew: a cache.
    """
    if os.fspath(path) == STDIN:
        if sys.stdin is None or sys.stdin.closed:  # by the shell: <&-
            raise InputError("standard input is closed; give a file")
        with suppress(OSError):  # where a program has put something without a descriptor in its place
            add_input(sys.stdin.fileno(), None)
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as file:
        add_input(file.fileno(), path, is_own=is_own)
        yield file


def read_bytes(path: PathLike, *, has_lines: bool = False) -> bytes:
    """Content of a file or of standard input, decompressed if its first bytes say so; never empty.

    A file larger than `limits` allow is refused before it fills the memory.

    Args:
        path: the file; ``-`` is standard input.
        has_lines: it is text, whose lines have a limit, too.
    """
    check_path(path)
    try:
        with open_input(path) as file:
            return _content(file, path, has_lines=has_lines)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: no such file{_neighbour(Path(path))}") from None
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a folder; give a file") from None
    except PermissionError:
        if os.path.isdir(path):  # noqa: PTH112  (what Windows says of folders)
            raise InputError(f"{shown(path)} is a folder; give a file") from None
        raise InputError(f"{shown(path)} cannot be read: permission denied") from None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {error.strerror}") from None
    except ValueError:  # a NUL inside the name
        raise InputError(f"{shown(path)!r} is no file name") from None


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
        raise InputError(f"no text encoding named {encoding!r}; the usual one is utf-8") from None
    if name == "utf-8" and text.startswith("\ufeff"):
        text = text[1:]
    if not text:  # nothing but a byte-order mark, say
        raise InputError(f"{shown(path)} is empty")
    return text


def decode_blocks(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Lines of a large UTF-8 file, some megabytes at a time, each time with the number of the first one."""
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


def check_path(path: PathLike) -> None:
    """Refuse what is no name, and the empty name, which the system would take for the current folder."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"a file is given by its name, as str or Path, not as {type(path).__name__}")
    if not os.fspath(path):
        raise InputError("an empty file name; give a file")


def _content(file: IO[bytes], path: PathLike, *, has_lines: bool) -> bytes:
    head = file.read(_HEAD)
    if not head:
        raise InputError(f"{shown(path)} is empty")
    kind = _compression(head)
    promised = COMPRESSION_SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        if promised is not None:
            raise InputError(f"{shown(path)} is named like a {promised} file but is none; rename or compress it")
        return _read_limited(_WithHead(head, file), path, has_lines=has_lines)
    try:
        content = _read_limited(_decompressor(kind, _WithHead(head, file)), path, has_lines=has_lines)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # zlib.error, LZMAError, BadGzipFile, EOFError, ValueError: one meaning
        raise InputError(
            f"{shown(path)}: the {kind} data are truncated or damaged ({error}); compress the file again"
        ) from None
    if not content:
        raise InputError(f"{shown(path)} is empty once decompressed")
    return content


def _read_limited(file: Readable, path: PathLike, *, has_lines: bool) -> bytes:
    """All bytes of a file; what is too large is refused as soon as that much of it was read."""
    (most, written), (longest, line_written) = largest_file(), largest_line()
    # No block is longer than a line may be: in each, only the line that it ends and the one that it begins can be.
    size = min(_BLOCK, longest)
    content = BytesIO()
    n_ended = n_open = 0
    while block := file.read(size):
        content.write(block)
        end = block.find(b"\n")
        n_open += len(block) if end < 0 else end
        if has_lines and n_open > longest:
            raise InputError(
                f"{at(shown(path), n_ended + 1)} has more than {line_written} bytes; if it is text, raise the limit: "
                f"--max-line-size ({LINE_VARIABLE})"
            )
        if content.tell() > most:
            raise InputError(
                f"{shown(path)} has more than {written} bytes; if that is meant, raise the limit: --max-file-size "
                f"({FILE_VARIABLE})"
            )
        if end >= 0:
            n_ended += block.count(b"\n")
            n_open = len(block) - block.rfind(b"\n") - 1
    return content.getvalue()


class _WithHead:
    """A file from which the first bytes were read already.

    It is not read on after its end: a terminal would wait for a second Ctrl-D.
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
    """Hint at a file of nearly the same name in the same folder."""
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
    """Reads what is compressed in a file, piece by piece; the file needs no more than ``read``."""
    # Imported here: most inputs are plain, and the three modules cost more than reading them.
    if kind == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file)
    import bz2

    return bz2.BZ2File(file)
