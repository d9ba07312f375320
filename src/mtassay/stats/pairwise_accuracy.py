"""Pairwise accuracy of system scores (Kocmi et al. 2021) and soft pairwise accuracy (Thompson et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError
from mtassay.stats import resamples as drawing
from mtassay.stats.grouped_gold import system_level
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from mtassay.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class PairwiseAccuracy:
    """Number of pairs of systems on which metrics agree with gold; results of several directions can be added.

    Attributes:
        n_agree: number of pairs on which they agree, shape (metrics,).
        n_pairs: number of all pairs.
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
    """Share of pairs of systems that a metric orders as gold does; a tie agrees only with a tie.

    Args:
        gold: shape (systems,), NaN if missing.
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
        gold: shape (systems, segments), NaN if missing.
        metrics: shape (metrics, systems, segments).
        resamples: number of resamples.
        seed: seed of the resamples, which gold and all metrics share.

    Returns:
        shape (metrics,). Segments without gold for some system do not count.
    """
    values, scores = np.asarray(gold, dtype=np.float64), np.asarray(metrics, dtype=np.float64)
    if values.ndim != 2 or scores.ndim != 3 or scores.shape[1:] != values.shape:
        raise InputError(f"metrics have shape {scores.shape}, which does not fit gold of shape {values.shape}")
    judged = ~np.isnan(values).any(axis=0)
    if not judged.any():
        raise InputError("no segment has gold for all systems: their outputs cannot be compared in pairs")
    if np.isnan(scores[:, :, judged]).any():
        raise InputError("a metric has no score for a segment that was judged")
    p = sign_flip_p(np.concatenate([values[None], scores])[:, :, judged], resamples=resamples, seed=seed)
    soft: Floats = 1 - np.abs(p[1:] - p[0]).mean(axis=1)
    return soft


def sign_flip_p(scores: Any, *, resamples: int = 10_000, seed: int = 12345) -> Floats:
    """One-sided p-values of the test that the first system of a pair is better, by flipping signs of differences.

    Args:
        scores: shape (metrics, systems, segments).
        resamples: number of resamples.
        seed: seed of the resamples.

    Returns:
        shape (metrics, pairs), pairs in the order of ``np.triu_indices``.
    """
    values = np.asarray(scores, dtype=np.float64)
    n_metrics, n_systems, n_segments = values.shape
    first, second = np.triu_indices(n_systems, k=1)
    n_resamples = drawing.check_resamples(resamples)
    if n_resamples == 0 or len(first) == 0:
        raise InputError("soft pairwise accuracy needs at least two systems and one resample")
    rows = values.reshape(-1, n_segments)
    totals = rows.sum(axis=1).reshape(n_metrics, n_systems, 1)
    # One observed value is compared with simulated ones: a tolerance is enough, without sorting.
    tolerance = TOLERANCE * np.abs(values).sum(axis=(1, 2))[:, None, None]
    observed = totals[:, first] - totals[:, second]
    swaps = drawing.Swaps(n_segments, n_resamples, seed=drawing.check_seed(seed))
    sums_under = WeightedSums(rows)
    counts = np.zeros((n_metrics, len(first)), dtype=np.int64)
    for numbers in drawing.blocks(n_resamples):
        flipped = sums_under(swaps(numbers)).reshape(n_metrics, n_systems, -1)
        # Flipping the sign of a difference subtracts it twice.
        null = observed - 2 * (flipped[:, first] - flipped[:, second])
        counts += (null >= observed - tolerance).sum(axis=2)
    # Parity: mt-metrics-eval, p = count / resamples, so that it can be 0.
    return counts / n_resamples
