"""Word alignments of source texts with translations, from files.

A file has one line per pair of texts, with three columns separated by tabs: source, translation, and the links between
their words in Pharaoh's format (``0-0 1-2``: positions in source and translation, counted from 0; words are separated
by white space). A folder stands for all of its ``.tsv`` files. White space and letter case are ignored when pairs are
looked up, so that the aligner's tokenised texts match the scored texts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError, at
from mtassay.io.inputs import COMPRESSION_SUFFIXES, read_text, shown
from mtassay.metrics.linguistic.connectives import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINK = re.compile(r"(\d{1,9})-(\d{1,9})")
_DIGITS = 8
_SHOWN = 60


class AlignedPair(NamedTuple):
    """Two normalised texts as an aligner read them, and for each linked source word the words it is linked to."""

    source: str
    target: str
    links: Mapping[int, list[int]]


class WordAlignments:
    """The alignments of a file or a folder.

    Args:
        path: the file or folder.

    Attributes:
        digest: the first digits of the SHA-256 of their content.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        contents = tuple((shown(file), read_text(file)) for file in _files(Path(path)))
        of_all = sha256(repr([content for _, content in contents]).encode("utf-8", "surrogatepass"))
        self.digest = of_all.hexdigest()[:_DIGITS]
        self._pairs = _parsed(contents)

    def find(self, source: str, target: str) -> AlignedPair:
        """The alignment of two texts; an error if no file has it."""
        found = self._pairs.get((_letters(source), _letters(target)))
        if found is None:
            raise InputError(f"{shown(self._path)} has no alignment of {target[:_SHOWN]!r} with {source[:_SHOWN]!r}")
        return found


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    endings = tuple(f".tsv{end}" for end in ("", *COMPRESSION_SUFFIXES))
    files = sorted(file for file in path.iterdir() if file.name.endswith(endings))
    if not files:
        raise InputError(f"{shown(path)} has no alignments: no file ends in .tsv")
    return files


@lru_cache(maxsize=2)
def _parsed(contents: tuple[tuple[str, str], ...]) -> dict[tuple[str, str], AlignedPair]:
    pairs: dict[tuple[str, str], AlignedPair] = {}
    for name, content in contents:
        for number, line in enumerate(lines_of(content), 1):
            cells = line.split("\t")
            if len(cells) != 3:
                raise InputError(
                    f"{at(name, number)}: a line must have source, translation and links, separated by tabs"
                )
            source, target = (normalised(unescape(cell)) for cell in cells[:2])
            key = _letters(source), _letters(target)
            pairs.setdefault(key, AlignedPair(source, target, _links(cells[2], source, target, at(name, number))))
    return pairs


def _links(text: str, source: str, target: str, place: str) -> dict[int, list[int]]:
    links = defaultdict[int, list[int]](list)
    for link in text.split():
        match = _LINK.fullmatch(link)
        if match is None:
            raise InputError(f"{place}: {link[:_SHOWN]!r} is not a link such as 0-0")
        i, j = int(match[1]), int(match[2])
        if i >= len(source.split()) or j >= len(target.split()):
            raise InputError(f"{place}: the link {link} goes beyond the words of the texts")
        links[i].append(j)
    return dict(links)


def _letters(text: str) -> str:
    return normalised(unescape(text)).replace(" ", "")
