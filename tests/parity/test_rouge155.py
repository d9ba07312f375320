"""``variant=rouge155`` against the output of ROUGE-1.5.5 (``-n 4 -w 1.2 -2 4 -u``), two references."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.data import read_lines
from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {
    "ROUGE-1": "rouge1",
    "ROUGE-2": "rouge2",
    "ROUGE-3": "rouge3",
    "ROUGE-4": "rouge4",
    "ROUGE-L": "rougeL",
    "ROUGE-W-1.2": "rougeW",
    "ROUGE-SU4": "rougeSU",
}

every_file = pytest.mark.parametrize("system", ["A", "B", "C"])
every_kind = pytest.mark.parametrize("kind", KINDS)


def _rows(folder: Path, system: str, kind: str) -> Any:
    references = References([read_lines(folder / "text" / f"ref{i}.tok") for i in (0, 1)])
    metric = parse(f"{KINDS[kind]}:variant=rouge155")
    assert metric.label == kind
    return metric.prepare(references).statistics(read_lines(folder / "text" / f"sys{system}.tok"))


@every_file
@every_kind
def test_every_segment(oracle_dir: Path, recorded: Any, system: str, kind: str) -> None:
    folder = oracle_dir / "newstest2009-200"
    *found, _ = recorded.rows("rouge-1.5.5", system=f"sys{system}", metric=kind)
    assert [int(row["segment"]) for row in found] == list(range(1, 201))
    expected = [[float(row["precision"]), float(row["recall"]), float(row["f"]), 1.0] for row in found]
    assert _rows(folder, system, kind).tolist() == expected


@cache
def _times_drawn(n: int) -> Any:
    """How often ROUGE's 1000 resamples draw each segment; it numbers segments and sorts the numbers as words.

    Seeds are 0 to 999, the generator is Perl's, drand48.
    """
    times = np.zeros(n)
    for seed in range(1000):
        state = (seed << 16) + 0x330E
        for _ in range(n):
            state = (state * 0x5DEECE66D + 0xB) % 2**48
            times[int(state / 2**48 * n)] += 1
    by_name = sorted(range(n), key=lambda segment: f"{segment + 1}.")
    return times[np.argsort(by_name)]


@every_file
@every_kind
def test_averages(oracle_dir: Path, recorded: Any, system: str, kind: str) -> None:
    # What ROUGE prints as the average is the mean of its 1000 resamples, not the mean of the segments.
    folder = oracle_dir / "newstest2009-200"
    (printed,) = recorded.rows("rouge-1.5.5", system=f"sys{system}", metric=kind, segment="all")
    rows = _rows(folder, system, kind)
    times = _times_drawn(len(rows))
    assert times.sum() == 1000 * len(rows)
    resampled = times @ rows / times.sum()
    for result, value in zip(("precision", "recall", "f"), resampled, strict=False):
        assert f"{value:.5f}" == printed[result]


def test_the_corpus_score_is_the_mean_of_the_segments(oracle_dir: Path) -> None:
    folder = oracle_dir / "newstest2009-200"
    rows = _rows(folder, "A", "ROUGE-2")
    for result, column in zip("prf", rows.T, strict=False):
        metric = parse(f"rouge2:variant=rouge155,result={result}")
        assert metric.score(rows.sum(axis=0)) == pytest.approx(column.mean(), rel=1e-12)
        np.testing.assert_array_equal(metric.segment_score(rows), column)


def test_alpha_weighs_precision() -> None:
    texts = (["a b c d"], [["a b x y z"]])
    assert parse("rouge1:alpha=1").corpus_score(*texts) == pytest.approx(2 / 4)
    assert parse("rouge1:alpha=0").corpus_score(*texts) == pytest.approx(2 / 5)
    assert parse("rouge1:alpha=0.2").corpus_score(*texts) == pytest.approx(0.5 * 0.4 / (0.8 * 0.5 + 0.2 * 0.4))
