"""Checks that annotations belong to their texts: words and texts must have most letters in common."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A tree fits a text that has this share of its letter trigrams. Link-grammar's trees of WMT21 share at least 71 %
#: with their own texts, and 95 % of them less than a third with the next segment's.
_ENOUGH = 1 / 3
#: Share of trees that may not fit, and at least one, because parsers make mistakes.
_STRANGE = 0.1
#: With at least this many segments, trees belong to other texts if less than half of them have exactly their letters
#: and what they have in common is less than this on average. WMT21's link-grammar trees have 98 % in common with their
#: own texts, or 85 % if every article, "to" and "of" is changed, and with the most similar other system's 81 %.
_MANY, _SIMILAR = 10, 0.83
_BRACKET = re.compile("-[LR][RSC]B-")
_NO_LETTERS = re.compile(r"[\W_]+")


class _Fit(NamedTuple):
    """The share of a tree's trigrams of letters that a text has, and of both's that both have; exact: same letters."""

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
            f"{path}: segment {place + 1} has the tree of another sentence ({' '.join(words[place])[:40]!r}), as have "
            f"{len(strange)} of {len(fits)}: these are not annotations of {texts[place][:40]!r} and the like"
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
    """The letters and digits of a text, in one case; escaped brackets do not count."""
    return _NO_LETTERS.sub("", _BRACKET.sub("", text).casefold())


def _trigrams(letters: str) -> set[str]:
    return {letters[place : place + 3] for place in range(len(letters) - 2)}
