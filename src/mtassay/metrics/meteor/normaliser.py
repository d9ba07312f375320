"""METEOR's ``-norm``: a tokenizer like that of Moses that also unifies quotes and dashes.

It separates punctuation, splits words at dashes, splits contractions as the language does ("it 's", "l' homme"), and
separates a final dot unless the word is a known abbreviation or a lower-case letter follows; words with dots inside
lose their dots ("U.S." becomes "US"). Texts are lower-cased later, not here.

The rules apply to one line at a time and hardly ever reach across white space, so the results of pieces between white
space are cached; a line in which rules do reach across is processed as a whole.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from mtassay.errors import SpecError
from mtassay.metrics.meteor.languages import LANGUAGES, canonical
from mtassay.metrics.meteor.resources import WITHOUT, MeteorData, find_resources

_ALPHA = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"  # Western European and Cyrillic letters
_ALNUM = f"0-9{_ALPHA}"
_PLAIN = re.compile(f"[{_ALNUM}]+[,.]?")
_SEPARATED = re.compile(rf"([^{_ALNUM} \t\n\v\f\r.'`,\-‘’])")
_DOTS = re.compile(r"\.(\.+)")
_END_OF_DOTS = re.compile(r"DOTMULTI\.([^.])")
_COMMAS = tuple(re.compile(pattern) for pattern in ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])"))
_SINGLE_QUOTES = re.compile("[`‘’]")
_DOUBLE_QUOTES = re.compile("[“”]|''")
_DASH_IN_WORD = re.compile(rf"([{_ALNUM}.])-([{_ALNUM}])")
_LETTER = re.compile(f"[{_ALPHA}]")
_NO_WORD = re.compile(f"[^{_ALNUM}]")
_SPACES = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\xa0]+")
_JAVA_SPACE = re.compile("[ \t\n\r\f]+")
_TRIMMED = "".join(map(chr, range(33)))
_ENGLISH_APOSTROPHES = (
    (re.compile(rf"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_ALNUM}])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
)
_FRENCH_APOSTROPHES = (
    (re.compile(rf"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_ALPHA}])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([{_ALPHA}])"), r"\1' \2"),
)
_OTHER_APOSTROPHES = ((re.compile("'"), " ' "),)
_APOSTROPHES = {"en": _ENGLISH_APOSTROPHES, "fr": _FRENCH_APOSTROPHES}
# A match consumes the space after a comma or quote, which is then missing before the next one.
_ACROSS_SPACE = re.compile("[,'`‘’] [,'`‘’]")
_MOST_REMEMBERED = 1 << 17
_LONGEST_REMEMBERED = 64
_ALWAYS, _BEFORE_NUMBERS = 1, 2


class Normaliser:
    """Normalises the lines of one language.

    Args:
        language: a language that ``-norm`` supports, by METEOR's short name.
        prefixes: the abbreviations that keep their dot; 1 always, 2 before numbers.
        punctuation: whether to keep punctuation; METEOR's ``-noPunct`` removes it.

    >>> Normaliser("en", {"Mr": 1}, punctuation=True)("Mr. Smith's well-known U.S.-based firm…")
    "Mr. Smith 's well known US based firm …"
    """

    def __init__(self, language: str, prefixes: dict[str, int], *, punctuation: bool) -> None:
        self._apostrophes = _APOSTROPHES.get(language, _OTHER_APOSTROPHES)
        self._prefixes = prefixes
        self._punctuation = punctuation
        self._pieces = _Pieces(self)

    def __call__(self, line: str) -> str:
        """Return `line` normalised; single spaces separate the words."""
        is_plain = line.isprintable() and _ACROSS_SPACE.search(line) is None
        # In a printable line the only white space is the space.
        text = " ".join(map(self._pieces.__getitem__, line.split())) if is_plain else self.separate(line)
        if "." in line:
            text = self._separate_dots(text)
        if "DOTMULTI" in text:
            while "DOTDOTMULTI" in text:
                text = text.replace("DOTDOTMULTI", "DOTMULTI.")
            text = text.replace("DOTMULTI", ".")
        if not self._punctuation:
            text = _NO_WORD.sub(" ", text)
        if not (is_plain and self._punctuation):
            text = _SPACES.sub(" ", text).strip(_TRIMMED)
        return text

    def separate(self, line: str) -> str:
        """Return the words of `line` between single spaces, with dots still at the end of words."""
        text = _SEPARATED.sub(r" \1 ", f" {line} ")
        if "." in text:
            text = _escape_dots(text)
        if "," in text:
            for pattern in _COMMAS:
                text = pattern.sub(r"\1 , \2", text)
        text = _DOUBLE_QUOTES.sub(' " ', _SINGLE_QUOTES.sub("'", text))
        text = _DASH_IN_WORD.sub(r"\1 \2", text.replace("–", "-").replace("--", "-"))
        if "'" in text:
            for pattern, replacement in self._apostrophes:
                text = pattern.sub(replacement, text)
        return _JAVA_SPACE.sub(" ", text).strip(" ")

    def _separate_dots(self, text: str) -> str:
        text += " "
        separated: list[str] = []
        done, dot = 0, text.find(". ")
        while dot >= 0:
            start = text.rfind(" ", 0, dot) + 1
            separated += (text[done:start], self._with_dot(text[start:dot], text[dot + 2 : dot + 3]))
            done, dot = dot + 1, text.find(". ", dot + 1)
        return "".join((*separated, text[done:-1]))

    def _with_dot(self, stem: str, following: str) -> str:
        """A word that ends with a dot: `stem` is the word without it, `following` the next word's first letter."""
        kind = self._prefixes.get(stem)
        if "." in stem and _LETTER.search(stem):
            return stem.replace(".", "")
        keeps_dot = kind == _ALWAYS or "a" <= following <= "z" or (kind == _BEFORE_NUMBERS and "0" <= following <= "9")
        return f"{stem}." if keeps_dot or not stem else f"{stem} ."


class _Pieces(dict[str, str]):
    """Pieces between spaces, with the words into which they are split, joined by spaces."""

    def __init__(self, normaliser: Normaliser) -> None:
        super().__init__()
        self._normaliser = normaliser

    def __missing__(self, piece: str) -> str:
        # Most pieces are letters and numbers, perhaps with a comma or dot at the end.
        if _PLAIN.fullmatch(piece) and not piece.endswith("DOTMULTI."):
            words = f"{piece[:-1]} ," if piece[-1] == "," else piece
        else:
            words = self._normaliser.separate(piece)
        if len(piece) <= _LONGEST_REMEMBERED:
            if len(self) >= _MOST_REMEMBERED:
                self.clear()
            self[piece] = words
        return words


def _escape_dots(text: str) -> str:
    """Replace two or more dots by a word that the other rules do not change."""
    text = _DOTS.sub(r" DOTMULTI\1", text)
    # Parity: METEOR, the marker cannot be distinguished from the same letters in the text.
    while "DOTMULTI." in text:
        text = _END_OF_DOTS.sub(r"DOTDOTMULTI \1", text).replace("DOTMULTI.", "DOTDOTMULTI")
    return text


def get_normaliser(
    language: str, *, punctuation: bool = True, data: str | os.PathLike[str] | None = None
) -> Normaliser:
    """Return the normaliser of a language.

    Args:
        language: a language that ``-norm`` supports.
        punctuation: whether to keep punctuation.
        data: the folder of METEOR's data with the abbreviations; ``none`` for no abbreviations.
    """
    language = canonical(language)
    if not LANGUAGES[language].is_normalised:
        known = ", ".join(code for code, profile in LANGUAGES.items() if profile.is_normalised)
        raise SpecError(
            f"METEOR has no normalisation for '{language}' (only for {known}): give tokenised text and norm=no"
        )
    if data == WITHOUT:
        return _normaliser(language, punctuation, None)
    resources = find_resources(data, wanted_by=f"METEOR's normalisation for '{language}'")
    return _normaliser(language, punctuation, resources)


def normalise(text: str, language: str, *, punctuation: bool = True, data: str | os.PathLike[str] | None = None) -> str:
    r"""Return a line as METEOR's ``-norm`` makes it, not lower-cased; see ``get_normaliser`` for the arguments.

    >>> normalise("“It’s 5,000 – that is all,” he said...", "en", data="none")
    '" It \'s 5,000 - that is all , " he said ...'
    """
    return get_normaliser(language, punctuation=punctuation, data=data)(text)


@lru_cache(maxsize=32)
def _normaliser(language: str, punctuation: bool, resources: MeteorData | None) -> Normaliser:
    name = f"nonbreaking/{LANGUAGES[language].name}.prefixes"
    prefixes = {} if resources is None else _parse_prefixes(resources.lines(name))
    return Normaliser(language, prefixes, punctuation=punctuation)


def _parse_prefixes(lines: list[str]) -> dict[str, int]:
    prefixes = {}
    for line in lines:
        fields = [field for field in _JAVA_SPACE.split(line) if field]
        if fields and not fields[0].startswith("#"):
            only_numbers = fields[1:2] == ["#NUMERIC_ONLY#"]
            prefixes[fields[0]] = _BEFORE_NUMBERS if only_numbers else _ALWAYS
    return prefixes
