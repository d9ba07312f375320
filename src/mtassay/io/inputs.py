"""Bytes and text of one input: a file, compressed or not, or standard input."""

from __future__ import annotations

import codecs
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mtassay.errors import InputError, at, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

PathLike = str | os.PathLike[str]

STDIN = "-"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
#: Bytes that are decoded at once where a file is read piece by piece.
_BLOCK = 1 << 20
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


def read_bytes(path: PathLike) -> bytes:
    """Content of a file or of standard input, decompressed if its first bytes say so; never empty."""
    raw = _read_raw(path)
    if not raw:
        raise InputError(f"{shown(path)} is empty")
    kind = _compression(raw)
    promised = COMPRESSION_SUFFIXES.get(Path(path).suffix.lower())
    if kind is None:
        if promised is not None:
            raise InputError(f"{shown(path)} is named like a {promised} file but is none; rename or compress it")
        return raw
    content = _decompress(raw, kind, path)
    if not content:
        raise InputError(f"{shown(path)} is empty once decompressed")
    return content


def _encoding_name(encoding: str) -> str:
    name = codecs.lookup(encoding).name
    if name in _NOTATIONS:
        raise LookupError(name)
    return name


def read_text(path: PathLike, *, encoding: str = "utf-8") -> str:
    """Decoded content, line ends untouched; a UTF-8 byte-order mark at the start is dropped."""
    raw = read_bytes(path)
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
    raw = read_bytes(path)
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


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:  # by the shell: <&-
        raise InputError("standard input is closed; give a file")
    return sys.stdin.buffer.read()


def _read_raw(path: PathLike) -> bytes:
    check_path(path)
    try:
        return _standard_input() if os.fspath(path) == STDIN else Path(path).read_bytes()
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: no such file{_neighbour(Path(path))}") from None
    except IsADirectoryError:
        raise InputError(f"{shown(path)} is a folder; give a file") from None
    except PermissionError:
        if Path(path).is_dir():  # what Windows says of folders
            raise InputError(f"{shown(path)} is a folder; give a file") from None
        raise InputError(f"{shown(path)} cannot be read: permission denied") from None
    except OSError as error:
        raise InputError(f"{shown(path)} cannot be read: {error.strerror}") from None
    except ValueError:  # a NUL inside the name
        raise InputError(f"{shown(path)!r} is no file name") from None


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


def _decompress(raw: bytes, kind: str, path: PathLike) -> bytes:
    # Imported here: most inputs are plain, and the three modules cost more than reading them.
    try:
        if kind == "gzip":
            import gzip

            return gzip.decompress(raw)
        if kind == "xz":
            import lzma

            return lzma.decompress(raw)
        import bz2

        return bz2.decompress(raw)
    except MemoryError:
        raise
    except Exception as error:  # zlib.error, LZMAError, BadGzipFile, EOFError, ValueError: one meaning
        raise InputError(
            f"{shown(path)}: the {kind} data are truncated or damaged ({error}); compress the file again"
        ) from None
