"""How systems are compared under each metric: tests, intervals, runs, missing scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import equalised
from mtassay.errors import InputError
from mtassay.stats.adjust import adjust as adjust_p
from mtassay.stats.intervals import bca, jackknife, percentile
from mtassay.stats.procedures import (
    Procedure,
    all_pairs,
    p_values,
    p_values_of_sums,
    resampled_scores,
    resampled_scores_of_sums,
)
from mtassay.stats.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.execution import Execution
    from mtassay.metrics.core.table import StatsTable
    from mtassay.stats.resampled_sums import ResampledSums
    from mtassay.stats.sample import Scored
    from mtassay.types import Array, Floats


def gaps_of(table: StatsTable) -> Array:
    """Which outputs have no score, bool of shape (systems, segments)."""
    if not any(part.may_lack_scores for part in table.metric.parts):
        return np.zeros(table.statistics.shape[:2], dtype=bool)
    return np.isnan(table.segment_scores())


def common(table: StatsTable, run_index: Array, gaps: Array) -> Array:
    """The segments for which all given runs have a score; `gaps` are those of the table."""
    segments = np.flatnonzero(~gaps[run_index.ravel()].any(axis=0))
    if len(segments) == 0:
        names = " and ".join(table.systems[runs[0]] for runs in run_index)
        raise InputError(f"{names} have no segment in common with scores of {table.metric}")
    return segments


def samples_of(table: StatsTable, run_index: Array, segments: Array, groups: Sequence[Array] | None) -> list[Sample]:
    """One sample per run, restricted to some segments."""
    metric = table.metric
    if groups is None:
        return [Sample(table.statistics[of_run][:, segments], metric.score, metric.sign) for of_run in run_index.T]
    kept = [index[np.isin(index, segments)] for index in groups]
    kept = [index for index in kept if len(index)]
    return [Sample(table.statistics[of_run], metric.score, metric.sign).grouped(kept) for of_run in run_index.T]


def pooled(samples: list[Sample]) -> Sample:
    """All runs as one sample: units are swapped within their run, and scores are computed over all runs together."""
    if len(samples) == 1:
        return samples[0]
    return Sample(np.concatenate([sample.statistics for sample in samples], axis=1), samples[0].score, samples[0].sign)


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricComparison:
    """Results under one metric, oriented so that higher is better; attributes as in ``Comparison``."""

    scores: Floats
    intervals: Floats
    differences: Floats
    difference_intervals: Floats
    p: Floats
    n_units: Array
    s_sel: Floats
    s_opt: Floats

    def oriented(self, sign: float, plan: Plan) -> dict[str, Any]:
        """The attributes of a ``Comparison``, with the metric's original sign."""
        adjusted = adjusted_p(self.p, plan.pairs, plan.adjust, plan.procedure.sides)
        # A sum with 0 is never -0.0, which JSON and TSV would show.
        return {
            "scores": sign * self.scores + 0.0,
            "intervals": _turned(self.intervals, sign),
            "differences": sign * self.differences + 0.0,
            "difference_intervals": _turned(self.difference_intervals, sign),
            "p": self.p,
            "adjusted": adjusted,
            "better": better(self.differences, adjusted, plan.alpha),
            "n_units": self.n_units,
            "s_sel": self.s_sel,
            "s_opt": self.s_opt,
        }


@dataclass(frozen=True, eq=False)
class Plan:
    """How samples are compared."""

    procedure: Procedure
    pairs: Array
    alpha: float
    adjust: str
    interval: str
    execution: Execution

    def run(self, samples: Sequence[list[Sample]]) -> list[MetricComparison]:
        """Compare systems under each metric; `samples` has one sample per run for each metric."""
        p = p_values(
            [pooled(of_runs) for of_runs in samples], self.procedure, pairs=self.pairs, execution=self.execution
        )
        drawing = Procedure("bs", resamples=self.procedure.resamples, seed=self.procedure.seed)
        resampled = [
            resampled_scores(of_metrics, drawing, execution=self.execution) for of_metrics in zip(*samples, strict=True)
        ]
        left_out = [
            np.mean([jackknife(sample) for sample in of_runs], axis=0) if self.interval == "bca" else None
            for of_runs in samples
        ]
        return [
            self._found(samples[m], p[m], [of_run[m] for of_run in resampled], left_out[m]) for m in range(len(samples))
        ]

    def run_of_sums(self, sums: ResampledSums) -> list[MetricComparison]:
        """Compare systems with one run each under each metric, from sums under resamples; not with BCa intervals."""
        p = p_values_of_sums(sums, pairs=self.pairs, execution=self.execution)
        resampled = resampled_scores_of_sums(sums, execution=self.execution)
        return [self._found([sample], p[m], [resampled[m]], None) for m, sample in enumerate(sums.samples)]

    def _found(
        self, samples: Sequence[Scored], p: Floats, resampled: list[Floats], left_out: Floats | None
    ) -> MetricComparison:
        """Combine p-values and, per run, the scores of resamples (systems, resamples) and without each unit."""
        of_runs = np.array([sample.scores() for sample in samples])
        scores = of_runs.mean(axis=0)
        if samples[0].n_units < 2:  # a single unit gives no information about variance
            resampled = [np.full_like(values, np.nan) for values in resampled]
        compared = equalised(scores)
        means = np.mean(resampled, axis=0)
        n_systems = len(scores)
        intervals = np.full((n_systems, n_systems, 2), np.nan)
        for x, y in self.pairs:
            without = None if left_out is None else left_out[x] - left_out[y]
            ends = self._ends(means[x] - means[y], np.asarray(scores[x] - scores[y]), without)
            intervals[x, y], intervals[y, x] = ends, -ends[::-1]
        return MetricComparison(
            scores=scores,
            intervals=self._ends(means, scores, left_out),
            differences=compared[:, None] - compared[None, :],
            difference_intervals=intervals,
            p=p,
            n_units=np.full((n_systems, n_systems), samples[0].n_units),
            s_sel=np.mean([_deviation(values.T) for values in resampled], axis=0),
            s_opt=_deviation(of_runs),
        )

    def _ends(self, values: Floats, observed: Floats, without: Floats | None) -> Floats:
        return percentile(values, self.alpha) if without is None else bca(values, observed, without, self.alpha)


def pair_by_pair(
    table: StatsTable, gaps: Array, plan: Plan, run_index: Array, groups: Sequence[Array] | None
) -> MetricComparison:
    """Compare systems with missing scores: each pair on the segments that both have."""
    everything = np.arange(table.statistics.shape[1])
    [whole] = plan.run([samples_of(table, run_index, everything, groups)])
    names = {name: np.array(getattr(whole, name)) for name in ("p", "differences", "difference_intervals", "n_units")}
    alone = replace(plan, pairs=all_pairs(2))
    for x, y in plan.pairs:
        of_pair = run_index[[x, y]]
        [found] = alone.run([samples_of(table, of_pair, common(table, of_pair, gaps), groups)])
        for name, values in names.items():
            values[x, y], values[y, x] = getattr(found, name)[[0, 1], [1, 0]]
    return replace(
        whole,
        p=names["p"],
        differences=names["differences"],
        difference_intervals=names["difference_intervals"],
        n_units=names["n_units"],
    )


def better(differences: Floats, p: Floats, alpha: float) -> Array:
    """Which system is significantly better: a small p-value, and a positive oriented difference.

    A small one-sided p-value for the system with the lower score, which a bootstrap can give if statistics are skewed,
    does not count.
    """
    found: Array = (np.nan_to_num(p, nan=1.0) <= alpha) & (differences > 0)
    return found


def adjusted_p(p: Floats, pairs: Array, method: str, sides: int | None) -> Floats:
    """Adjust the p-values of one metric over unordered pairs, or over ordered pairs for a one-sided test."""
    first, second = pairs.T
    adjusted = np.full_like(p, np.nan)
    if sides == 2:
        adjusted[first, second] = adjusted[second, first] = adjust_p(p[first, second], method)
    else:
        both = adjust_p(np.concatenate([p[first, second], p[second, first]]), method)
        adjusted[first, second], adjusted[second, first] = np.split(both, 2)
    return adjusted


def _turned(ends: Floats, sign: float) -> Floats:
    """Convert intervals of oriented values to the metric's original sign."""
    return ends if sign > 0 else 0.0 - ends[..., ::-1]


def _deviation(values: Floats) -> Floats:
    """Sample standard deviation of each row; NaN for a single value."""
    deviation: Floats = values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1:], np.nan)
    return deviation
