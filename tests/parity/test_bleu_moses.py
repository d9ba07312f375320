"""Sentence BLEU and its statistics from the Moses tools ``sentence-bleu`` and ``extractor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

_NEWSTEST = [(f"sys{letter}", n_references) for letter in "ABC" for n_references in (1, 2)]
_WMT12 = ["cu-bojar", "jhu-heiro", "onlineA"]
#: The tool prints six significant digits.
_TOLERANCE = 1e-5


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _segment_scores(spec: str, hypotheses: Path, references: list[Path]) -> np.ndarray:
    return parse(spec).segment_scores(read_lines(hypotheses), [read_lines(path) for path in references]) / 100


@pytest.mark.parametrize("spec", ["bleu:tok=none,segment_smooth=moses,eff=no", "PGBC4:tok=none"])
@pytest.mark.parametrize(("system", "n_references"), _NEWSTEST)
def test_sentence_bleu_newstest(spec: str, system: str, n_references: int, *, oracle_dir: Path, recorded: Any) -> None:
    folder = oracle_dir / "newstest2009-200"
    run = {"input": folder.name, "system": system, "references": n_references}
    expected = recorded.numbers("moses-sentence-bleu", "score", **run)
    references = [folder / "text" / f"ref{r}.tok" for r in range(n_references)]
    ours = _segment_scores(spec, folder / "text" / f"{system}.tok", references)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=_TOLERANCE)


@pytest.mark.parametrize("spec", ["bleu:tok=none,segment_smooth=moses,eff=no", "PGBC4:tok=none"])
@pytest.mark.parametrize("system", _WMT12)
def test_sentence_bleu_wmt12(spec: str, system: str, oracle_dir: Path, recorded: Any) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    expected = recorded.numbers("moses-sentence-bleu", "score", input=folder.name, system=system)
    ours = _segment_scores(spec, folder / "text" / f"sys.{system}.tok", [folder / "text" / "ref0.tok"])
    np.testing.assert_allclose(ours, expected, rtol=0, atol=_TOLERANCE)


@pytest.mark.parametrize(("system", "n_references"), _NEWSTEST)
def test_statistics(system: str, n_references: int, oracle_dir: Path, recorded: Any) -> None:
    folder = oracle_dir / "newstest2009-200"
    rows = recorded.rows("moses-statistics", metric="BLEU", system=system, references=n_references)
    # Matches and n-grams of each order in turn, then the length of the closest reference.
    printed = np.array([row["values"].split() for row in rows], dtype=np.int64)
    references = References([read_lines(folder / "text" / f"ref{r}.tok") for r in range(n_references)])
    metric = parse("bleu:tok=none")
    ours = metric.prepare(references).statistics(read_lines(folder / "text" / f"{system}.tok"))
    columns = [metric.columns.index(name) for n in range(1, 5) for name in (f"correct_{n}", f"total_{n}")]
    np.testing.assert_array_equal(ours[:, [*columns, metric.columns.index("ref_len")]], printed)
