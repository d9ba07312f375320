"""How often a significance test on a metric concludes what people conclude (Graham et al. 2014).

Each pair of systems has one of three conclusions: the first is better (1), the second is (-1), or there is no
significant difference (0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.errors import InputError
from mtassay.stats.intervals import check_alpha

if TYPE_CHECKING:
    from mtassay.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class ConclusionAccuracy:
    """Conclusions that are equal to the human ones.

    Attributes:
        n_right: shape (...).
        n_pairs: number of pairs.
        values: shares, shape (...).
        intervals: exact (Clopper–Pearson) intervals, shape (..., 2).
    """

    n_right: Ints
    n_pairs: int
    values: Floats
    intervals: Floats


def conclusion_accuracy(human: Any, tested: Any, *, alpha: float = 0.05) -> ConclusionAccuracy:
    """Compare conclusions with the human ones.

    Args:
        human: 1, 0 or -1 of each pair, shape (pairs,).
        tested: the same by metrics, tests or both, shape (..., pairs).
        alpha: 1 minus the coverage of the intervals.

    >>> found = conclusion_accuracy([1] * 66, [[1] * 53 + [0] * 13])
    >>> (100 * found.values).round(1).tolist(), (100 * found.intervals).round(1).tolist()
    ([80.3], [[68.7, 89.1]])
    """
    of_people, of_tests = np.asarray(human), np.asarray(tested)
    if of_people.ndim != 1 or len(of_people) == 0 or of_tests.shape[-1:] != of_people.shape:
        raise InputError("conclusions of people and of tests must be about the same pairs, one at least")
    n_right = (of_tests == of_people).sum(axis=-1)
    n_pairs = len(of_people)
    return ConclusionAccuracy(n_right, n_pairs, n_right / n_pairs, clopper_pearson(n_right, n_pairs, alpha=alpha))


def clopper_pearson(n_right: Any, n: int, *, alpha: float = 0.05) -> Floats:
    """Exact binomial interval for a share, shape (..., 2).

    >>> clopper_pearson(53, 66).round(3).tolist()
    [0.687, 0.891]
    """
    from scipy.stats import beta  # takes a while to load

    right = np.asarray(n_right)
    half = check_alpha(alpha) / 2
    # The distributions of 0 and of n successes are degenerate: nothing is below 0 or above 1.
    low = np.where(right > 0, beta.ppf(half, np.maximum(right, 1), n - right + 1), 0.0)
    high = np.where(right < n, beta.ppf(1 - half, right + 1, np.maximum(n - right, 1)), 1.0)
    return np.stack([low, high], axis=-1)


def chi_squared(n_right: Any, n: int) -> tuple[Floats, Floats]:
    """χ² tests (one degree of freedom, without continuity correction) for equal accuracy of all two metrics.

    Args:
        n_right: shape (metrics,).
        n: number of pairs of systems that each metric was tested on.

    Returns:
        χ² and p-values, matrices of shape (metrics, metrics).

    >>> statistic, p = chi_squared([53, 40], 66)
    >>> statistic.round(3).tolist(), p.round(3).tolist()
    ([[0.0, 6.151], [6.151, 0.0]], [[1.0, 0.013], [0.013, 1.0]])
    """
    from scipy.stats import chi2  # takes a while to load

    right = np.asarray(n_right, dtype=np.float64)
    if right.ndim != 1 or n < 1 or (right < 0).any() or (right > n).any():
        raise InputError("each metric has between 0 and all conclusions right")
    both = right[:, None] + right
    share = both / (2 * n)
    spread = share * (1 - share) * 2 / n
    difference = (right[:, None] - right) / n
    # Where all or none are right in both there is nothing to tell apart.
    statistic = np.divide(difference**2, spread, out=np.zeros_like(spread), where=spread > 0)
    return statistic, chi2.sf(statistic, 1)


def mcnemar(right: Any) -> tuple[Ints, Floats]:
    """McNemar's exact test, two-sided, for equal accuracy of all two metrics on the same pairs of systems.

    Only pairs count on which exactly one of the two is right: each could as well have been the other's.

    Args:
        right: whether each conclusion is right, shape (metrics, pairs).

    Returns:
        How many conclusions only the row's metric has right, and p-values, matrices of shape (metrics, metrics).

    >>> only, p = mcnemar([[1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 1]])
    >>> only.tolist(), p.tolist()
    ([[0, 5], [0, 0]], [[1.0, 0.0625], [0.0625, 1.0]])
    """
    from scipy.stats import binom  # takes a while to load

    known = np.asarray(right, dtype=bool)
    if known.ndim != 2 or known.shape[1] == 0:
        raise InputError("conclusions of metrics must be about the same pairs, one at least")
    only = (known[:, None] & ~known[None]).sum(axis=2)
    p: Floats = np.minimum(1.0, 2 * binom.cdf(np.minimum(only, only.T), only + only.T, 0.5))
    return only, p
