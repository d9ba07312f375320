"""``ter:variant=moses`` against the statistics and scores of the Moses scorer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.data import read_lines
from mtassay.metrics import References, parse


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize("n_references", [1, 2])
def test_statistics(oracle_dir: Path, recorded: Any, system: str, n_references: int) -> None:
    folder = oracle_dir / "newstest2009-200"
    references = References([read_lines(folder / "text" / f"ref{r}.tok") for r in range(n_references)])
    metric = parse("ter:variant=moses")
    rows = metric.prepare(references).statistics(read_lines(folder / "text" / f"{system}.tok"))
    printed = recorded.rows("moses-statistics", metric="TER", system=system, references=n_references)
    # Edits and mean reference length, both times 100, in whole numbers.
    expected = np.array([row["values"].split()[:2] for row in printed], dtype=np.int64)
    np.testing.assert_array_equal(100 * np.column_stack([rows[:, :4].sum(axis=1), rows[:, 4]]), expected)
    run = {"input": folder.name, "system": system, "references": n_references, "metric": "TER"}
    (score,) = recorded.rows("moses-evaluator", **run)
    assert f"{1 - metric.score(rows.sum(axis=0)) / 100:.4f}" == score["score"]


@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
def test_wmt12(oracle_dir: Path, recorded: Any, system: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    reference, hypotheses = (read_lines(folder / "text" / f"{stem}.tok") for stem in ("ref0", f"sys.{system}"))
    score = parse("ter:variant=moses").corpus_score(hypotheses, [reference])
    (printed,) = recorded.rows("moses-evaluator", input=folder.name, system=system, metric="TER")
    assert f"{1 - score / 100:.4f}" == printed["score"]
