"""How often tests on metrics conclude what human judgements conclude (Graham et al. 2014).

For each pair of systems human judgements conclude that the first is better, the second is, or neither; so does a
randomised test on a metric. A one-sided test is made in both directions; a two-sided one finds the system with the
better score better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError, counted, unknown_name
from mtassay.results import Result
from mtassay.stats.conclusion_accuracy import ConclusionAccuracy, chi_squared, conclusion_accuracy, mcnemar
from mtassay.stats.intervals import check_level
from mtassay.stats.procedures import KINDS, Procedure, all_pairs
from mtassay.verbs.agreement_of_tests import compare_tests
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from mtassay.data.testset import TestSet
    from mtassay.judging.pairwise_tests import HumanTests
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Floats, Ints
    from mtassay.verbs.compare import CompareResult

SCHEMA = "mtassay.conclusions/1"
LEVELS = (0.05, 0.01, 0.001)
#: Kind and sides of a test by its name; the name has the number of sides where a kind can have either.
TESTS = {
    f"{kind}{sides}" if len(rule.sides) > 1 else kind: (kind, sides)
    for kind, rule in KINDS.items()
    for sides in rule.sides
}
#: The tests of the paper, in its order.
USUAL = ("pbs", "bs1", "ar1")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ConclusionTable(Result):
    """Conclusions of tests beside those of human judgements.

    Attributes:
        compared: one comparison per test, of the systems that were judged.
        tests: names of the tests.
        people: tests on human judgements of the same systems, in the same order.
        levels: significance levels.
        unjudged: systems that were left out because nobody judged them.
        unscored: names in the judgements that are not among the systems: references, or systems not chosen.
        pairs: pairs of systems that were judged, shape (pairs, 2).
        human: conclusions of human judgements, 1, 0 or -1, shape (levels, pairs).
        tested: conclusions of tests, shape (levels, metrics, tests, pairs).
        accuracies: one per level, with arrays of shape (metrics, tests).
    """

    verb: ClassVar[str] = "conclusions"

    compared: tuple[CompareResult, ...]
    tests: tuple[str, ...]
    people: HumanTests
    levels: tuple[float, ...]
    unjudged: tuple[str, ...]
    unscored: tuple[str, ...]
    pairs: Ints
    human: Ints
    tested: Ints
    accuracies: tuple[ConclusionAccuracy, ...]

    @property
    def by_test(self) -> tuple[CompareResult, ...]:
        """One comparison per test."""
        return self.compared

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.compared[0].systems

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return tuple(comparison.metric for comparison in self.compared[0].comparisons)

    @property
    def references(self) -> tuple[str, ...]:
        """Names of the references that metrics compared outputs with."""
        return self.compared[0].scored.testset.reference_names

    @property
    def signatures(self) -> tuple[str, ...]:
        """One for each metric."""
        return tuple(str(signature) for signature in self.compared[0].scored.signatures)

    @property
    def n_right(self) -> Ints:
        """Conclusions equal to the human ones, shape (levels, metrics, tests)."""
        return np.array([accuracy.n_right for accuracy in self.accuracies])

    def n_wrong(self) -> dict[str, Ints]:
        """Other conclusions by how they are wrong, shape (levels, metrics, tests) each.

        ``missed``: human judgements find a difference, the test does not; ``extra``: the other way round;
        ``opposite``: both find one, in opposite directions.
        """
        people, test = self.human[:, None, None, :], self.tested
        return {
            "missed": ((people != 0) & (test == 0)).sum(axis=-1),
            "extra": ((people == 0) & (test != 0)).sum(axis=-1),
            "opposite": (people * test == -1).sum(axis=-1),
        }

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which conclusions are the human ones, shape (levels, metrics, tests, pairs)."""
        right: NDArray[np.bool_] = self.tested == self.human[:, None, None, :]
        return right

    def between_metrics(self, level: int, test: int) -> tuple[Floats, Floats]:
        """χ² and p-values for equal accuracy of two metrics, shape (metrics, metrics); arguments are positions.

        This is the paper's test, which takes the conclusions of two metrics as independent.
        """
        return chi_squared(self.n_right[level, :, test], len(self.pairs))

    def paired_metrics(self, level: int, test: int) -> tuple[Ints, Floats]:
        """The same by McNemar's test, which knows that both metrics are about the same pairs of systems.

        Returns:
            How many conclusions only the first metric has right, and p-values, shape (metrics, metrics).
        """
        return mcnemar(self.right[level, :, test])

    def between_tests(self, level: int, metric: int) -> tuple[Floats, Floats]:
        """χ² and p-values for equal accuracy of two tests, shape (tests, tests); arguments are positions."""
        return chi_squared(self.n_right[level, metric], len(self.pairs))

    def paired_tests(self, level: int, metric: int) -> tuple[Ints, Floats]:
        """The same by McNemar's test: conclusions that only the first test has right, and p-values."""
        return mcnemar(self.right[level, metric])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        procedure = self.compared[0].procedure
        return {
            "schema": SCHEMA,
            "systems": list(self.systems),
            "unjudged": list(self.unjudged),
            "unscored": list(self.unscored),
            "references": list(self.references),
            "metrics": [
                {"name": metric.label, "metric": str(metric), "signature": signature}
                for metric, signature in zip(self.metrics, self.signatures, strict=True)
            ],
            "people": {
                "test": self.people.kind,
                "unit": self.people.unit,
                "combined": self.people.fluency is not None,
                "n_judgements": self.people.n_judgements,
                "dropped": list(self.people.dropped),
            },
            "draws": procedure.draws,
            "seed": procedure.seed,
            "unit": self.compared[0].unit,
            "pairs": [[self.systems[x], self.systems[y]] for x, y in self.pairs],
            "levels": [self._of_level(place) for place in range(len(self.levels))],
        }

    def _of_level(self, level: int) -> dict[str, Any]:
        cells = [(m, t) for m in range(len(self.metrics)) for t in range(len(self.tests))]
        return {
            "level": self.levels[level],
            "people": self.human[level].tolist(),
            "n_different": int((self.human[level] != 0).sum()),
            "results": [self._of_cell(level, m, t) for m, t in cells],
            "between_metrics": [
                {"test": self.tests[t], "metrics": [str(self.metrics[m]), str(self.metrics[n])], **found}
                for t in range(len(self.tests))
                for (m, n), found in _pairwise(self.between_metrics(level, t), self.paired_metrics(level, t))
            ],
        }

    def _of_cell(self, level: int, m: int, t: int) -> dict[str, Any]:
        accuracy = self.accuracies[level]
        return {
            "name": self.metrics[m].label,
            "metric": str(self.metrics[m]),
            "test": self.tests[t],
            "n_right": int(accuracy.n_right[m, t]),
            "accuracy": float(accuracy.values[m, t]),
            "interval": accuracy.intervals[m, t].tolist(),
            **{f"n_{kind}": int(counts[level, m, t]) for kind, counts in self.n_wrong().items()},
            "conclusions": self.tested[level, m, t].tolist(),
        }

    def __repr__(self) -> str:
        return f"ConclusionTable({', '.join(map(str, self.metrics))}; {', '.join(self.tests)}; {len(self.pairs)} pairs)"


def _pairwise(
    independent: tuple[Floats, Floats], paired: tuple[Ints, Floats]
) -> list[tuple[tuple[int, int], dict[str, Any]]]:
    (statistic, p), (only, exact) = independent, paired
    return [
        (
            (m, n),
            {
                "chi_squared": float(statistic[m, n]),
                "p": float(p[m, n]),
                "n_only_right": [int(only[m, n]), int(only[n, m])],
                "mcnemar_p": float(exact[m, n]),
            },
        )
        for m, n in np.column_stack(np.triu_indices(len(p), k=1)).tolist()
    ]


def conclusion_table(
    testset: TestSet,
    people: HumanTests,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    tests: Sequence[str] = USUAL,
    levels: Sequence[float] = LEVELS,
    draws: int = 0,
    unit: str = "segment",
    seed: int = 12345,
    threads: int = 1,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> ConclusionTable:
    """Compare the conclusions of tests on metrics with those of human judgements, over the systems that have both.

    Args:
        testset: references and outputs.
        people: what ``mtassay.judging.pairwise_tests.human_tests`` returned.
        metrics: specifications such as ``"bleu:tok=intl"``.
        tests: names from ``TESTS``: ``pbs``, ``bs1`` or ``bs2`` with one or two sides, ``ar1``, ``ar2`` …
        levels: significance levels, of tests on metrics and on human judgements alike.
        draws: resamples of each test; 0 for its usual number.
        unit: ``segment``, or ``doc`` to resample whole documents.
        seed: of the resamples, which all metrics share.
        threads: number of threads.
        progress: wraps long loops, for a progress bar.
    """
    kinds = [TESTS[name] for name in _checked(tests, "test", known=list(TESTS))]
    for level in _checked(levels, "level"):
        check_level(level)
        for kind, sides in kinds:
            _check_reach(level, Procedure(kind, sides, draws, seed))
    systems, here, pairs = _common(testset, people)
    scored = score(testset.select(systems=systems), metrics=metrics, threads=threads, progress=progress)
    compared = compare_tests(
        scored, tests=kinds, draws=draws, seed=seed, unit=unit, threads=threads, progress=progress
    ).results
    human = np.array([here.conclusions(level)[tuple(pairs.T)] for level in levels])
    tested = np.array([_tested(compared, level)[..., pairs[:, 0], pairs[:, 1]] for level in levels])
    return ConclusionTable(
        compared=compared,
        tests=tuple(tests),
        people=here,
        levels=tuple(levels),
        unjudged=tuple(name for name in testset.systems if name not in systems),
        unscored=tuple(name for name in people.systems if name not in testset.systems),
        pairs=pairs,
        human=human,
        tested=tested,
        accuracies=tuple(map(conclusion_accuracy, human, tested)),
    )


def _common(testset: TestSet, people: HumanTests) -> tuple[list[str], HumanTests, Ints]:
    """Systems with outputs and judgements, the tests on these judgements, and the pairs that were judged."""
    known = {people.systems[system] for system in np.flatnonzero(people.judged.any(axis=1))}
    systems = [name for name in testset.systems if name in known]
    if len(systems) < 2:
        scored = {name for name, value in zip(people.systems, people.scores, strict=True) if np.isfinite(value)}
        n_judged = len((known | scored) & set(testset.systems))
        without = f" (scores that cannot be standardised are left out: {', '.join(people.dropped)})"
        raise InputError(
            f"judgements cover {n_judged} of the {counted(len(testset.systems), 'system')} here: conclusions take two "
            f"or more{without if people.dropped else ''}"
        )
    here = people.select(systems)
    pairs = all_pairs(len(systems))
    pairs = pairs[here.judged[tuple(pairs.T)]]
    if len(pairs) == 0:
        raise InputError("no two of the systems here were judged against each other")
    return systems, here, pairs


def _tested(compared: Sequence[CompareResult], level: float) -> Ints:
    """Conclusions at a level, shape (metrics, tests, systems, systems)."""
    better = np.array([[comparison.better_at(level) for comparison in result.comparisons] for result in compared])
    signed: Ints = better.astype(np.int64) - better.swapaxes(-1, -2)
    return signed.swapaxes(0, 1)


def _checked(given: Sequence[Any], what: str, *, known: Sequence[Any] | None = None) -> Sequence[Any]:
    """Refuse nothing at all, unknown names, and what is given twice."""
    if isinstance(given, str) or not given:
        raise InputError(f"{what}s must be a list of one or more")
    for place, one in enumerate(given):
        if known is not None and one not in known:
            raise InputError(unknown_name("test", one, known))
        if one in given[:place]:
            raise InputError(f"the {what} {one} is given twice")
    return given


def _check_reach(level: float, procedure: Procedure) -> None:
    """Refuse a level at which no difference could be found, however large."""
    if 1 / (procedure.draws + 1) > level:
        raise InputError(
            f"no p-value of {procedure.draws:,} resamples is below 1/{procedure.draws + 1:,}, so nothing can be "
            f"significant at α = {level:g}: take more resamples"
        )
