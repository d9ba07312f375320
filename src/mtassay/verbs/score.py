"""Scores of systems: the verb ``score``."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from mtassay.data.testset import TestSet, as_testset
from mtassay.errors import InputError, unknown_name
from mtassay.execution import Execution, Progress
from mtassay.metrics.core.metric import Metric
from mtassay.metrics.core.references import references_of
from mtassay.metrics.core.spec import parse, parse_all
from mtassay.metrics.core.table import StatsTable, build_tables
from mtassay.results import Result, or_none

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.error_spans import ErrorSpans
    from mtassay.metrics.core.signature import Signature
    from mtassay.types import Floats
    from mtassay.verbs.score_groups import Group

SCHEMA = "mtassay.score/1"


class Texts(Protocol):
    """What a report needs to know about the scored texts."""

    @property
    def n_segments(self) -> int:
        """Number of segments."""

    @property
    def reference_names(self) -> tuple[str, ...]:
        """Names of the references."""

    @property
    def language_pair(self) -> str | None:
        """The language pair, such as "en-de"."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SystemScores(Result):
    """Scores of every system under every metric, from a test set or from streamed files.

    Attributes:
        tables: statistics, one table per metric; for streamed files, the summed statistics as a single segment.
        signatures: one per metric.
        scores: corpus scores, shape (systems, metrics).
        by: ``doc`` or ``domain`` if scores of groups were requested.
        groups: scores of groups, in order of first appearance.
    """

    verb: ClassVar[str] = "score"

    tables: tuple[StatsTable, ...]
    signatures: tuple[Signature, ...]
    scores: Floats
    by: str | None
    groups: Sequence[Group]

    @property
    @abstractmethod
    def texts(self) -> Texts:
        """The texts that were scored."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order they were given."""
        return self.tables[0].systems

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the given order."""
        return tuple(table.metric for table in self.tables)

    def __getitem__(self, key: tuple[str, str | Metric]) -> float:
        """The score of a (system, metric)."""
        if not isinstance(key, tuple) or len(key) != 2:  # type: ignore[redundant-expr]
            raise InputError("a score is looked up by system and metric: result['system', 'bleu']")
        system, wanted = key
        if system not in self.systems:
            raise InputError(unknown_name("system", system, self.systems))
        by_spec = {str(metric): metric for metric in self.metrics}
        pair = self.texts.language_pair
        metric = wanted if isinstance(wanted, Metric) else by_spec.get(wanted) or parse(wanted, language_pair=pair)
        if metric not in self.metrics:
            raise InputError(f"{metric} was not among the metrics: {', '.join(map(str, self.metrics))}")
        return float(self.scores[self.systems.index(system), self.metrics.index(metric)])

    def best(self, scores: Floats | None = None) -> Any:
        """Which systems have the best score under each metric, bool of shape (systems, metrics).

        No system is best if all are equal or the metric has no direction. `scores` are those of a group, by default of
        the whole test set.
        """
        if len(self.systems) == 1:
            return np.zeros((1, len(self.metrics)), dtype=np.bool_)
        from mtassay.equality import equalised

        signs = np.array([metric.sign for metric in self.metrics])
        oriented = equalised(self.scores if scores is None else scores) * signs
        # NaN if nothing was scored, as in a document without external scores.
        high, low = (np.where(np.isnan(oriented), end, oriented) for end in (-np.inf, np.inf))
        return (oriented == high.max(axis=0)) & (high.max(axis=0) > low.min(axis=0))

    @property
    def ranked(self) -> list[int]:
        """Systems from best to worst under the first metric; ties keep the order given."""
        if len(self.systems) == 1:
            return [0]
        from mtassay.equality import best_first

        return best_first(self.metrics[0].sign * self.scores[:, 0])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; one entry per system and metric, with sacreBLEU's field names."""
        entries = [
            self._entry(s, m, float(self.scores[s, m]), self.texts.n_segments, verbose=True)
            for s in range(len(self.systems))
            for m in range(len(self.metrics))
        ]
        entries += [
            {**self._entry(s, m, float(group.scores[s, m]), group.n_segments, verbose=False), self.by: group.label}
            for group in self.groups
            for s in range(len(self.systems))
            for m in range(len(self.metrics))
        ]
        return {"schema": SCHEMA, "scores": entries}

    def _entry(self, s: int, m: int, score: float, n_segments: int, *, verbose: bool) -> dict[Any, Any]:
        metric, signature = self.metrics[m], self.signatures[m]
        known = None if np.isnan(score) else score
        entry: dict[Any, Any] = {"name": metric.label, "score": known, "signature": str(signature)}
        if verbose:
            totals = self.tables[m].totals()[s]
            if said := metric.verbose(totals):  # Parity: sacreBLEU, absent if empty
                entry["verbose_score"] = said
            entry["components"] = {key: float(value) for key, value in metric.components(totals).items()}
            if parts := metric.breakdown(totals):
                entry["breakdown"] = {
                    part: {key: or_none(float(value)) for key, value in values.items()}
                    for part, values in parts.items()
                }
        entry |= {e.name: e.value for e in signature.entries}
        entry |= {
            "system": self.systems[s],
            "metric": str(metric),
            "higher_is_better": metric.higher_is_better,
            "n_segments": n_segments,
            "schema": SCHEMA,
        }
        return entry

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.systems)}; {', '.join(map(str, self.metrics))})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreResult(SystemScores):
    """Scores of a test set.

    Attributes:
        testset: the test set that was scored.
    """

    testset: TestSet

    @property
    def texts(self) -> TestSet:
        """The test set."""
        return self.testset

    def segment_scores(self) -> Floats:
        """Scores of single segments, shape (systems, segments, metrics)."""
        return np.stack([table.segment_scores() for table in self.tables], axis=-1)

    def error_spans(self) -> ErrorSpans:
        """The errors that the metric marks in the outputs; one of the metrics must mark errors, as ``xcomet`` does."""
        metric = marking_metric(self.metrics)
        found: ErrorSpans = metric.error_spans(references_of(self.testset), self.testset.systems)
        return found


def marking_metric(metrics: Sequence[Metric]) -> Any:
    """The one metric that marks errors.

    >>> marking_metric([parse("bleu"), parse("xcomet")]).name
    'xcomet'
    """
    found = [metric for metric in metrics if metric.marks_errors]
    if len(found) != 1:
        named = ", ".join(map(str, found or metrics))
        raise InputError(f"spans of errors need exactly one metric that marks errors, such as xcomet, not {named}")
    return found[0]


def count_full_stops(texts: Sequence[str]) -> int:
    """Number of texts that end in a separate full stop, as tokenised texts do.

    >>> count_full_stops(["It rains .", "It rains."])
    1
    """
    return [text[-2:] for text in texts].count(" .")


def score(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    by: str | None = None,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> ScoreResult:
    """Score systems against references.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each; ``[]`` if
            there are none and no metric needs any.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications such as ``"bleu:tok=intl"``; a language or tokenizer that they do not name is chosen by
            the language pair of the test set.
        by: ``"doc"`` or ``"domain"`` adds scores per document or domain; the test set must have such labels.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps the loop over chunks of the work, for a progress bar.

    >>> result = score([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}, metrics=["bleu", "ter"])
    >>> round(result["x", "bleu"], 2), result["x", "ter"]
    (100.0, 0.0)
    >>> free = score([], {"x": ["a b c d"], "y": ["a b d"]}, metrics=["cross:chrf"])
    >>> free["y", "cross:chrf"] == score([["a b c d"]], {"y": ["a b d"]}, metrics=["chrf"])["y", "chrf"]
    True
    """
    testset = as_testset(references, systems)
    if not testset.systems:
        raise InputError("there is no system to score")
    parsed = parse_all(metrics, testset.language_pair)
    if not parsed:
        raise InputError("there is no metric to score with")
    labels = testset.labels(by) if by else None
    prepared = references_of(testset)
    tables = build_tables(
        prepared, testset.systems, parsed, execution=Execution.of(execution, threads=threads, progress=progress)
    )
    groups: Sequence[Group] = ()
    if labels is not None:
        from mtassay.verbs.score_groups import groups_of_segments  # imported here to start fast

        groups = groups_of_segments(labels, tables)
    return ScoreResult(
        testset=testset,
        tables=tuple(tables),
        signatures=tuple(metric.signature(prepared) for metric in parsed),
        scores=np.stack([table.scores() for table in tables], axis=-1),
        by=by,
        groups=groups,
    )
