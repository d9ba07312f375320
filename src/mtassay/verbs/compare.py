"""Significance tests of differences between systems: the verb ``compare``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.equality import best_first
from mtassay.errors import InputError, unknown_name
from mtassay.execution import SERIAL, Execution, Progress
from mtassay.results import Result, interval_or_none, or_none
from mtassay.stats.adjust import check_adjustment
from mtassay.stats.intervals import INTERVALS, check_alpha
from mtassay.stats.procedures import Procedure, all_pairs, pairs_with, pseudo_statistics
from mtassay.stats.resampled_sums import SumsInMemory
from mtassay.verbs.comparison_plan import Plan, adjusted_p, better, common, gaps_of, pair_by_pair, pooled, samples_of
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.signature import Signature
    from mtassay.stats.procedures import PseudoStatistics
    from mtassay.types import Array, Floats
    from mtassay.verbs.comparison_plan import MetricComparison
    from mtassay.verbs.score import ScoreResult, SystemScores

SCHEMA = "mtassay.compare/1"
#: Units of resampling: single segments, or whole documents.
TEXT_UNITS = ("segment", "doc")


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """Systems under one metric.

    Attributes:
        metric: the metric.
        signature: signature of the scores and the test.
        scores: scores as the metric gives them, shape (systems,); the mean over runs.
        intervals: confidence intervals of the scores, shape (systems, 2).
        differences: score of x minus that of y, over the segments that both have, shape (systems, systems).
        difference_intervals: their confidence intervals, shape (systems, systems, 2).
        p: p-values of the tests of x against y, shape (systems, systems): p[x, y] small means that x is better than y
            (one-sided tests) or that they differ (two-sided); NaN if not tested.
        adjusted: the p-values corrected for multiple comparisons.
        better: x is significantly better than y, by the corrected p-values.
        n_units: number of segments or documents resampled for each pair, shape (systems, systems).
        s_sel: standard deviation of the score over resampled test sets, shape (systems,), the mean over runs.
        s_opt: standard deviation of the score over runs, shape (systems,); NaN for a single run.
    """

    metric: Metric
    signature: Signature
    scores: Floats
    intervals: Floats
    differences: Floats
    difference_intervals: Floats
    p: Floats
    adjusted: Floats
    better: Array
    n_units: Array
    s_sel: Floats
    s_opt: Floats

    def better_at(self, alpha: float) -> Array:
        """Whether x is significantly better than y at another significance level, shape (systems, systems)."""
        return better(self.metric.sign * self.differences, self.adjusted, alpha)

    @property
    def ranked(self) -> list[int]:
        """Systems from best to worst; ties keep the order given."""
        return best_first(self.metric.sign * self.scores)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareResult(Result):
    """All pairs of systems under all metrics.

    Attributes:
        scored: the scores and statistics behind it.
        systems: names of the systems; the runs of one system count as one.
        runs: positions of the runs of each system in `scored`, shape (systems, runs).
        procedure: the test.
        alpha: significance level; p-values up to it are significant.
        adjust: correction of p-values for multiple comparisons.
        unit: the unit of resampling: ``segment`` or ``doc``.
        interval: kind of the confidence intervals.
        baseline: the system to which all others were compared, or None.
        comparisons: one per metric.
        of_pair: observed and resampled differences of two systems, by their numbers, under each metric.
    """

    verb: ClassVar[str] = "compare"

    scored: SystemScores
    systems: tuple[str, ...]
    runs: Array
    procedure: Procedure
    alpha: float
    adjust: str
    unit: str
    interval: str
    baseline: str | None
    comparisons: tuple[Comparison, ...]
    of_pair: Callable[[int, int], list[PseudoStatistics]]

    @property
    def n_runs(self) -> int:
        """Number of runs of each system."""
        return int(self.runs.shape[1])

    @property
    def pairs(self) -> Array:
        """The pairs that were tested, shape (pairs, 2)."""
        return pairs_of(self.systems, self.baseline)

    @property
    def by_test(self) -> tuple[CompareResult, ...]:
        """One comparison per test: this one."""
        return (self,)

    def lost_by(self, comparison: Comparison, adjust: str) -> list[tuple[int, int]]:
        """Significant pairs, the better system first, that are not significant after a correction."""
        corrected = adjusted_p(comparison.p, self.pairs, adjust, self.procedure.sides)
        place = {system: position for position, system in enumerate(comparison.ranked)}
        lost = comparison.better & ~better(comparison.metric.sign * comparison.differences, corrected, self.alpha)
        pairs = [(int(x), int(y)) for x, y in np.argwhere(lost)]
        return sorted(pairs, key=lambda pair: (place[pair[0]], place[pair[1]]))

    def out_of_reach(self) -> str:
        """What there are too few of for any pair to be significant, such as "segments"; empty if a pair can be."""
        n_tests = len(self.pairs) * (1 if self.procedure.sides == 2 else 2)
        n_units = min(int(comparison.n_units.max()) for comparison in self.comparisons)
        if self.procedure.smallest_p(n_units) * (n_tests if self.adjust == "holm" else 1) <= self.alpha:
            return ""
        units = {"segment": "segments", "doc": "documents"}[self.unit]
        return units if self.procedure.exact(n_units) else "resamples"

    def pseudo_statistics(self, x: str, y: str) -> list[PseudoStatistics]:
        """Observed and resampled differences in the test of x against y, under each metric."""
        for name in (x, y):
            if name not in self.systems:
                raise InputError(unknown_name("system", name, self.systems))
        if x == y:
            raise InputError(f"a pair needs two different systems, not '{x}' twice")
        return self.of_pair(self.systems.index(x), self.systems.index(y))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "test": self.procedure.kind,
            "sides": self.procedure.sides,
            "resamples": self.procedure.resamples,
            "seed": self.procedure.seed,
            "alpha": self.alpha,
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
                "score": or_none(comparison.scores[s]),
                "interval": interval_or_none(comparison.intervals[s]),
                "s_sel": or_none(comparison.s_sel[s]),
                "s_opt": or_none(comparison.s_opt[s]),
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
            "difference": or_none(comparison.differences[x, y]),
            "interval": interval_or_none(comparison.difference_intervals[x, y]),
            "p": float(comparison.p[x, y]),
            "p_adjusted": float(comparison.adjusted[x, y]),
            "n_units": int(comparison.n_units[x, y]),
        }
        if self.procedure.sides == 1:
            found |= {"p_reverse": float(comparison.p[y, x]), "p_reverse_adjusted": float(comparison.adjusted[y, x])}
        winner = self.systems[x] if comparison.better[x, y] else self.systems[y] if comparison.better[y, x] else None
        return {**found, "better": winner}

    def __repr__(self) -> str:
        metrics = ", ".join(str(comparison.metric) for comparison in self.comparisons)
        return f"CompareResult({', '.join(self.systems)}; {metrics})"


def compare(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: str = "ar",
    sides: int | None = None,
    resamples: int = 0,
    alpha: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    interval: str = "percentile",
    baseline: str | None = None,
    runs: str | None = None,
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> CompareResult:
    r"""Compare systems pair by pair.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications such as ``"bleu:tok=intl"``.
        test: a name from ``mtassay.stats.procedures.PROCEDURES``.
        sides: 1 or 2; None for the test's default.
        resamples: number of resamples for the test and the intervals; 0 for the test's default.
        alpha: significance level; p-values up to it are significant, and intervals cover 1 - `alpha`.
        adjust: ``none``, ``holm`` or ``bh``, over the pairs of each metric.
        unit: ``segment``, or ``doc`` to resample whole documents.
        interval: ``percentile`` or ``bca``.
        baseline: compare only this system with each of the others.
        runs: a regular expression for the part in which names of runs of one system differ (``\.opt\d+$``); units are
            then swapped only within a run.
        seed: seed of the resamples.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.

    >>> result = compare([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}, metrics=["ter"])
    >>> float(result.comparisons[0].p[0, 1])
    0.5
    """
    scored = score(references, systems, metrics=metrics, threads=threads, execution=execution, progress=progress)
    return compare_scored(
        scored,
        Procedure(test, sides, resamples, seed),
        alpha=alpha,
        adjust=adjust,
        unit=unit,
        interval=interval,
        baseline=baseline,
        runs=runs,
        execution=Execution.of(execution, threads=threads, progress=progress),
    )


def compare_scored(
    scored: ScoreResult,
    procedure: Procedure,
    *,
    alpha: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    interval: str = "percentile",
    baseline: str | None = None,
    runs: str | None = None,
    execution: Execution = SERIAL,
) -> CompareResult:
    """Compare scored systems; arguments as for ``compare``."""
    check_options(scored.metrics, alpha=alpha, adjust=adjust, unit=unit, interval=interval)
    groups = groups_of(scored, unit)
    names, run_index = _runs_of(scored.systems, runs)
    plan = Plan(
        procedure,
        pairs=pairs_of(names, baseline),
        alpha=float(alpha),
        adjust=adjust,
        interval=interval,
        execution=execution,
    )

    def of_pair(x: int, y: int) -> list[PseudoStatistics]:
        of_runs = run_index[[x, y]]
        samples = [
            pooled(samples_of(table, of_runs, common(table, of_runs, gaps_of(table)), groups))
            for table in scored.tables
        ]
        return [found for sample in samples for found in pseudo_statistics(SumsInMemory([sample], procedure), (0, 1))]

    segments = np.arange(scored.testset.n_segments)
    gaps = {table.metric: gaps_of(table) for table in scored.tables}
    complete = [table for table in scored.tables if not gaps[table.metric].any()]
    samples = [samples_of(table, run_index, segments, groups) for table in complete]
    found = dict(zip([table.metric for table in complete], plan.run(samples), strict=True)) if samples else {}
    for table in scored.tables:
        if table.metric not in found:
            found[table.metric] = pair_by_pair(table, gaps[table.metric], plan, run_index, groups)
    return CompareResult(
        scored=scored,
        systems=names,
        runs=run_index,
        procedure=procedure,
        alpha=plan.alpha,
        adjust=adjust,
        unit=unit,
        interval=interval,
        baseline=baseline,
        comparisons=comparisons_of(scored, [found[metric] for metric in scored.metrics], plan),
        of_pair=of_pair,
    )


def comparisons_of(scored: SystemScores, found: Sequence[MetricComparison], plan: Plan) -> tuple[Comparison, ...]:
    """The comparison under each metric, with the metric's original sign and a signature."""
    drawn = drawn_in_signature(plan.procedure)
    return tuple(
        Comparison(metric=metric, signature=signature.resampled(**drawn), **of_metric.oriented(metric.sign, plan))
        for metric, signature, of_metric in zip(scored.metrics, scored.signatures, found, strict=True)
    )


def check_options(metrics: Sequence[Metric], *, alpha: float, adjust: str, unit: str, interval: str) -> None:
    """Reject invalid options of ``compare``, and metrics that cannot be tested."""
    check_alpha(alpha)
    check_adjustment(adjust)
    check_unit(unit)
    _check_choice(interval, INTERVALS, "interval")
    check_comparable(metrics)


def check_unit(unit: str) -> None:
    """Reject an unknown unit."""
    _check_choice(unit, TEXT_UNITS, "unit")


def check_comparable(metrics: Sequence[Metric]) -> None:
    """Reject metrics that cannot be tested."""
    for metric in metrics:
        if metric.higher_is_better is None:
            raise InputError(f"{metric.label} has no direction, so it cannot be tested: leave {metric} out")
        metric.check_level("tests")


def pairs_of(systems: Sequence[str], baseline: str | None) -> Array:
    """The pairs to test, shape (pairs, 2): all, or those with the baseline."""
    if baseline is not None and baseline not in systems:
        raise InputError(f"baseline: {unknown_name('system', baseline, systems)}")
    if len(systems) < 2:
        raise InputError("there is only one system: a comparison needs two")
    return all_pairs(len(systems)) if baseline is None else pairs_with(list(systems).index(baseline), len(systems))


def _check_choice(value: str, allowed: tuple[str, ...], what: str) -> None:
    if value not in allowed:
        raise InputError(unknown_name(what, value, allowed))


def drawn_in_signature(procedure: Procedure) -> dict[str, object]:
    """The entries of a signature about the resamples."""
    return {"ar" if procedure.rule.swaps else "bs": procedure.resamples, "seed": procedure.seed}


def _runs_of(systems: tuple[str, ...], pattern: str | None) -> tuple[tuple[str, ...], Array]:
    """Names of systems, and the positions of their runs, shape (systems, runs)."""
    if pattern is None:
        return systems, np.arange(len(systems))[:, None]
    try:
        names = [re.sub(pattern, "", name) for name in systems]
    except (re.error, TypeError) as error:
        raise InputError(f"the pattern of runs, '{pattern}', is not a regular expression: {error}") from None
    if names == list(systems):
        raise InputError(f"no system's name matches the pattern of runs, '{pattern}'")
    if "" in names:
        raise InputError(f"the pattern of runs, '{pattern}', leaves nothing of a system's name")
    positions: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        positions.setdefault(name, []).append(position)
    n_runs = {len(of_system) for of_system in positions.values()}
    if len(n_runs) > 1:
        some = ", ".join(f"{name} {len(of_system)}" for name, of_system in list(positions.items())[:4])
        raise InputError(f"every system needs the same number of runs, but they have: {some}")
    return tuple(positions), np.array(list(positions.values()))


def groups_of(scored: ScoreResult, unit: str) -> list[Array] | None:
    """The segments of each document; None if the unit is the segment."""
    return [index for _, index in scored.testset.groups("doc")] if unit == "doc" else None
