"""Conclusions of people against official p-values of WMT21, and accuracies against the tables of Graham et al. 2014."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mtassay.data import load_judgements
from mtassay.judging.pairwise_tests import human_tests
from mtassay.stats.conclusion_accuracy import conclusion_accuracy

if TYPE_CHECKING:
    from pathlib import Path

#: Right conclusions and pairs as printed in Tables 1 and 2, with accuracy and interval in percent.
PRINTED = [
    (54, 66, 81.8, 70.4, 90.2),
    (53, 66, 80.3, 68.7, 89.1),
    (52, 66, 78.8, 67.0, 87.9),
    (51, 66, 77.3, 65.3, 86.7),
    (50, 66, 75.8, 63.6, 85.5),
    (48, 66, 72.7, 60.4, 83.0),
    (34, 55, 61.8, 47.7, 74.6),
    (33, 55, 60.0, 45.9, 73.0),
    (32, 55, 58.2, 44.1, 71.3),
    (31, 55, 56.4, 42.3, 69.7),
    (30, 55, 54.5, 40.6, 68.0),
]
#: What the official files have where there is no p-value.
FILLER = 0.12


@pytest.mark.parametrize(("n_right", "n_pairs", "accuracy", "low", "high"), PRINTED)
def test_printed_intervals(n_right: int, n_pairs: int, accuracy: float, low: float, high: float) -> None:
    found = conclusion_accuracy([1] * n_pairs, [1] * n_right + [0] * (n_pairs - n_right))
    assert [round(100 * float(found.values), 1), *(100 * found.intervals).round(1).tolist()] == [accuracy, low, high]


def test_official_p_values(data_dir: Path) -> None:
    folder = data_dir / "wmt21" / "cs-en"
    tests = human_tests(load_judgements(folder / "DA.ad-seg-scores-cs-en.csv"))
    header, *lines = (folder / "DA.adwilcox.csv").read_text(encoding="utf-8").splitlines()
    columns = header.split()
    n_checked = 0
    for line in filter(str.strip, lines):
        row, *values = line.split()
        for column, value in zip(columns, map(float, values), strict=True):
            if value != FILLER:
                ours = tests.p[tests.systems.index(row), tests.systems.index(column)]
                assert ours == pytest.approx(value, abs=1e-12)
                n_checked += 1
    assert n_checked >= 20
