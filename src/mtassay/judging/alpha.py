"""Agreement of judges on scores: Krippendorff's alpha with the interval metric.

Krippendorff 2011, "Computing Krippendorff's alpha-reliability": α = 1 - D_o / D_e. D_o is the mean squared difference
of two scores of one output, with outputs weighted by their number of scores; D_e is that of any two scores. Only
outputs with at least two scores count, whether the scores come from one judge or several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.judgements import OUTPUTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.data.judgements import Scores
    from mtassay.types import Floats


def krippendorff_alpha(scores: Scores) -> float:
    """Agreement of all judges, without control items; NaN if no two scores can be compared or all are the same."""
    values, unit, _ = _comparable(scores)
    n = len(values)
    if n < 2 or np.ptp(values) == 0:
        return float("nan")
    sizes = np.bincount(unit)
    mean = np.bincount(unit, values) / sizes
    within = np.bincount(unit, (values - mean[unit]) ** 2)
    # The squared differences of all m(m - 1) ordered pairs of m numbers sum to 2m times the sum of squared deviations.
    observed = float((2 * sizes * within / (sizes - 1)).sum()) / n
    return 1 - observed / _expected(values)


def alpha_by_judge(scores: Scores) -> Floats:
    """Agreement of each judge with the others, shape (judges,); NaN for a judge without comparable scores.

    1 - D_j / D_e, with D_j the mean over the judge's scores of the mean squared difference from other judges' scores of
    the same output, and D_e as for all judges.
    """
    values, unit, judge = _comparable(scores)
    found = np.full(len(scores.judges), np.nan)
    if len(values) < 2 or np.ptp(values) == 0:
        return found
    expected = _expected(values)
    centred = values - values.mean()
    own = np.unique(unit * len(scores.judges) + judge, return_inverse=True)[1]
    others = np.bincount(unit)[unit] - np.bincount(own)[own]
    total, squares = (np.bincount(unit, power)[unit] - np.bincount(own, power)[own] for power in (centred, centred**2))
    has = others > 0
    gap = centred[has] ** 2 - 2 * centred[has] * total[has] / others[has] + squares[has] / others[has]
    n = np.bincount(judge[has], minlength=len(found))
    mean = np.bincount(judge[has], gap, len(found)) / np.maximum(n, 1)
    found[n > 0] = 1 - mean[n > 0] / expected
    return found


def _comparable(scores: Scores) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Scores of outputs with at least two scores, their outputs (renumbered) and judges."""
    counted = scores.rows(np.isin(scores.item, OUTPUTS))
    _, unit, sizes = np.unique(
        counted.system * max(len(scores.segments), 1) + counted.segment, return_inverse=True, return_counts=True
    )
    several = sizes[unit] > 1
    renumbered = np.unique(unit[several], return_inverse=True)[1].astype(np.int64)
    return counted.score[several], renumbered, counted.judge[several]


def _expected(values: Floats) -> float:
    """Mean squared difference of any two scores."""
    return 2 * float(((values - values.mean()) ** 2).sum()) / (len(values) - 1)
