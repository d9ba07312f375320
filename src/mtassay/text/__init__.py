"""Tokenizers, one per file, and lower-casing.

A line is prepared in this order: lower-case, strip white space at the end, tokenise.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, cast

from mtassay.errors import MissingExtraError, SpecError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CASES", "TOKENIZERS", "Tokenizer", "get_tokenizer", "lowercase", "tokenizer_signature"]

#: Letter cases: unchanged, lower-cased by Python's ``str.lower``, or only A–Z lower-cased (mteval's default).
CASES = ("mixed", "lower", "ascii")

TOKENIZERS: Mapping[str, str] = MappingProxyType(
    {
        "none": "mtassay.text.tokenizers.white_space:NoneTokenizer",
        "13a": "mtassay.text.tokenizers.mteval_13a:Mteval13aTokenizer",
        "intl": "mtassay.text.tokenizers.mteval_intl:InternationalTokenizer",
        "zh": "mtassay.text.tokenizers.chinese:ChineseTokenizer",
        "char": "mtassay.text.tokenizers.characters:CharacterTokenizer",
        "rouge": "mtassay.text.tokenizers.rouge:RougeTokenizer",
        "rouge-stem": "mtassay.text.tokenizers.rouge:RougeStemTokenizer",
        "ja-mecab": "mtassay.text.tokenizers.japanese:JapaneseTokenizer",
        "ko-mecab": "mtassay.text.tokenizers.korean:KoreanTokenizer",
        "moses": "mtassay.text.tokenizers.moses:MosesTokenizer",
        "spm": "mtassay.text.tokenizers.sentence_pieces:spm",
        "flores101": "mtassay.text.tokenizers.sentence_pieces:flores101",
        "flores200": "mtassay.text.tokenizers.sentence_pieces:flores200",
        "spBLEU-1K": "mtassay.text.tokenizers.sentence_pieces:spbleu_1k",
    }
)
"""Every tokenizer's name, and the class that implements it, imported on first use."""

#: Group of the entry points by which other packages offer tokenizers.
ENTRY_POINTS = "mtassay.tokenizers"
#: Tokenizers with parameters in their names: words of METEOR (internal), languages of Moses, SentencePiece models.
_FAMILIES = {
    "spm:": "mtassay.text.tokenizers.sentence_pieces:SentencePieceTokenizer",
    "meteor-": "mtassay.metrics.meteor.words:meteor_tokenizer",
    "moses-": "mtassay.text.tokenizers.moses:MosesTokenizer",
}
_EXTRAS = {
    "ja-mecab": "ja",
    "ko-mecab": "ko",
    "moses": "moses",
    "moses-": "moses",
    "rouge-stem": "rouge",
    **dict.fromkeys(("spm", "spm:", "flores101", "flores200", "spBLEU-1K"), "spm"),
}
#: Tokenizers of this package whose signature is their name.
_UNVERSIONED = frozenset({"none", "13a", "intl", "zh", "char"})
#: Target languages for which 13a is the wrong tokenizer, as in sacreBLEU.
TOKENIZER_OF = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_ASCII_TO_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def tokenizer_of(language: str) -> str:
    """Name of the tokenizer that suits a language; ``13a`` for all languages that need no other.

    >>> tokenizer_of("zh"), tokenizer_of("de")
    ('zh', '13a')
    """
    return TOKENIZER_OF.get(language, "13a")


class Tokenizer(Protocol):
    """Turns one line into its tokens."""

    @property
    def name(self) -> str:
        """The name in a specification, as in ``tok=13a``."""
        ...

    @property
    def signature(self) -> str:
        """The name in a signature, with a version if results depend on it."""
        ...

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        ...


@cache
def get_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called `name`.

    >>> get_tokenizer("13a")("It cost $1,000, he said.")
    ['It', 'cost', '$', '1,000', ',', 'he', 'said', '.']
    """
    family = next((prefix for prefix in _FAMILIES if name.startswith(prefix)), None)
    if family is None and name not in TOKENIZERS:
        return _third_party(name)
    module, _, attribute = (TOKENIZERS[name] if family is None else _FAMILIES[family]).partition(":")
    extra = _EXTRAS.get(family or name)
    try:
        factory = getattr(import_module(module), attribute)
        return cast("Tokenizer", factory() if family is None else factory(name))
    except ImportError as error:
        if extra is None:
            raise
        raise MissingExtraError(f"the tokenizer '{name}'", extra) from error


def tokenizer_signature(name: str) -> str:
    """The signature of the tokenizer called `name`; an error if it is unknown or its package is not installed.

    The usual tokenizers are not loaded for this, since they are compiled in.
    """
    return name if name in _UNVERSIONED else get_tokenizer(name).signature


def _third_party(name: str) -> Tokenizer:
    """The tokenizer that another package offers by an entry point: a class, or a function that makes one."""
    from importlib.metadata import entry_points  # slow to import

    points = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in points:
        raise SpecError(unknown_name("tokenizer", name, [*TOKENIZERS, *sorted(points)]))
    try:
        found = points[name].load()()
    except (ImportError, AttributeError) as error:
        raise SpecError(f"the tokenizer '{name}' ({points[name].value}) cannot be loaded: {error}") from error
    if not callable(found) or not isinstance(getattr(found, "signature", None), str):
        raise SpecError(
            f"{points[name].value} is registered as a tokenizer, but has no 'signature' or cannot be called with a line"
        )
    return cast("Tokenizer", found)


def lowercase(text: str, case: str) -> str:
    """Return `text` in the letter case `case`: ``mixed`` (unchanged), ``lower``, or ``ascii`` (A-Z only).

    >>> lowercase("Élan VITAL", "lower"), lowercase("Élan VITAL", "ascii")
    ('élan vital', 'Élan vital')
    """
    if case == "mixed":
        return text
    if case == "lower" or text.isascii():
        return text.lower()
    return text.translate(_ASCII_TO_LOWER)  # Parity: mteval lower-cases A-Z only.
