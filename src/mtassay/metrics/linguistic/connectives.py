"""Dictionaries of discourse connectives and their translations, and their occurrences in texts.

A dictionary is a table of tab-separated values with the header ``connective sense expression``. A row says that an
expression of the target language translates a connective of the source language in a sense, such as ``concession``; the
names of senses are free. Rows with the sense ``not`` have a phrase of the source language in which the word is not a
connective, such as "a while". Lines that begin with ``#`` are comments.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError, at
from mtassay.io.inputs import read_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: Target languages of the built-in dictionaries, all from English.
LANGUAGES = ("de", "fr")
HEADER = ("connective", "sense", "expression")
#: The sense of source-language phrases that are not connectives.
NOT = "not"
_FOLDER = Path(__file__).with_name("dictionaries")
_DIGITS = 8
_APOSTROPHES = str.maketrans("’ʼ", "''")
_APOSTROPHE = re.compile(r"\s*'\s*")


class Occurrence(NamedTuple):
    """A phrase of a dictionary in a normalised text, and the places of its first and its last word there."""

    phrase: str
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Translations of connectives.

    Attributes:
        senses: by connective and expression, the senses in which the expression translates the connective.
        exceptions: source-language phrases in which the word is not a connective.
        digest: the first digits of the SHA-256 of the file.
    """

    senses: Mapping[str, Mapping[str, frozenset[str]]]
    exceptions: frozenset[str]
    digest: str

    @property
    def connectives(self) -> tuple[str, ...]:
        """The connectives, in the order of the file."""
        return tuple(self.senses)

    @cached_property
    def _of_sources(self) -> re.Pattern[str]:
        return _pattern(self.exceptions.union(self.senses))

    @cached_property
    def _of_targets(self) -> dict[str, re.Pattern[str]]:
        return {connective: _pattern(expressions) for connective, expressions in self.senses.items()}

    def in_source(self, text: str) -> list[Occurrence]:
        """Connectives of a normalised source text, from left to right."""
        return [found for found in _occurrences(self._of_sources, text) if found.phrase in self.senses]

    def in_target(self, connective: str, text: str) -> list[Occurrence]:
        """Expressions in a normalised target text that translate a connective, from left to right."""
        return list(_occurrences(self._of_targets[connective], text))

    def case(self, connective: str, reference: str | None, hypothesis: str | None) -> int:
        """The case, 1 to 6, of a connective with its expressions in reference and hypothesis; see ``act``."""
        if reference is None:
            return 6 if hypothesis is None else 5
        if hypothesis is None:
            return 4
        if reference == hypothesis:
            return 1
        senses = self.senses[connective]
        return 2 if senses[reference] <= senses[hypothesis] else 3


def normalised(text: str) -> str:
    """The text in lower case, with single spaces and plain apostrophes.

    >>> normalised(" Bien  qu’il ")
    "bien qu'il"
    """
    return " ".join(unicodedata.normalize("NFC", text).lower().translate(_APOSTROPHES).split())


def _pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Pattern of whole words, longest phrase first; apostrophes may be separate words, as some tokenizers make them."""
    written = []
    for phrase in sorted(phrases, key=len, reverse=True):
        end = "" if phrase.endswith("'") else r"(?!\w|-\w)"
        written.append(r"\s*'\s*".join(map(re.escape, phrase.split("'"))).removesuffix(r"\s*") + end)
    return re.compile(rf"(?<!\w)(?<!\w-)(?:{'|'.join(written)})")


def _occurrences(pattern: re.Pattern[str], text: str) -> Iterator[Occurrence]:
    for match in pattern.finditer(text):
        first = text.count(" ", 0, match.start())
        yield Occurrence(_APOSTROPHE.sub("'", match[0]), first, first + match[0].count(" "))


def load_dictionary(language: str | None, path: str) -> Dictionary:
    """The dictionary of a file or, if `path` is empty, the built-in one from English into a language."""
    file = path or str(_FOLDER / f"en-{language}.tsv")
    return _parsed(read_text(file), shown(file))


@lru_cache(maxsize=8)
def _parsed(content: str, name: str) -> Dictionary:
    senses: dict[str, dict[str, frozenset[str]]] = {}
    exceptions = set()
    rows = [(n, line.split("\t")) for n, line in enumerate(lines_of(content), 1) if line and not line.startswith("#")]
    if not rows or tuple(rows[0][1]) != HEADER:
        raise InputError(f"{name} is not a dictionary of connectives: its first line must be {'⇥'.join(HEADER)}")
    for line, cells in rows[1:]:
        connective, sense, expression = map(normalised, cells) if len(cells) == len(HEADER) else ("", "", "")
        if not (connective and sense and expression):
            raise InputError(f"{at(name, line)}: a row must have connective, sense and expression, separated by tabs")
        expression = _APOSTROPHE.sub("'", expression)
        if sense == NOT:
            exceptions.add(expression)
        else:
            of_connective = senses.setdefault(connective, {})
            of_connective[expression] = of_connective.get(expression, frozenset()) | {sense}
    if not senses:
        raise InputError(f"{name} translates no connective")
    return Dictionary(
        senses, frozenset(exceptions), sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    )
