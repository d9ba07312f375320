"""Degraded outputs, which show which judges are careless (Graham et al. 2013, 2017).

A phrase inside an output is replaced by a phrase from another segment's reference. The number of replaced words depends
on the length n of the output: 1–3: 1, 4–5: 2, 6–7: 3, 8–14: 4, 15–19: 5, from 20 on ⌊n/4⌋. The new phrase has as many
words, but six if more than five are replaced. The first and the last word stay if n ≥ 3. In scripts without spaces,
characters are counted instead of words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mtassay.errors import InputError

if TYPE_CHECKING:
    import numpy as np

_STEPS = ((3, 1), (5, 2), (7, 3), (14, 4), (19, 5))
_LONGEST_PHRASE = 6
_MOST_OF_SAME_LENGTH = 5
_FEWEST_WITH_ENDS = 3
_WITHOUT_BLANKS = ("CJK ", "HIRAGANA", "KATAKANA", "THAI ", "LAO ", "KHMER", "MYANMAR")


def n_replaced(n: int) -> int:
    """Number of words that are replaced in an output of n words.

    >>> [n_replaced(n) for n in (1, 4, 6, 8, 15, 20, 28)]
    [1, 2, 3, 4, 5, 5, 7]
    """
    return next((count for longest, count in _STEPS if n <= longest), n // 4)


def has_blanks(text: str) -> bool:
    """Whether words are separated by spaces: not in Chinese, Japanese, Thai, Lao, Khmer and Burmese.

    >>> has_blanks("ein Wort"), has_blanks("一个词")
    (True, False)
    """
    letters = [char for char in text if char.isalpha()]
    n_without = sum(unicodedata.name(char, "").startswith(_WITHOUT_BLANKS) for char in letters)
    return 2 * n_without <= len(letters)


def degraded(text: str, references: Sequence[str], rng: np.random.Generator) -> tuple[str, tuple[int, int]]:
    """The degraded text, and the range of code points of the new phrase in it.

    Args:
        text: an output; not blank.
        references: references of other segments, from which phrases are taken.
        rng: the random generator.
    """
    blanks = has_blanks(text)
    words = text.split() if blanks else [char for char in text if not char.isspace()]
    n, count = len(words), n_replaced(len(words))
    first, last = (1, n - 1 - count) if n >= _FEWEST_WITH_ENDS else (0, n - count)
    start = int(rng.integers(first, last + 1))
    size = count if count <= _MOST_OF_SAME_LENGTH else _LONGEST_PHRASE
    phrase = _phrase(references, size, words[start : start + count], rng, blanks=blanks)
    blank = " " if blanks else ""
    before, middle = blank.join([*words[:start], ""]), blank.join(phrase)
    after = blank.join(["", *words[start + count :]])
    return before + middle + after, (len(before), len(before) + len(middle))


def _phrase(
    references: Sequence[str], size: int, replaced: list[str], rng: np.random.Generator, *, blanks: bool
) -> list[str]:
    """A phrase from another reference that differs from the replaced words; it has `size` words if possible."""
    for wanted in range(size, 0, -1):
        for place in rng.permutation(len(references)).tolist():
            reference = references[place]
            words = reference.split() if blanks else [char for char in reference if not char.isspace()]
            starts = [at for at in range(len(words) - wanted + 1) if words[at : at + wanted] != replaced]
            if starts:
                at = starts[int(rng.integers(len(starts)))]
                return words[at : at + wanted]
    raise InputError(
        "outputs cannot be degraded: the references have no words that differ (--controls no, --training 0)"
    )
