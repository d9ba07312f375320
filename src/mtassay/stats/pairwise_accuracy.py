"""Pairwise accuracy of system scores (Kocmi et al. 2021) and soft pairwise accuracy (Thompson et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError
from mtassay.stats import resamples as drawing
from mtassay.stats.gold_cells import system_level
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from mtassay.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class PairwiseAccuracy:
    """On how many pairs of systems metrics agree with people; results of several directions may be added up.

    Attributes:
        n_agree: pairs on which they agree, shape (metrics,).
        n_pairs: all pairs.
    """

    n_agree: Ints
    n_pairs: int

    @property
    def values(self) -> Floats:
        """Shares, shape (metrics,)."""
        return self.n_agree / self.n_pairs

    def __add__(self, other: PairwiseAccuracy) -> PairwiseAccuracy:
        return PairwiseAccuracy(self.n_agree + other.n_agree, self.n_pairs + other.n_pairs)


def pairwise_accuracy(gold: Any, metrics: Any) -> PairwiseAccuracy:
    """Share of pairs of systems that a metric orders as people do; a tie agrees with a tie only.

    Args:
        gold: shape (systems,), NaN where there is none.
        metrics: shape (metrics, systems).

    >>> pairwise_accuracy([1.0, 2.0, 3.0], [[1.0, 3.0, 2.0]]).values.round(3).tolist()
    [0.667]
    """
    values, scores = system_level(gold, metrics)
    first, second = np.triu_indices(len(values), k=1)
    order = np.sign(values[first] - values[second])
    agree = np.sign(scores[:, first] - scores[:, second]) == order
    return PairwiseAccuracy(agree.sum(axis=1), len(first))


def soft_pairwise_accuracy(gold: Any, metrics: Any, *, resamples: int = 10_000, seed: int = 12345) -> Floats:
    """SPA = 1 − mean over pairs of systems of |p(gold) − p(metric)|, with the p-values of ``sign_flip_p``.

    Args:
        gold: shape (systems, segments), NaN where there is none.
        metrics: shape (metrics, systems, segments).
        resamples: how many.
        seed: of the resamples, which are the same for gold and all metrics.

    Returns:
        shape (metrics,). Segments that lack gold of some system do not count.
    """
    values, scores = np.asarray(gold, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    if values.ndim != 2 or scores.ndim != 3 or scores.shape[1:] != values.shape:
        raise InputError(f"metrics have shape {scores.shape}, which does not fit gold of shape {values.shape}")
    judged = ~np.isnan(values).any(axis=0)
    if not judged.any():
        raise InputError("no segment has gold of all systems: their outputs cannot be compared in pairs")
    if np.isnan(scores[:, :, judged]).any():
        raise InputError("a metric has no score of a segment that people judged")
    p = sign_flip_p(np.concatenate([values[None], scores])[:, :, judged], resamples=resamples, seed=seed)
    soft: Floats = 1 - np.abs(p[1:] - p[0]).mean(axis=1)
    return soft


def sign_flip_p(scores: Any, *, resamples: int = 10_000, seed: int = 12345) -> Floats:
    """One-sided p-values for "the first system of a pair is better" by flipping signs of segments' differences.

    Args:
        scores: shape (metrics, systems, segments).
        resamples: how many.
        seed: of the resamples.

    Returns:
        shape (metrics, pairs), pairs in the order of ``np.triu_indices``.
    """
    values = np.asarray(scores, dtype=np.float64)
    n_metrics, n_systems, n_segments = values.shape
    first, second = np.triu_indices(n_systems, k=1)
    n_resamples = drawing.check_resamples(resamples)
    if n_resamples == 0 or len(first) == 0:
        raise InputError("soft pairwise accuracy needs two systems and one resample at least")
    rows = values.reshape(-1, n_segments)
    totals = rows.sum(axis=1).reshape(n_metrics, n_systems, 1)
    # One observed value is compared with simulated ones: a tolerance is enough, and nothing need be sorted.
    tolerance = TOLERANCE * np.abs(values).sum(axis=(1, 2))[:, None, None]
    observed = totals[:, first] - totals[:, second]
    swaps = drawing.Swaps(n_segments, n_resamples, seed=drawing.check_seed(seed))
    sums_under = WeightedSums(rows)
    counts = np.zeros((n_metrics, len(first)), dtype=np.int64)
    for numbers in drawing.blocks(n_resamples):
        flipped = sums_under(swaps(numbers)).reshape(n_metrics, n_systems, -1)
        # A difference that changes its sign takes itself away twice.
        null = observed - 2 * (flipped[:, first] - flipped[:, second])
        counts += (null >= observed - tolerance).sum(axis=2)
    # Parity: mt-metrics-eval, p = count / resamples, so that it can be 0.
    return counts / n_resamples
