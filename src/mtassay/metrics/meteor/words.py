"""Tokenizers that give METEOR's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mtassay.errors import SpecError, unknown_name
from mtassay.metrics.meteor.languages import canonical
from mtassay.metrics.meteor.normaliser import get_normaliser

if TYPE_CHECKING:
    import os

    from mtassay.text import Tokenizer

_SPLIT = "split"
_NORMS = {"norm": "", "nopunct": "-nopunct", "no": None}
# Parity: METEOR uses Java's StringTokenizer, which has only these separators.
_JAVA_SPACE = re.compile("[ \t\n\r\f]+")
# Words must not contain white space, since they are joined by spaces; white space that Java keeps is replaced.
_KEPT = (
    "\v\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_VISIBLE = {ord(space): 0xF700 + i for i, space in enumerate(_KEPT)}


class NormalisedTokenizer:
    """The words of METEOR's ``-norm``: normalised, then lower-cased."""

    def __init__(self, name: str, language: str, *, punctuation: bool, data: str | None) -> None:
        self.name = name
        self.signature = name.partition("@")[0]
        self._normalise = get_normaliser(language, punctuation=punctuation, data=data)

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return _java_words(self._normalise(line).lower())


class SplitTokenizer:
    """The words of METEOR without ``-norm``: the text split at Java's white space."""

    name = signature = f"meteor-{_SPLIT}"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return _java_words(line)


def tokenizer_name(language: str, *, norm: str, data: str | os.PathLike[str] | None = None) -> str:
    """Return the name of METEOR's tokenizer for ``get_tokenizer``.

    Args:
        language: the language.
        norm: ``norm`` (normalised and lower-cased), ``nopunct`` (also without punctuation) or ``no`` (split only).
        data: as for ``get_normaliser``.

    >>> tokenizer_name("cs", norm="nopunct"), tokenizer_name("it", norm="no")
    ('meteor-cz-nopunct', 'meteor-split')
    """
    suffix = _NORMS[norm]
    if suffix is None:
        return f"meteor-{_SPLIT}"
    return f"meteor-{canonical(language)}{suffix}" + ("" if data is None else f"@{data}")


def meteor_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer for a name from ``tokenizer_name``."""
    kind, at, data = name.removeprefix("meteor-").partition("@")
    if kind == _SPLIT:
        return SplitTokenizer()
    language = kind.removesuffix("-nopunct")
    if not language:
        raise SpecError(unknown_name("tokenizer", name, ()))
    return NormalisedTokenizer(name, language, punctuation=kind == language, data=data if at else None)


def _java_words(line: str) -> list[str]:
    if line.isprintable():
        return line.split()
    return [word for word in _JAVA_SPACE.split(line.translate(_VISIBLE)) if word]
