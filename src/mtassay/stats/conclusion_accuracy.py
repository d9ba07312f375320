"""How often a significance test on a metric agrees with human judgements (Graham et al. 2014).

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
    """Number and share of conclusions equal to the human ones.

    Attributes:
        n_right: number of equal conclusions, shape (...).
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
        human: 1, 0 or -1 for each pair, shape (pairs,).
        tested: the same from metrics, tests or both, shape (..., pairs).
        alpha: 1 minus the coverage of the intervals.

    >>> found = conclusion_accuracy([1] * 66, [[1] * 53 + [0] * 13])
    >>> (100 * found.values).round(1).tolist(), (100 * found.intervals).round(1).tolist()
    ([80.3], [[68.7, 89.1]])
    """
    of_people, of_tests = np.asarray(human), np.asarray(tested)
    if of_people.ndim != 1 or len(of_people) == 0 or of_tests.shape[-1:] != of_people.shape:
        raise InputError("human conclusions and those of tests must be about the same pairs, at least one")
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
    # For 0 or n successes one end of the interval is 0 or 1.
    low = np.where(right > 0, beta.ppf(half, np.maximum(right, 1), n - right + 1), 0.0)
    high = np.where(right < n, beta.ppf(1 - half, right + 1, np.maximum(n - right, 1)), 1.0)
    return np.stack([low, high], axis=-1)


def chi_squared(n_right: Any, n: int) -> tuple[Floats, Floats]:
    """χ² tests (one degree of freedom, without continuity correction) for equal accuracy of all pairs of metrics.

    Args:
        n_right: number of correct conclusions, shape (metrics,).
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
        raise InputError("numbers of correct conclusions must be between 0 and the number of pairs")
    both = right[:, None] + right
    share = both / (2 * n)
    spread = share * (1 - share) * 2 / n
    difference = (right[:, None] - right) / n
    # If both metrics are always or never right, they do not differ.
    statistic = np.divide(difference**2, spread, out=np.zeros_like(spread), where=spread > 0)
    return statistic, chi2.sf(statistic, 1)


def mcnemar(right: Any) -> tuple[Ints, Floats]:
    """McNemar's exact two-sided test for equal accuracy of all pairs of metrics on the same pairs of systems.

    Only pairs on which exactly one of the two is right count; under the null hypothesis each is equally likely.

    Args:
        right: whether each conclusion is right, shape (metrics, pairs).

    Returns:
        Number of conclusions that only the row's metric gets right, and p-values, matrices of shape (metrics, metrics).

    >>> only, p = mcnemar([[1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 1]])
    >>> only.tolist(), p.tolist()
    ([[0, 5], [0, 0]], [[1.0, 0.0625], [0.0625, 1.0]])
    """
    from scipy.stats import binom  # takes a while to load

    known = np.asarray(right, dtype=bool)
    if known.ndim != 2 or known.shape[1] == 0:
        raise InputError("conclusions of metrics must be about the same pairs, at least one")
    only = (known[:, None] & ~known[None]).sum(axis=2)
    p: Floats = np.minimum(1.0, 2 * binom.cdf(np.minimum(only, only.T), only + only.T, 0.5))
    return only, p
