"""HanTa and simplemma: what they give is what the packages themselves give."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mtassay.data.annotations import FULL, LEMMAS, UPOS, XPOS
from mtassay.data.tag_sets import get_tag_set
from mtassay.errors import InputError, MissingExtraError
from mtassay.text import annotate as registry
from mtassay.text import get_tokenizer
from mtassay.text.annotate import annotate, get_annotator

INSTALL = "pip install 'mtassay[annotate]'"
TEXTS = {
    "en": ["The dogs weren't barking at U.S. voters, were they?", "He leaves; she left.", "Zorblaxing 3.5 % of $ 7"],
    "de": ["Die Hunde bellten nicht, weil sie müde waren.", "Er ging nach Hause.", "Xyzzisierung kostet 3,5 %."],
    "nl": ["De honden blaften niet.", "Hij ging naar huis, want het regende.", "Xyzzificatie!"],
}
MODELS = {"en": ("en", "c5"), "de": ("ger", "hanta-de"), "nl": ("dutch", "cgn")}


@pytest.mark.parametrize("language", ["en", "de", pytest.param("nl", marks=pytest.mark.slow)])
def test_hanta_as_it_is(language: str) -> None:
    hanta = pytest.importorskip("HanTa.HanoverTagger", reason=INSTALL)
    model, name = MODELS[language]
    tagger, tag_set = hanta.HanoverTagger(f"morphmodel_{model}.pgz"), get_tag_set(name)
    annotator = get_annotator(f"hanta:{language}")
    assert annotator.provides == {LEMMAS, UPOS, XPOS}
    for text, found in zip(TEXTS[language] * 2, annotator.annotate(TEXTS[language] * 2), strict=True):
        expected = tagger.tag_sent(get_tokenizer(f"moses-{language}")(text))
        assert found.words == tuple(word for word, _, _ in expected)
        assert found.lemmas == tuple(lemma for _, lemma, _ in expected)
        assert found.upos == tuple(tag_set.universal(tag, word) for word, _, tag in expected)
        assert found.xpos == tuple(tag_set.standard(tag, word) for word, _, tag in expected)
        assert found.state == FULL


def test_hanta_gives_standard_tags() -> None:
    pytest.importorskip("HanTa", reason=INSTALL)
    [english] = get_annotator("hanta").annotate(["He sees the dogs."])
    assert english.xpos == ("PRP", "VBZ", "DT", "NNS", ".")
    assert english.upos == ("PRON", "VERB", "DET", "NOUN", "PUNCT")
    assert english.lemmas == ("he", "see", "the", "dog", ".")
    [german] = get_annotator("hanta:de").annotate(["Er sieht die alten Hunde."])
    assert german.xpos == ("PPER", "VVFIN", "ART", "ADJA", "NN", "$.")
    assert german.lemmas is not None
    assert german.lemmas[1:5] == ("sehen", "der", "alt", "Hund")


def test_hanta_takes_any_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("HanTa", reason=INSTALL)
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path))
    longest = "ab" * 50_000
    found = annotate(["", "\u200b", f"a {longest} b", "日本 \ud800 İ"], "hanta")
    assert [one.state for one in found] == [FULL] * 4
    assert found[2].words == ("a", longest, "b")
    assert found[2].lemmas is not None
    assert found[2].lemmas[1] == longest


def test_hanta_reads_its_own_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """HanTa would load a model, a pickle, that lies in the working directory."""
    pytest.importorskip("HanTa", reason=INSTALL)
    tmp_path.joinpath("morphmodel_en.pgz").write_bytes(b"not a model")
    monkeypatch.chdir(tmp_path)
    registry._made.cache_clear()
    assert get_annotator("hanta:en").annotate(["dogs"])[0].lemmas == ("dog",)


def test_simplemma_as_it_is() -> None:
    simplemma = pytest.importorskip("simplemma", reason=INSTALL)
    annotator = get_annotator("simplemma:fr")
    assert annotator.provides == {LEMMAS}
    text = "Les chats mangeaient 3,5 souris grises."
    [found] = annotator.annotate([text])
    assert found.words == tuple(simplemma.simple_tokenizer(text))
    assert found.lemmas == tuple(simplemma.text_lemmatizer(text, lang="fr"))
    assert found.lemmas[1:3] == ("chat", "manger")
    assert get_annotator("simplemma").annotate(["Dogs"])[0].lemmas == ("dog",)


@pytest.mark.parametrize(("name", "languages"), [("hanta", "en, de, nl"), ("simplemma", "ar, ast")])
def test_an_unknown_language_is_refused(name: str, languages: str) -> None:
    pytest.importorskip("HanTa", reason=INSTALL)
    with pytest.raises(InputError, match=rf"{name} has no language 'xx' \(it has: {languages}"):
        get_annotator(f"{name}:xx")


@pytest.mark.parametrize("name", ["hanta", "simplemma"])
def test_what_installs_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry._made.cache_clear()
    for module in ("HanTa", "HanTa.HanoverTagger", "simplemma"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"the annotator {name} needs .*: pip install 'mtassay\[annotate\]'"):
        get_annotator(name)


def test_languages_of_texts() -> None:
    registry.check_language("hanta:de", "de")
    registry.check_language("simplemma:hbs", "hr")
    for spec in ("hanta", "simplemma", "hanta:nl"):
        with pytest.raises(InputError, match=rf"{spec} annotates .., but these texts are de"):
            registry.check_language(spec, "de")
