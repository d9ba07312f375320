"""The exact randomisation test of paired whole numbers.

Two systems have a whole number in each unit: counts of an n-gram, judgements won. If their outputs for a unit are
exchanged, its difference changes its sign. p is the share of all ways of exchanging whose summed difference is at least
as large as the observed one: approximate randomisation (``mtassay.stats.procedures``, ``ar``) without sampling. The
distribution of the sum is a convolution of binomial distributions, one for each size of difference; where all
differences are of 1, this is the sign test.

The convolution takes time by the square of the sum of all differences. Where it would take more than 2^30 products
(about 0.2 s: differences of different sizes that sum to some 20,000), p is that of ``ar`` with its default number of
resamples and seed: by all ways of exchanging up to 13 units, by 10,000 random ones of more.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Ints

#: Largest number of products for an exact distribution.
_MOST_PRODUCTS = 2**30
#: Distributions kept for the next p-values, most of which have the differences of one before.
_N_KEPT = 100


def exact_p(differences: Ints, *, sides: int = 2) -> float:
    """Probability that random signs give these whole numbers a sum at least as large (as far from 0, if two-sided).

    >>> exact_p(np.array([1, 1, 1, 1]), sides=1), exact_p(np.array([1, 1, 1, -1]), sides=2)
    (0.0625, 0.625)
    """
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    of_sizes = tuple(zip(sizes.tolist(), counts.tolist(), strict=True))
    if _n_products(of_sizes) > _MOST_PRODUCTS:
        return _sampled_p(differences[differences != 0], sides=sides)
    return _p(of_sizes, int(differences.sum()), sides=sides)


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
        of_sizes = tuple(sorted((size, n) for size, n in of_item.items() if n))
        is_large = _n_products(of_sizes) > _MOST_PRODUCTS
        found[one] = _sampled_p(difference[item == one]) if is_large else _p(of_sizes, int(sums[one]))
    return found


def smallest_p(n_segments: Ints) -> Floats:
    """The smallest possible p-value for these numbers of segments with a difference."""
    smallest: Floats = 2.0 ** (1.0 - np.maximum(n_segments, 1))
    return smallest


def _n_products(sizes: tuple[tuple[int, int], ...]) -> int:
    """Number of products that the distribution of the sum takes."""
    lengths = [2 * n * size for size, n in sizes]
    before = accumulate(lengths, initial=1)
    return sum(of_size * (length + 1) for of_size, length in zip(before, lengths, strict=False))


def _sampled_p(differences: Ints, *, sides: int = 2) -> float:
    """The p-value by approximate randomisation."""
    from mtassay.stats.procedures import Procedure, p_values  # rarely needed, and slow to import
    from mtassay.stats.sample import Sample

    statistics = np.stack([differences, np.zeros_like(differences)])[:, :, None]
    [p] = p_values([Sample(statistics, lambda sums: sums[..., 0])], Procedure("ar", sides))
    return float(p[0, 1])


def _p(sizes: tuple[tuple[int, int], ...], observed: int, *, sides: int = 2) -> float:
    """P-value of a sum, for (size, number of differences of this size)."""
    chances = _distribution(sizes)
    middle = len(chances) // 2
    if sides == 1:
        return min(1.0, float(chances[middle + observed :].sum()))
    if observed == 0:
        return 1.0
    return min(1.0, 2 * float(chances[middle + abs(observed) :].sum()))


@lru_cache(_N_KEPT)
def _distribution(sizes: tuple[tuple[int, int], ...]) -> Floats:
    """Probabilities of all sums, from the lowest to the highest."""
    chances = np.ones(1)
    for size, n in sizes:
        of_size = np.zeros(2 * n * size + 1)
        of_size[:: 2 * size] = _coin_tosses(n)
        chances = np.convolve(chances, of_size)
    return chances


@lru_cache(_N_KEPT)
def _coin_tosses(n: int) -> Floats:
    """Probabilities of 0 to n heads in n tosses, each rounded once.

    scipy.stats.binom is off by up to 1e-12 for thousands of tosses, and takes 0.6 s to import, twice as long as
    everything else that ``humans`` does.
    """
    ways = accumulate(range(n), lambda ways, k: ways * (n - k) // (k + 1), initial=1)
    total = 2**n
    return np.array([of_k / total for of_k in ways])
