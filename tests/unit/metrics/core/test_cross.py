"""``cross:METRIC``: every system against the outputs of all others."""

from __future__ import annotations

import numpy as np
import pytest

import mtassay
from mtassay.errors import InputError, SpecError
from mtassay.execution import Execution
from mtassay.metrics import References, build_tables, parse

SYSTEMS = {
    "a": ("the cat sat on the mat .", "a dog barked", "", "yes , yes"),
    "b": ("the cat sat on a mat .", "the dog barked loudly", "it rained", "yes"),
    "c": ("a cat is on the mat .", "a dog barked", "it rains", "no"),
}
REFERENCES = [["unrelated", "text", "is not", "read"]]
SPECS = ("bleu", "bleu:tok=none,case=lower", "chrf++", "ter", "nist", "0.5*bleu+0.5*chrf")


@pytest.mark.parametrize("spec", SPECS)
def test_scores_are_those_against_all_other_systems(spec: str) -> None:
    metric = parse("cross", metric=spec)
    (table,) = build_tables(References(REFERENCES), SYSTEMS, [metric], execution=Execution(2))
    plain = parse(spec)
    for row, (name, texts) in enumerate(SYSTEMS.items()):
        others = [lines for other, lines in SYSTEMS.items() if other != name]
        assert table.scores()[row] == plain.corpus_score(texts, others)
        np.testing.assert_array_equal(table.segment_scores()[row], plain.segment_scores(texts, others))
    assert metric.higher_is_better == plain.higher_is_better
    assert metric.columns == plain.columns
    assert parse(str(metric)) == metric


def test_specification_and_signature() -> None:
    metric = parse('cross:"bleu:lowercase=yes,tokenize=intl"')
    assert str(metric) == 'cross:"bleu:tok=intl,case=lower"'
    assert parse("cross:bleu:tok=intl").label == "cross-BLEU"
    assert str(metric.signature(REFERENCES)).startswith("nrefs:0|pseudo_refs:other-systems|case:lc|")
    assert metric.verbose(np.ones(len(metric.columns))) == parse("bleu:tok=intl,case=lower").verbose(
        np.ones(len(metric.columns))
    )
    by_connective = parse('cross:"act:lang=de"')
    totals = np.ones(len(by_connective.columns))
    assert by_connective.breakdown(totals) == parse("act:lang=de").breakdown(totals) != {}


def test_defaults_are_those_of_the_metric() -> None:
    """As for -l en-zh: the tokenizer of words, and METEOR's language."""
    assert parse("cross:bleu", language_pair="en-zh") == parse("cross:bleu:tok=zh")
    assert parse("cross:bleu:tok=char", language_pair="en-zh") == parse("cross:bleu:tok=char")
    assert parse("cross:meteor", language_pair="en-de") == parse("cross:meteor:lang=de")


def test_what_cannot_be_done() -> None:
    with pytest.raises(SpecError, match="cross needs a metric: cross:bleu"):
        parse("cross")
    with pytest.raises(SpecError, match="cannot score against other systems"):
        parse("cross:file:scores.tsv")
    with pytest.raises(SpecError, match="cannot score against other systems"):
        parse("cross:cross:bleu")
    with pytest.raises(InputError, match="give at least two systems"):
        mtassay.score(REFERENCES, {"a": SYSTEMS["a"]}, metrics=["cross:bleu"])
    with pytest.raises(SpecError, match="has scores of the systems of a test set, not of texts"):
        parse("cross:bleu").corpus_score(["a"], [["a"]])
    with pytest.raises(SpecError, match="has scores of the systems of a test set, not of texts"):
        parse("cross:bleu").prepare(References([["a"]]))
