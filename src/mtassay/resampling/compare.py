"""Which differences between systems are real: the verb ``compare``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay import kernels
from mtassay.errors import InputError, did_you_mean
from mtassay.metrics.score import score
from mtassay.resampling.adjust import adjust as adjust_p
from mtassay.resampling.intervals import INTERVALS, bca, check_level, jackknife, percentile
from mtassay.resampling.procedures import (
    Procedure,
    all_pairs,
    p_values,
    pairs_with,
    pseudo_statistics,
    resampled_scores,
)
from mtassay.resampling.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mtassay.data.testset import TestSet
    from mtassay.metrics.base import Metric
    from mtassay.metrics.score import ScoreResult
    from mtassay.metrics.signature import Signature
    from mtassay.metrics.table import StatsTable
    from mtassay.resampling.procedures import PseudoStatistics
    from mtassay.resampling.sample import Array, Floats

SCHEMA = "mtassay.compare/1"
#: What is drawn: single segments, or documents as wholes.
UNITS = ("segment", "doc")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems under one metric.

    Attributes:
        metric: the metric.
        signature: of the scores and the test.
        scores: the metric's own numbers, shape (systems,); over runs, their mean.
        intervals: confidence intervals of the scores, shape (systems, 2).
        difference_intervals: of the score of x minus that of y, shape (systems, systems, 2).
        p: p[x, y] that x is better than y (one-sided tests) or that they differ; NaN where it was not tested.
        adjusted: the same, corrected for many comparisons.
        better: x is significantly better than y, by the corrected p-values.
        n_units: how many segments or documents were drawn from, shape (systems, systems).
        s_sel: standard deviation of the score over resampled test sets, shape (systems,), the mean over runs.
        s_opt: standard deviation of the score over runs, shape (systems,); NaN where there is one run.
    """

    metric: Metric
    signature: Signature
    scores: Floats
    intervals: Floats
    difference_intervals: Floats
    p: Floats
    adjusted: Floats
    better: Array
    n_units: Array
    s_sel: Floats
    s_opt: Floats

    def better_at(self, level: float) -> Array:
        """Which system is significantly better than which at another level, shape (systems, systems)."""
        return _better(self.metric.sign * self.scores, self.adjusted, level)

    @property
    def ranked(self) -> list[int]:
        """Systems from best to worst; ties keep the order given."""
        return sorted(range(len(self.scores)), key=lambda s: -self.metric.sign * float(self.scores[s]))


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult:
    """All pairs of systems under all metrics.

    Attributes:
        scored: the scores and statistics behind it.
        systems: names of the systems; runs of one system are one.
        runs: positions of the runs of each system in `scored`, shape (systems, runs).
        procedure: the test.
        level: p-values up to here are significant.
        adjust: correction of p-values for many comparisons.
        unit: what was drawn: ``segment`` or ``doc``.
        interval: kind of the confidence intervals.
        baseline: the system that all others were compared with, or None.
        comparisons: one per metric.
    """

    scored: ScoreResult
    systems: tuple[str, ...]
    runs: Array
    procedure: Procedure
    level: float
    adjust: str
    unit: str
    interval: str
    baseline: str | None
    comparisons: tuple[Comparison, ...]

    @property
    def n_runs(self) -> int:
        """Runs of each system."""
        return int(self.runs.shape[1])

    @property
    def pairs(self) -> Array:
        """The pairs that were tested, shape (pairs, 2)."""
        return _pairs(self.systems, self.baseline)

    def pseudo_statistics(self, x: str, y: str) -> list[PseudoStatistics]:
        """What the test of "x is better than y", or of "x and y differ", compares under each metric."""
        for name in (x, y):
            if name not in self.systems:
                raise InputError(f"no system named '{name}'{did_you_mean(name, self.systems)}")
        if x == y:
            raise InputError(f"a pair is of two systems, not twice '{x}'")
        pair = (self.systems.index(x), self.systems.index(y))
        groups = _groups(self.scored, self.unit)
        samples = [_pooled(_samples(table, self.runs, groups)) for table in self.scored.tables]
        return [pseudo_statistics(sample, self.procedure, pair) for sample in samples]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "test": self.procedure.kind,
            "sides": self.procedure.sides,
            "draws": self.procedure.draws,
            "seed": self.procedure.seed,
            "level": self.level,
            "adjust": self.adjust,
            "unit": self.unit,
            "interval": self.interval,
            "baseline": self.baseline,
            "n_runs": self.n_runs,
            "metrics": [self._of_metric(comparison) for comparison in self.comparisons],
        }

    def _of_metric(self, comparison: Comparison) -> dict[str, Any]:
        systems = [
            {
                "system": self.systems[s],
                "score": float(comparison.scores[s]),
                "interval": comparison.intervals[s].tolist(),
                "s_sel": float(comparison.s_sel[s]),
                "s_opt": None if self.n_runs == 1 else float(comparison.s_opt[s]),
                "better_than": [self.systems[other] for other in np.flatnonzero(comparison.better[s])],
            }
            for s in comparison.ranked
        ]
        return {
            "name": comparison.metric.label,
            "metric": str(comparison.metric),
            "signature": str(comparison.signature),
            "higher_is_better": comparison.metric.higher_is_better,
            "systems": systems,
            "pairs": [self._of_pair(comparison, int(x), int(y)) for x, y in self.pairs],
        }

    def _of_pair(self, comparison: Comparison, x: int, y: int) -> dict[str, Any]:
        found: dict[str, Any] = {
            "systems": [self.systems[x], self.systems[y]],
            "difference": float(comparison.scores[x] - comparison.scores[y]),
            "interval": comparison.difference_intervals[x, y].tolist(),
            "p": float(comparison.p[x, y]),
            "p_adjusted": float(comparison.adjusted[x, y]),
            "n_units": int(comparison.n_units[x, y]),
        }
        if self.procedure.sides == 1:
            found |= {"p_reverse": float(comparison.p[y, x]), "p_reverse_adjusted": float(comparison.adjusted[y, x])}
        winner = self.systems[x] if comparison.better[x, y] else self.systems[y] if comparison.better[y, x] else None
        return {**found, "better": winner}

    def plot(self, path: Any, *, kind: str = "intervals", pair: tuple[str, str] | None = None) -> None:
        """Draw a picture into a file.

        Args:
            path: ends in .svg, .pdf or .png.
            kind: ``intervals``, ``heatmap`` or ``distribution``.
            pair: the two systems of a ``distribution``; by default the two best under the first metric.
        """
        import_module("mtassay.report.plots").compare(self, path, kind=kind, pair=pair)

    def __str__(self) -> str:
        """The tables that the command prints."""
        text: str = import_module("mtassay.report.compare").text(self)
        return text

    def __repr__(self) -> str:
        metrics = ", ".join(str(comparison.metric) for comparison in self.comparisons)
        return f"CompareResult({', '.join(self.systems)}; {metrics})"

    def _repr_html_(self) -> str:
        """The tables in a notebook."""
        html: str = import_module("mtassay.report.compare").pages(self, "html")
        return html


def compare(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: str = "ar",
    sides: int | None = None,
    draws: int = 0,
    level: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    interval: str = "percentile",
    baseline: str | None = None,
    runs: str | None = None,
    seed: int = 12345,
    threads: int = 1,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> CompareResult:
    r"""Compare systems pair by pair.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications such as ``"bleu:tok=intl"``.
        test: a name from ``mtassay.resampling.procedures.KINDS``.
        sides: 1 or 2; None for what is usual with the test.
        draws: of the test, and of the intervals; 0 for the test's usual number.
        level: p-values up to here are significant; intervals have 1 - `level` coverage.
        adjust: ``none``, ``holm`` or ``bh``, over the pairs of each metric.
        unit: ``segment``, or ``doc`` to draw documents as wholes.
        interval: ``percentile`` or ``bca``.
        baseline: compare everything with this system only.
        runs: a pattern that names of runs of one system differ in (``\.opt\d+$``); swaps then stay inside a run.
        seed: of the draws.
        threads: number of threads.
        progress: wraps long loops, for a progress bar.

    >>> result = compare([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}, metrics=["ter"])
    >>> float(result.comparisons[0].p[0, 1])
    0.5
    """
    procedure = Procedure(test, sides, draws, seed)
    check_level(level)
    adjust_p(np.zeros(0), adjust)
    for value, allowed, what in ((unit, UNITS, "unit"), (interval, INTERVALS, "interval")):
        if value not in allowed:
            hint = did_you_mean(value, allowed)
            raise InputError(f"{what} cannot be '{value}'{hint} (choose from {', '.join(allowed)})")
    scored = score(references, systems, metrics=metrics, threads=threads, progress=progress)
    for metric in scored.metrics:
        if metric.higher_is_better is None:
            raise InputError(f"{metric.label} has no better end, so there is nothing to test: leave {metric} out")
    groups = _groups(scored, unit)
    names, run_index = _runs_of(scored.systems, runs)
    if baseline is not None and baseline not in names:
        raise InputError(f"no system named '{baseline}' to be the baseline{did_you_mean(baseline, names)}")
    if len(names) < 2:
        raise InputError("there is one system only: comparing takes two")
    pairs = _pairs(names, baseline)
    samples = [_samples(table, run_index, groups) for table in scored.tables]
    pooled = [_pooled(of_runs) for of_runs in samples]
    threads = kernels.check_threads(threads)
    options: dict[str, Any] = {"threads": threads, "progress": progress}
    p = p_values(pooled, procedure, pairs=pairs, **options)
    drawing = Procedure("bs", draws=procedure.draws, seed=seed)
    resampled = [resampled_scores(of_metrics, drawing, **options) for of_metrics in zip(*samples, strict=True)]
    return CompareResult(
        scored=scored,
        systems=names,
        runs=run_index,
        procedure=procedure,
        level=level,
        adjust=adjust,
        unit=unit,
        interval=interval,
        baseline=baseline,
        comparisons=tuple(
            _comparison(
                metric,
                metric.signature(scored.testset.references, **_drawn(procedure)),
                samples[m],
                p[m],
                [of_run[m] for of_run in resampled],
                pairs=pairs,
                level=level,
                adjust=adjust,
                interval=interval,
                sides=procedure.sides,
            )
            for m, metric in enumerate(scored.metrics)
        ),
    )


def _pairs(systems: Sequence[str], baseline: str | None) -> Array:
    return all_pairs(len(systems)) if baseline is None else pairs_with(list(systems).index(baseline), len(systems))


def _drawn(procedure: Procedure) -> dict[str, object]:
    """What a signature says about the draws."""
    return {"ar" if procedure.rule.swaps else "bs": procedure.draws, "seed": procedure.seed}


def _runs_of(systems: tuple[str, ...], pattern: str | None) -> tuple[tuple[str, ...], Array]:
    """Names of systems, and for each of them the positions of its runs, shape (systems, runs)."""
    if pattern is None:
        return systems, np.arange(len(systems))[:, None]
    try:
        names = [re.sub(pattern, "", name) for name in systems]
    except re.error as error:
        raise InputError(f"the pattern of runs, {pattern!r}, is no regular expression: {error}") from None
    positions: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        positions.setdefault(name, []).append(position)
    n_runs = {len(of_system) for of_system in positions.values()}
    if len(n_runs) > 1:
        some = ", ".join(f"{name} {len(of_system)}" for name, of_system in list(positions.items())[:4])
        raise InputError(f"every system needs the same number of runs, and they have: {some}")
    return tuple(positions), np.array(list(positions.values()))


def _groups(scored: ScoreResult, unit: str) -> list[Array] | None:
    """The segments of each document; None where segments are drawn."""
    return [index for _, index in scored.testset.groups("doc")] if unit == "doc" else None


def _samples(table: StatsTable, run_index: Array, groups: Sequence[Array] | None) -> list[Sample]:
    """One sample per run."""
    samples = [Sample(table.statistics[of_run], table.metric.score, table.metric.sign) for of_run in run_index.T]
    return samples if groups is None else [sample.grouped(groups) for sample in samples]


def _pooled(samples: list[Sample]) -> Sample:
    """All runs as one sample: units change sides inside their run, and scores are taken over all runs together."""
    if len(samples) == 1:
        return samples[0]
    return Sample(np.concatenate([sample.statistics for sample in samples], axis=1), samples[0].score, samples[0].sign)


def _comparison(
    metric: Metric,
    signature: Signature,
    samples: list[Sample],
    p: Floats,
    resampled: list[Floats],
    *,
    pairs: Array,
    level: float,
    adjust: str,
    interval: str,
    sides: int | None,
) -> Comparison:
    """Put together what was found under one metric.

    Args:
        metric: the metric.
        signature: its signature.
        samples: one per run.
        p: p-values, shape (systems, systems).
        resampled: oriented scores of resamples, per run of shape (systems, draws).
        pairs: the pairs that were tested.
        level: of significance.
        adjust: the correction.
        interval: the kind of intervals.
        sides: of the test.
    """
    scores = np.mean([sample.scores() for sample in samples], axis=0)
    means = np.mean(resampled, axis=0)
    left_out = np.mean([jackknife(sample) for sample in samples], axis=0) if interval == "bca" else None
    n_systems = len(scores)
    adjusted = _adjusted(p, pairs, adjust, sides)

    def ends(values: Floats, observed: Floats, without: Any) -> Floats:
        return percentile(values, level) if without is None else bca(values, observed, without, level)

    differences = np.full((n_systems, n_systems, 2), np.nan)
    for x, y in pairs:
        without = None if left_out is None else left_out[x] - left_out[y]
        gap = ends(means[x] - means[y], np.asarray(scores[x] - scores[y]), without)
        differences[x, y], differences[y, x] = gap, -gap[::-1]
    over_runs = np.array([sample.scores() for sample in samples])
    return Comparison(
        metric=metric,
        signature=signature,
        scores=metric.sign * scores,
        intervals=_turned(ends(means, scores, left_out), metric.sign),
        difference_intervals=_turned(differences, metric.sign),
        p=p,
        adjusted=adjusted,
        better=_better(scores, adjusted, level),
        n_units=np.full((n_systems, n_systems), samples[0].n_units),
        s_sel=np.mean([values.std(axis=1, ddof=1) for values in resampled], axis=0),
        s_opt=over_runs.std(axis=0, ddof=1) if len(samples) > 1 else np.full(n_systems, np.nan),
    )


def _better(scores: Floats, p: Floats, level: float) -> Array:
    """Which system is significantly better: a small p-value, and a higher oriented score.

    A one-sided test finds nothing where its p-value is small for the system with the lower score, as a bootstrap's may
    be if statistics are skewed.
    """
    better: Array = (np.nan_to_num(p, nan=1.0) <= level) & (scores[:, None] > scores[None, :])
    return better


def _adjusted(p: Floats, pairs: Array, method: str, sides: int | None) -> Floats:
    """Correct the p-values of one metric: of unordered pairs, or of ordered ones where the test has one side."""
    first, second = pairs.T
    adjusted = np.full_like(p, np.nan)
    if sides == 2:
        adjusted[first, second] = adjusted[second, first] = adjust_p(p[first, second], method)
    else:
        both = adjust_p(np.concatenate([p[first, second], p[second, first]]), method)
        adjusted[first, second], adjusted[second, first] = np.split(both, 2)
    return adjusted


def _turned(ends: Floats, sign: float) -> Floats:
    """Intervals of oriented values as intervals of the metric's own."""
    return ends if sign > 0 else -ends[..., ::-1]
