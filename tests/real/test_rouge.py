"""ROUGE against several real references, and rouge-score's own means over a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import mtassay
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("pair", ["wmt21/cs-en", "wmt21/en-de"])
def test_rouge_score(data_dir: Path, pair: str) -> None:
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
    test_set = mtassay.load(data_dir / pair)
    streams = [stream[::10] for stream in test_set.references]
    assert len(streams) > 1
    hypotheses = next(iter(test_set.systems.values()))[::10]
    kinds = ["rouge1", "rouge2", "rougeL"]
    scorer = rouge_scorer.RougeScorer(kinds)
    theirs = [
        scorer.score_multi([text for text in references if text is not None], hypothesis)
        for hypothesis, *references in zip(hypotheses, *streams, strict=True)
    ]
    for kind in kinds:
        for result, field in [("p", "precision"), ("r", "recall"), ("f", "fmeasure")]:
            expected = [getattr(scores[kind], field) for scores in theirs]
            metric = parse(f"{kind}:result={result}")
            np.testing.assert_allclose(metric.segment_scores(hypotheses, streams), expected, rtol=0, atol=1e-12)
            assert metric.corpus_score(hypotheses, streams) == pytest.approx(np.mean(expected), abs=1e-12)
