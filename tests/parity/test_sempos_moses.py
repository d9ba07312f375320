"""SEMPOS against the output of Moses' scorer for the same items.

Moses stores statistics as thousandths, so its scores may differ by as much.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.metrics import References
from mtassay.metrics.linguistic.sempos import ItemNumbers, Sempos, SemposScorer
from mtassay.metrics.linguistic.sempos_items import CLASSES, Item, items_of
from mtassay.text.annotate import annotate


def read_items(path: Path) -> list[list[Item]]:
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    pairs = [[item.rpartition("|") for item in line.split()] for line in lines]
    return [[(lemma, CLASSES.index(name)) for lemma, _, name in segment] for segment in pairs]


@pytest.mark.parametrize("variant", ["micro", "macro"])
@pytest.mark.parametrize("system", ["jhu", "uedin"])
def test_scores_of_moses(oracle_dir: Path, recorded: Any, system: str, variant: str) -> None:
    pytest.importorskip("HanTa", reason="pip install 'mtassay[annotate]'")
    folder = oracle_dir / "linguistic" / "sempos"
    *segments, total = recorded.numbers("sempos", "score", system=system, variant=variant)
    metric = Sempos(variant=variant)
    scorer = SemposScorer(metric, References([[""]]))
    hypotheses, references = (scorer._numbers.bags(read_items(folder / f"{name}.items")) for name in (system, "ref"))
    index = np.arange(600)
    rows = scorer.statistics_of_bags(hypotheses, references, index, index)
    np.testing.assert_allclose(metric.segment_score(rows), segments, rtol=0, atol=1e-3)
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(total, abs=1e-3)


def test_items_are_close_to_those_given(oracle_dir: Path, data_dir: Path) -> None:
    """Of 600 references; the items given have C5 tags behind them, which tell "no" from other determiners."""
    pytest.importorskip("HanTa", reason="pip install 'mtassay[annotate]'")
    expected = [Counter(items) for items in read_items(oracle_dir / "linguistic" / "sempos" / "ref.items")]
    texts = (data_dir / "wmt13" / "fr-en" / "ref").read_text(encoding="utf-8").split("\n")[:600]
    found = [Counter(items_of(annotations)) for annotations in annotate(texts, "hanta:en")]
    n_common = sum((own & other).total() for own, other in zip(found, expected, strict=True))
    assert n_common > 0.99 * sum(own.total() for own in found)
    assert n_common > 0.99 * sum(other.total() for other in expected)


def test_items_have_numbers() -> None:
    bags = ItemNumbers(len).bags([[("a", 0), ("b", 1), ("a", 0)], None, [], [("b", 1)]])
    assert bags.offsets.tolist() == [0, 2, 2, 2, 3]
    assert bags.items.tolist() == [0, 1, 1]
    assert bags.counts.tolist() == [2, 1, 1]
    assert bags.is_missing.tolist() == [0, 1, 0, 0]
