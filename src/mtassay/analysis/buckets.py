"""Buckets of numbers and labels."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.types import Floats, Index


def bucket_of(values: Any, cutoffs: Sequence[float] | Floats) -> Index:
    """The bucket of each value: the number of cut-offs that are not above it.

    >>> bucket_of([0, 1, 7, 2000], (1, 5, 1000)).tolist()
    [0, 1, 2, 3]
    """
    buckets: Index = np.searchsorted(np.asarray(cutoffs), values, side="right").astype(np.int64)
    return buckets


def labels_of_cutoffs(cutoffs: Sequence[int], *, lowest: int | None = None) -> tuple[str, ...]:
    """Names of the buckets of whole numbers; `lowest` is the smallest possible number.

    >>> labels_of_cutoffs((1, 2, 5), lowest=0)
    ('0', '1', '2–4', '≥ 5')
    >>> labels_of_cutoffs((-5, -4, 0, 1))
    ('< -5', '-5', '-4 to -1', '0', '≥ 1')
    """
    first = f"< {cutoffs[0]}" if lowest is None else _span(lowest, cutoffs[0] - 1)
    between = [_span(low, high - 1) for low, high in pairwise(cutoffs)]
    return (first, *between, f"≥ {cutoffs[-1]}")


def _span(low: int, high: int) -> str:
    if low == high:
        return str(low)
    return f"{low} to {high}" if low < 0 else f"{low}–{high}"


def by_label(labels: Iterable[str]) -> tuple[tuple[str, ...], Index]:
    """Distinct labels in order of first appearance, and the number of each given label.

    >>> names, numbers = by_label(["b", "a", "b"])
    >>> names, numbers.tolist()
    (('b', 'a'), [0, 1, 0])
    """
    numbers: dict[str, int] = {}
    found = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    return tuple(numbers), found


def quantile_cutoffs(values: Floats, n_buckets: int) -> Floats:
    """Cut-offs that divide values into buckets of equal size; fewer than requested if values are tied.

    >>> quantile_cutoffs(np.arange(8.0), 4).tolist()
    [2.0, 4.0, 6.0]
    """
    in_order = np.sort(values[np.isfinite(values)])
    places = np.arange(1, n_buckets) * len(in_order) // n_buckets
    cutoffs: Floats = np.unique(in_order[places]) if len(in_order) else in_order
    return cutoffs[cutoffs > in_order[0]] if len(in_order) else cutoffs
