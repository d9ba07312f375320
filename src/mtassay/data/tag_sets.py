"""Tag sets: the universal part of speech of each tag.

The table ``tag_sets.tsv`` has a line per tag: the tag set, the tag, a word if the line is only about this word (most
lines have none), the universal tag, and the tag of the standard set if a tagger has its own tags.
For the standard sets the universal tag is the one that words of that tag have most often in the treebanks of Universal
Dependencies (EWT, GSD, Alpino; development and test parts), except that forms of "be" do not make Penn's verbs AUX.

=============  ==============================================================================  ==============
name           tags                                                                            standard set
=============  ==============================================================================  ==============
``universal``  universal parts of speech
``penn``       Penn Treebank, OntoNotes and TreeTagger's variant (English)
``c5``         CLAWS C5, of the British National Corpus (HanTa's English)                      ``penn``
``stts``       Stuttgart-Tübingen (German)
``hanta-de``   HanTa's German                                                                  ``stts``
``cgn``        Corpus Gesproken Nederlands (Dutch), ``N(soort,ev)`` or ``N|soort|ev``
=============  ==============================================================================  ==============
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mtassay.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FEATURES = re.compile(r"[(,|]")
_N_MANY = 1 << 16


class _Meaning(NamedTuple):
    universal: str
    standard: str


class TagSet:
    """The tags of one set.

    >>> penn = get_tag_set("penn")
    >>> penn.universal("NNS"), penn.universal("RB", "Not"), penn.universal("NN1")
    ('NOUN', 'PART', None)
    >>> get_tag_set("c5").standard("PUN", ","), get_tag_set("cgn").universal("N(soort,ev,basis,zijd,stan)")
    (',', 'NOUN')
    """

    def __init__(self, name: str, meanings: Mapping[tuple[str, str], _Meaning]) -> None:
        self.name = name
        self._meanings = meanings
        self._meaning = lru_cache(_N_MANY)(self._find)

    def universal(self, tag: str, word: str = "") -> str | None:
        """The universal part of speech; None for a tag that is not in the set."""
        found = self._meaning(tag, word)
        return found and found.universal

    def standard(self, tag: str, word: str = "") -> str | None:
        """The tag of the standard set; None for a tag that is not in the set."""
        found = self._meaning(tag, word)
        return found and (found.standard or tag)

    def _find(self, tag: str, word: str) -> _Meaning | None:
        found = self._meanings.get((tag, word.lower())) or self._meanings.get((tag, ""))
        # For tags with features, use the longest prefix in the table.
        parts = [part for part in _FEATURES.split(tag.removesuffix(")")) if part]
        while found is None and parts:
            found = self._meanings.get(("|".join(parts), ""))
            parts.pop()
        return found


@cache
def tag_sets() -> Mapping[str, TagSet]:
    """All tag sets by name."""
    table: dict[str, dict[tuple[str, str], _Meaning]] = {}
    text = files("mtassay.data").joinpath("tag_sets.tsv").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        name, tag, word, universal, standard = line.split("\t")
        table.setdefault(name, {})[tag, word] = _Meaning(universal, standard)
    return MappingProxyType({name: TagSet(name, meanings) for name, meanings in table.items()})


def get_tag_set(name: str) -> TagSet:
    """Look up a tag set by name."""
    if name not in tag_sets():
        known = ", ".join(tag_sets())
        raise InputError(f"no tag set named '{name}'{did_you_mean(name, tag_sets())} (there are: {known})")
    return tag_sets()[name]


def tag_set_of(tags: Iterable[str]) -> TagSet | None:
    """The first set that has all of these tags; None if no set has them."""
    wanted = set(tags)
    return next((found for found in tag_sets().values() if all(map(found.universal, wanted))), None)
