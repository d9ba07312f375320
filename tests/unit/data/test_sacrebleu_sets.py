"""Test sets of the package sacrebleu: read from its cache, downloaded from a local server."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from sacrebleu.dataset import DATASETS

import mtassay
from mtassay.data.sacrebleu_sets import download, load_set, package
from mtassay.errors import InputError, MissingExtraError


def load(name: str = "wmt23", **options: object) -> mtassay.TestSet:
    return mtassay.load(name, lp="en-de", source="sacrebleu", **options)  # type: ignore[arg-type]


def test_load(sacrebleu_cache: SimpleNamespace) -> None:
    testset = load()
    assert testset.n_segments == 5
    assert testset.reference_names == ("ref:refA",)
    assert testset.references[0][0] == "der Satz d1 0 ist lang genug"
    assert testset.sources is not None
    assert testset.sources[4] == "sentence d2 2"
    assert testset.documents == ("d1", "d1", "d2", "d2", "d2")
    assert testset.domains == ("news", "news", "social", "social", "social")
    assert list(testset.systems) == ["good", "bad"]
    assert (testset.name, testset.language_pair) == ("wmt23", "en-de")
    # What is in the cache needs no network.
    sacrebleu_cache.close()
    assert load() == testset
    assert mtassay.score(testset, metrics=["bleu"])["good", "bleu"] > 40


@pytest.mark.usefixtures("sacrebleu_cache")
def test_references() -> None:
    assert load(references="all").reference_names == ("ref:refA", "ref:refB")
    assert load(references="ref:refB").references[0][0] == "ein der Satz d1 0 ist lang genug"
    with pytest.raises(InputError, match="no reference named 'ref:C'"):
        load(references=["ref:C"])


@pytest.mark.usefixtures("sacrebleu_cache")
def test_part_of_the_segments() -> None:
    assert load(origlang="de").documents == ("d2", "d2", "d2")
    assert load(origlang="non-de").documents == ("d1", "d1")
    assert load(subset="^so").domains == ("social",) * 3
    with pytest.raises(InputError, match="wmt23 has no segments with origlang fr"):
        load(origlang="fr")
    with pytest.raises(InputError, match="wmt23 has no segments with origlang en and subset social"):
        load(origlang="en", subset="social")


@pytest.mark.usefixtures("sacrebleu_cache")
def test_several_sets() -> None:
    both = load("wmt23,wmt23")
    assert both.n_segments == 10
    assert both.name == "wmt23,wmt23"
    assert both.documents is not None
    assert both.documents[0] == "wmt23:d1"
    assert list(both.systems) == ["good", "bad"]
    assert load("wmt23,wmt23", origlang="en").n_segments == 4


def test_sets_whose_references_differ(sacrebleu_cache: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sacrebleu_cache.folder / "wmt17"
    folder.mkdir(parents=True)
    for field in ("src", "ref", "docid", "genre", "origlang"):
        (folder / f"wmt17.en-de.{field}").write_text(f"{field} one\n{field} two\n")
    both = load("wmt17,wmt23")
    assert both.reference_names == ("ref:1",)
    assert both.references[0][1:3] == ("ref two", "der Satz d1 0 ist lang genug")
    assert not both.systems
    monkeypatch.setitem(DATASETS["wmt23"].kwargs, "refs", ["refA", "refB"])
    with pytest.raises(InputError, match="wmt17 1 reference, wmt23 2 references"):
        load("wmt17,wmt23")


@pytest.mark.usefixtures("sacrebleu_cache")
def test_errors() -> None:
    with pytest.raises(InputError, match=r"no test set named 'wmt2'; did you mean .* \(mtassay score --list\)"):
        load("wmt2")
    with pytest.raises(InputError, match="wmt23: no language pair named 'en-xx'"):
        load_set("wmt23", "en-xx")
    with pytest.raises(InputError, match=r"wmt23 needs a language pair: -l \(lp=\) en-de"):
        mtassay.load("wmt23", source="sacrebleu")
    with pytest.raises(InputError, match="source must be 'sacrebleu'"):
        mtassay.load("wmt23", source="other")
    with pytest.raises(InputError, match="source must be 'sacrebleu'"):
        mtassay.load("wmt23", origlang="de")


def test_offline(sacrebleu_cache: SimpleNamespace) -> None:
    message = (
        r"wmt17 en-de is not in .*cache and cannot be downloaded \(.*\): run mtassay score --download wmt17 -l en-de"
    )
    with pytest.raises(InputError, match=message):
        load("wmt17")
    sacrebleu_cache.close()
    with pytest.raises(InputError, match="run mtassay score --download wmt23 "):
        download("wmt23")


@pytest.mark.usefixtures("sacrebleu_cache")
def test_damaged_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DATASETS["wmt23"], "md5", ["0"])
    with pytest.raises(InputError, match=r"the download of wmt23 en-de is damaged or has changed: remove .*wmt23"):
        load()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.dataset", None)
    with pytest.raises(MissingExtraError, match=r"mtassay\[testsets\]"):
        package("dataset")
