"""Tags and lemmas by HanTa, the Hanover Tagger (extra ``annotate``): English, German, Dutch.

Texts are split into words as Moses does. English tags are given as Penn tags and German ones as STTS tags, by the table
of ``mtassay.data.tag_sets``; HanTa itself has C5 tags for English, and a variant of STTS.

HanTa analyses every occurrence of a word. Here its own functions are called once per form and the results are cached,
which gives the same annotations.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from mtassay.data.annotations import LEMMAS, UPOS, XPOS, Annotations
from mtassay.data.tag_sets import get_tag_set
from mtassay.errors import InputError, did_you_mean
from mtassay.text import get_tokenizer
from mtassay.text.annotate.annotator import Argument
from mtassay.text.annotate.packages import cell, package

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _Model(NamedTuple):
    file: str
    tag_set: str


_MODELS: Mapping[str, _Model] = MappingProxyType(
    {
        "en": _Model("morphmodel_en.pgz", "c5"),
        "de": _Model("morphmodel_ger.pgz", "hanta-de"),
        "nl": _Model("morphmodel_dutch.pgz", "cgn"),
    }
)
#: Increase when the table of tags or other code here changes annotations.
_REVISION = 1
#: Number of forms whose analyses are cached.
_N_FORMS = 1 << 17
#: HanTa's time grows with the third power of a word's length, so longer words are truncated.
_LONGEST = 100


class Hanta:
    """HanTa with the model of a language.

    Args:
        language: ``en``, ``de`` or ``nl``.
    """

    name: ClassVar[str] = "hanta"
    argument: ClassVar[Argument] = Argument.LANGUAGE_CODE
    is_parallel: ClassVar[bool] = False
    is_kept: ClassVar[bool] = True
    provides: ClassVar[frozenset[str]] = frozenset({LEMMAS, UPOS, XPOS})

    def __init__(self, language: str = "en") -> None:
        if language not in _MODELS:
            known = ", ".join(_MODELS)
            raise InputError(
                f"hanta has no language '{language}'{did_you_mean(language, _MODELS)} (it has: {known}); "
                f"simplemma:{language} may have lemmas"
            )
        module = package("HanTa.HanoverTagger", wanted_by="hanta", extra="annotate")
        model = _MODELS[language]
        # The full path, because HanTa looks for the file in the working directory first.
        tagger: Any = module.HanoverTagger(str(Path(module.__file__).with_name(model.file)))
        tagger.analyze_forward = lru_cache(_N_FORMS)(tagger.analyze_forward)
        tagger.analyze_viterbi = lru_cache(_N_FORMS)(tagger.analyze_viterbi)
        self._tagger = tagger
        self._tokenizer = get_tokenizer(f"moses-{language}")
        self._tag_set = get_tag_set(model.tag_set)
        self.version = f"{metadata.version('HanTa')}+{_REVISION} {language} {self._tokenizer.signature}"

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Tags and lemmas of each text."""
        return [self._annotate(self._tokenizer(text)) for text in texts]

    def _annotate(self, words: list[str]) -> Annotations:
        if not words:
            return Annotations.missing(self.provides)
        tagged = self._tagger.tag_sent([word[:_LONGEST] for word in words])
        lemmas = [lemma if len(word) <= _LONGEST else word for word, (_, lemma, _) in zip(words, tagged, strict=True)]
        tags = [tag for _, _, tag in tagged]
        return Annotations(
            words=tuple(cell(word) for word in words),
            lemmas=tuple(cell(lemma) for lemma in lemmas),
            upos=tuple(self._tag_set.universal(tag, word) or "X" for tag, word in zip(tags, words, strict=True)),
            xpos=tuple(self._tag_set.standard(tag, word) or tag for tag, word in zip(tags, words, strict=True)),
            layers=self.provides,
        )
