"""Human scores of single outputs: adequacy, fluency, direct assessment.

Graham, Mathur & Baldwin 2014, "Randomized significance tests in machine translation"; Graham et al. 2017, "Can machine
translation systems be evaluated by the crowd alone"; the official scripts of WMT21.

A judge's scores are standardised by their mean and standard deviation (n - 1), control items included. A
segment's score is the mean of its assessments, a system's the mean over its segments. Pairs of systems are compared by
the rank-sum test of Wilcoxon and of Mann & Whitney over segment scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.judgements import SCORED
from mtassay.equality import TOLERANCE, best_first, equalised, magnitude
from mtassay.errors import InputError
from mtassay.stats.intervals import check_alpha

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mtassay.data.judgements import Scores
    from mtassay.types import Floats


@dataclass(frozen=True, eq=False)
class Kept:
    """The remaining scores.

    Attributes:
        scores: the scores.
        dropped: names of the judges whose scores were left out.
    """

    scores: Scores
    dropped: tuple[str, ...]


def standardise(scores: Scores) -> Kept:
    """Standardise each judge's scores: (score - mean) / deviation, over all rows of the judge.

    Judges with a single score, or only equal scores, have no deviation and are dropped.
    """
    n_judges = len(scores.judges)
    counts = np.bincount(scores.judge, minlength=n_judges)
    mean = np.bincount(scores.judge, scores.score, n_judges) / np.maximum(counts, 1)
    distance = scores.score - mean[scores.judge]
    variance = np.bincount(scores.judge, distance**2, n_judges) / np.maximum(counts - 1, 1)
    # If all scores are equal, a variance above 0 comes only from the rounding of their mean.
    flat = variance <= (TOLERANCE * np.maximum(np.abs(mean), 1.0)) ** 2
    z = distance / np.sqrt(np.where(flat, 1.0, variance))[scores.judge]
    return keep_judges(replace(scores, score=equalised(z, scale=1.0)), ~flat)


def even_out(scores: Scores) -> Scores:
    """Map each judge's scores to their mid-rank in the judge's own distribution (Blatz et al. 2003).

    A score becomes the share of the judge's scores below it plus half the share of those equal to it: between 0 and
    1, with mean ½ for everyone.
    """
    places = np.empty(len(scores))
    for judge in range(len(scores.judges)):
        rows = np.flatnonzero(scores.judge == judge)
        own = np.sort(scores.score[rows])
        below, up_to = (np.searchsorted(own, scores.score[rows], side) for side in ("left", "right"))
        places[rows] = (below + up_to) / (2 * max(len(rows), 1))
    return replace(scores, score=places)


def keep_judges(scores: Scores, keep: Any) -> Kept:
    """Scores of some of the judges; `keep` is bool of shape (judges,)."""
    chosen = np.asarray(keep, dtype=bool)
    present = np.unique(scores.judge)
    dropped = tuple(scores.judges[judge] for judge in present.tolist() if not chosen[judge])
    return Kept(scores.rows(chosen[scores.judge]), dropped)


def segment_scores(scores: Scores) -> Floats:
    """Mean of the assessments of each output, shape (systems, segments); NaN if missing.

    Degraded outputs and references do not count. Means that differ only by rounding are made equal. If every output has
    one assessment, values are unchanged.
    """
    counted = scores.rows(np.isin(scores.item, SCORED))
    shape = (len(scores.systems), len(scores.segments))
    cell = counted.system * shape[1] + counted.segment
    n = np.bincount(cell, minlength=shape[0] * shape[1])
    total = np.bincount(cell, counted.score, shape[0] * shape[1])
    means: Floats = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    if n.max(initial=0) > 1:
        means = equalised(means, scale=magnitude(counted.score))
    return means.reshape(shape)


def system_scores(per_segment: Any) -> Floats:
    """Mean over the segments that have a score, shape (systems, segments) -> (systems,); NaN if no segment has one."""
    values = np.asarray(per_segment, dtype=np.float64)
    n = np.isfinite(values).sum(axis=-1)
    means: Floats = np.divide(np.nansum(values, axis=-1), n, out=np.full(n.shape, np.nan), where=n > 0)
    return means


def rank_sum_p(per_segment: Any) -> Floats:
    """P-values of the rank-sum test that the row is better than the column, shape (systems, systems).

    One-sided, by the normal approximation with corrections for ties and continuity, as R's ``wilcox.test`` does. 1 on
    the diagonal, and if a system has no scores or all scores of two systems are the same.

    Args:
        per_segment: higher is better, shape (systems, segments); NaN if missing.
    """
    from scipy.stats import mannwhitneyu  # takes a while to load

    # Parity: R's wilcox.test, scores from files are compared unchanged; ``segment_scores`` equalises its own means.
    values = [row[np.isfinite(row)] for row in np.asarray(per_segment, dtype=np.float64)]
    p = np.ones((len(values), len(values)))
    for x in range(len(values)):
        for y in range(x):
            if len(values[x]) and len(values[y]):
                for row, column in ((x, y), (y, x)):
                    tested = mannwhitneyu(values[row], values[column], alternative="greater", method="asymptotic")
                    p[row, column] = tested.pvalue
    return p


def conclusions(p: Any, *, alpha: float = 0.05) -> NDArray[np.int64]:
    """1 if the row is significantly better (p <= alpha), -1 if the column is, else 0; from one-sided p-values.

    >>> conclusions([[1, 0.01], [0.99, 1]]).tolist()
    [[0, 1], [-1, 0]]
    """
    significant = np.asarray(p, dtype=np.float64) <= check_alpha(alpha)
    return significant.astype(np.int64) - significant.T.astype(np.int64)


def check_aspects(first: Scores, second: Scores) -> None:
    """Reject two aspects with the same scores: a file without named aspects, read twice."""
    columns = ("segment", "judge", "system", "score")
    same = all(np.array_equal(getattr(first, name), getattr(second, name)) for name in columns)
    if same and first.systems == second.systems:
        raise InputError(
            f"{first.aspect} and {second.aspect} have the same scores: give two files, or one with a column 'aspect'"
        )


def combined_p(adequacy: Any, fluency: Any, *, alpha: float = 0.05) -> Floats:
    """P-values of adequacy for pairs with a significant difference, of fluency for others (Graham et al. 2014).

    >>> one, other = [[1, 0.01], [0.99, 1]], [[1, 0.9], [0.1, 1]]
    >>> combined_p(one, other).tolist() == one, combined_p(one, other, alpha=0.001).tolist() == other
    (True, True)
    """
    first, second = np.asarray(adequacy, dtype=np.float64), np.asarray(fluency, dtype=np.float64)
    if first.shape != second.shape:
        raise InputError("adequacy and fluency can be combined only if they have the same systems")
    return np.where(conclusions(first, alpha=alpha) != 0, first, second)


def official_clusters(scores: Any, p: Any, *, alpha: float = 0.05) -> tuple[tuple[int, ...], ...]:
    """Clusters as WMT21 published them: a cluster ends after a system that beats as many systems as rank below it.

    Only the wins of that system count, including those over systems ranked above it.

    Args:
        scores: higher is better, shape (systems,).
        p: one-sided p-values, shape (systems, systems).
        alpha: the significance level.

    >>> official_clusters([3, 2, 1], [[1, 0.2, 0.01], [0.8, 1, 0.01], [0.99, 0.99, 1]])
    ((0, 1), (2,))
    """
    order = np.array(best_first(scores, scale=magnitude(scores)))
    beaten = (np.asarray(p, dtype=np.float64) <= check_alpha(alpha)).sum(axis=1)[order]
    n_below = np.arange(len(order))[::-1]
    pieces = np.split(order, np.flatnonzero(beaten[:-1] == n_below[:-1]) + 1)
    return tuple(tuple(piece.tolist()) for piece in pieces)
