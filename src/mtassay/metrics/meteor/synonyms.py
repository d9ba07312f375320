"""METEOR's synonyms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# WordNet's rules of detachment for nouns, verbs and adjectives: the first that gives a known word counts.
_ENDINGS = (
    *(
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    *(("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


class Synonyms:
    """WordNet synsets of a word as METEOR finds them: by its form and by its base forms.

    Base forms come from the list of exceptions, or else from the first rule of detachment that applies.

    Args:
        synsets: lines in pairs, a word and the numbers of its synsets.
        exceptions: lines in pairs, a base form and its irregular forms.

    >>> synonyms = Synonyms(["dog", "11 12", "hound", "11"], ["dog", "dogen"])
    >>> [part.tolist() for part in synonyms.synsets(["dogs", "hound", "dogen", "cat"])]
    [[0, 2, 3, 5, 5], [11, 12, 11, 11, 12]]
    """

    def __init__(self, synsets: Sequence[str], exceptions: Sequence[str]) -> None:
        self._numbers = dict(zip(synsets[::2], synsets[1::2], strict=False))
        self._bases: dict[str, list[str]] = {}
        for base, forms in zip(exceptions[::2], exceptions[1::2], strict=False):
            for form in forms.split():
                self._bases.setdefault(form, []).append(base)

    def synsets(self, words: Iterable[str]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return where each word's synsets begin, shape (n + 1,), and their numbers, ascending for each word."""
        found: list[int] = []
        offsets = [0]
        for word in words:
            found += sorted(self._synsets(word))
            offsets.append(len(found))
        return np.array(offsets, dtype=np.int64), np.array(found, dtype=np.int32)

    def _synsets(self, word: str) -> set[int]:
        forms = {word, *(self._bases.get(word) or [self._base(word)])}
        return {int(number) for form in forms for number in self._numbers.get(form, "").split()}

    def _base(self, word: str) -> str:
        if word.endswith("ss") or len(word) <= 2:
            return word
        for ending, replacement in _ENDINGS:
            if word.endswith(ending):
                base = word[: len(word) - len(ending)] + replacement
                if base in self._numbers:
                    return base
        return word
