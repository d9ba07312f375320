"""WER, PER and CDER against the statistics and scores of the Moses scorer, one reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.data import read_lines
from mtassay.metrics import References, parse

#: By metric: our statistics as Moses writes them.
_AS_MOSES: dict[str, Callable[[Any], Any]] = {
    "wer": lambda rows: np.column_stack([rows[:, :3].sum(axis=1), rows[:, 3]]),
    "per": lambda rows: rows,
    "cder": lambda rows: rows,
}
every_metric = pytest.mark.parametrize("name", sorted(_AS_MOSES))


def _statistics(recorded: Any, name: str, system: str, n_references: int) -> np.ndarray:
    rows = recorded.rows("moses-statistics", metric=name.upper(), system=system, references=n_references)
    return np.array([row["values"].split() for row in rows], dtype=np.int64)


@every_metric
@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
def test_newstest2009(oracle_dir: Path, recorded: Any, name: str, system: str) -> None:
    folder = oracle_dir / "newstest2009-200"
    metric = parse(f"{name}:tok=none,as=accuracy")
    references = References([read_lines(folder / "text" / "ref0.tok")])
    rows = metric.prepare(references).statistics(read_lines(folder / "text" / f"{system}.tok"))
    expected = _statistics(recorded, name, system, 1)
    np.testing.assert_array_equal(_AS_MOSES[name](rows), expected)
    run = {"input": folder.name, "system": system, "references": 1, "metric": name.upper()}
    (printed,) = recorded.rows("moses-evaluator", **run)
    assert f"{metric.score(rows.sum(axis=0)):.4f}" == printed["score"]


@every_metric
@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
def test_wmt12(oracle_dir: Path, recorded: Any, name: str, system: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    reference, hypotheses = (read_lines(folder / "text" / f"{stem}.tok") for stem in ("ref0", f"sys.{system}"))
    score = parse(f"{name}:tok=none,as=accuracy").corpus_score(hypotheses, [reference])
    (printed,) = recorded.rows("moses-evaluator", input=folder.name, system=system, metric=name.upper())
    assert f"{score:.4f}" == printed["score"]


@pytest.mark.parametrize("name", ["wer", "cder"])
@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
def test_moses_takes_the_first_of_two_references_unless_the_second_is_matched(
    oracle_dir: Path, recorded: Any, name: str, system: str
) -> None:
    """What the documentation says about several references in Moses, which is not copied."""
    folder = oracle_dir / "newstest2009-200"
    metric = parse(f"{name}:tok=none")
    hypotheses = read_lines(folder / "text" / f"{system}.tok")
    first, second = (
        metric.prepare(References([read_lines(folder / "text" / f"ref{r}.tok")])).statistics(hypotheses) for r in (0, 1)
    )
    errors = metric.segment_score(second)
    chosen = np.where(((errors == 0) & (metric.segment_score(first) > 0))[:, None], second, first)
    expected = _statistics(recorded, name, system, 2)
    np.testing.assert_array_equal(_AS_MOSES[name](chosen), expected)
