"""Which segments to show if there is no room for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.types import Floats, Index


def spread(scores: Floats) -> Floats:
    """Difference between the highest and the lowest score of each segment, shape (segments,).

    Args:
        scores: segment scores, shape (systems, segments); NaN if missing.
    """
    known = np.where(np.isnan(scores), -np.inf, scores).max(axis=0)
    lowest = np.where(np.isnan(scores), np.inf, scores).min(axis=0)
    found: Floats = np.where(known >= lowest, known - lowest, 0.0)
    return found


def select_segments(groups: Sequence[Index], weights: Floats, most: int) -> Index:
    """Select segments: in turn the heaviest remaining segment of each group, then the heaviest of all; sorted.

    Args:
        groups: numbers of segments in each group, such as a bucket.
        weights: weights of the segments, shape (segments,).
        most: number of segments to select.

    >>> select_segments([np.array([0, 1, 2]), np.array([3, 4])], np.array([1.0, 3.0, 2.0, 0.5, 0.0]), 3).tolist()
    [1, 2, 3]
    """
    if most >= len(weights):
        return np.arange(len(weights))
    waiting = [iter(group[np.argsort(-weights[group], kind="stable")].tolist()) for group in groups]
    chosen: dict[int, None] = {}
    while waiting and len(chosen) < most:
        left = []
        for group in waiting:
            found = next((segment for segment in group if segment not in chosen), None)
            if found is not None and len(chosen) < most:
                chosen[found] = None
                left.append(group)
        waiting = left
    for segment in np.argsort(-weights, kind="stable").tolist():
        if len(chosen) >= most:
            break
        chosen[segment] = None
    return np.array(sorted(chosen), dtype=np.int64)
