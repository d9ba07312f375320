"""Ranking systems in clusters: the verb ``rank``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import Execution, Progress
from mtassay.results import Result
from mtassay.stats.clusters import cluster
from mtassay.stats.intervals import check_alpha
from mtassay.stats.ranking_agreement import rand_index, similarity
from mtassay.verbs.compare import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.stats.clusters import Clustering
    from mtassay.types import Floats
    from mtassay.verbs.compare import CompareResult, Comparison


SCHEMA = "mtassay.rank/1"
#: Significance levels of a sweep, as in Figures 4 and 5 of the paper.
ALPHAS = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05)


@dataclass(frozen=True, eq=False, repr=False)
class RankResult(Result):
    """Clusters of systems under every metric.

    Attributes:
        compared: the comparison behind it.
        criterion: ``test`` or ``intervals``.
        clusterings: one per metric.
    """

    verb: ClassVar[str] = "rank"

    compared: CompareResult
    criterion: str
    clusterings: tuple[Clustering, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.compared.systems

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return tuple(comparison.metric for comparison in self.compared.comparisons)

    def similarities(self, measure: Callable[[Any, Any], float] = similarity) -> Floats:
        """Agreement between the metrics, shape (metrics, metrics): the paper's S(C, D), or another measure."""
        return matrix([clustering.better for clustering in self.clusterings], measure)

    def sweep(self, alphas: Sequence[float] = ALPHAS) -> list[Sweep]:
        """Clusters and agreement at several significance levels."""
        if self.criterion != "test":
            raise InputError("a sweep over significance levels needs tests, not intervals")
        return [self._at(check_alpha(alpha)) for alpha in alphas]

    def _at(self, alpha: float) -> Sweep:
        better = [comparison.better_at(alpha) for comparison in self.compared.comparisons]
        clusterings = [
            cluster(_oriented(comparison), relation)
            for comparison, relation in zip(self.compared.comparisons, better, strict=True)
        ]
        return Sweep(alpha, tuple(len(found.clusters) for found in clusterings), matrix(better, similarity))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        described = self.compared.to_dict()
        shared = {key: value for key, value in described.items() if key not in {"schema", "metrics", "baseline"}}
        if self.criterion != "test":
            shared |= {"test": None, "sides": None, "adjust": None}
        return {
            "schema": SCHEMA,
            **shared,
            "criterion": self.criterion,
            "metrics": [
                {
                    "name": metric.label,
                    "metric": str(metric),
                    "signature": str(comparison.signature),
                    "scores": {self.systems[s]: float(comparison.scores[s]) for s in comparison.ranked},
                    "clusters": [[self.systems[s] for s in members] for members in clustering.clusters],
                    "breaches": [
                        {"clusters": [breach.first + 1, breach.second + 1], "both_ways": breach.both_ways}
                        for breach in clustering.breaches
                    ],
                }
                for metric, comparison, clustering in zip(
                    self.metrics, self.compared.comparisons, self.clusterings, strict=True
                )
            ],
            "similarity": self.similarities().tolist() if len(self.systems) > 1 else None,
            "rand_index": self.similarities(rand_index).tolist() if len(self.systems) > 1 else None,
        }

    def __repr__(self) -> str:
        return f"RankResult({', '.join(self.systems)}; {', '.join(map(str, self.metrics))})"


@dataclass(frozen=True, eq=False)
class Sweep:
    """Rankings at one significance level.

    Attributes:
        alpha: the significance level.
        n_clusters: number of clusters under each metric.
        similarities: the paper's S(C, D) between metrics, shape (metrics, metrics).
    """

    alpha: float
    n_clusters: tuple[int, ...]
    similarities: Floats


def matrix(rankings: Sequence[Any], measure: Callable[[Any, Any], float]) -> Floats:
    """A measure of agreement between all pairs of rankings, shape (rankings, rankings)."""
    return np.array([[measure(one, other) for other in rankings] for one in rankings])


def rank(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    by_intervals: bool = False,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: str = "ar",
    sides: int | None = None,
    resamples: int = 0,
    alpha: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    interval: str = "percentile",
    runs: str | None = None,
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> RankResult:
    """Rank systems in clusters of those that are not significantly different.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        by_intervals: make clusters by overlapping confidence intervals instead of tests.
        metrics: specifications such as ``"bleu:tok=intl"``.
        test: name of the test.
        sides: number of sides of the test.
        resamples: number of resamples for the test and the intervals.
        alpha: significance level; p-values up to it are significant, and intervals cover 1 - `alpha`.
        adjust: correction for multiple comparisons.
        unit: unit of resampling.
        interval: kind of the intervals.
        runs: a regular expression for the part in which names of runs of one system differ.
        seed: seed of the resamples.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.

    >>> systems = {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}
    >>> rank([["a b c d", "e f"]], systems, metrics=["ter"]).clusterings[0].clusters
    ((0, 1),)
    """
    compared = compare(
        references,
        systems,
        metrics=metrics,
        test=test_of_rank(test, by_intervals=by_intervals, sides=sides, adjust=adjust),
        sides=sides,
        resamples=resamples,
        alpha=alpha,
        adjust=adjust,
        unit=unit,
        interval=interval,
        runs=runs,
        seed=seed,
        threads=threads,
        execution=execution,
        progress=progress,
    )
    return rank_compared(compared, by_intervals=by_intervals)


def test_of_rank(test: str, *, by_intervals: bool, sides: int | None, adjust: str) -> str:
    """The test behind a ranking; intervals take the bootstrap, whose resamples are theirs, and run no other test."""
    if not by_intervals:
        return test
    if (test, sides, adjust) != ("ar", None, "none"):
        raise InputError(
            "--by-intervals (by_intervals=True) runs no test: leave out --test, --sides and --adjust (test=, sides=, "
            "adjust=)"
        )
    return "bs"


def rank_compared(compared: CompareResult, *, by_intervals: bool = False) -> RankResult:
    """Rank systems that were compared; `by_intervals` as for ``rank``."""
    if by_intervals and any(np.isnan(comparison.intervals).all() for comparison in compared.comparisons):
        raise InputError("a single segment or document cannot be resampled: clusters by intervals need several")
    relations = [_apart(comparison) if by_intervals else comparison.better for comparison in compared.comparisons]
    clusterings = tuple(
        cluster(_oriented(comparison), relation)
        for comparison, relation in zip(compared.comparisons, relations, strict=True)
    )
    return RankResult(compared, "intervals" if by_intervals else "test", clusterings)


def _oriented(comparison: Comparison) -> Floats:
    return comparison.metric.sign * comparison.scores


def _apart(comparison: Comparison) -> Any:
    """Whether the interval of x lies wholly above that of y, shape (systems, systems)."""
    ends = comparison.intervals if comparison.metric.sign > 0 else -comparison.intervals[:, ::-1]
    return ends[:, :1] > ends[:, 1]
