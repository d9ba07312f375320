"""METEOR 1.5 and its language data: normalisation, function words, stems, synonyms and paraphrases.

The data are METEOR's own. They are read from the PyPI package ``pycocoevalcap`` (extra ``meteor``), which contains
METEOR's jar and the English paraphrase table, or from a folder that the user names; Java is not needed.
"""

from __future__ import annotations

from mtassay.metrics.meteor.language import Language, load_language
from mtassay.metrics.meteor.languages import LANGUAGES, canonical
from mtassay.metrics.meteor.normaliser import normalise
from mtassay.metrics.meteor.paraphrases import ParaphraseTable
from mtassay.metrics.meteor.words import tokenizer_name

__all__ = [
    "LANGUAGES",
    "Language",
    "ParaphraseTable",
    "canonical",
    "load_language",
    "normalise",
    "tokenizer_name",
]
