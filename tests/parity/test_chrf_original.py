"""chrF3 and chrF++ of the original script (Popović), to its printed digits.

The script takes the mean of the F-scores of all orders, with epsilon smoothing: that is ``eps=yes``, at segment level,
for the corpus (from summed counts) and for the mean of the segment scores. The default, sacreBLEU's, leaves out orders
that are absent and takes the F-score of the mean precision and recall; it differs in the second or third digit.
No segment of these texts scores 0, so the script's known carry-over of counts after such a segment does not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

#: The script prints four decimals of a percentage; half a unit, and what binary rounding adds.
_TOLERANCE = 0.5e-4 + 1e-11


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize(
    ("variant", "n_references", "spec"),
    [("chrF++", 1, "chrf++:eps=yes"), ("chrF++", 2, "chrf++:eps=yes"), ("chrF3", 1, "chrf:beta=3,eps=yes")],
)
def test_every_printed_figure(
    oracle_dir: Path, recorded: Any, *, system: str, variant: str, n_references: int, spec: str
) -> None:
    folder = oracle_dir / "newstest2009-200"
    *expected, whole, mean = recorded.numbers("chrf", "score", system=system, references=n_references, variant=variant)
    metric = parse(spec)
    references = References([read_lines(folder / "text" / f"ref{r}.txt") for r in range(n_references)])
    rows = metric.prepare(references).statistics(read_lines(folder / "text" / f"{system}.txt"))
    segments = metric.segment_score(rows)
    np.testing.assert_allclose(segments, expected, rtol=0, atol=_TOLERANCE)
    assert metric.score(rows.sum(axis=0)) == pytest.approx(whole, rel=0, abs=_TOLERANCE)
    assert segments.mean() == pytest.approx(mean, rel=0, abs=_TOLERANCE)
