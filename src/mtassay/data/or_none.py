"""Missing numbers as JSON has them."""

from __future__ import annotations

from math import isnan


def or_none(value: float) -> float | None:
    """A number, or None where it is missing: JSON has no NaN.

    >>> or_none(0.5), or_none(float("nan"))
    (0.5, None)
    """
    return None if isnan(value) else float(value)
