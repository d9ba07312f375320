"""Metric scores of the judged systems of a test set, as arrays in which higher is better."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.testset import TestSet
from mtassay.equality import equalised
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.spec import distinct_names
from mtassay.metrics.external.file import FileMetric
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.metrics.core.metric import Metric
    from mtassay.stats.orange import Orange
    from mtassay.types import Floats
    from mtassay.verbs.score import ScoreResult

#: Endings of mt-metrics-eval score files.
OF_SYSTEMS, OF_SEGMENTS = ".sys.score", ".seg.score"


@dataclass(frozen=True, eq=False)
class Measured:
    """Scores of the judged systems.

    Attributes:
        scored: the scores.
        digits: digits to which scores are rounded before the comparison with human scores; None for no rounding.
    """

    scored: ScoreResult
    digits: int | None = None

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return self.scored.metrics

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(distinct_names(self.metrics))

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.scored.systems

    @cached_property
    def of_systems(self) -> Floats:
        """Scores of systems, shape (metrics, systems)."""
        return self._oriented(list(self.scored.scores.T))

    @cached_property
    def of_segments(self) -> Floats:
        """Scores of segments, shape (metrics, systems, segments); NaN if missing.

        Scores computed here are made equal if they differ only by rounding; scores from files are kept as written.
        """
        return self._oriented([table.segment_scores() for table in self.scored.tables])

    def checked_systems(self) -> Floats:
        """Scores of systems; none may be missing."""
        missing = np.argwhere(np.isnan(self.of_systems))
        if len(missing):
            metric, system = missing[0].tolist()
            raise InputError(f"{self.names[metric]} has no score for {self.systems[system]}, which was judged")
        return self.of_systems

    @cached_property
    def _beside(self) -> dict[int, ScoreResult]:
        """Segment scores from ``X.seg.score`` next to ``X.sys.score``, by number of the metric of the latter."""
        found = {}
        for number, metric in enumerate(self.metrics):
            if isinstance(metric, FileMetric) and metric.level == "system" and metric.path.endswith(OF_SYSTEMS):
                path = metric.path.removesuffix(OF_SYSTEMS) + OF_SEGMENTS
                if Path(path).expanduser().is_file():
                    found[number] = score(self.scored.testset, metrics=[replace(metric, path=path)])
        return found

    @property
    def beside(self) -> dict[str, str]:
        """Signatures of the segment scores read from files next to the metric's own, by name of the metric."""
        return {self.names[number]: str(scored.signatures[0]) for number, scored in self._beside.items()}

    def with_segments(self) -> tuple[Measured, list[int]]:
        """The metrics with scores of segments, from their own file or the one next to it, and their numbers."""
        tables = {
            number: self._beside[number].tables[0] if number in self._beside else table
            for number, table in enumerate(self.scored.tables)
        }
        chosen = {number: table for number, table in tables.items() if table.metric.level == "segment"}
        if not chosen:
            raise InputError(
                f"{self.names[0]} has only scores of whole systems, but these coefficients need scores of segments: "
                f"give its {OF_SEGMENTS} file"
            )
        return replace(self, scored=replace(self.scored, tables=tuple(chosen.values()))), list(chosen)

    def checked_segments(self, judged: Any) -> Floats:
        """Scores of segments; none may be missing where `judged` (bool of shape (systems, segments)) is true."""
        missing = np.argwhere(np.isnan(self.of_segments) & np.asarray(judged, dtype=bool))
        if len(missing):
            metric, system, segment = missing[0].tolist()
            raise InputError(
                f"{self.names[metric]} has no score for {self.systems[system]}, segment {segment + 1}, which was judged"
            )
        return self.of_segments

    def orange(self) -> Orange:
        """Ranks of references among the systems."""
        from mtassay.stats.orange import orange

        testset = self.scored.testset
        if testset.n_references < 2:
            raise InputError("ORANGE scores each reference against the others: give at least two references")
        of_references, of_systems = [], []
        for left_out in range(testset.n_references):
            found = self._without(testset, left_out)
            of_references.append(found[:, 0])
            of_systems.append(found[:, 1:])
        return orange(np.stack(of_references, axis=1), np.stack(of_systems, axis=1))

    def _without(self, testset: TestSet, left_out: int) -> Floats:
        """Scores against all references but one, which is scored as the first system."""
        for metric in self.metrics:
            if not all(part.scores_texts for part in metric.parts):
                raise InputError(f"ORANGE scores references, but {metric} has only scores of systems")
        texts = testset.references[left_out]
        if None in texts:
            raise InputError(
                f"ORANGE needs every reference of every segment: {testset.reference_names[left_out]} lacks one"
            )
        others = [stream for number, stream in enumerate(testset.references) if number != left_out]
        systems = [[text or "" for text in texts], *testset.systems.values()]
        with_reference = TestSet(
            others, {str(number): list(of) for number, of in enumerate(systems)}, sources=testset.sources
        )
        tables = score(with_reference, metrics=self.metrics).tables
        return self._oriented([table.segment_scores() for table in tables])

    def _oriented(self, scores: Sequence[Floats]) -> Floats:
        parts = [metric.sign * self._rounded(metric, of) for metric, of in zip(self.metrics, scores, strict=True)]
        return np.stack(parts)

    def _rounded(self, metric: Metric, scores: Floats) -> Floats:
        if self.digits is None:
            # Parity: mt-metrics-eval, scores from files are compared unchanged.
            return scores if isinstance(metric, FileMetric) else equalised(scores)
        # Scores shown with one decimal are in percent.
        rounded: Floats = np.round(scores, self.digits - 2 if metric.digits == 1 else self.digits)
        return rounded


def scores_of_judged(scored: ScoreResult, testset: TestSet, *, execution: Execution = SERIAL) -> ScoreResult:
    """The scores of judged systems, out of the scores of all.

    Args:
        scored: the scores of all systems.
        testset: the test set with only the judged systems.
        execution: how texts are scored, if that is necessary.
    """
    names = tuple(testset.systems)
    if names == scored.systems:
        return scored
    if not all(part.scores_texts for metric in scored.metrics for part in metric.parts):
        # Scores may depend on the other systems, as those of cross:bleu do.
        return score(testset, metrics=scored.metrics, execution=execution)
    rows = [scored.systems.index(name) for name in names]
    tables = (replace(table, systems=names, statistics=table.statistics[rows]) for table in scored.tables)
    return replace(scored, testset=testset, tables=tuple(tables), scores=scored.scores[rows], by=None, groups=())


def check_digits(digits: int | None) -> None:
    """Reject digits that are not a whole number from 0 to 15."""
    if digits is not None and (type(digits) is not int or not 0 <= digits <= 15):
        raise InputError(f"digits must be a whole number from 0 to 15, not {digits!r}")


def measure(scored: ScoreResult, digits: int | None = None) -> Measured:
    """Metric scores for the comparison with human scores; every metric must have a direction.

    Args:
        scored: the scores of the judged systems.
        digits: digits to which scores from 0 to 1 are rounded; scores in percent to two fewer.
    """
    for metric in scored.metrics:
        if metric.sign == 0:
            raise InputError(f"{metric} has no direction: it cannot be compared with human judgements")
    return Measured(scored, digits)
