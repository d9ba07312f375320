"""How often tests on metrics agree with tests on human judgements (Graham et al. 2014).

For each pair of systems, a test on human judgements concludes that the first is better, that the second is, or
neither; so does a randomised test on a metric. A one-sided test is run in both directions; a significant two-sided
test favours the system with the better score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.testset import TestSet, as_testset
from mtassay.errors import InputError, counted
from mtassay.execution import Execution, Progress
from mtassay.judging.pairwise_tests import HumanTests, human_tests
from mtassay.results import Result
from mtassay.stats.conclusion_accuracy import ConclusionAccuracy, chi_squared, conclusion_accuracy, mcnemar
from mtassay.stats.intervals import check_alpha
from mtassay.stats.procedures import Procedure, all_pairs
from mtassay.verbs.agreement_of_tests import procedures_of
from mtassay.verbs.compare import CompareResult, compare_scored
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mtassay.data.judgements import Judgements, Scores
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Floats, Ints

SCHEMA = "mtassay.conclusions/1"
ALPHAS = (0.05, 0.01, 0.001)
#: The tests of the paper, in its order.
USUAL = ("pbs", "bs1", "ar1")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ConclusionTable(Result):
    """Conclusions of tests on metrics and on human judgements.

    Attributes:
        compared: one comparison per test, of the systems that were judged.
        tests: names of the tests.
        people: tests on human judgements of the same systems, in the same order.
        alphas: significance levels.
        unjudged: systems left out because they have no judgements.
        unscored: names in the judgements that are not among the systems: references, or systems not chosen.
        pairs: pairs of systems that were judged, shape (pairs, 2).
        human: conclusions of human judgements, 1, 0 or -1, shape (alphas, pairs).
        tested: conclusions of tests on metrics, shape (alphas, metrics, tests, pairs).
        accuracies: one per alpha, with arrays of shape (metrics, tests).
    """

    verb: ClassVar[str] = "conclusions"

    compared: tuple[CompareResult, ...]
    tests: tuple[str, ...]
    people: HumanTests
    alphas: tuple[float, ...]
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
        return self.compared[0].scored.texts.reference_names

    @property
    def signatures(self) -> tuple[str, ...]:
        """One signature per metric."""
        return tuple(str(signature) for signature in self.compared[0].scored.signatures)

    @property
    def n_right(self) -> Ints:
        """Number of conclusions equal to the human ones, shape (alphas, metrics, tests)."""
        return np.array([accuracy.n_right for accuracy in self.accuracies])

    def n_wrong(self) -> dict[str, Ints]:
        """Number of other conclusions by kind of error, shape (alphas, metrics, tests) each.

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
        """Which conclusions equal the human ones, shape (alphas, metrics, tests, pairs)."""
        right: NDArray[np.bool_] = self.tested == self.human[:, None, None, :]
        return right

    def between_metrics(self, alpha: int, test: int) -> tuple[Floats, Floats]:
        """χ² and p-values for equal accuracy of two metrics, shape (metrics, metrics); arguments are positions.

        This is the paper's test, which assumes that the conclusions of two metrics are independent.
        """
        return chi_squared(self.n_right[alpha, :, test], len(self.pairs))

    def paired_metrics(self, alpha: int, test: int) -> tuple[Ints, Floats]:
        """Compare two metrics by McNemar's test, which is paired: both metrics judge the same pairs of systems.

        Returns:
            Number of conclusions that only the first metric gets right, and p-values, shape (metrics, metrics).
        """
        return mcnemar(self.right[alpha, :, test])

    def between_tests(self, alpha: int, metric: int) -> tuple[Floats, Floats]:
        """χ² and p-values for equal accuracy of two tests, shape (tests, tests); arguments are positions."""
        return chi_squared(self.n_right[alpha, metric], len(self.pairs))

    def paired_tests(self, alpha: int, metric: int) -> tuple[Ints, Floats]:
        """McNemar's test of two tests: number of conclusions that only the first gets right, and p-values."""
        return mcnemar(self.right[alpha, metric])

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
            "resamples": procedure.resamples,
            "seed": procedure.seed,
            "unit": self.compared[0].unit,
            "pairs": [[self.systems[x], self.systems[y]] for x, y in self.pairs],
            "alphas": [self._of_level(place) for place in range(len(self.alphas))],
        }

    def _of_level(self, alpha: int) -> dict[str, Any]:
        cells = [(m, t) for m in range(len(self.metrics)) for t in range(len(self.tests))]
        return {
            "alpha": self.alphas[alpha],
            "people": self.human[alpha].tolist(),
            "n_different": int((self.human[alpha] != 0).sum()),
            "results": [self._of_cell(alpha, m, t) for m, t in cells],
            "between_metrics": [
                {"test": self.tests[t], "metrics": [str(self.metrics[m]), str(self.metrics[n])], **found}
                for t in range(len(self.tests))
                for (m, n), found in _pairwise(self.between_metrics(alpha, t), self.paired_metrics(alpha, t))
            ],
        }

    def _of_cell(self, alpha: int, m: int, t: int) -> dict[str, Any]:
        accuracy = self.accuracies[alpha]
        return {
            "name": self.metrics[m].label,
            "metric": str(self.metrics[m]),
            "test": self.tests[t],
            "n_right": int(accuracy.n_right[m, t]),
            "accuracy": float(accuracy.values[m, t]),
            "interval": accuracy.intervals[m, t].tolist(),
            **{f"n_{kind}": int(counts[alpha, m, t]) for kind, counts in self.n_wrong().items()},
            "conclusions": self.tested[alpha, m, t].tolist(),
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


def conclusions(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    judgements: Judgements | HumanTests,
    fluency: Scores | None = None,
    human_unit: str | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: Sequence[str] = USUAL,
    alpha: Sequence[float] = ALPHAS,
    resamples: int = 0,
    unit: str = "segment",
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> ConclusionTable:
    """Compare the conclusions of tests on metrics with those of human judgements, over the systems that have both.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        judgements: rankings, preferences or segment scores (``mtassay.load_judgements``), or tests of all pairs from
            ``mtassay.judging.pairwise_tests.human_tests``.
        fluency: scores for the pairs that `judgements` (then adequacy) leave undecided.
        human_unit: unit exchanged in tests on preferences: ``judgement`` (default), ``screen`` or ``segment``.
        metrics: specifications such as ``"bleu:tok=intl"``.
        test: names such as ``pbs``, ``bs1`` or ``bs2`` with one or two sides, ``ar1``, ``ar2``.
        alpha: significance levels for tests on metrics and on human judgements.
        resamples: number of resamples of each test; 0 for its default.
        unit: ``segment``, or ``doc`` to resample whole documents.
        seed: seed of the resamples, which all metrics share.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.
    """
    testset = as_testset(references, systems)
    procedures = procedures_of(test, resamples=resamples, seed=seed)
    for place, one in enumerate(_listed(alpha)):
        check_alpha(one)
        if one in alpha[:place]:
            raise InputError(f"the alpha {one} is given twice")
        for procedure in procedures:
            _check_reach(one, procedure)
    people = judgements if isinstance(judgements, HumanTests) else human_tests(judgements, fluency, unit=human_unit)
    judged, here, pairs = _common(testset, people)
    execution = Execution.of(execution, threads=threads, progress=progress)
    scored = score(
        testset.select(systems=judged), metrics=metrics, threads=threads, execution=execution, progress=progress
    )
    compared = tuple(compare_scored(scored, procedure, unit=unit, execution=execution) for procedure in procedures)
    human = np.array([here.conclusions(one)[tuple(pairs.T)] for one in alpha])
    tested = np.array([_tested(compared, one)[..., pairs[:, 0], pairs[:, 1]] for one in alpha])
    return ConclusionTable(
        compared=compared,
        tests=tuple(test),
        people=here,
        alphas=tuple(alpha),
        unjudged=tuple(name for name in testset.systems if name not in judged),
        unscored=(*(name for name in people.systems if name not in testset.systems), *people.ignored),
        pairs=pairs,
        human=human,
        tested=tested,
        accuracies=tuple(map(conclusion_accuracy, human, tested)),
    )


def _common(testset: TestSet, people: HumanTests) -> tuple[list[str], HumanTests, Ints]:
    """Systems with outputs and judgements, the tests on these judgements, and the judged pairs."""
    known = {people.systems[system] for system in np.flatnonzero(people.judged.any(axis=1))}
    systems = [name for name in testset.systems if name in known]
    if len(systems) < 2:
        scored = {name for name, value in zip(people.systems, people.scores, strict=True) if np.isfinite(value)}
        n_judged = len((known | scored) & set(testset.systems))
        without = f" (scores that cannot be standardised are left out: {', '.join(people.dropped)})"
        raise InputError(
            f"judgements cover {n_judged} of the {counted(len(testset.systems), 'system')} here: conclusions need two "
            f"or more{without if people.dropped else ''}"
        )
    here = people.select(systems)
    pairs = all_pairs(len(systems))
    pairs = pairs[here.judged[tuple(pairs.T)]]
    if len(pairs) == 0:
        raise InputError("no two of the systems here were judged against each other")
    return systems, here, pairs


def _tested(compared: Sequence[CompareResult], alpha: float) -> Ints:
    """Conclusions at significance level `alpha`, shape (metrics, tests, systems, systems)."""
    better = np.array([[comparison.better_at(alpha) for comparison in result.comparisons] for result in compared])
    signed: Ints = better.astype(np.int64) - better.swapaxes(-1, -2)
    return signed.swapaxes(0, 1)


def _listed(alpha: Sequence[float]) -> Sequence[float]:
    """Reject anything but a list of one or more."""
    if not isinstance(alpha, list | tuple) or not alpha:
        raise InputError("alpha must be a list of one or more significance levels")
    return alpha


def _check_reach(alpha: float, procedure: Procedure) -> None:
    """Reject a significance level at which no difference can be significant, however large."""
    if 1 / (procedure.resamples + 1) > alpha:
        raise InputError(
            f"no p-value of {counted(procedure.resamples, 'resample')} is below 1/{procedure.resamples + 1:,}, so "
            f"nothing can be significant at α = {alpha:g}: use more resamples"
        )
