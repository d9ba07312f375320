"""What SEMPOS compares: the content words of an English text, each a base form and a semantic class.

The authors take both from deep syntactic analyses (TectoMT). Here they follow from Penn tags, by the table
``sempos_classes.tsv``: tag, word for which it has another class than otherwise (``0th`` are ordinals in digits), class;
``-`` marks words that are no items. Besides these, auxiliary verbs are no items, and "more" and "most" before an
adjective or adverb.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
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
#: Verbs that are auxiliaries before such forms of other verbs, adverbs in between left out.
_AUXILIARIES: Mapping[str, frozenset[str]] = {
    "be": frozenset({"VBN", "VBG", "VVN", "VVG", "VHN", "VHG", "VDN", "VDG"}),
    "have": frozenset({"VBN", "VBD", "VVN", "VVD", "VHN", "VHD", "VDN", "VDD"}),
    "do": frozenset({"VB", "VBP", "VV", "VVP", "VH", "VHP", "VD", "VDP"}),
}
_ADVERBS = ("RB", "RBR", "RBS")
_DEGREES = frozenset({"more", "most"})
_MAY_SERVE = frozenset({_VERB, _ADVERB})
_N_FORMS = 1 << 17

#: A base form and the number of its class.
Item = tuple[str, int]


def items_of(annotations: Annotations) -> list[Item]:
    """The items of a text with Penn tags and lemmas.

    >>> from mtassay.data.annotations import Annotations
    >>> words, lemmas = ("He", "has", "seen", "the", "dogs"), ("he", "have", "see", "the", "dog")
    >>> text = Annotations(words=words, lemmas=lemmas, xpos=("PRP", "VBZ", "VBN", "DT", "NNS"))
    >>> [(lemma, CLASSES[number]) for lemma, number in items_of(text)]
    [('#PersPron', 'n.pron.def.pers'), ('see', 'v'), ('dog', 'n.denot')]
    """
    tags = annotations.xpos or ()
    items = []
    for place, (word, lemma, tag) in enumerate(zip(annotations.words, annotations.lemmas or (), tags, strict=True), 1):
        item = _item(word, lemma, tag)
        if item is not None and not (item[1] in _MAY_SERVE and _serves_another(word, item, tags[place:])):
            items.append(item)
    return items


def _serves_another(word: str, item: Item, following: tuple[str, ...]) -> bool:
    """Whether an item is an auxiliary, or the degree of an adjective or adverb, judged by the tags that follow."""
    lemma, number = item
    if number == _ADVERB:
        return word.lower() in _DEGREES and following[:1] != () and following[0].startswith(("JJ", "RB"))
    if lemma not in _AUXILIARIES:
        return False
    after = next((tag for tag in following if tag not in _ADVERBS), "")
    return after in _AUXILIARIES[lemma]


@lru_cache(_N_FORMS)
def _item(word: str, lemma: str, tag: str) -> Item | None:
    """The item of a word on its own."""
    form = word.lower()
    number = _classes().get((tag, "0th" if _ORDINAL.fullmatch(form) else form))
    if number is None:
        number = _classes().get((tag, ""))
    if number is None:
        raise InputError(
            f"sempos needs Penn tags, and {tag[:20]!r} (of {word[:40]!r}) is none; it is for English: "
            "annotator=hanta:en, spacy:en_core_web_sm or stanza:en"
        )
    if number == _NO_ITEM:
        return None
    return (PERSONAL if number == _PERSONAL else lemma.lower()), number


@cache
def _classes() -> dict[tuple[str, str], int]:
    """Numbers of classes by tag and word."""
    text = files("mtassay.metrics.linguistic").joinpath("sempos_classes.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return {(tag, word): _NO_ITEM if name == "-" else CLASSES.index(name) for tag, word, name in rows}
