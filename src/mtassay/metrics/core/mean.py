"""Metrics whose score of a system is the mean of scores of its segments.

Statistics: ``sum n``, of one segment its score and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.metrics.core.metric import Metric

if TYPE_CHECKING:
    from mtassay.types import Floats, Statistics

#: Columns beside the scores in tables of segments; scores of the same name would take their place.
_OTHER_COLUMNS = ("segment", "system", "id", "doc", "domain")


def check_label(label: str, advice: str) -> None:
    """Refuse a name that another column of tables has; readers take these names in any case.

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
        """Sum over number; NaN where there is nothing."""
        totals = np.asarray(totals, dtype=np.float64)
        n = totals[..., 1]
        result: Floats = np.where(n > 0, totals[..., 0] / np.where(n > 0, n, 1.0), np.nan)
        return result
