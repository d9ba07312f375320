"""Opening inputs and writing outputs, independent of formats. This module has what applies to all inputs of a run.

Files that a run of the command reads are recorded, so that it does not overwrite them (``mtassay.io.run_files``).

The size of inputs is limited, so that a device, a wrong file or an archive of gigabytes does not fill the memory.

Limits are in bytes; for compressed files, after decompression. The command's options ``--max-file-size`` and
``--max-line-size`` (in Python ``set_limits``) take precedence, then the environment variables MTASSAY_MAX_FILE_SIZE and
MTASSAY_MAX_LINE_SIZE, then the defaults, which are far above the size of test sets.

``find_configuration`` finds the file with the user's defaults. All this is in ``__init__``, which is imported anyway,
to start fast.
"""

from __future__ import annotations

import math
import os
import re
import stat
from contextvars import ContextVar
from typing import TYPE_CHECKING

from mtassay.errors import InputError, MtassayError

if TYPE_CHECKING:
    from mtassay.io.inputs import PathLike

    #: Device and inode of a file: the same for all its names.
    Identity = tuple[int, int]

FILE_VARIABLE, LINE_VARIABLE = "MTASSAY_MAX_FILE_SIZE", "MTASSAY_MAX_LINE_SIZE"
#: Messages and help show them as written here.
FILE_DEFAULT, LINE_DEFAULT = "2G", "128M"
_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)", re.IGNORECASE)
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}

#: The environment variable that names a configuration file, or ``none``.
CONFIGURATION_VARIABLE = "MTASSAY_CONFIG"
#: mtassay's own configuration file, and a project's file that may have a table for mtassay.
CONFIGURATION_FILE, PROJECT_FILE = "mtassay.toml", "pyproject.toml"

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
    """Largest size of a streamed file, of which only a part is in memory: no limit, unless the user sets one."""
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


class RunFiles:
    """Files that a run has read, by identity, and the user's names of pending outputs, by real path."""

    def __init__(self) -> None:
        self.read: dict[Identity, PathLike | None] = {}
        self.outputs: dict[str, str] = {}
        self.replaceable: set[Identity] = set()


current_run: ContextVar[RunFiles | None] = ContextVar("run_files", default=None)


def start_run() -> None:
    """Record files from here on, for the rest of the current context (`contextvars`)."""
    current_run.set(RunFiles())


def register_input(file: int, path: PathLike | None, *, is_own: bool = False) -> None:
    """Record a file that is read; an error if it is an output.

    Args:
        file: its open descriptor.
        path: its name; None for standard input.
        is_own: whether it is a cache of the toolkit, which may be rewritten.
    """
    run, identity = current_run.get(), _regular(os.fstat(file))
    if run is None or identity is None or identity in run.replaceable:
        return
    for output, named in run.outputs.items():
        if identity_of(output) == identity:
            raise lost(named)
    if not is_own:
        run.read[identity] = path


def lost(named: str) -> MtassayError:
    """The error for an output, as the user named it, that is also an input."""
    # Not an InputError, which some callers catch to skip unreadable files.
    return MtassayError(f"{named} is also an input and would be overwritten: choose another file")


def identity_of(path: PathLike) -> Identity | None:
    """Identity of the regular file of this name; None if there is none."""
    try:
        return _regular(os.stat(path))  # noqa: PTH116  (odd names: ValueError)
    except (OSError, ValueError):
        return None


def _regular(status: os.stat_result) -> Identity | None:
    """Identity of a regular file; devices and pipes are not replaced."""
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def find_configuration() -> str | None:
    """The configuration file; None if there is none.

    The environment variable MTASSAY_CONFIG names it, or is ``none``. Else it is the first of these that exists:
    ``mtassay.toml`` or a ``pyproject.toml`` with a table ``[tool.mtassay]`` in the working directory and the folders
    above it, up to the home folder or the root; then ``mtassay/mtassay.toml`` in $XDG_CONFIG_HOME or ~/.config.
    """
    named = os.environ.get(CONFIGURATION_VARIABLE)
    if named:
        return None if named == "none" else named
    home = os.path.expanduser("~")  # noqa: PTH111  (pathlib is not needed, and raises without a home)
    try:
        folder = os.getcwd()  # noqa: PTH109
    except OSError:  # the working directory was removed
        folder = home
    while True:
        for name in (CONFIGURATION_FILE, PROJECT_FILE):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path) and (name == CONFIGURATION_FILE or _mentions_us(path)):  # noqa: PTH113
                return path
        above = os.path.dirname(folder)  # noqa: PTH120
        if folder == home or above == folder:
            break
        folder = above
    user = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")  # noqa: PTH118
    path = os.path.join(user, "mtassay", CONFIGURATION_FILE)  # noqa: PTH118
    return path if os.path.isfile(path) else None  # noqa: PTH113


def _mentions_us(path: str) -> bool:
    """Whether a project's file has the table [tool.mtassay]; it is parsed only if it contains the word mtassay."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read()
    except OSError:
        return False
    if b"mtassay" not in content:
        return False
    import tomllib

    try:
        tools = tomllib.loads(content.decode()).get("tool")
        return isinstance(tools, dict) and "mtassay" in tools
    except (ValueError, RecursionError):  # reading it reports the fault, if it is ours to report
        return b"tool.mtassay" in content
