"""How far the randomised tests agree with each other: ``mtassay compare`` with several tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError, each_of
from mtassay.execution import Execution, Progress
from mtassay.results import Result
from mtassay.stats.procedures import NAMED, PROCEDURES, Procedure
from mtassay.stats.ranking_agreement import similarity
from mtassay.verbs.compare import compare_scored
from mtassay.verbs.rank import matrix
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mtassay.data import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.verbs.compare import CompareResult

SCHEMA = "mtassay.compare-tests/1"
#: Compatibility modes are left out: they differ from these tests only in their rule for ties.
TESTS = tuple(name for name, (kind, _) in NAMED.items() if not PROCEDURES[kind].strict)


@dataclass(frozen=True, eq=False)
class AllTests(Result):
    """The same systems under every test.

    Attributes:
        results: one comparison per test.
    """

    verb: ClassVar[str] = "compare_tests"

    results: tuple[CompareResult, ...]

    @property
    def by_test(self) -> tuple[CompareResult, ...]:
        """One comparison per test."""
        return self.results

    @property
    def names(self) -> list[str]:
        """Names of the tests, with the number of sides if a test can be one- or two-sided."""
        return [
            f"{result.procedure.kind} {result.procedure.sides}-sided"
            if len(result.procedure.rule.sides) > 1
            else result.procedure.kind
            for result in self.results
        ]

    def n_different(self, m: int) -> list[int]:
        """Number of pairs that each test finds significantly different under metric `m`."""
        return [int(result.comparisons[m].better.sum()) for result in self.results]

    def similarities(self, m: int) -> NDArray[np.float64]:
        """S(C, D) between the tests under metric `m`, shape (tests, tests)."""
        return matrix([result.comparisons[m].better for result in self.results], similarity)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        metrics = [comparison.metric for comparison in self.results[0].comparisons]
        return {
            "schema": SCHEMA,
            "tests": self.names,
            "alpha": self.results[0].alpha,
            "n_pairs": len(self.results[0].pairs),
            "metrics": [
                {
                    "name": metric.label,
                    "metric": str(metric),
                    "n_different": self.n_different(m),
                    "similarity": self.similarities(m).tolist(),
                }
                for m, metric in enumerate(metrics)
            ],
        }


def compare_tests(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: Sequence[str] = TESTS,
    resamples: int = 0,
    alpha: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> AllTests:
    """Compare systems pair by pair under several tests.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications such as ``"bleu:tok=intl"``.
        test: names such as ``ar``, ``bs1`` (one-sided) and ``pbs``; by default all tests except other tools' variants.
        resamples: number of resamples of each test; 0 for its default.
        alpha: significance level; p-values up to it are significant.
        adjust: ``none``, ``holm`` or ``bh``, over the pairs of each metric.
        unit: ``segment``, or ``doc`` to resample whole documents.
        seed: seed of the resamples.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.
    """
    execution = Execution.of(execution, threads=threads, progress=progress)
    scored = score(references, systems, metrics=metrics, threads=threads, execution=execution, progress=progress)
    compared = [
        compare_scored(scored, procedure, alpha=alpha, adjust=adjust, unit=unit, execution=execution)
        for procedure in procedures_of(test, resamples=resamples, seed=seed)
    ]
    return AllTests(tuple(compared))


def procedures_of(tests: Sequence[str], *, resamples: int, seed: int) -> list[Procedure]:
    """The tests with these names; an empty list or a repeated test is an error."""
    tests = list(each_of(tests, "test", such_as="['ar', 'bs']"))
    if not tests:
        raise InputError("test must be a list of one or more tests")
    found = [Procedure(test, None, resamples, seed) for test in tests]
    for place, procedure in enumerate(found):
        if procedure in found[:place]:
            raise InputError(f"the test {tests[place]} is given twice")
    return found
