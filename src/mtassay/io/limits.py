"""Limits on the size of inputs, so that a device, a wrong file or an archive of gigabytes does not fill the memory.

Limits are in bytes; for compressed files, after decompression. The command's options ``--max-file-size`` and
``--max-line-size`` (in Python ``set_limits``) come first, then the environment variables MTASSAY_MAX_FILE_SIZE and
MTASSAY_MAX_LINE_SIZE, then the defaults, which are far above the size of test sets.
"""

from __future__ import annotations

import math
import os
import re
from contextvars import ContextVar

from mtassay.errors import InputError

FILE_VARIABLE, LINE_VARIABLE = "MTASSAY_MAX_FILE_SIZE", "MTASSAY_MAX_LINE_SIZE"
#: Messages and help show them as written here.
FILE_DEFAULT, LINE_DEFAULT = "2G", "128M"
_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)", re.IGNORECASE)
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}

_file: ContextVar[str | None] = ContextVar("max_file_size", default=None)
_line: ContextVar[str | None] = ContextVar("max_line_size", default=None)


def set_limits(*, file: str | int | None = None, line: str | int | None = None) -> None:
    """Set limits for the current context (`contextvars`); None leaves a limit unchanged.

    Args:
        file: bytes of a file, as a number or with a unit: ``8G``.
        line: bytes of a line.
    """
    for variable, size, what in ((_file, file, "a file"), (_line, line, "a line")):
        if size is not None:
            parse_size(str(size), f"the largest size of {what}")
            variable.set(str(size))


def largest_file() -> tuple[int, str]:
    """Largest size of a file in bytes, and as written by the user."""
    return _limit(_file, FILE_VARIABLE, FILE_DEFAULT)


def largest_stream() -> tuple[float, str]:
    """The same for a file of which only a part is held at a time: no limit, unless the user sets one."""
    if _file.get() or os.environ.get(FILE_VARIABLE):
        return largest_file()
    return math.inf, ""


def largest_line() -> tuple[int, str]:
    """Largest size of a line in bytes, and as written by the user."""
    return _limit(_line, LINE_VARIABLE, LINE_DEFAULT)


def parse_size(text: str, what: str) -> int:
    """A number of bytes; `what` names it in messages.

    >>> parse_size("2K", "x"), parse_size("17", "x")
    (2048, 17)
    """
    match = _SIZE.fullmatch(text)
    if match is None or not int(match[1]):
        raise InputError(f"{what} is {text!r}: it must be a number of bytes above 0, such as 500M or 8G")
    return int(match[1]) << _UNITS[match[2].upper()]


def _limit(chosen: ContextVar[str | None], variable: str, default: str) -> tuple[int, str]:
    text = chosen.get() or os.environ.get(variable) or default
    return parse_size(text, variable), text
