"""``ter:variant=moses`` against the statistics and scores of the Moses scorer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mtassay.data import read_lines
from mtassay.metrics import References, parse


def _statistics(path: Path) -> np.ndarray:
    """Edits and mean reference length of every segment, both times 100, in whole numbers."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return np.array([line.split() for line in lines if not line.startswith("SCORES_TXT")], dtype=np.int64)[:, :2]


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize("n_references", [1, 2])
def test_statistics(oracle_dir: Path, system: str, n_references: int) -> None:
    folder = oracle_dir / "newstest2009-200"
    references = References([read_lines(folder / "text" / f"ref{r}.tok") for r in range(n_references)])
    metric = parse("ter:variant=moses")
    rows = metric.prepare(references).statistics(read_lines(folder / "text" / f"{system}.tok"))
    expected = _statistics(folder / "expected" / "moses" / f"stats.TER.{system}.{n_references}ref")
    np.testing.assert_array_equal(100 * np.column_stack([rows[:, :4].sum(axis=1), rows[:, 4]]), expected)
    printed = (folder / "expected" / "moses" / "evaluator.txt").read_text(encoding="utf-8")
    assert f"{system} {n_references}ref TER {1 - metric.score(rows.sum(axis=0)) / 100:.4f}\n" in printed


@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
def test_wmt12(oracle_dir: Path, system: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    reference, hypotheses = (read_lines(folder / "text" / f"{stem}.tok") for stem in ("ref0", f"sys.{system}"))
    score = parse("ter:variant=moses").corpus_score(hypotheses, [reference])
    printed = (folder / "expected" / "moses-evaluator.txt").read_text(encoding="utf-8")
    assert f"TER\t{system}\t{1 - score / 100:.4f}\n" in printed
