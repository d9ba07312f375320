"""Forms with files (``multipart/form-data``, RFC 7578), parsed in memory.

Starlette's parser needs another package and writes large files to disk; the standard library's ``email`` reads lines as
text. `security.Guard` has already limited the size of the body, so it can simply be split at its boundary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mtassay.collect.web.forms import MalformedError

MULTIPART = "multipart/form-data"
_BOUNDARY = re.compile(r';\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s";,]{1,70}))', re.IGNORECASE)
_DISPOSITION = re.compile(r"^content-disposition:\s*form-data\s*;(.*)$", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r'(?:^|;)\s*name="([^"]*)"')
_FILE_NAME = re.compile(r';\s*filename="([^"]*)"')
#: Largest number of bytes of the headers of a part.
_MOST_HEADERS = 4096


class TooManyPartsError(Exception):
    """More fields and files than the server accepts."""


@dataclass(frozen=True)
class Part:
    """A field or a file of a form.

    Attributes:
        name: name of the field.
        file_name: name of the file, without folders; None for a field.
        content: the bytes.
    """

    name: str
    file_name: str | None
    content: bytes

    @property
    def text(self) -> str:
        """The value of a field; raises `MalformedError`."""
        try:
            found = self.content.decode()
        except UnicodeDecodeError:
            raise MalformedError from None
        if "\0" in found:
            raise MalformedError
        return found


def parse_multipart(body: bytes, content_type: str, *, most: int) -> list[Part]:
    r"""The parts of a body, in order; raises `MalformedError` or, for more than `most`, `TooManyPartsError`.

    >>> body = b'--x\r\nContent-Disposition: form-data; name="a"; filename="b.txt"\r\n\r\nc\r\n--x--\r\n'
    >>> parse_multipart(body, "multipart/form-data; boundary=x", most=1)
    [Part(name='a', file_name='b.txt', content=b'c')]
    """
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise MalformedError
    try:
        delimiter = b"\r\n--" + (found[1] or found[2]).encode("ascii")
    except UnicodeEncodeError:
        raise MalformedError from None
    preamble, *pieces = (b"\r\n" + body).split(delimiter, most + 2)
    if len(pieces) > most + 1:
        raise TooManyPartsError
    if preamble.strip() or not pieces or not pieces.pop().startswith(b"--"):
        raise MalformedError
    return [_part(piece) for piece in pieces]


def _part(piece: bytes) -> Part:
    end = piece.find(b"\r\n\r\n", 0, _MOST_HEADERS)
    if end < 0 or not piece.startswith(b"\r\n"):
        raise MalformedError
    try:
        headers = piece[:end].decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise MalformedError from None
    disposition = _DISPOSITION.search(headers)
    name = disposition and _NAME.search(disposition[1])
    if not disposition or not name:
        raise MalformedError
    file_name = _FILE_NAME.search(disposition[1])
    return Part(name[1], None if file_name is None else _without_folders(file_name[1]), piece[end + 4 :])


def _without_folders(name: str) -> str:
    """The file name that a browser sent, without folders; browsers write a quotation mark as %22."""
    return re.split(r"[/\\]", name)[-1].replace("%22", '"')
