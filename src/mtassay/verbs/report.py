"""The verb ``report``: the results of the other verbs for one test set, in one document."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.data.error_spans import ErrorSpans
from mtassay.data.judgements import Scores
from mtassay.data.references import no_references
from mtassay.data.testset import as_testset
from mtassay.errors import InputError
from mtassay.execution import Execution
from mtassay.results import Result
from mtassay.stats.procedures import Procedure
from mtassay.verbs.analyse import analyse_scored, pair_of
from mtassay.verbs.analysis_plan import AnalysisPlan
from mtassay.verbs.compare import check_options, compare_scored
from mtassay.verbs.humans import humans
from mtassay.verbs.metaeval.verb import metaeval_scored
from mtassay.verbs.power import design_of, power_scored
from mtassay.verbs.rank import rank_compared
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.judgements import Preferences, Rankings
    from mtassay.data.testset import TestSet
    from mtassay.execution import Progress
    from mtassay.io.inputs import PathLike
    from mtassay.judging.span_weights import Weights
    from mtassay.metrics.core.metric import Metric
    from mtassay.verbs.analyse_result import AnalyseResult
    from mtassay.verbs.compare import CompareResult
    from mtassay.verbs.humans import HumansResult
    from mtassay.verbs.metaeval.result import MetaEvaluation
    from mtassay.verbs.power import PowerResult
    from mtassay.verbs.rank import RankResult
    from mtassay.verbs.score import ScoreResult

    Judged = Rankings | Preferences | Scores | ErrorSpans

SCHEMA = "mtassay.report/1"
METRICS = ("bleu", "chrf", "ter")
#: Default number of segments whose texts are in a report.
EXAMPLES = 200


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportResult(Result):
    """The results of several verbs for one test set.

    Attributes:
        scored: scores.
        ranked: clusters and the comparison behind them; None if there is only one system.
        analysed: where systems differ; None if there are no references.
        powered: power of the test for the two systems of the analysis under the first metric; None if there is only
            one system or one segment.
        judged: systems ranked by human judgements; None if there are none.
        meta: metrics compared with human judgements; None if fewer than two systems were judged.
        n_examples: number of segments whose texts are in the page.
        command: the command that makes this report; empty if it was made in Python.
    """

    verb: ClassVar[str] = "report"

    scored: ScoreResult
    ranked: RankResult | None
    analysed: AnalyseResult | None
    powered: PowerResult | None
    judged: HumansResult | None
    meta: MetaEvaluation | None
    n_examples: int
    command: str

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order they were given."""
        return self.scored.systems

    @property
    def compared(self) -> CompareResult | None:
        """The comparison of all pairs; None if there is only one system."""
        return None if self.ranked is None else self.ranked.compared

    def to_dict(self) -> dict[str, Any]:
        """The results of all verbs by name; None for a verb that was not run."""
        parts = {
            "score": self.scored,
            "compare": self.compared,
            "rank": self.ranked,
            "power": self.powered,
            "analyse": self.analysed,
            "humans": self.judged,
            "metaeval": self.meta,
        }
        return {
            "schema": SCHEMA,
            "command": self.command,
            **{name: None if part is None else part.to_dict() for name, part in parts.items()},
        }

    def __repr__(self) -> str:
        return f"ReportResult({', '.join(self.systems)}; {', '.join(map(str, self.scored.metrics))})"


def report(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = METRICS,
    judgements: Judged | None = None,
    gold: str | None = None,
    span_weights: Weights | None = None,
    level: str = "system",
    pair: tuple[str, str] | None = None,
    frequencies: PathLike | Mapping[str, int] | None = None,
    labels: str | Sequence[PathLike | Sequence[str]] | None = None,
    layer: str | None = None,
    segment_labels: PathLike | Sequence[str] | None = None,
    alignment: str | Metric = "ter",
    tok: str | None = None,
    lowercase: bool = False,
    top: int = 10,
    examples: int = EXAMPLES,
    test: str = "ar",
    sides: int | None = None,
    resamples: int = 0,
    alpha: float = 0.05,
    adjust: str = "holm",
    unit: str = "segment",
    seed: int = 12345,
    command: str = "",
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> ReportResult:
    """Score, compare, rank and analyse systems; ``result.report("report.html")`` writes the page.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications; the first one orders systems, and chooses the pair and the examples.
        judgements: ``mtassay.load_judgements(path, testset=testset)``; adds human scores and meta-evaluation.
        gold: how judgements score systems, as for ``humans`` (``method``) and ``metaeval``.
        span_weights: how errors in spans count, as for ``humans``.
        level: level of the meta-evaluation: ``system`` or ``segment``.
        pair: the systems of n-grams and examples, and those that a page shows first; by default the two best.
        frequencies: counts of words, as for ``analyse``.
        labels: labels of words, as for ``analyse``.
        layer: which annotation is the label, as for ``analyse``.
        segment_labels: a file or a list with one label for each segment.
        alignment: the metric whose alignment marks the words of texts: a specification of ``ter`` or ``meteor``.
        tok: tokenizer of words and n-grams; by default that of the target language, else ``13a``.
        lowercase: whether to compare words and n-grams in lower case.
        top: n-grams and examples of the analysis, each way.
        examples: segments whose texts a page has, so many that it can be looked at and not too large.
        test: a name from ``mtassay.stats.procedures.PROCEDURES``.
        sides: 1 or 2; None for the test's default.
        resamples: number of resamples for tests and intervals of systems; 0 for the test's default. Buckets have the
            default number of ``analyse``.
        alpha: significance level of all tests; intervals cover 1 - `alpha`.
        adjust: ``none``, ``holm`` or ``bh``, over the pairs of each metric.
        unit: ``segment``, or ``doc`` to resample whole documents, for ``compare``, ``rank`` and ``power``.
        seed: seed of the resamples.
        command: the command that makes the same report, to show in it.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.

    >>> result = report([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}, metrics=["ter"])
    >>> sorted(result.to_dict()["compare"]["metrics"][0]["pairs"][0])[:3]
    ['better', 'difference', 'interval']
    """
    if type(examples) is not int or examples < 0:
        raise InputError(f"the number of examples must be a whole number from 0, not {examples!r}")
    testset = as_testset(references, systems)
    execution = Execution.of(execution, threads=threads, progress=progress)
    scored = score(testset, metrics=metrics, execution=execution)
    procedure = Procedure(test, sides, resamples, seed)
    check_options(scored.metrics, alpha=alpha, adjust=adjust, unit=unit, interval="percentile")
    pair = pair_of(scored, pair)
    ranked = powered = None
    if pair is not None:
        ranked = rank_compared(
            compare_scored(scored, procedure, alpha=alpha, adjust=adjust, unit=unit, execution=execution)
        )
        n_units = testset.n_segments if unit == "segment" else len(testset.groups("doc"))
        if n_units > 1:
            design = design_of(test=test, sides=sides, seed=seed, alpha=alpha, sizes=(n_units,))
            powered = power_scored(_of_first_metric(scored), design, pair=pair, unit=unit, execution=execution)
    analysed = None
    of_analysis: dict[str, Any] = {
        "frequencies": frequencies,
        "labels": labels,
        "layer": layer,
        "segment_labels": segment_labels,
        "alignment": alignment,
        "tok": tok,
        "lowercase": lowercase,
        "top": top,
    }
    if testset.references:
        plan = AnalysisPlan(
            testset=testset,
            metrics=scored.metrics,
            pair=pair,
            judgements=judgements,
            alpha=alpha,
            seed=seed,
            **of_analysis,
        )
        analysed = analyse_scored(scored, plan, execution=execution)
    else:
        _check_not_given(of_analysis)
    judged, meta = _of_humans(
        scored,
        judgements,
        gold=gold,
        level=level,
        execution=execution,
        options={"alpha": alpha, "seed": seed, "span_weights": span_weights},
    )
    return ReportResult(
        scored=scored,
        ranked=ranked,
        analysed=analysed,
        powered=powered,
        judged=judged,
        meta=meta,
        n_examples=examples,
        command=command,
    )


def _check_not_given(of_analysis: dict[str, Any]) -> None:
    """Reject options of the analysis, which needs references."""
    defaults = inspect.signature(report).parameters
    for name, given in of_analysis.items():
        default = defaults[name].default
        if given is not None if default is None else given != default:
            raise no_references(f"--{name.replace('_', '-')} ({name}=)")


def _of_first_metric(scored: ScoreResult) -> ScoreResult:
    """The scores of the first metric."""
    return replace(scored, tables=scored.tables[:1], signatures=scored.signatures[:1], scores=scored.scores[:, :1])


def _of_humans(
    scored: ScoreResult,
    judgements: Judged | None,
    *,
    gold: str | None,
    level: str,
    execution: Execution,
    options: dict[str, Any],
) -> tuple[HumansResult | None, MetaEvaluation | None]:
    """Systems ranked by human judgements, and metrics compared with the judgements."""
    if judgements is None:
        for name, given in (("gold", gold), ("span_weights", options["span_weights"])):
            if given is not None:
                raise InputError(f"{name} says how judgements score systems, but there are no judgements")
        if level != "system":
            raise InputError(f"the level {level} is of the meta-evaluation, but there are no judgements")
        return None, None
    judged = humans(judgements, method=gold, **options)
    # At segment level, preferences count one by one and give systems no scores.
    of_systems = level == "system" or isinstance(judgements, Scores | ErrorSpans)
    meta = metaeval_scored(
        scored, judgements, level=level, gold=gold if of_systems else None, execution=execution, **options
    )
    return judged, meta
