"""Intervals and paired tests in each bucket.

Resamples are those of ``mtassay.compare`` with the same seed: on the whole test set for buckets of words, and on a test
set of the bucket's segments for buckets of segments. P-values of all buckets and pairs of one table are corrected
together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised
from mtassay.stats.adjust import adjust as adjust_p
from mtassay.stats.blas_threads import single_blas_thread
from mtassay.stats.intervals import percentile
from mtassay.stats.procedures import Procedure, all_pairs, p_values, resampled_scores
from mtassay.stats.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.execution import Execution
    from mtassay.types import Array, Bools, Floats

    #: Results of one bucket: scores and interval of each system, and p-values of each pair.
    Found = tuple[Floats, Floats, Floats]

#: Largest number of systems times buckets that are resampled together.
_ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class BucketResampling:
    """How buckets are tested.

    Attributes:
        procedure: the test.
        alpha: significance level; corrected p-values up to it are significant, and intervals cover 1 - `alpha`.
        adjust: correction of p-values over the buckets and pairs of a measure.
    """

    procedure: Procedure
    alpha: float
    adjust: str


@dataclass(frozen=True, eq=False)
class BucketTests:
    """One measure (a metric, or F1 of words) in each bucket; NaN if there is nothing to measure or to test.

    Attributes:
        scores: scores with the measure's own sign, shape (buckets, systems).
        intervals: their confidence intervals, shape (buckets, systems, 2).
        p: p[b, x, y], p-value of the test that x and y differ in bucket b, shape (buckets, systems, systems).
        adjusted: the same, corrected for the number of buckets and pairs.
        better: x is significantly better than y in bucket b, by the corrected p-values.
    """

    scores: Floats
    intervals: Floats
    p: Floats
    adjusted: Floats
    better: Bools


def test_each_bucket(
    buckets: Sequence[Sequence[Sample]],
    resampling: BucketResampling,
    *,
    signs: Sequence[float],
    execution: Execution,
    together: bool,
) -> list[BucketTests]:
    """Test each measure in each bucket.

    Args:
        buckets: for each bucket one sample per measure, whose units are segments.
        resampling: how buckets are tested.
        signs: for each measure 1 if higher is better, -1 if lower is better, 0 if it has no direction (no tests).
        execution: how the work on buckets is run.
        together: whether to correct the p-values of all measures together.
    """
    found = _run(buckets, resampling, execution)
    measures = [[of[m] for of in found] for m in range(len(signs))]
    return _gathered(measures, signs, resampling) if together else _each(measures, signs, resampling)


def test_on_all_segments(
    views: Sequence[Sequence[Sample]], resampling: BucketResampling, *, execution: Execution
) -> list[BucketTests]:
    """Test one measure in each bucket of each view, where every bucket has all segments and higher is better.

    A resample in which a bucket has nothing to measure (NaN) is left out of its intervals.

    Args:
        views: for each view one sample per bucket; all have the same systems, units and score function.
        resampling: how buckets are tested.
        execution: how blocks of resamples are run.
    """
    samples = [sample for of_view in views for sample in of_view]
    at_once = max(1, _ROWS_AT_ONCE // samples[0].n_systems)
    found: list[Found] = []
    for first in range(0, len(samples), at_once):
        found += _side_by_side(samples[first : first + at_once], resampling, execution)
    of_each = iter(found)
    measures = [[next(of_each) for _ in of_view] for of_view in views]
    return _each(measures, [1.0] * len(measures), resampling)


def _side_by_side(samples: Sequence[Sample], resampling: BucketResampling, execution: Execution) -> list[Found]:
    """Results of each sample. All samples are joined into one with the systems of all, to sum them in one product."""
    n_systems, score = samples[0].n_systems, samples[0].score
    statistics = np.concatenate([sample.statistics for sample in samples])
    procedure = resampling.procedure
    scores = np.array([sample.scores() for sample in samples])
    p = np.full((len(samples), n_systems, n_systems), np.nan)
    if n_systems > 1:
        # Systems for which there is nothing to measure do not differ.
        joined = Sample(statistics, partial(_zero_for_nan, score))
        starts = n_systems * np.arange(len(samples))
        pairs = np.concatenate([all_pairs(n_systems) + start for start in starts])
        [of_all] = p_values([joined], procedure, pairs=pairs, execution=execution)
        p = np.array([of_all[start : start + n_systems, start : start + n_systems] for start in starts])
    intervals = np.full((*scores.shape, 2), np.nan)
    if statistics.shape[1] > 1:
        drawing = Procedure("bs", resamples=procedure.resamples, seed=procedure.seed)
        [resampled] = resampled_scores([Sample(statistics, score)], drawing, execution=execution)
        intervals = _interval(resampled, resampling.alpha).reshape(intervals.shape)
    return list(zip(scores, intervals, p, strict=True))


def _zero_for_nan(score: Callable[[Array], Floats], totals: Array) -> Floats:
    scores: Floats = np.nan_to_num(score(totals))
    return scores


def _interval(resampled: Floats, alpha: float) -> Floats:
    """Percentile intervals of resampled scores (systems, resamples), without those that are missing."""
    if not np.isnan(resampled).any():
        return percentile(resampled, alpha)
    known = [of_system[~np.isnan(of_system)] for of_system in resampled]
    return np.array([percentile(of, alpha) if len(of) else np.full(2, np.nan) for of in known])


def intervals_apart(
    buckets: Sequence[Sequence[Sequence[Sample]]],
    resampling: BucketResampling,
    *,
    signs: Sequence[float],
    execution: Execution,
) -> list[BucketTests]:
    """Intervals for buckets in which systems have different segments, so that they cannot be compared in pairs.

    Args:
        buckets: for each bucket and system, one sample per measure with this system alone.
        resampling: how buckets are resampled.
        signs: as for ``test_each_bucket``.
        execution: how the work on buckets and systems is run.
    """
    n_systems = len(buckets[0])
    untested = np.full((n_systems, n_systems), np.nan)
    alone = iter(_run([samples for of_systems in buckets for samples in of_systems], resampling, execution))
    found = []
    for _ in buckets:
        of_systems = [next(alone) for _ in range(n_systems)]
        joined = [[np.concatenate([of[m][part] for of in of_systems]) for part in (0, 1)] for m in range(len(signs))]
        found.append([(scores, intervals, untested) for scores, intervals in joined])
    return _each([[of[m] for of in found] for m in range(len(signs))], signs, resampling)


def _run(buckets: Sequence[Sequence[Sample]], resampling: BucketResampling, execution: Execution) -> list[list[Found]]:
    with single_blas_thread:
        return list(execution.map_chunks(_test, buckets, shared=resampling))


def _test(resampling: BucketResampling, samples: Sequence[Sample]) -> list[Found]:
    """Results of each sample, oriented so that higher is better; samples of equal size share their resamples."""
    found: list[Found] = [_nothing(sample.n_systems) for sample in samples]
    drawing = Procedure("bs", resamples=resampling.procedure.resamples, seed=resampling.procedure.seed)
    for n_units in {sample.n_units for sample in samples} - {0}:
        places = [m for m, sample in enumerate(samples) if sample.n_units == n_units]
        here = [samples[m] for m in places]
        several = here[0].n_systems > 1
        p = p_values(here, resampling.procedure, pairs=all_pairs(here[0].n_systems)) if several else None
        resampled = resampled_scores(here, drawing) if n_units > 1 else None
        for k, m in enumerate(places):
            scores, intervals, nothing = found[m]
            scores = here[k].scores()
            # A single segment gives no information about variance.
            intervals = intervals if resampled is None else percentile(resampled[k], resampling.alpha)
            found[m] = scores, intervals, nothing if p is None else p[k]
    return found


def _nothing(n_systems: int) -> Found:
    return np.full(n_systems, np.nan), np.full((n_systems, 2), np.nan), np.full((n_systems, n_systems), np.nan)


def _each(
    measures: Sequence[Sequence[Found]], signs: Sequence[float], resampling: BucketResampling
) -> list[BucketTests]:
    """All buckets of each measure; p-values of one measure are corrected together."""
    pairs = zip(measures, signs, strict=True)
    return [tests for measure, sign in pairs for tests in _gathered([measure], [sign], resampling)]


def _gathered(
    measures: Sequence[Sequence[Found]], signs: Sequence[float], resampling: BucketResampling
) -> list[BucketTests]:
    """All buckets of some measures, with the measures' own signs; all p-values are corrected together."""
    parts = [[np.array(of_buckets) for of_buckets in zip(*found, strict=True)] for found in measures]
    first, second = all_pairs(parts[0][0].shape[1]).T
    for part, sign in zip(parts, signs, strict=True):
        if sign == 0:
            part[2] = np.full_like(part[2], np.nan)
    of_pairs = np.stack([p[:, first, second] for _, _, p in parts])
    there = ~np.isnan(of_pairs)
    corrected = np.full_like(of_pairs, np.nan)
    corrected[there] = adjust_p(of_pairs[there], resampling.adjust)
    tests = []
    for (scores, intervals, p), sign, of_measure in zip(parts, signs, corrected, strict=True):
        adjusted = np.full_like(p, np.nan)
        adjusted[:, first, second] = adjusted[:, second, first] = of_measure
        oriented = np.stack([equalised(of_bucket) for of_bucket in scores]) if scores.size else scores
        better = (np.nan_to_num(adjusted, nan=1.0) <= resampling.alpha) & (oriented[:, :, None] > oriented[:, None, :])
        own_scores = 0.0 - scores if sign < 0 else scores  # never -0.0
        own_intervals = 0.0 - intervals[..., ::-1] if sign < 0 else intervals
        tests.append(BucketTests(own_scores, own_intervals, p, adjusted, better))
    return tests
