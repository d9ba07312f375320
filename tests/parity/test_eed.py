"""EED against recorded output of torchmetrics 1.8.2, which computes in single precision.

Recorded with ``torchmetrics.functional.text.extended_edit_distance(hypotheses, references,
return_sentence_level_score=True)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data import read_lines
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path

_METRIC = parse("eed")
#: By system and number of references: the mean, the first three segments, the smallest and the largest segment score.
_CORPORA = {
    ("sysA", 1): (0.399954379, 0.426356584, 0.343815506, 0.508645535, 0.00287631829, 0.811320782),
    ("sysA", 2): (0.398734272, 0.426356584, 0.343815506, 0.480291963, 0.00287631829, 0.811320782),
    ("sysB", 1): (0.238632262, 0.121602289, 0.239344269, 0.21472393, 0.00398406386, 0.569948196),
    ("sysB", 2): (0.235469043, 0.121602289, 0.239344269, 0.21472393, 0.00163666124, 0.569948196),
    ("sysC", 1): (0.5185256, 0.51157409, 0.523809552, 0.527142882, 0.24203822, 0.898305058),
    ("sysC", 2): (0.516834438, 0.51157409, 0.523809552, 0.492732555, 0.24203822, 0.898305058),
}
_TEXTS = [
    ("", "a b", 0.677419364),
    ("a b", "", 0.5625),
    ("", "", 0.130434781),
    ("Mr Smith paid 3.5, e.g. today.", "Mr. Smith paid 3 . 5 i.e. in the U.S.", 0.420168072),
    ("x", "y", 0.487179488),
    ("the cat the cat sat", "the cat sat", 0.263803691),
    ("a\tb  c", "a b c", 0.0410958901),
]
#: With ``language="ja"``.
_JAPANESE = [
    ("今日はｶﾞい い", "今日は がいい", 0.435294122),
    ("abc", "abd", 0.487179488),
]
#: sysA with one reference and ``alpha=1.0, rho=0.5, deletion=0.4, insertion=0.7``.
_OTHER_COSTS = 0.412695527


@pytest.mark.parametrize(("system", "n_references"), _CORPORA)
def test_corpora(oracle_dir: Path, system: str, n_references: int) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    streams = [read_lines(folder / f"ref{i}.txt") for i in range(n_references)]
    hypotheses = read_lines(folder / f"{system}.txt")
    scores = _METRIC.segment_scores(hypotheses, streams)
    ours = [_METRIC.corpus_score(hypotheses, streams), *scores[:3], scores.min(), scores.max()]
    np.testing.assert_allclose(ours, _CORPORA[system, n_references], rtol=0, atol=1e-6)


@pytest.mark.parametrize(("hypothesis", "reference", "score"), _TEXTS)
def test_texts(hypothesis: str, reference: str, score: float) -> None:
    assert _METRIC.corpus_score([hypothesis], [[reference]]) == pytest.approx(score, abs=1e-7)


@pytest.mark.parametrize(("hypothesis", "reference", "score"), _JAPANESE)
def test_japanese_texts(hypothesis: str, reference: str, score: float) -> None:
    assert parse("eed:lang=ja").corpus_score([hypothesis], [[reference]]) == pytest.approx(score, abs=1e-7)


def test_other_costs(oracle_dir: Path) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    metric = parse("eed:alpha=1,rho=0.5,deletion=0.4,insertion=0.7")
    score = metric.corpus_score(read_lines(folder / "sysA.txt"), [read_lines(folder / "ref0.txt")])
    assert score == pytest.approx(_OTHER_COSTS, abs=1e-6)
