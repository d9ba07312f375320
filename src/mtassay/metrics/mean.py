"""Metrics whose score of a system is the mean of scores of its segments.

Statistics: ``sum n``, of one segment its score and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.metrics.base import Metric

if TYPE_CHECKING:
    from mtassay.metrics.base import Scores, Statistics


@dataclass(frozen=True)
class MeanMetric(Metric):
    """A mean of segment scores."""

    digits: ClassVar[int] = 4
    columns: ClassVar[tuple[str, ...]] = ("sum", "n")

    def score(self, totals: Statistics) -> Scores:
        """Sum over number; NaN where there is nothing."""
        totals = np.asarray(totals, dtype=np.float64)
        n = totals[..., 1]
        result: Scores = np.where(n > 0, totals[..., 0] / np.where(n > 0, n, 1.0), np.nan)
        return result
