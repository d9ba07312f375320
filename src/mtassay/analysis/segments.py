"""Segments by bucket: corpus scores of systems over the segments of each kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.analysis.bucket_tests import intervals_apart, test_each_bucket
from mtassay.analysis.buckets import bucket_of, by_label, labels_of_cutoffs, quantile_cutoffs
from mtassay.errors import InputError
from mtassay.stats.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.analysis.bucket_tests import BucketResampling, BucketTests
    from mtassay.analysis.matching import WordMatches
    from mtassay.execution import Execution
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.table import StatsTable
    from mtassay.types import Bools, Counts, Floats, Index, Offsets

#: The smallest values of the buckets of reference lengths, and of differences in length.
LENGTHS = (10, 20, 30, 40, 50, 60)
DIFFERENCES = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)
N_QUANTILES = 10
_RANGE = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)-(-?[0-9]+(?:\.[0-9]+)?)?")


@dataclass(frozen=True, eq=False)
class SegmentBuckets:
    """A division of segments.

    Attributes:
        name: name of the view.
        title: title of the view.
        labels: names of the buckets.
        members: the bucket of each segment, shape (segments,) if it is the same for all systems, else (systems,
            segments).
        values: the numbers by which segments are divided, in the shape of `members`; None if labels divide them.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    members: Index
    values: Floats | None = None

    @property
    def paired(self) -> bool:
        """Whether a bucket has the same segments for all systems."""
        return self.members.ndim == 1


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentView:
    """Scores of all systems by bucket; buckets without segments are left out.

    Attributes:
        name: name of the view.
        title: title of the view.
        labels: names of the buckets.
        metrics: the metrics.
        paired: whether a bucket has the same segments for all systems; else nothing is tested.
        segments: for each bucket and system the segments, from 0.
        tests: one for each metric.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    metrics: tuple[Metric, ...]
    paired: bool
    segments: tuple[tuple[Index, ...], ...]
    tests: tuple[BucketTests, ...]

    @property
    def n_segments(self) -> Counts:
        """Number of segments, shape (buckets, systems)."""
        return np.array([[len(index) for index in of_bucket] for of_bucket in self.segments], dtype=np.int64)


def reference_lengths(lengths: Index, group_offsets: Offsets) -> Floats:
    """Length of each segment's reference, the mean of several, shape (segments,)."""
    sums = np.add.reduceat(lengths, group_offsets[:-1])
    mean: Floats = sums / np.diff(group_offsets)
    return mean


def by_length(lengths: Floats) -> SegmentBuckets:
    """Segments by the number of words of the reference."""
    labels = labels_of_cutoffs(LENGTHS, lowest=0)
    return SegmentBuckets("length", "segments by reference length", labels, bucket_of(lengths, LENGTHS), lengths)


def by_difference(matches: WordMatches) -> SegmentBuckets:
    """Segments by the length of the output minus that of the reference with most matches; differs by system."""
    values = matches.outputs.lengths.reshape(matches.chosen.shape) - matches.references.lengths[matches.chosen]
    title = "segments by length of output − reference"
    buckets = bucket_of(values, DIFFERENCES)
    return SegmentBuckets("difference", title, labels_of_cutoffs(DIFFERENCES), buckets, values.astype(np.float64))


def by_score(scores: Floats, metric: Metric) -> SegmentBuckets:
    """Segments by deciles of their score, the mean over systems, worst first.

    Args:
        scores: segment scores, shape (systems, segments); NaN if missing.
        metric: the metric.
    """
    known = ~np.isnan(scores)
    means = np.where(known, scores, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    means[~known.any(axis=0)] = np.nan
    if np.isnan(means).all():
        raise InputError(f"{metric} has no score of any segment to divide segments by")
    worst_first = means * (metric.sign or 1.0)
    cutoffs = quantile_cutoffs(worst_first, N_QUANTILES)
    members = np.where(np.isnan(means), -1, bucket_of(worst_first, cutoffs))
    ends = [means[members == bucket] for bucket in range(len(cutoffs) + 1)]
    labels = tuple(
        f"{bucket}: {of.min():.{metric.digits}f} to {of.max():.{metric.digits}f}" for bucket, of in enumerate(ends, 1)
    )
    title = f"segments by {metric.label}, deciles of the mean over systems, worst first"
    return SegmentBuckets("score", title, labels, members, means)


def by_segment_label(name: str, title: str, labels: Sequence[str]) -> SegmentBuckets:
    """Segments by given labels: documents, domains, lines of a file."""
    names, members = by_label(labels)
    return SegmentBuckets(name, title, names, members)


def by_repetition(sources: Sequence[str]) -> SegmentBuckets:
    """Segments by whether their source occurs again."""
    _, numbers = by_label(sources)
    repeated = (np.bincount(numbers)[numbers] > 1).astype(np.int64)
    return SegmentBuckets("duplicates", "segments by repetition of the source", ("once", "repeated"), repeated)


def segment_view(
    buckets: SegmentBuckets,
    tables: Sequence[StatsTable],
    missing: Sequence[Bools],
    resampling: BucketResampling,
    *,
    execution: Execution,
    together: bool = False,
) -> SegmentView:
    """Score and test the segments of each bucket.

    Args:
        buckets: the division.
        tables: statistics, one table per metric.
        missing: for each metric the segments without a score, shape (systems, segments).
        resampling: how tests are made.
        execution: how the work on buckets is run.
        together: whether to correct the p-values of all metrics together, as those of one table.
    """
    n_systems = len(tables[0].systems)
    members = np.broadcast_to(buckets.members, (n_systems, buckets.members.shape[-1]))
    kept = [bucket for bucket in range(len(buckets.labels)) if (members == bucket).any()]
    segments = [tuple(np.flatnonzero(of_system == bucket) for of_system in members) for bucket in kept]
    signs = [table.metric.sign for table in tables]
    if buckets.paired:
        samples = [
            [
                _sample(table, slice(None), index[0][~gaps[:, index[0]].any(axis=0)])
                for table, gaps in zip(tables, missing, strict=True)
            ]
            for index in segments
        ]
        tests = test_each_bucket(samples, resampling, signs=signs, execution=execution, together=together)
    else:
        apart = [
            [
                [
                    _sample(table, slice(system, system + 1), index[system][~gaps[system, index[system]]])
                    for table, gaps in zip(tables, missing, strict=True)
                ]
                for system in range(n_systems)
            ]
            for index in segments
        ]
        tests = intervals_apart(apart, resampling, signs=signs, execution=execution)
    return SegmentView(
        name=buckets.name,
        title=buckets.title,
        labels=tuple(buckets.labels[bucket] for bucket in kept),
        metrics=tuple(table.metric for table in tables),
        paired=buckets.paired,
        segments=tuple(segments),
        tests=tuple(tests),
    )


def _sample(table: StatsTable, systems: slice, segments: Index) -> Sample:
    # A metric without a direction has intervals, too.
    return Sample(table.statistics[systems][:, segments], table.metric.score, table.metric.sign or 1.0)


def all_segments(name: str, title: str, n_segments: int) -> SegmentBuckets:
    """One bucket with all segments."""
    return SegmentBuckets(name, title, ("all",), np.zeros(n_segments, dtype=np.int64))


def in_bucket(buckets: SegmentBuckets, wanted: str) -> Bools:
    """Which segments are in a bucket, shape (segments,); if buckets differ by system, those of any system.

    Args:
        buckets: the division.
        wanted: the name of a bucket; or, if segments are divided by numbers, a range such as ``20-30`` or ``60-``.

    >>> in_bucket(by_length(np.array([5.0, 20.0, 30.0])), "20-30").tolist()
    [False, True, True]
    """
    plain = [label.replace("–", "-") for label in buckets.labels]
    span = _RANGE.fullmatch(wanted)
    low, high = (float(span[1]), float(span[2] or "inf")) if span else (1.0, 0.0)
    if wanted.replace("–", "-") in plain:
        found = buckets.members == plain.index(wanted.replace("–", "-"))
    elif buckets.values is not None and low <= high:
        found = (buckets.values >= low) & (buckets.values <= high)
    else:
        ranges = "" if buckets.values is None else "a range such as 20-30, or one of: "
        raise InputError(f"{buckets.name} has no bucket '{wanted}' (choose {ranges}{', '.join(buckets.labels)})")
    of_segments: Bools = found if found.ndim == 1 else found.any(axis=0)
    return of_segments
