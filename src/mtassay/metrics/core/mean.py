"""Metrics whose system score is the mean of segment scores.

Statistics: ``sum n``; for one segment, its score and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.metrics.core.metric import Metric

if TYPE_CHECKING:
    from mtassay.types import Floats, Statistics

#: Other columns in tables of segments, which scores of the same name would replace.
_OTHER_COLUMNS = ("segment", "system", "id", "doc", "domain")


def check_label(label: str, advice: str) -> None:
    """Reject the name of another column, in any letter case, since readers ignore case.

    >>> check_label("Segment", "give another name")
    Traceback (most recent call last):
    mtassay.errors.SpecError: 'Segment' is the name of another column in tables of segments; give another name
    """
    if label.strip().lower() in _OTHER_COLUMNS:
        raise SpecError(f"'{label}' is the name of another column in tables of segments; {advice}")


@dataclass(frozen=True)
class MeanMetric(Metric):
    """A mean of segment scores."""

    digits: ClassVar[int] = 4
    columns: ClassVar[tuple[str, ...]] = ("sum", "n")

    def score(self, totals: Statistics) -> Floats:
        """Sum divided by number; NaN if no segment has a score."""
        totals = np.asarray(totals, dtype=np.float64)
        n = totals[..., 1]
        result: Floats = np.where(n > 0, totals[..., 0] / np.where(n > 0, n, 1.0), np.nan)
        return result
