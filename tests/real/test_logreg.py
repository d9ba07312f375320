"""LogReg on rankings of WMT12 and WMT13: it trains without references, and orders systems of another year."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import mtassay
from mtassay.data import Preferences, TestSet, load, load_judgements
from mtassay.learn import train

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.types import Floats

FEATURES = ["source_words", "words", "source_ratio", "cross:bleu", "cross:chrf"]


def data(folder: Path) -> tuple[TestSet, Preferences]:
    testset = load(folder)
    judged = load_judgements(folder / "pairs.tsv", testset=testset)
    assert isinstance(judged, Preferences)
    # References without a word in common with anything: nothing may depend on them.
    blank = [[f"reference{number}" for number in range(testset.n_segments)]]
    return TestSet(blank, testset.systems, sources=testset.sources, name=testset.name), judged


def tau(scores: Floats, testset: TestSet, judged: Preferences) -> float:
    """Kendall's τ by the rule of WMT13, of all preferences that are strict."""
    place = np.array([list(testset.systems).index(name) for name in judged.systems])
    segment = np.array([int(name) - 1 for name in judged.segments])[judged.segment]
    strict = judged.outcome != 0
    first, second = (scores[place[side], segment] for side in (judged.first, judged.second))
    agreement = np.sign(first - second)[strict] * judged.outcome[strict]
    return float((agreement > 0).sum() - (agreement < 0).sum()) / float((agreement != 0).sum())


@pytest.mark.slow
def test_rankings_of_one_year_order_systems_of_the_next(data_dir: Path, tmp_path: Path) -> None:
    testset, judged = data(data_dir / "wmt12" / "cs-en")
    other, other_judged = data(data_dir / "wmt13" / "cs-en")
    result = train(testset, judged, model="pairwise", features=FEATURES, stepwise=True)
    assert result.model.trained_on["n_references"] == 0
    assert result.search.best.accuracy > 0.52
    result.save(tmp_path / "m.model")
    specs = [f"learned:{tmp_path / 'm.model'},recompose={how},label={how}" for how in ("soft", "hard")]
    scored = mtassay.score(other, metrics=specs)
    soft, hard = np.moveaxis(scored.segment_scores(), -1, 0)
    assert tau(soft, other, other_judged) > 0.1
    assert tau(hard, other, other_judged) > 0.1
    # Every comparison has one winner: wins and losses cancel, probabilities add up to the number of pairs.
    n = len(other.systems)
    np.testing.assert_array_equal(hard.sum(axis=0), 0)
    np.testing.assert_allclose(soft.sum(axis=0), n * (n - 1) / 2)
