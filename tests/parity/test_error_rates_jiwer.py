"""WER, CER, MER, WIL and WIP against jiwer, on the oracle's texts and on random ones."""

from __future__ import annotations

from pathlib import Path

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.metrics import Metric, parse
from mtassay.metrics.strings.edit_alignment import Alignment

MEASURES = {name: getattr(jiwer, name) for name in ("wer", "cer", "mer", "wil", "wip")}
_words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=30).map(" ".join)
_LETTERS = {"equal": "=", "substitute": "S", "insert": "I", "delete": "D"}

every_measure = pytest.mark.parametrize("name", MEASURES)


def _metric(name: str) -> Metric:
    return parse(name if name == "cer" else f"{name}:tok=none")


@every_measure
def test_texts_of_the_oracle(name: str, oracle_dir: Path) -> None:
    metric, theirs = _metric(name), MEASURES[name]
    folder = oracle_dir / "newstest2009-200" / "text"
    references = (folder / "ref0.tok").read_text(encoding="utf-8").split("\n")[:200]
    for system in ("sysA", "sysB", "sysC"):
        hypotheses = (folder / f"{system}.tok").read_text(encoding="utf-8").split("\n")[:200]
        of_segments = [theirs(ref, hyp) for ref, hyp in zip(references, hypotheses, strict=True)]
        np.testing.assert_allclose(metric.segment_scores(hypotheses, [references]), of_segments, rtol=1e-14)
        assert metric.corpus_score(hypotheses, [references]) == pytest.approx(theirs(references, hypotheses), rel=1e-15)


@every_measure
@given(hypothesis=_words | st.just(""), reference=_words)
def test_random_texts(name: str, hypothesis: str, reference: str) -> None:
    theirs = MEASURES[name](reference, hypothesis)
    assert _metric(name).corpus_score([hypothesis], [[reference]]) == pytest.approx(theirs, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("name", ["mer", "wil"])
@pytest.mark.parametrize("n_words", [5, 70, 300])
def test_long_texts(name: str, n_words: int) -> None:
    rng = np.random.default_rng(n_words)
    for _ in range(20):
        hypothesis, reference = (
            " ".join(rng.choice(list("abcdef"), size=rng.integers(n_words, 2 * n_words))) for _ in "hr"
        )
        theirs = MEASURES[name](reference, hypothesis)
        assert _metric(name).corpus_score([hypothesis], [[reference]]) == pytest.approx(theirs, rel=1e-15)


@given(hypothesis=_words, reference=_words)
def test_alignments(hypothesis: str, reference: str) -> None:
    [alignment] = mtassay.align([[reference]], [hypothesis], metric="mer:tok=none").alignments["hyp"]
    assert isinstance(alignment, Alignment)
    theirs = "".join(
        _LETTERS[chunk.type] * max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
        for chunk in jiwer.process_words(reference, hypothesis).alignments[0]
    )
    assert "".join(step.operation for step in alignment.steps) == theirs


@pytest.mark.parametrize(
    ("spec", "hypothesis", "score"), [("cer", "abc", 1.0), ("cer", "", 0.0), ("mer", "a", 1.0), ("wip", "", 1.0)]
)
def test_empty_references(spec: str, hypothesis: str, score: float) -> None:
    assert parse(spec).corpus_score([hypothesis], [[""]]) == score
