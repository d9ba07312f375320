"""The table of tags against treebanks of Universal Dependencies and the tags of HanTa's models."""

from __future__ import annotations

import pytest

from mtassay.data.tag_sets import get_tag_set, tag_set_of, tag_sets
from mtassay.errors import InputError

#: The universal tag that each tag has most often, development and test parts of EWT, GSD and Alpino (tags that occur at
#: least five times). VBZ is left out: half of these words are "is", which is AUX there.
PENN = """
$ SYM '' PUNCT , PUNCT -LRB- PUNCT -RRB- PUNCT . PUNCT : PUNCT ADD PROPN AFX ADJ CC CCONJ CD NUM DT DET EX PRON FW X
GW X HYPH PUNCT IN ADP JJ ADJ JJR ADJ JJS ADJ LS NUM MD AUX NFP PUNCT NN NOUN NNP PROPN NNPS PROPN NNS NOUN PDT DET
POS PART PRP PRON PRP$ PRON RB ADV RBR ADV RBS ADV RP ADP SYM SYM TO PART UH INTJ VB VERB VBD VERB VBG VERB VBN VERB
VBP VERB WDT PRON WP PRON WRB ADV `` PUNCT
"""
STTS = """
$( PUNCT $, PUNCT $. PUNCT ADJA ADJ ADJD ADJ ADV ADV APPO ADP APPR ADP APZR ADP ART DET CARD NUM FM X ITJ INTJ KOKOM ADP
KON CCONJ KOUI ADP KOUS SCONJ NE PROPN NN NOUN PAV ADV PDAT DET PDS PRON PIAT DET PIS PRON PPER PRON PPOSAT DET
PRELS PRON PRF PRON PTKA ADV PTKANT PART PTKNEG PART PTKVZ ADP PTKZU PART PWAT DET PWAV ADV PWS PRON TRUNC NOUN
VAFIN AUX VAINF AUX VAPP AUX VMFIN AUX VMINF AUX VVFIN VERB VVIMP VERB VVINF VERB VVIZU VERB VVPP VERB XY X
"""
CGN = """
ADJ|nom ADJ ADJ|prenom ADJ ADJ|vrij ADJ BW ADV LET PUNCT LID|bep DET LID|onbep DET N|eigen PROPN N|soort NOUN
SPEC|afgebr X SPEC|afk X SPEC|deeleigen PROPN SPEC|enof X SPEC|symb SYM SPEC|vreemd X TSW INTJ TW|hoofd NUM TW|rang ADJ
VG|neven CCONJ VG|onder SCONJ VNW|aanw|adv-pron ADV VNW|aanw|det DET VNW|aanw|pron PRON VNW|betr|pron PRON
VNW|bez|det PRON VNW|onbep|det DET VNW|onbep|grad ADV VNW|onbep|pron PRON VNW|pers|pron PRON VNW|pr|pron PRON
VNW|recip|pron PRON VNW|refl|pron PRON VNW|vb|adv-pron ADV VNW|vb|det DET VNW|vb|pron PRON VZ|fin ADP VZ|init ADP
VZ|versm ADP WW|inf VERB WW|od VERB WW|pv VERB WW|vd VERB
"""


@pytest.mark.parametrize(("name", "table"), [("penn", PENN), ("stts", STTS), ("cgn", CGN)])
def test_universal_tags_are_those_of_treebanks(name: str, table: str) -> None:
    cells = table.split()
    expected = dict(zip(cells[::2], cells[1::2], strict=True))
    assert {tag: get_tag_set(name).universal(tag) for tag in expected} == expected


def test_words_may_decide() -> None:
    penn, c5 = get_tag_set("penn"), get_tag_set("c5")
    assert [penn.universal("RB", word) for word in ("Not", "n't", "often")] == ["PART", "PART", "ADV"]
    assert [c5.standard("PUN", word) for word in (",", ".", "?", ";")] == [",", ".", ".", ":"]
    assert [c5.standard("DTQ", word) for word in ("which", "What", "whose")] == ["WDT", "WP", "WP$"]


def test_a_tag_may_have_features() -> None:
    cgn = get_tag_set("cgn")
    for tag in ("N(soort,ev,basis,zijd,stan)", "N|soort|ev|basis|zijd|stan"):
        assert (cgn.universal(tag), cgn.standard(tag)) == ("NOUN", tag)
    assert cgn.universal("BW()") == "ADV"
    assert cgn.universal("N(other)") is None


def test_standard_tags_are_in_the_standard_set() -> None:
    for name, standard in (("c5", "penn"), ("hanta-de", "stts")):
        own = tag_sets()[name]
        found = {own.standard(tag, word) for tag, word in own._meanings}
        assert all(tag_sets()[standard].universal(tag or "") for tag in found)


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "c5"), ("ger", "hanta-de"), pytest.param("dutch", "cgn", marks=pytest.mark.slow)],
    ids=["en", "de", "nl"],
)
def test_every_tag_of_hanta_is_known(language: str, name: str) -> None:
    hanta = pytest.importorskip("HanTa.HanoverTagger", reason="pip install 'mtassay[annotate]'")
    tagger = hanta.HanoverTagger(f"morphmodel_{language}.pgz")
    tags = {tagger.int2tag[tag] for tag in tagger.LP_wtag} | {"UNKNOWN"}
    assert len(tags) > 50
    assert [tag for tag in tags if get_tag_set(name).universal(tag) is None] == []


def test_the_set_of_tags() -> None:
    found = [tag_set_of(tags) for tags in (["X", "X"], ["NN", "PRP$"], ["NN1", "PRP"], ["VVFIN"], ["N(soort)"], ["?!"])]
    assert [one and one.name for one in found] == ["universal", "penn", "c5", "stts", "cgn", None]


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(InputError, match=r"no tag set named 'pen'; did you mean 'penn'\? \(there are: universal, penn"):
        get_tag_set("pen")
