"""METEOR's stemmers: Snowball's in the version METEOR uses, and lists of words with their stems.

PyStemmer 2 has the same algorithms, except for later changes of Snowball, which are undone here. In METEOR's version:

- German: "Ergebnisse" keeps the second s of its ending.
- French: ë and ï are plain vowels, and ë is dropped at the end of guë.
- Russian: ё is not a vowel, and differs from е.

Spanish, Italian, Norwegian, Romanian, Swedish and Turkish are the same; Danish, Dutch, Hungarian and Portuguese differ
only for foreign words. In Finnish, METEOR does not know the endings siin, den, tten and seen; this is not imitated, so
about one word in a hundred has another stem.
"""

from __future__ import annotations

import gzip
import re
from importlib import import_module
from typing import TYPE_CHECKING

from mtassay.errors import InputError, MissingExtraError, at
from mtassay.metrics.meteor.resources import java_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.metrics.meteor.resources import MeteorData

    Stem = Callable[[list[str]], list[str]]

_GERMAN_ENDINGS = ("nisse", "nissen", "nisses")
_FRENCH_STAND_INS = "ôûù"  # vowels that no French suffix has
_FRENCH_VOWEL = "[aeiouyâàëéêèïîôûù]"
_FRENCH_START = re.compile(rf"{_FRENCH_VOWEL}{{2}}.|par|col|tap|.[^{_FRENCH_VOWEL[1:-1]}]*{_FRENCH_VOWEL}")
_NO_VOWEL = "\ue000"


def snowball(algorithm: str) -> Stem:
    """Return a function that stems words with one of Snowball's algorithms.

    >>> snowball("english")(["added", "adding", "ties"])
    ['ad', 'ad', 'tie']
    """
    try:
        package = import_module("Stemmer")
    except ImportError as error:
        raise MissingExtraError(
            "METEOR's stage 'stem' (pip install 'PyStemmer<3' is enough for it; stages=exact does not need it)",
            "meteor",
        ) from error
    # PyStemmer 3 reports version 2.0.1, so check its behaviour instead.
    if package.Stemmer("english").stemWord("added") != "ad":
        raise InputError("this PyStemmer stems differently from METEOR: pip install 'PyStemmer>=2,<3'")
    stem: Stem = package.Stemmer(algorithm, 0).stemWords
    undo = _UNDONE.get(algorithm)
    return stem if undo is None else lambda words: undo(stem, words)


def stem_table(resources: MeteorData, name: str) -> Stem:
    """Return a function that looks words up in ``stem/NAME.gz``, lines of word, count and stem."""
    place = at(resources.folder / "stem" / f"{name}.gz")
    try:
        lines = java_lines(gzip.decompress(resources.read(f"stem/{name}.gz")).decode())
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{place} cannot be read: {error}") from None
    stems = {}
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if len(fields) < 3:
            raise InputError(f"{at(place, number)}: not a word, a count and a stem")
        stems[fields[0]] = fields[2]
    return lambda words: [stems.get(word, word) for word in words]


def _german(stem: Stem, words: list[str]) -> list[str]:
    stems = zip(words, stem(words), strict=True)
    return [f"{s}s" if s.endswith("nis") and word.endswith(_GERMAN_ENDINGS) else s for word, s in stems]


def _french(stem: Stem, words: list[str]) -> list[str]:
    stems = stem(words)
    for i, word in enumerate(words):
        if "ï" in word or "ë" in word:
            stems[i] = _french_with_diaeresis(stem, word)
    return stems


def _french_with_diaeresis(stem: Stem, word: str) -> str:
    free = [vowel for vowel in _FRENCH_STAND_INS if vowel not in word]
    if len(free) < 2:
        return stem([word])[0]
    stemmed = stem([word.replace("ï", free[0]).replace("ë", free[1])])[0]
    stemmed = stemmed.replace(free[0], "ï").replace(free[1], "ë")
    start = _FRENCH_START.match(word)  # the part that suffixes cannot reach
    is_dropped = stemmed.endswith("guë") and start is not None and start.end() <= len(stemmed) - len("guë")
    return stemmed[:-1] if is_dropped else stemmed


def _russian(stem: Stem, words: list[str]) -> list[str]:
    return [s.replace(_NO_VOWEL, "ё") for s in stem([word.replace("ё", _NO_VOWEL) for word in words])]


_UNDONE = {"german": _german, "french": _french, "russian": _russian}
