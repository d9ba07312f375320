"""LEPOR, nLEPOR and hLEPOR: hand-made cases, options, empty texts, several references."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mtassay.errors import SpecError
from mtassay.metrics import References, parse
from mtassay.metrics.strings.lepor import Hlepor, Lepor, Nlepor

NAMES = pytest.mark.parametrize("name", ["lepor", "nlepor", "hlepor"])


def score(spec: str, hypothesis: str, *references: str) -> float:
    return float(parse(spec).segment_scores([hypothesis], [[text] for text in references])[0])


def parts(spec: str, hypothesis: str, reference: str) -> list[float]:
    row: list[float] = parse(spec).prepare(References([[reference]])).statistics([hypothesis])[0].tolist()
    return row[1:4]


def test_by_hand() -> None:
    # Aligned: a-a (1/3, 1/4), c-c (2/3, 3/4); b is matched at 3/3 and 2/4.
    lp, npp = math.exp(1 - 4 / 3), math.exp(-(1 / 12 + 1 / 12 + 1 / 2) / 3)
    hpr = 10 / (9 / (3 / 4) + 1 / 1)
    assert parts("lepor", "a c b", "a b c d") == pytest.approx([lp, npp, hpr])
    assert score("lepor", "a c b", "a b c d") == pytest.approx(lp * npp * hpr)
    assert score("hlepor", "a c b", "a b c d") == pytest.approx(10 / (2 / lp + 1 / npp + 7 / hpr))
    assert score("nlepor", "a b d", "a b c d") == pytest.approx(
        lp * math.exp(-(1 / 12 + 1 / 6 + 0) / 3) * math.sqrt(hpr * 10 / (9 / (1 / 3) + 1 / (1 / 2)))
    )


def test_neighbours_decide_before_distance() -> None:
    # Each "x" has "b" beside it, or "q"; without neighbours it takes the nearest.
    assert parts("lepor:context=1", "x b q x", "x q b x")[1] == pytest.approx(math.exp(-(3 / 4 + 1 / 4) * 2 / 4))
    assert parts("lepor:context=0", "x b q x", "x q b x")[1] == pytest.approx(math.exp(-(1 / 4) * 2 / 4))


def test_an_occurrence_that_agrees_comes_first() -> None:
    # From left to right the first "x" would take the only one of the reference; the second one has "b" beside it.
    assert parts("lepor:context=1", "x q x b", "r x b s")[1] == pytest.approx(math.exp(-(1 / 4 + 1 / 4) / 4))


def test_distance_is_relative_to_length() -> None:
    # "x" at 2/2; in the reference at 1/8, 4/8 and 7/8, of which 4/8 would be nearer by number.
    assert parts("lepor", "q x", "x a b x c d x e")[1] == pytest.approx(math.exp(-(1 / 8) / 2))


@NAMES
@pytest.mark.parametrize(("hypothesis", "reference"), [("", ""), ("", "a"), ("a", ""), ("a", "b"), (" ", "\t")])
def test_nothing_matched_is_zero(name: str, hypothesis: str, reference: str) -> None:
    for average in ("scores", "parts"):
        metric = parse(f"{name}:average={average}")
        assert metric.corpus_score([hypothesis], [[reference]]) == 0
        assert metric.segment_scores([hypothesis], [[reference]]).tolist() == [0]


@NAMES
@pytest.mark.parametrize("text", ["a", "a b", "a a a a", "a b a b a", "to be or not to be"])
def test_a_perfect_text_is_one(name: str, text: str) -> None:
    assert score(name, text, text) == 1
    assert score("nlepor:weights=1/1/1/1", text, text) == 1


def test_longer_ngrams_without_a_match() -> None:
    assert score("nlepor", "a b", "b a") == 0
    assert score("nlepor", "a", "a b") == 0
    assert score("nlepor:weights=1/0", "a b", "b a") == score("lepor", "a b", "b a") > 0


def test_weights() -> None:
    texts = "a b c x", "a b c d e"
    lp, npp, hpr = parts("hlepor", *texts)
    assert score("hlepor:w_lp=0,w_npp=0", *texts) == pytest.approx(hpr)
    assert score("hlepor:w_lp=1,w_npp=1,w_hpr=0", *texts) == pytest.approx(2 / (1 / lp + 1 / npp))
    assert parts("lepor:alpha=0", *texts)[2] == pytest.approx(3 / 4)
    assert parts("lepor:beta=0", *texts)[2] == pytest.approx(3 / 5)
    assert score("nlepor:weights=1/2", *texts) == score("nlepor:weights=2/4", *texts)


def test_both_averages() -> None:
    hypotheses, references = ["a b c", "x"], ["a b d e", "x"]
    for name in ("lepor", "hlepor", "nlepor"):
        by_scores, by_parts = parse(name), parse(f"{name}:average=parts")
        segments = by_scores.segment_scores(hypotheses, [references])
        np.testing.assert_array_equal(by_parts.segment_scores(hypotheses, [references]), segments)
        assert by_scores.corpus_score(hypotheses, [references]) == pytest.approx(segments.mean())
        rows = by_scores.prepare(References([references])).statistics(hypotheses)
        assert isinstance(by_parts, Lepor)
        expected = by_parts.combine(*rows.mean(axis=0)[1:4])
        assert by_parts.corpus_score(hypotheses, [references]) == pytest.approx(expected)
        assert by_parts.statistics_key == by_scores.statistics_key


@NAMES
def test_the_best_reference_counts(name: str) -> None:
    references = ["a b x y z", "a b c d", "q"]
    each = [score(name, "a b c e", reference) for reference in references]
    assert score(name, "a b c e", *references) == max(each) == each[1]


def test_parts_are_shown() -> None:
    metric = parse("lepor")
    totals = metric.prepare(References([["a b", "a"]])).statistics(["a b", "b"]).sum(axis=0)
    assert metric.verbose(totals) == "(LP = 1.0000 NPP = 1.0000 HPR = 0.5000)"
    assert list(metric.components(totals)) == ["LP", "NPP", "HPR"]


def test_names_of_hlepor_are_understood() -> None:
    given = parse("hlepor:n=3,weight_elp=1,weight_pos=2,weight_pr=3")
    assert given == Hlepor(context=3, w_lp=1, w_npp=2, w_hpr=3)
    assert str(given) == "hlepor:context=3,w_lp=1,w_npp=2,w_hpr=3"
    assert str(Nlepor(weights="1.0/ 2")) == "nlepor:weights=1/2"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lepor:alpha=0,beta=0", "alpha and beta"),
        ("hlepor:w_lp=0,w_npp=0,w_hpr=0", "w_lp, w_npp and w_hpr"),
        ("nlepor:weights=0/0", "all be 0"),
        ("nlepor:weights=1/x", "such as 1/1"),
        ("nlepor:weights=1/-1", "from 0"),
        ("nlepor:weights=nan", "from 0"),
        ("nlepor:weights=inf", "from 0"),
        ("nlepor:weights=" + "/".join("1" * 100), "at most 99"),
        ("lepor:context=-1", "at least 0"),
        ("lepor:variant=hlepor-py", "no option named 'variant'"),
        ("hlepor:variant=perl", "variant"),
        ("lepor:tok=nonsense", "nonsense"),
    ],
)
def test_what_makes_no_sense_is_refused(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse(spec)


def test_signatures_name_every_option() -> None:
    references = References([["a"]])
    assert "tok:13a|alpha:9|beta:1|context:2|average:scores" in str(parse("lepor").signature(references))
    assert "|weights:2/1/7|variant:hlepor-py|" in str(parse("hlepor:variant=hlepor-py").signature(references))
    assert "|weights:3/1|" in str(parse("nlepor:weights=3/1").signature(references))
