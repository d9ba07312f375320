"""METEOR's data of one language."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mtassay.errors import SpecError, unknown_name
from mtassay.metrics.meteor.languages import LANGUAGES, TABLE, Profile, canonical
from mtassay.metrics.meteor.paraphrases import ParaphraseTable
from mtassay.metrics.meteor.resources import VARIABLE, WITHOUT, MeteorData, find_resources
from mtassay.metrics.meteor.stems import snowball, stem_table
from mtassay.metrics.meteor.synonyms import Synonyms

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

STAGES = ("exact", "stem", "synonym", "paraphrase")


class Language:
    """Data of one language for the stages of METEOR; made by ``load_language``.

    Attributes:
        code: METEOR's short name.
        function_words: words that δ weights differently from content words.
        paraphrases: the table of phrases, if that stage was requested.
    """

    def __init__(
        self,
        code: str,
        *,
        function_words: frozenset[str],
        stem: Callable[[list[str]], list[str]] | None,
        synonyms: Synonyms | None,
        paraphrases: ParaphraseTable | None,
    ) -> None:
        self.code = code
        self.function_words = function_words
        self.paraphrases = paraphrases
        self._stem = stem
        self._synonyms = synonyms

    def stem(self, words: list[str]) -> list[str]:
        """Return the stem of each word."""
        if self._stem is None:
            raise ValueError("loaded without the stage 'stem'")
        return self._stem(words)

    def synsets(self, words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the synsets of each word: where they begin, shape (n + 1,), and their numbers, ascending per word.

        Two words are synonyms if they differ and share a number.
        """
        if self._synonyms is None:
            raise ValueError("loaded without the stage 'synonym'")
        return self._synonyms.synsets(words)


def load_language(
    language: str, *, folder: str | os.PathLike[str] | None = None, stages: tuple[str, ...] = STAGES
) -> Language:
    """Load what the stages need.

    Args:
        language: METEOR's short name, or another that ``canonical`` knows.
        folder: METEOR's data; None for the folder in MTASSAY_METEOR, then the package pycocoevalcap; ``none`` for no
            data: then no word is a function word, and only the stages exact and stem work.
        stages: the stages that will be used.

    >>> load_language("it", stages=("exact",)).function_words
    frozenset()
    """
    code = canonical(language)
    profile = LANGUAGES[code]
    for stage in stages:
        if stage not in STAGES:
            raise SpecError(unknown_name("stage of METEOR", stage, STAGES))
    if "stem" in stages and profile.stemmer is None:
        raise SpecError(f"METEOR has no stemmer for '{code}': leave out the stage 'stem'")
    resources = _resources(code, folder, stages)
    stem = None
    if "stem" in stages and profile.stemmer is not None and profile.stemmer != TABLE:
        stem = snowball(profile.stemmer)
    if resources is None:
        return Language(code, function_words=frozenset(), stem=stem, synonyms=None, paraphrases=None)
    if "stem" in stages and profile.stemmer == TABLE:
        stem = stem_table(resources, profile.name)
    synonyms = paraphrases = None
    if "synonym" in stages:
        files = (f"synonym/{profile.name}.{kind}" for kind in ("synsets", "exceptions"))
        synonyms = Synonyms(*map(resources.lines, files))
    if "paraphrase" in stages:
        paraphrases = ParaphraseTable.load(resources.paraphrases(code))
    function_words = _function_words(profile, resources)
    return Language(code, function_words=function_words, stem=stem, synonyms=synonyms, paraphrases=paraphrases)


def _resources(code: str, folder: str | os.PathLike[str] | None, stages: tuple[str, ...]) -> MeteorData | None:
    """The data if they are needed or a folder is given; None if none are needed, or if `folder` excludes them."""
    profile = LANGUAGES[code]
    in_need = [stage for stage in stages if profile.needs_data(stage)]
    if folder == WITHOUT:
        if in_need:
            raise SpecError(f"METEOR's stage '{in_need[0]}' for '{code}' needs data, but data={WITHOUT} excludes them")
        return None
    if not in_need and not profile.has_function_words and not folder and not os.environ.get(VARIABLE):
        return None
    return find_resources(folder, wanted_by=f"METEOR for '{code}'")


def _function_words(profile: Profile, resources: MeteorData) -> frozenset[str]:
    name = f"function/{profile.name}.words"
    if not profile.has_function_words and not resources.has(name):
        return frozenset()
    return frozenset(resources.lines(name))
