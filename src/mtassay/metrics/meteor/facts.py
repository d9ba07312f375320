"""Facts about words for METEOR's stages, looked up once per word of a vocabulary."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels.meteor import NO_PHRASES, PhraseTable, WordFacts

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.metrics.meteor import Language

_NO_WORDS = WordFacts(
    np.zeros(0, np.int32),
    np.zeros(0, np.uint8),
    np.zeros(0, np.int32),
    np.zeros(1, np.int64),
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
)


def is_text(word: str) -> bool:
    """Whether a word can be encoded as UTF-8: stemmers do not accept half of a surrogate pair."""
    return word.isprintable() or word.encode("utf-8", "ignore").decode() == word


class Facts:
    """Facts of the words of a growing vocabulary; several threads may ask at once.

    Args:
        language: the language, loaded for `stages`.
        function_words: lower-cased words to mark as function words.
        word: gives the word behind an id.
        stages: the stages in use; the others get facts that match nothing.
        characters: whether a word counts by its characters instead of 1.
    """

    def __init__(
        self,
        language: Language,
        function_words: frozenset[str],
        word: Callable[[int], str],
        *,
        stages: tuple[str, ...],
        characters: bool,
    ) -> None:
        self._language = language
        self._function_words = function_words
        self._word = word
        self._stages = stages
        self._characters = characters
        self._stems: dict[str, int] = {}
        self._facts = _NO_WORDS
        self._lock = Lock()
        table = language.paraphrases if "paraphrase" in stages else None
        self._table = table
        #: The paraphrases, for the kernel.
        self.phrases = (
            NO_PHRASES if table is None else PhraseTable(*(getattr(table, name) for name in PhraseTable._fields))
        )

    def of_first(self, n_words: int) -> WordFacts:
        """Facts of at least the first `n_words` words."""
        with self._lock:
            known = len(self._facts.sizes)
            if known < n_words:
                words = [self._word(id) for id in range(known, n_words)]
                self._facts = self._extended(self._look_up(words))
            return self._facts

    def _extended(self, new: WordFacts) -> WordFacts:
        old = self._facts
        return WordFacts(
            np.concatenate([old.sizes, new.sizes]),
            np.concatenate([old.function, new.function]),
            np.concatenate([old.stems, new.stems]),
            np.concatenate([old.synset_offsets, new.synset_offsets[1:] + old.synset_offsets[-1]]),
            np.concatenate([old.synsets, new.synsets]),
            np.concatenate([old.phrase_words, new.phrase_words]),
        )

    def _look_up(self, words: list[str]) -> WordFacts:
        language = self._language
        nothing = np.full(len(words), -1, np.int32)
        sizes = np.ones(len(words), np.int32)
        if self._characters:
            # Parity: METEOR counts Java's characters: one outside the basic plane counts as two.
            sizes = np.array([len(word.encode("utf-16-le", "surrogatepass")) // 2 for word in words], np.int32)
        stems = nothing
        if "stem" in self._stages:
            found = language.stem([word if is_text(word) else "" for word in words])
            pairs = zip(words, found, strict=True)
            numbers = [self._stems.setdefault(stem or word, len(self._stems)) for word, stem in pairs]
            stems = np.array(numbers, np.int32)
        synsets = np.zeros(len(words) + 1, np.int64), np.zeros(0, np.int32)
        if "synonym" in self._stages:
            synsets = language.synsets(words)
        return WordFacts(
            sizes,
            np.array([word.lower() in self._function_words for word in words], np.uint8),
            stems,
            *synsets,
            nothing if self._table is None else self._table.word_ids(words),
        )
