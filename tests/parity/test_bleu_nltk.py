"""BLEU with order weights and NLTK's smoothing, GLEU's sibling, and chrF with a smallest order, against NLTK."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from nltk.translate.chrf_score import sentence_chrf

from mtassay.errors import SpecError
from mtassay.metrics import parse

_words = st.lists(st.sampled_from("abcde"), max_size=12)
_references = st.lists(_words.filter(bool), min_size=1, max_size=3)
_UNIFORM = (0.25, 0.25, 0.25, 0.25)
_WEIGHTS = [_UNIFORM, (0.1, 0.3, 0.5, 0.1), (0.4, 0.3, 0.2, 0.1)]


def _ours(spec: str, hypothesis: list[str], references: list[list[str]]) -> float:
    [score] = parse(spec).segment_scores([" ".join(hypothesis)], [[" ".join(reference)] for reference in references])
    return float(score) / 100


@pytest.mark.parametrize("weights", _WEIGHTS)
@pytest.mark.parametrize("method", [4, 5, 6, 7])
@given(hypothesis=_words, references=_references)
@example(hypothesis=["a"], references=[["a"]])
@example(hypothesis=["a"], references=[["a", "b"]])
@example(hypothesis=["a", "b"], references=[["a", "c"]])
def test_smoothing(method: int, weights: tuple[float, ...], hypothesis: list[str], references: list[list[str]]) -> None:
    function = getattr(SmoothingFunction(), f"method{method}")
    theirs: Any
    try:
        theirs = sentence_bleu(references, hypothesis, weights, function)
    except AssertionError:  # method6 needs trigrams in common
        assume(False)
    spec = f"bleu:tok=none,eff=no,smooth=nltk{method},weights={'/'.join(map(str, weights))}"
    assert _ours(spec, hypothesis, references) == pytest.approx(float(theirs), rel=1e-12)


@given(hypothesis=_words, references=_references, epsilon=st.floats(0.01, 9))
def test_values_of_k(hypothesis: list[str], references: list[list[str]], epsilon: float) -> None:
    theirs = sentence_bleu(references, hypothesis, _UNIFORM, SmoothingFunction(k=epsilon).method4)
    assert _ours(f"bleu:tok=none,eff=no,smooth=nltk4,k={epsilon!r}", hypothesis, references) == pytest.approx(theirs)


def test_weights_of_a_corpus() -> None:
    hypotheses = ["a b c d e f g a b", "c d e f a b c d"]
    references = ["a b c d e f f a b", "c d e f a b d d"]
    split = [[[text.split()] for text in references], [text.split() for text in hypotheses]]
    for weights in ((0.1, 0.3, 0.5, 0.1), (0.5, 0.5), (0.2, 0.2, 0.2, 0.2, 0.2)):
        spec = f"bleu:tok=none,smooth=none,weights={'/'.join(map(str, weights))}"
        ours = parse(spec).corpus_score(hypotheses, [references])
        assert ours == pytest.approx(100 * corpus_bleu(*split, weights=weights), rel=1e-13)
    assert parse("bleu:weights=1/3").order == 2  # type: ignore[attr-defined]
    with pytest.raises(SpecError, match="weights must be 4 numbers"):
        parse("PGBC4:weights=1/3")
    with pytest.raises(SpecError, match="k above 0"):
        parse("bleu:smooth=nltk4,k=0")


def test_weights_are_divided_by_their_sum() -> None:
    texts = ["a b c d e"], [["a b c e e"]]
    scores = [parse(f"bleu:smooth=floor,weights={weights}").corpus_score(*texts) for weights in ("1/2/1", "3/6/3")]
    assert scores[0] == pytest.approx(scores[1], rel=1e-15)
    plain = parse("bleu").segment_scores(["a b"], [["a b"]])
    np.testing.assert_allclose(parse("bleu:weights=1/1/1/1").segment_scores(["a b"], [["a b"]]), plain)


@pytest.mark.parametrize(("spec", "score"), [("moses", 50.67), ("yes", 59.85)])
def test_moses_smoothed_brevity_penalty(spec: str, score: float) -> None:
    # From Moses' own unit test of smoothedSentenceBleu: 6/6, 4/5, 2/4 and 1/3 matches, reference length 7.
    row = np.array([6, 7, 6, 4, 2, 1, 6, 5, 4, 3])
    metric = parse(f"bleu:segment_smooth=moses,eff=no,bp={spec}")
    assert metric.segment_score(row) == pytest.approx(score, rel=1e-4)
    assert parse(str(metric)) == metric


@given(hypothesis=_words, reference=_words, orders=st.sampled_from([(1, 6), (2, 3), (3, 3), (4, 8)]))
def test_chrf_with_a_smallest_order(hypothesis: list[str], reference: list[str], orders: tuple[int, int]) -> None:
    texts = ["".join(hypothesis), "".join(reference)]
    theirs = sentence_chrf(texts[1], texts[0], min_len=orders[0], max_len=orders[1])
    metric = parse(f"chrf:min_len={orders[0]},char_order={orders[1]},beta=3,eps=yes")
    assert metric.corpus_score([texts[0]], [[texts[1]]]) == pytest.approx(100 * theirs, abs=1e-12)


def test_a_smallest_order_above_the_largest_is_refused() -> None:
    with pytest.raises(SpecError, match="min_order is 3, but char_order is 2"):
        parse("chrf:min_order=3,char_order=2")
