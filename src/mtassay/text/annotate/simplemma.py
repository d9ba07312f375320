"""Lemmas by simplemma (extra ``annotate``), which has dictionaries of about fifty languages.

Texts are split into words by simplemma's own tokenizer. A word that its dictionary and rules do not know is its own
lemma.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.annotations import LEMMAS, Annotations
from mtassay.errors import InputError, did_you_mean
from mtassay.text.annotate.annotator import Argument
from mtassay.text.annotate.packages import cell, package

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Number of forms whose lemmas are cached.
_N_FORMS = 1 << 17


class Simplemma:
    """simplemma with the dictionary of a language.

    Args:
        language: its code, such as ``en``.
    """

    name: ClassVar[str] = "simplemma"
    argument: ClassVar[Argument] = Argument.LANGUAGE
    is_parallel: ClassVar[bool] = False
    is_kept: ClassVar[bool] = True
    provides: ClassVar[frozenset[str]] = frozenset({LEMMAS})

    def __init__(self, language: str = "en") -> None:
        simplemma = package("simplemma", wanted_by=self.name, extra="annotate")
        factory = package("simplemma.strategies.dictionaries.dictionary_factory", wanted_by=self.name, extra="annotate")
        languages = sorted(factory.SUPPORTED_LANGUAGES)
        if language not in languages:
            raise InputError(
                f"simplemma has no language '{language}'{did_you_mean(language, languages)} "
                f"(it has: {', '.join(languages)})"
            )
        self._split = simplemma.simple_tokenizer
        self._lemma = lru_cache(_N_FORMS)(lambda word: simplemma.lemmatize(word, lang=language))
        self.version = f"{metadata.version('simplemma')} {language}"

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Lemmas of each text."""
        return [self._annotate(self._split(text)) for text in texts]

    def _annotate(self, words: list[str]) -> Annotations:
        if not words:
            return Annotations.missing(self.provides)
        lemmas = tuple(cell(self._lemma(word)) for word in words)
        return Annotations(words=tuple(map(cell, words)), lemmas=lemmas, layers=self.provides)
