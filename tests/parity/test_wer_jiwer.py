"""WER against jiwer, on the oracle's texts and on random ones."""

from __future__ import annotations

from pathlib import Path

import jiwer
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mtassay.metrics import parse

_WER = parse("wer:tok=none")
_words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12).map(" ".join)


def test_texts_of_the_oracle(oracle_dir: Path) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    references = (folder / "ref0.tok").read_text(encoding="utf-8").split("\n")[:200]
    for system in ("sysA", "sysB", "sysC"):
        hypotheses = (folder / f"{system}.tok").read_text(encoding="utf-8").split("\n")[:200]
        theirs = [jiwer.wer(ref, hyp) for ref, hyp in zip(references, hypotheses, strict=True)]
        np.testing.assert_allclose(_WER.segment_scores(hypotheses, [references]), theirs, rtol=1e-14)
        assert _WER.corpus_score(hypotheses, [references]) == jiwer.wer(references, hypotheses)


@given(_words, _words)
def test_random_texts(hypothesis: str, reference: str) -> None:
    assert _WER.corpus_score([hypothesis], [[reference]]) == jiwer.wer(reference, hypothesis)
