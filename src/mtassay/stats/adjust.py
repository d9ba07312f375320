"""Correction of p-values for multiple comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError, unknown_name

if TYPE_CHECKING:
    from mtassay.types import Array, Floats

#: Names of the corrections: none, Holm 1979 (family-wise error), Benjamini & Hochberg 1995 (false discovery rate).
ADJUSTMENTS = ("none", "holm", "bh")


def check_adjustment(method: str) -> None:
    """Reject an unknown name."""
    if method not in ADJUSTMENTS:
        raise InputError(unknown_name("adjustment", method, ADJUSTMENTS))


def adjust(p_values: Array, method: str) -> Floats:
    """Adjusted p-values of one family of comparisons, shape (n,) -> (n,).

    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> adjust(np.array([0.01, 0.04, 0.03]), "bh").tolist()
    [0.03, 0.04, 0.04]
    """
    check_adjustment(method)
    p = np.asarray(p_values, dtype=np.float64)
    n = len(p)
    if method == "none" or n == 0:
        return p.copy()
    order = np.argsort(p, kind="stable")
    ranks = np.arange(n)
    if method == "holm":
        in_order = np.maximum.accumulate((n - ranks) * p[order])
    else:  # scipy.stats.false_discovery_control gives the same, but takes 0.5 s to import
        in_order = np.minimum.accumulate((n / (ranks + 1) * p[order])[::-1])[::-1]
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(in_order, 1.0)
    return adjusted
