"""The exact randomisation test of differences of counts.

Two systems have counts in each segment. If their outputs for a segment are exchanged, its difference changes its sign.
p is the share of all ways of exchanging whose summed difference is at least as large as the observed one: approximate
randomisation (``mtassay.stats.procedures``, ``ar``) without sampling. Differences are small whole numbers, so the
distribution of their sum is a convolution of binomial distributions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Ints


def p_of_sums(item: Index, difference: Ints, n_items: int) -> Floats:
    """Two-sided p-values of sums of differences, shape (items,); 1 for items without any.

    Args:
        item: the item (such as an n-gram) of each difference, shape (differences,).
        difference: difference of the counts of two systems in one segment, not 0, shape (differences,).
        n_items: number of items.

    >>> p_of_sums(np.array([0, 0, 0, 1]), np.array([1, 1, 1, 2]), 2).round(12).tolist()
    [0.25, 1.0]
    """
    sums = np.abs(np.bincount(item, weights=difference, minlength=n_items)).astype(np.int64)
    sizes = np.abs(difference)
    n_ones = np.bincount(item[sizes == 1], minlength=n_items)
    found = np.ones(n_items)
    # Most differences are of one, so there are few combinations of number of segments and sum: compute each once.
    base = int(sums.max(initial=0)) + 1
    keys, which = np.unique(n_ones * base + sums, return_inverse=True)
    for_ones = [_p(((1, key // base),), key % base) if key % base <= key // base else 1.0 for key in keys.tolist()]
    found = np.array(for_ones)[which.ravel()] if n_items else found
    larger: dict[int, dict[int, int]] = {}
    for one, size in zip(item[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        of_item = larger.setdefault(one, {1: int(n_ones[one])})
        of_item[size] = of_item.get(size, 0) + 1
    for one, of_item in larger.items():
        found[one] = _p(tuple(sorted((size, n) for size, n in of_item.items() if n)), int(sums[one]))
    return found


def smallest_p(n_segments: Ints) -> Floats:
    """The smallest possible p-value for these numbers of segments with a difference."""
    smallest: Floats = 2.0 ** (1.0 - np.maximum(n_segments, 1))
    return smallest


def _p(sizes: tuple[tuple[int, int], ...], observed: int) -> float:
    """P-value of a sum, for (size, number of differences of this size)."""
    if observed == 0:
        return 1.0
    shares = _distribution(sizes)
    middle = len(shares) // 2
    return min(1.0, 2.0 * float(shares[middle + observed :].sum()))


@lru_cache(maxsize=1000)
def _distribution(sizes: tuple[tuple[int, int], ...]) -> Floats:
    """Probabilities of all sums, from the lowest to the highest."""
    shares = np.ones(1)
    for size, n in sizes:
        of_size = np.zeros(2 * n * size + 1)
        of_size[:: 2 * size] = _binomial(n)
        shares = np.convolve(shares, of_size)
    return shares


def _binomial(n: int) -> Floats:
    """Probabilities of 0 … n heads in n throws of a coin."""
    logarithms = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    shares: Floats = np.exp(logarithms[n] - logarithms - logarithms[::-1] - n * np.log(2.0))
    return shares
