"""Agreement of metrics with human preferences on resampled segments.

The preferences of a segment stay together: they concern the same outputs, and often come from the same screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised
from mtassay.stats.kendall import PreferenceCounts
from mtassay.stats.resamples import Resamples, blocks, check_resamples, check_seed
from mtassay.stats.weighted_sums import WeightedSums

if TYPE_CHECKING:
    from mtassay.types import Floats

_USUAL_RESAMPLES = 1000


class ResampledPreferences:
    """Counts of each resample.

    Args:
        preferences: arrays (segment, better, worse) of numbers, each of shape (n,).
        metrics: shape (metrics, systems, segments); no score of a judged output may be missing.
        resamples: number of resamples; 0 for 1000.
        seed: seed of the resamples.
    """

    def __init__(self, preferences: Any, metrics: Any, *, resamples: int = 0, seed: int = 12345) -> None:
        segment, better, worse = (np.asarray(column, dtype=np.int64) for column in preferences)
        scores = np.asarray(metrics, dtype=np.float64)
        n_resamples = check_resamples(resamples) or _USUAL_RESAMPLES
        _, place = np.unique(segment, return_inverse=True)
        n_segments = int(place.max()) + 1
        rows = np.empty((3, len(scores), n_segments))
        for number, of_metric in enumerate(map(equalised, scores)):
            difference = of_metric[better, segment] - of_metric[worse, segment]
            for kind, chosen in enumerate((difference > 0, difference < 0, difference == 0)):
                rows[kind, number] = np.bincount(place[chosen], minlength=n_segments)
        sums_under = WeightedSums(rows.reshape(-1, n_segments))
        counts = Resamples(n_segments, n_resamples, seed=check_seed(seed))
        sums = np.concatenate([sums_under(counts(numbers)) for numbers in blocks(n_resamples)], axis=1)
        self._counts = PreferenceCounts(*sums.reshape(3, len(scores), -1))

    def tau(self, variant: str) -> Floats:
        """τ of each resample in a variant of ``kendall.WMT_VARIANTS``, shape (metrics, resamples)."""
        return self._counts.tau(variant)
