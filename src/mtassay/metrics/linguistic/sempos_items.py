"""The items that SEMPOS compares: content words of an English text, each with a base form and a semantic class.

The authors take both from deep syntactic analyses (TectoMT). Here classes are derived from Penn tags by the table
``sempos_classes.tsv`` with the columns tag, word (if the word has an exceptional class; ``0th`` stands for ordinals in
digits) and class; the class ``-`` marks words that are not items. Auxiliary verbs are not items either, nor are "more"
and "most" before an adjective or adverb.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING

from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.data.annotations import Annotations

CLASSES = (
    *("n.denot", "adj.denot", "v", "adv.denot.grad.neg", "n.pron.def.pers", "n.pron.indef", "adv.pron.indef"),
    *("n.quant.def", "adj.quant.def"),
)
#: The base form of all personal and possessive pronouns.
PERSONAL = "#PersPron"
_VERB, _PERSONAL, _ADVERB = (CLASSES.index(name) for name in ("v", "n.pron.def.pers", "adv.denot.grad.neg"))
_NO_ITEM = -1
_ORDINAL = re.compile(r"[0-9][0-9,.]*(?:st|nd|rd|th)")
#: Verbs that are auxiliaries before these forms of other verbs, ignoring adverbs in between.
_AUXILIARIES: Mapping[str, frozenset[str]] = {
    "be": frozenset({"VBN", "VBG", "VVN", "VVG", "VHN", "VHG", "VDN", "VDG"}),
    "have": frozenset({"VBN", "VBD", "VVN", "VVD", "VHN", "VHD", "VDN", "VDD"}),
    "do": frozenset({"VB", "VBP", "VV", "VVP", "VH", "VHP", "VD", "VDP"}),
}
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_DEGREES = frozenset({"more", "most"})
#: Number of words to cache.
_N_FORMS = 1 << 17

#: A base form and the number of its class.
Item = tuple[str, int]
#: Whether a word only serves another one; a function of the tags of the text and the position of the next word.
_Serves = Callable[[tuple[str, ...], int], bool]
_Entry = tuple[Item | None, _Serves | None]


def items_of(annotations: Annotations) -> list[Item]:
    """The items of a text with Penn tags and lemmas.

    >>> from mtassay.data.annotations import Annotations
    >>> words, lemmas = ("He", "has", "seen", "the", "dogs"), ("he", "have", "see", "the", "dog")
    >>> text = Annotations(words=words, lemmas=lemmas, xpos=("PRP", "VBZ", "VBN", "DT", "NNS"))
    >>> [(lemma, CLASSES[number]) for lemma, number in items_of(text)]
    [('#PersPron', 'n.pron.def.pers'), ('see', 'v'), ('dog', 'n.denot')]
    """
    tags = annotations.xpos or ()
    known = [_KNOWN[key] for key in zip(annotations.words, annotations.lemmas or (), tags, strict=True)]
    return [
        item
        for place, (item, serves) in enumerate(known, 1)
        if item is not None and (serves is None or not serves(tags, place))
    ]


def _is_auxiliary(forms: frozenset[str], tags: tuple[str, ...], following: int) -> bool:
    """Whether one of these forms of another verb follows; `following` is the position of the next word."""
    while following < len(tags) and tags[following] in _ADVERBS:
        following += 1
    return following < len(tags) and tags[following] in forms


def _is_degree(tags: tuple[str, ...], following: int) -> bool:
    """Whether an adjective or adverb is next."""
    return following < len(tags) and tags[following].startswith(("JJ", "RB"))


class _Known(dict[tuple[str, str, str], _Entry]):
    """By word, lemma and tag: the item, if any, and a function that decides whether it only serves another word."""

    def __missing__(self, key: tuple[str, str, str]) -> _Entry:
        word, lemma, tag = key
        form = word.lower()
        number = _classes().get((tag, "0th" if _ORDINAL.fullmatch(form) else form))
        if number is None:
            number = _classes().get((tag, ""))
        if number is None:
            raise InputError(
                f"sempos needs Penn tags, but {tag[:20]!r} (of {word[:40]!r}) is not one; sempos is for English: "
                "annotator=hanta:en, spacy:en_core_web_sm or stanza:en"
            )
        base = PERSONAL if number == _PERSONAL else lemma.lower()
        serves: _Serves | None = None
        if number == _VERB and base in _AUXILIARIES:
            serves = partial(_is_auxiliary, _AUXILIARIES[base])
        elif number == _ADVERB and form in _DEGREES:
            serves = _is_degree
        if len(self) >= _N_FORMS:
            self.clear()
        self[key] = entry = (None if number == _NO_ITEM else (base, number), serves)
        return entry


_KNOWN = _Known()


@cache
def _classes() -> dict[tuple[str, str], int]:
    """Numbers of classes by tag and word."""
    text = files("mtassay.metrics.linguistic").joinpath("sempos_classes.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return {(tag, word): _NO_ITEM if name == "-" else CLASSES.index(name) for tag, word, name in rows}
