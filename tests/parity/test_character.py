"""CharacTER against the recorded output of the authors' program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data import read_lines
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path

_METRIC = parse("character")


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
def test_recorded_output(oracle_dir: Path, recorded: Any, system: str) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    *expected, average = recorded.numbers("character", "score", system=system)
    hypotheses, reference = (read_lines(folder / f"{name}.txt") for name in (system, "ref0"))
    np.testing.assert_allclose(_METRIC.segment_scores(hypotheses, [reference]), expected, rtol=0, atol=5.1e-5)
    assert _METRIC.corpus_score(hypotheses, [reference]) == pytest.approx(average, rel=1e-14)


@pytest.mark.parametrize(("hypothesis", "reference", "score"), [("", "a", 1.0), ("", "", 0.0), ("a", "", 1.0)])
def test_empty_texts(hypothesis: str, reference: str, score: float) -> None:
    assert _METRIC.corpus_score([hypothesis], [[reference]]) == score
