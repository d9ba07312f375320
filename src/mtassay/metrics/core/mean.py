"""Metrics whose system score is the mean of segment scores.

Statistics: ``sum n``; for one segment, its score and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.io.inputs import STDIN
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


def check_file(metric: Metric, path: str, label: str | None, *, what: str) -> None:
    """Check the path and the label of a metric that reads a file with `what`.

    Args:
        metric: the metric.
        path: the file.
        label: the label that was given, or None.
        what: what the file has, such as ``scores``, for the message.
    """
    if path == STDIN:
        raise SpecError(f"{what} cannot come from standard input; give a file")
    if label is not None and not (label.strip() and label.isprintable()):
        raise SpecError(f"{metric.name}: {label!r} cannot be shown in a table; give another label")
    check_label(metric.label, f"give {PurePath(path).name} another label: label=...")


def printable(label: str) -> str:
    r"""A label with escapes for the characters that cannot be printed.

    >>> print(printable("scores"), printable("a\tb"))
    scores a\tb
    """
    return label if label.isprintable() else ascii(label)[1:-1]


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
