"""ACT on WMT13 English-French, against counts of the original program (without alignments, with its own dictionary)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import mtassay
from mtassay.data.formats.lines import read_lines
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def original(recorded: Any) -> dict[str, list[str]]:
    """By system c1 … c6, ACTA, ACTA5+6 and the number of connectives."""
    return {row["system"]: list(row.values())[1:] for row in recorded.rows("act")}


@pytest.fixture(scope="module")
def scored(data_dir: Path, original: dict[str, list[str]]) -> mtassay.ScoreResult:
    folder = data_dir / "wmt13" / "en-fr"
    systems = {name: read_lines(folder / "hyp" / name) for name in original}
    testset = mtassay.TestSet([read_lines(folder / "ref")], systems, sources=read_lines(folder / "src"))
    return mtassay.score(testset, metrics=["act:lang=fr", "act:lang=fr,exclude=5+6"])


def test_the_formulas_on_the_original_counts(original: dict[str, list[str]]) -> None:
    for *counts, acta, acta56, _ in original.values():
        row = np.zeros(len(parse("act:lang=fr").columns), dtype=np.int64)
        row[6:12] = [int(count) for count in counts]  # whichever connective they are of
        assert f"{parse('act:lang=fr').score(row):.3f}" == acta
        assert f"{parse('act:lang=fr,exclude=5+6').score(row):.3f}" == acta56


def test_as_many_connectives(original: dict[str, list[str]], scored: Any) -> None:
    counts = scored.tables[0].totals().sum(axis=-1)
    assert counts.tolist() == [int(row[-1]) for row in original.values()] == [232] * len(original)


def test_systems_are_ranked_as_by_the_original(original: dict[str, list[str]], scored: Any) -> None:
    expected = [sum(map(int, row[:2])) for row in original.values()]
    assert spearmanr(scored.scores[:, 0], expected).statistic >= 0.9
    # Cases 5 and 6 together do not depend on the system.
    np.testing.assert_allclose(scored.scores[:, 1] / scored.scores[:, 0], scored.scores[0, 1] / scored.scores[0, 0])
