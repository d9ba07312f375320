"""Encoding of texts as token ids: the specification of native/encode.cpp.

Ids count up from 0 in the order in which words first appear, so they depend only on the texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.kernels import Tokens, kernel
from mtassay.text import CASES, get_tokenizer, lowercase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@kernel
class Vocabulary:
    """The words seen so far, each with its id."""

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


@kernel
def encode_texts(texts: Sequence[str], tokenizer: str, *, case: str, vocabulary: Vocabulary) -> Tokens:
    """Return the concatenated ids of all tokens (int32), and the start of each text (int64, shape (texts + 1,)).

    Args:
        texts: the lines.
        tokenizer: a tokenizer's name, ``chrf`` for the words of chrF++, or ``ascii-space`` for those of tercom.
        case: one of ``mtassay.text.CASES``.
        vocabulary: gives the ids; new words are added.

    >>> vocabulary = Vocabulary()
    >>> ids, offsets = encode_texts(["a rose is", "a rose"], "none", case="mixed", vocabulary=vocabulary)
    >>> ids.tolist(), offsets.tolist(), vocabulary.words()
    ([0, 1, 2, 0, 1], [0, 3, 5], ['a', 'rose', 'is'])
    """
    lines = _prepared(texts, case)
    split = _internal(tokenizer) or get_tokenizer(tokenizer)
    return Tokens.of(vocabulary._intern(split(line)) for line in lines)


def _internal(tokenizer: str) -> Callable[[str], list[str]] | None:
    """Tokenizers that belong to one metric, which users cannot choose."""
    if tokenizer == "chrf":
        from mtassay.text.tokenizers.chrf_words import ChrfWordTokenizer

        return ChrfWordTokenizer()
    if tokenizer == "ascii-space":
        from mtassay.text.tokenizers.tercom import split_at_ascii_space

        return split_at_ascii_space
    return None


@kernel
def codepoints(texts: Sequence[str], *, case: str, keep_whitespace: bool) -> Tokens:
    """Return the concatenated code points of all texts (int32), and the start of each text (int64, shape (texts + 1,)).

    White space is left out unless `keep_whitespace`.

    >>> codepoints(["a b", "c"], case="mixed", keep_whitespace=False)[0].tolist()
    [97, 98, 99]
    """
    lines = _prepared(texts, case)
    kept = lines if keep_whitespace else ["".join(line.split()) for line in lines]
    return Tokens.of([ord(character) for character in line] for line in kept)


def _prepared(texts: Sequence[str], case: str) -> list[str]:
    if case not in CASES:
        raise ValueError(f"unknown letter case '{case}'")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("every text must be a str")
    return [lowercase(text, case) for text in texts]
