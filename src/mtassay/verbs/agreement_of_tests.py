"""How far the randomised tests agree with each other: ``mtassay compare --all-tests``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.results import Result
from mtassay.stats.procedures import KINDS, Procedure
from mtassay.stats.ranking_agreement import similarity
from mtassay.verbs.compare import compare_scored
from mtassay.verbs.rank import matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mtassay.verbs.compare import CompareResult
    from mtassay.verbs.score import ScoreResult

SCHEMA = "mtassay.compare-tests/1"
#: Compatibility modes are left out: they are these tests with another rule for ties.
TESTS = tuple((kind, sides) for kind, rule in KINDS.items() if not rule.strict for sides in rule.sides)


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
        """Names of the tests; the number of sides is added where a test can have either."""
        return [
            f"{result.procedure.kind} {result.procedure.sides}-sided"
            if len(result.procedure.rule.sides) > 1
            else result.procedure.kind
            for result in self.results
        ]

    def n_different(self, m: int) -> list[int]:
        """How many pairs each test tells apart under metric `m`."""
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
    scored: ScoreResult,
    *,
    tests: Sequence[tuple[str, int]] = TESTS,
    resamples: int = 0,
    seed: int = 12345,
    **options: Any,
) -> AllTests:
    """Run several tests on systems that were scored: kinds with their numbers of sides; options as for ``compare``."""
    return AllTests(
        tuple(compare_scored(scored, Procedure(kind, sides, resamples, seed), **options) for kind, sides in tests)
    )
