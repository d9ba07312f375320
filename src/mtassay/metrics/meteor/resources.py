"""Location of METEOR's language data: a folder with its jar or unpacked files, or the package pycocoevalcap.

The jar is a zip file and is only read. A folder is laid out like METEOR's distribution::

    meteor-1.5.jar              or  function/ nonbreaking/ stem/ synonym/
    data/paraphrase-en.gz       or  paraphrase-en.gz

The folder that the caller names is used; without one, the folder that the environment variable MTASSAY_METEOR names;
without that, the package.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from zipfile import BadZipFile, ZipFile
from zlib import crc32

from mtassay.errors import InputError, MissingExtraError
from mtassay.io.inputs import open_input

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

#: Given instead of a folder to use no data on purpose.
WITHOUT = "none"
#: Environment variable that names the folder, if the caller does not.
VARIABLE = "MTASSAY_METEOR"
_OTHERWISE = (
    f"data=FOLDER gives another place; data={WITHOUT} uses no METEOR data: stages exact and stem, "
    "no function words, no abbreviations"
)
_UNPACKED = ("function", "nonbreaking", "stem", "synonym")


class MeteorData:
    """The data files of one folder."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(f"there is no folder {folder} with METEOR's data")
        self.folder = folder
        self._jar = next(iter(sorted(folder.glob("meteor*.jar"), reverse=True)), None)
        if (
            self._jar is None
            and not any((folder / name).is_dir() for name in _UNPACKED)
            and not any(folder.glob("paraphrase-*.gz"))
            and not any(folder.glob("data/paraphrase-*.gz"))
        ):
            raise InputError(
                f"{folder} has none of METEOR's data: neither meteor-1.5.jar nor its folders "
                f"({', '.join(_UNPACKED)}) nor data/paraphrase-XX.gz"
            )

    def has(self, name: str) -> bool:
        """Whether there is a file called `name`, such as ``function/english.words``."""
        return self._find(name) is not None

    def read(self, name: str) -> bytes:
        """Return the contents of the file called `name`; unpacked files take precedence over the jar."""
        contents = self._find(name)
        if contents is None:
            raise InputError(f"{self.folder} has no {name}, neither unpacked nor in a jar of METEOR")
        return contents

    def lines(self, name: str) -> list[str]:
        """Return the lines of a UTF-8 file as Java reads them."""
        try:
            return java_lines(self.read(name).decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise InputError(f"{self.folder}: {name} is not UTF-8 (byte {error.start})") from None

    def paraphrases(self, language: str) -> Path:
        """Return the path of the paraphrase table of a language (METEOR's short name)."""
        name = f"paraphrase-{language}.gz"
        for path in (self.folder / "data" / name, self.folder / name):
            if path.is_file():
                return path
        raise InputError(
            f"{self.folder} has no data/{name}: name a folder that has it with data=FOLDER, or leave out the stage "
            f"'paraphrase'"
        )

    def checksum(self, name: str) -> str:
        """Return a checksum of the file called `name`; '' if it is empty or absent."""
        # A jar lists the checksums of its files, so that none has to be unpacked.
        found = self._found(
            name,
            lambda contents: (crc32(contents), len(contents)),
            lambda jar: (jar.getinfo(name).CRC, jar.getinfo(name).file_size),
        )
        return f"{found[0]:08x}-{found[1]:x}" if found and found[1] else ""

    def _find(self, name: str) -> bytes | None:
        return self._found(name, lambda contents: contents, lambda jar: jar.read(name))

    def _found(self, name: str, unpacked: Callable[[bytes], _T], packed: Callable[[ZipFile], _T]) -> _T | None:
        """Apply one of the functions to a file, depending on where it is; None if there is no such file."""
        path = self.folder / name
        try:
            if path.is_file():
                with open_input(path) as file:
                    return unpacked(file.read())
            if self._jar is None:
                return None
            path = self._jar
            with open_input(path) as file, ZipFile(file) as jar:
                return packed(jar)
        except KeyError:
            return None
        except (BadZipFile, OSError) as error:
            raise InputError(f"{path} cannot be read: {error}") from None


def find_resources(folder: str | os.PathLike[str] | None, *, wanted_by: str, otherwise: str = _OTHERWISE) -> MeteorData:
    """Return the data of `folder`, else of the folder that MTASSAY_METEOR names, else of the installed package.

    Args:
        folder: the folder given by the user, if any.
        wanted_by: what needs the data, for the error message.
        otherwise: what to do instead of installing the package, for the error message.
    """
    named = folder or os.environ.get(VARIABLE)
    place = Path(named).expanduser() if named else _package_folder()
    if place is None:
        raise MissingExtraError(wanted_by, "meteor", otherwise=otherwise)
    try:
        return _opened(place)
    except InputError as error:
        if folder or not named:
            raise
        raise InputError(
            f"the environment variable {VARIABLE} must name a folder with METEOR's data (meteor-1.5.jar, "
            f"data/paraphrase-XX.gz): {error}"
        ) from None


def java_lines(text: str) -> list[str]:
    r"""Split only at line feeds, carriage returns, and pairs of carriage return and line feed.

    >>> java_lines("a\r\nb\x85c\n\nd\n")
    ['a', 'b\x85c', '', 'd']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


@lru_cache(maxsize=8)
def _opened(folder: Path) -> MeteorData:
    return MeteorData(folder)


def _package_folder() -> Path | None:
    # Only the location of the package is used: its code is not imported.
    found = find_spec("pycocoevalcap")
    for place in (found.submodule_search_locations or ()) if found else ():
        folder = Path(place) / "meteor"
        if folder.is_dir():
            return folder
    return None
