"""Checks that annotations belong to their texts: words and texts must have most letters in common."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A tree fits a text that has this share of the tree's letter trigrams. Link-grammar's trees of WMT21 share at least
#: 71 % with their own texts; 95 % of them share less than a third with the next segment's text.
_ENOUGH = 1 / 3
#: Share of trees that need not fit (at least one tree need not), because parsers make mistakes.
_STRANGE = 0.1
#: From this many segments on, trees belong to other texts if less than half of them have exactly the letters of their
#: texts, and they share less than this with their texts on average. WMT21's link-grammar trees share 98 % with their
#: own texts (85 % if every article, "to" and "of" is changed), and 81 % with those of the most similar other system.
_MANY, _SIMILAR = 10, 0.83
_BRACKET = re.compile("-[LR][RSC]B-")
_NO_LETTERS = re.compile(r"[\W_]+")


class _Fit(NamedTuple):
    """How well a tree fits a text.

    Attributes:
        share: share of the tree's letter trigrams that the text has.
        similarity: share of the letter trigrams of both that both have.
        exact: whether both have the same letters.
    """

    share: float
    similarity: float
    exact: bool


def check_fit(words: Sequence[tuple[str, ...]], texts: Sequence[str], path: str) -> None:
    """Reject trees that do not belong to their texts.

    Args:
        words: words of each tree; empty without a tree.
        texts: text of each tree; '' without a text.
        path: the file of the trees.
    """
    pairs = enumerate(zip(words, texts, strict=True))
    fits = {place: _fit("".join(own), text) for place, (own, text) in pairs if own and text}
    strange = [place for place, fit in fits.items() if fit.share < _ENOUGH]
    if len(strange) > max(1, _STRANGE * len(fits)):
        place = strange[0]
        raise InputError(
            f"{path}: {len(strange)} of {len(fits)} trees do not belong to their texts: segment {place + 1} has the "
            f"tree of {' '.join(words[place])[:40]!r}, but its text is {texts[place][:40]!r}"
        )
    exact = sum(fit.exact for fit in fits.values())
    similarity = sum(fit.similarity for fit in fits.values()) / max(len(fits), 1)
    if len(fits) >= _MANY and 2 * exact < len(fits) and similarity < _SIMILAR:
        raise InputError(
            f"{path} has the trees of other texts, perhaps of another system: only {exact} of "
            f"{len(fits)} trees have the words of their text"
        )


def _fit(words: str, text: str) -> _Fit:
    """How well a tree fits a text; parsers omit, split, escape and change words.

    >>> words = "The-LRB-dog-RRB-barks"
    >>> [_fit(words, text).share >= _ENOUGH for text in ("the (dog) barks, they say", "Nobody knows why.")]
    [True, False]
    """
    if letters_of(words) == letters_of(text):
        return _Fit(1.0, 1.0, exact=True)
    own, other = (_trigrams(letters_of(unicodedata.normalize("NFKD", part))) for part in (words, text))
    if not own:
        return _Fit(1.0, 1.0, exact=True)
    n_both = len(own & other)
    return _Fit(n_both / len(own), 2 * n_both / (len(own) + len(other)), exact=False)


def letters_of(text: str) -> str:
    """The letters and digits of a text, case-folded, without escaped brackets."""
    return _NO_LETTERS.sub("", _BRACKET.sub("", text).casefold())


def _trigrams(letters: str) -> set[str]:
    return {letters[place : place + 3] for place in range(len(letters) - 2)}
