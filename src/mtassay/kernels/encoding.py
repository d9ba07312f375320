"""From texts to token ids: the specification of native/encode.cpp.

Ids count up from 0 in the order in which words first appear, so they depend on the texts only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.text import get_tokenizer, lowercase
from mtassay.text.chrf_words import ChrfWordTokenizer
from mtassay.text.tercom import split_at_ascii_space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Encoded = tuple[NDArray[np.int32], NDArray[np.int64]]

_CASES = ("mixed", "lower", "ascii")
#: Ways of splitting that belong to one metric; no tokenizers that users can ask for.
_INTERNAL: Mapping[str, Callable[[str], list[str]]] = {
    "chrf": ChrfWordTokenizer(),
    "ascii-space": split_at_ascii_space,
}


class Vocabulary:
    """The words seen so far, each with its id.

    >>> vocabulary = Vocabulary()
    >>> ids, offsets = encode(["a rose is", "a rose"], "none", 0, vocabulary)
    >>> ids.tolist(), offsets.tolist(), vocabulary.words()
    ([0, 1, 2, 0, 1], [0, 3, 5], ['a', 'rose', 'is'])
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words: list[str] = []

    def __len__(self) -> int:
        return len(self._words)

    def word(self, id: int) -> str:
        """Return the word that has this id."""
        if not 0 <= id < len(self._words):
            raise IndexError("no word has this id")
        return self._words[id]

    def words(self) -> list[str]:
        """Return all words in the order of their ids."""
        return list(self._words)

    def _intern(self, words: Iterable[str]) -> list[int]:
        found = []
        for word in words:
            id = self._ids.setdefault(word, len(self._words))
            if id == len(self._words):
                self._words.append(word)
            found.append(id)
        return found


def encode(texts: Sequence[str], tokenizer: str, case: int, vocabulary: Vocabulary) -> Encoded:
    """Return the ids of all tokens end to end (int32), and where each text begins (int64, one more than texts).

    Args:
        texts: the lines.
        tokenizer: a tokenizer's name, ``chrf`` for the words of chrF++, or ``ascii-space`` for those of tercom.
        case: 0 keeps case, 1 lower-cases, 2 lower-cases A-Z only.
        vocabulary: gives the ids, and takes up new words.
    """
    lines = _prepared(texts, case)
    split = _INTERNAL.get(tokenizer) or get_tokenizer(tokenizer)
    return _end_to_end(vocabulary._intern(split(line)) for line in lines)


def codepoints(texts: Sequence[str], case: int, keep_whitespace: bool) -> Encoded:
    """Return the code points of all texts end to end (int32), and where each text begins (int64, one more than texts).

    White space is left out unless `keep_whitespace`.

    >>> codepoints(["a b", "c"], 0, False)[0].tolist()
    [97, 98, 99]
    """
    lines = _prepared(texts, case)
    kept = lines if keep_whitespace else ["".join(line.split()) for line in lines]
    return _end_to_end([ord(character) for character in line] for line in kept)


def _prepared(texts: Sequence[str], case: int) -> list[str]:
    if not 0 <= case < len(_CASES):
        raise ValueError("case must be 0, 1 or 2")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("every text must be a str")
    return [lowercase(text, _CASES[case]) for text in texts]


def _end_to_end(rows: Iterable[list[int]]) -> Encoded:
    ids: list[int] = []
    offsets = [0]
    for row in rows:
        ids += row
        offsets.append(len(ids))
    return np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64)
