"""SacreBLEU's tests and intervals: what they refuse, and their signatures; numbers are in tests/parity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mtassay
from mtassay.errors import InputError
from mtassay.verbs.sacrebleu_tests import paired

TEXTS = [f"the cat number {number} sat on the mat" for number in range(6)]


def test_scores_that_are_missing_are_not_exchanged(tmp_path: Path) -> None:
    """Only ``compare`` leaves them out; exchanged with scores of the other system, they would change its mean."""
    path = tmp_path / "x.seg.score"
    scores = [("a", None), *[("a", 0.5)] * 5, *[("b", 0.1 * number) for number in range(6)]]
    path.write_text("".join(f"{name}\t{score}\n" for name, score in scores), encoding="utf-8")
    scored = mtassay.score([TEXTS], {"a": TEXTS, "b": TEXTS}, metrics=[f"file:{path}"])
    for test in ("ar", "bs"):
        with pytest.raises(InputError, match=r"has no score of some segments.*use mtassay compare"):
            paired(scored, test, resamples=50)
    only_intervals = paired(scored, None, resamples=50)
    assert only_intervals.means is not None
    assert np.isfinite(only_intervals.means).all()


def test_signatures_name_the_resamples() -> None:
    scored = mtassay.score([TEXTS], {"a": TEXTS, "b": TEXTS[::-1]}, metrics=["bleu", "ter"])
    found = paired(scored, "ar", resamples=50, seed=3)
    for metric, signature in zip(scored.metrics, found.signatures, strict=True):
        assert str(signature) == str(metric.signature([TEXTS], ar=50, seed=3))
