"""Bootstrap confidence intervals for scores and for differences of scores.

percentile   the quantiles of the resampled values
bca          bias-corrected and accelerated (Efron 1987): quantiles shifted by the bias of the resamples and by the
             skewness of the statistic, which the jackknife estimates
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError

if TYPE_CHECKING:
    from mtassay.stats.sample import Sample
    from mtassay.types import Floats

INTERVALS = ("percentile", "bca")


def percentile(resampled: Floats, alpha: float) -> Floats:
    """Interval that covers 1 - `alpha` of the resampled values (..., resamples); shape (..., 2).

    >>> percentile(np.arange(101.0), 0.1).tolist()
    [5.0, 95.0]
    """
    ends: Floats = np.quantile(resampled, [alpha / 2, 1 - alpha / 2], axis=-1)
    return np.moveaxis(ends, 0, -1)


def bca(resampled: Floats, observed: Floats, left_out: Floats, alpha: float) -> Floats:
    """BCa interval.

    Args:
        resampled: shape (..., resamples).
        observed: the value over all units, shape (...).
        left_out: the value without each unit in turn, shape (..., units).
        alpha: 1 minus the coverage.

    Returns:
        shape (..., 2); the percentile interval if all resamples are equal.
    """
    # SciPy's ndtri and ndtr take 0.2 s to import, as long as a whole comparison, and are needed for only a few calls.
    from statistics import NormalDist

    quantile, share = np.vectorize(NormalDist().inv_cdf, [float]), np.vectorize(NormalDist().cdf, [float])
    n_resamples = resampled.shape[-1]
    distance = resampled - observed[..., None]
    rounding = TOLERANCE * np.abs(resampled).max(axis=-1, keepdims=True)
    below = (distance < -rounding).sum(axis=-1) + (np.abs(distance) <= rounding).sum(axis=-1) / 2
    # Quantiles outside the resamples are unknown: clip the shares.
    bias = quantile(np.clip(below / n_resamples, 0.5 / n_resamples, 1 - 0.5 / n_resamples))[..., None]
    deviation = left_out.mean(axis=-1, keepdims=True) - left_out
    spread = (deviation**2).sum(axis=-1) ** 1.5
    acceleration = np.where(spread > 0, (deviation**3).sum(axis=-1) / (6 * np.where(spread > 0, spread, 1.0)), 0.0)
    wanted = bias + quantile(np.array([alpha / 2, 1 - alpha / 2]))
    moved = share(bias + wanted / (1 - acceleration[..., None] * wanted))
    of_rows = np.vectorize(np.quantile, signature="(resamples),(ends)->(ends)")
    ends: Floats = of_rows(resampled, moved)
    return ends


def jackknife(sample: Sample) -> Floats:
    """Oriented scores with each unit left out in turn, shape (systems, units)."""
    without = sample.totals()[:, None] - sample.statistics
    return sample.sign * sample.score(without)


def check_alpha(alpha: Any) -> float:
    """Return the significance level α; reject invalid values."""
    if not isinstance(alpha, float | np.floating) or not 0 < alpha < 1:
        raise InputError(f"alpha must be between 0 and 1, not {alpha!r}")
    return float(alpha)
