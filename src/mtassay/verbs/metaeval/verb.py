"""Which metric agrees best with human judgements: the verb ``metaeval``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mtassay.data.testset import TestSet, as_testset
from mtassay.errors import InputError, unknown_name
from mtassay.execution import SERIAL, Execution, Progress
from mtassay.judging.gold import PreferenceGold, gold_of
from mtassay.stats.grouped_gold import AVERAGES
from mtassay.stats.intervals import check_alpha
from mtassay.stats.resamples import check_resamples, check_seed
from mtassay.verbs.metaeval import segment_level, system_level
from mtassay.verbs.metaeval.coefficients import checked
from mtassay.verbs.metaeval.metric_scores import check_digits, measure, scores_of_judged
from mtassay.verbs.metaeval.metric_spans import match_metrics
from mtassay.verbs.metaeval.metric_tests import chosen, compare_metrics
from mtassay.verbs.metaeval.result import Direction, MetaEvaluation
from mtassay.verbs.metaeval.score_folders import specifications
from mtassay.verbs.metaeval.segment_level import SegmentLevel
from mtassay.verbs.metaeval.system_level import SystemLevel
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.data.error_spans import ErrorSpans
    from mtassay.data.judgements import Judgements
    from mtassay.io.inputs import PathLike
    from mtassay.judging.gold import Gold
    from mtassay.judging.span_weights import Weights
    from mtassay.metrics.core.metric import Metric
    from mtassay.verbs.metaeval.metric_scores import Measured
    from mtassay.verbs.score import ScoreResult

    Metrics = Sequence[str | Metric]
    MetricSpans = Mapping[str, ErrorSpans]

LEVELS = ("system", "segment")
#: What correlations of scores are averaged over at segment level by default.
AVERAGE = "segment"


@dataclass(frozen=True, kw_only=True)
class _Options:
    """Options of ``metaeval`` that hold for all directions, checked."""

    level: str
    gold: str | None
    span_weights: Weights | None
    seed: int
    alpha: float
    correlation: Sequence[str] | None = None
    average: str | None = None
    test: str = "none"
    resamples: int = 0
    digits: int | None = None
    include_outliers: bool = False

    def __post_init__(self) -> None:
        _check(self.level, LEVELS, "level")
        if self.average is not None:
            _check(self.average, AVERAGES, "averaging")
            if self.level == "system":
                raise InputError(
                    "correlations are averaged only at segment level: leave out the average, or change the level"
                )
        if isinstance(self.correlation, str):
            raise InputError(f"correlation must be a list: [{self.correlation!r}]")
        check_resamples(self.resamples)
        check_seed(self.seed)
        object.__setattr__(self, "alpha", check_alpha(self.alpha))
        check_digits(self.digits)


def metaeval(
    references: TestSet | Sequence[Sequence[str | None]] | Mapping[str, TestSet],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    judgements: Judgements | Mapping[str, Judgements],
    metrics: Metrics | Mapping[str, Metrics] | None = None,
    metric_scores: Sequence[PathLike] = (),
    level: str = "system",
    gold: str | None = None,
    span_weights: Weights | None = None,
    metric_spans: MetricSpans | Mapping[str, MetricSpans] | None = None,
    correlation: Sequence[str] | None = None,
    average: str | None = None,
    test: str = "none",
    resamples: int = 0,
    seed: int = 12345,
    alpha: float = 0.05,
    digits: int | None = None,
    include_outliers: bool = False,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> MetaEvaluation:
    """Correlate metrics with human judgements, in one or several translation directions.

    The systems are those of the test set that were judged, without its official outliers. Metric scores and human
    scores in which lower is better are negated.

    Args:
        references: a test set, one or more reference streams with one text (or ``None``) per segment each, or several
            test sets by direction (``{"fr-en": testset}``).
        systems: one text per segment, by system name; only with reference streams.
        judgements: ``mtassay.load_judgements(path, testset=testset)``, or by direction.
        metrics: specifications, the same for all directions or by direction; metrics with the same name in several
            directions count as one. By default ``bleu``, unless there are `metric_scores`.
        metric_scores: folders with files of metric scores, ``*.seg.score`` or ``*.sys.score``, or with one such folder
            per language pair; each file is one more metric.
        level: ``system`` or ``segment``.
        gold: how judgements score systems: ``wins``, ``expected-wins``, ``bradley-terry``, ``trueskill`` … from
            preferences, ``mean``, ``z`` or ``even`` from scores; by default as in ``humans``.
        span_weights: how errors in spans count: ``mqm``, ``esa`` or rules such as ``["minor=1", "major=5"]``. By
            default the judges' overall scores if there are any, else ``mqm``.
        metric_spans: spans of errors that metrics mark, by name, or by direction and name; they are compared with the
            spans of the judges.
        correlation: names in ``metaeval.coefficients.TITLES``; metrics are sorted by the first.
        average: how correlations of scores are averaged at segment level: over ``segment`` (default) or ``system``, or
            ``none`` to correlate all outputs together.
        test: ``none``, or a test between metrics from ``metaeval.metric_tests.TESTS``; it tests the first coefficient
            that it applies to.
        resamples: number of resamples for intervals and tests; 0 for the defaults, or all permutations if few.
        seed: seed of the resamples.
        alpha: significance level; intervals cover 1 − alpha.
        digits: digits to which metric scores from 0 to 1 are rounded before correlating.
        include_outliers: whether to keep systems that the organisers excluded from the meta-evaluation.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps the loop over chunks of each direction's work.

    >>> from mtassay import TestSet
    >>> from mtassay.data import Scores
    >>> import numpy as np
    >>> testset = TestSet([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"], "z": ["a", "g"]})
    >>> scores = Scores(("x", "y", "z"), ("1",), ("",), np.zeros(3, int), np.zeros(3, int), system=np.arange(3),
    ...                 score=np.array([90.0, 50.0, 10.0]), aspect="da", item=np.array([""] * 3))
    >>> result = metaeval(testset, judgements=scores, metrics=["chrf", "ter"], correlation=["spearman"])
    >>> round(result["all", "TER", "spearman"], 3)
    1.0
    """
    if isinstance(metric_scores, str):
        raise InputError(f"metric_scores must be a list: [{metric_scores!r}]")
    options = _Options(
        level=level,
        gold=gold,
        span_weights=span_weights,
        seed=seed,
        alpha=alpha,
        correlation=correlation,
        average=average,
        test=test,
        resamples=resamples,
        digits=digits,
        include_outliers=include_outliers,
    )
    testsets = _by_direction(references, systems)
    if isinstance(metrics, Mapping) and (absent := [name for name in testsets if name not in metrics]):
        raise InputError(f"there are no metrics for {absent[0]}: give them by direction, or the same for all")
    judged = judgements if isinstance(judgements, Mapping) else dict.fromkeys(testsets, judgements)
    if absent := [name for name in testsets if name not in judged]:
        raise InputError(f"there are no judgements for {absent[0]}: give them by direction")
    execution = Execution.of(execution, threads=threads, progress=progress)
    wanted = {
        name: _metrics_of(name, metrics, of.language_pair, metric_scores, options) for name, of in testsets.items()
    }
    directions = []
    for name, testset in testsets.items():
        scores_of = partial(score, metrics=wanted[name], execution=execution)
        spans = _spans_of(metric_spans or {}, name)
        directions.append(_evaluated(name, testset, judged[name], options, scores_of=scores_of, metric_spans=spans))
    return _joined(directions, options)


def metaeval_scored(
    scored: ScoreResult,
    judgements: Judgements,
    *,
    level: str = "system",
    gold: str | None = None,
    span_weights: Weights | None = None,
    seed: int = 12345,
    alpha: float = 0.05,
    execution: Execution = SERIAL,
) -> MetaEvaluation:
    """Correlate the metrics of scored systems with human judgements; arguments as for ``metaeval``."""
    options = _Options(level=level, gold=gold, span_weights=span_weights, seed=seed, alpha=alpha)
    scores_of = partial(scores_of_judged, scored, execution=execution)
    [(name, testset)] = _by_direction(scored.testset, None).items()
    return _joined([_evaluated(name, testset, judgements, options, scores_of=scores_of, metric_spans={})], options)


def _evaluated(
    name: str,
    texts: TestSet,
    judgements: Judgements,
    options: _Options,
    *,
    scores_of: Callable[[TestSet], ScoreResult],
    metric_spans: MetricSpans,
) -> Direction:
    """Compare metrics with judgements in one direction; `scores_of` scores the judged systems."""
    left_out = () if options.include_outliers else texts.outliers
    outliers = tuple(system for system in texts.systems if system in left_out)
    testset = texts.setting_aside(outliers) if outliers else texts
    gold = gold_of(
        testset,
        judgements,
        method=options.gold,
        span_weights=options.span_weights,
        resamples=options.resamples,
        seed=options.seed,
    )
    matched = match_metrics(testset, judgements, metric_spans, systems=gold.systems)
    if options.level == "segment" and isinstance(gold, PreferenceGold):
        _check_preferences(options.gold, options.average)
    _names(gold, options)  # invalid names fail before anything is scored
    measured = measure(scores_of(testset.select(systems=gold.systems)), options.digits)
    return replace(_direction(name, gold, measured, options, outliers), spans=matched)


def _joined(directions: Sequence[Direction], options: _Options) -> MetaEvaluation:
    """The result of all directions."""
    # Preferences are counted together, not averaged.
    averaged = options.level == "segment" and any(direction.kind == "scores" for direction in directions)
    result = MetaEvaluation(
        level=options.level,
        average=(options.average or AVERAGE) if averaged else None,
        resamples=directions[0].gold.resamples,
        seed=options.seed,
        alpha=options.alpha,
        digits=options.digits,
        directions=tuple(directions),
    )
    if not result.coefficients:
        raise InputError("some directions have preferences and others scores: no coefficient applies to both")
    return result


def _by_direction(references: Any, systems: Mapping[str, Sequence[str]] | None) -> Mapping[str, TestSet]:
    """Test sets by the name of their direction: the language pair of a single one, its name, or "all"."""
    if isinstance(references, Mapping):
        if not references or systems is not None:
            raise InputError('give test sets by direction, {"fr-en": testset}, and no systems')
        return references
    testset = as_testset(references, systems)
    return {testset.language_pair or testset.name or "all": testset}


def _metrics_of(
    direction: str,
    metrics: Metrics | Mapping[str, Metrics] | None,
    language_pair: str | None,
    folders: Sequence[PathLike],
    options: _Options,
) -> list[str | Metric]:
    """The metrics of a direction, and one for each file of metric scores."""
    if metrics is None:
        metrics = () if folders else ("bleu",)
    wanted = [*(metrics[direction] if isinstance(metrics, Mapping) else metrics)]
    for folder in folders:
        wanted += specifications(folder, language_pair, level=options.level, coefficients=options.correlation)
    return wanted


def _spans_of(given: MetricSpans | Mapping[str, MetricSpans], direction: str) -> MetricSpans:
    """The spans of metrics in a direction; all of them if they are not by direction."""
    by_direction = {name: of for name, of in given.items() if isinstance(of, Mapping)}
    if not by_direction:
        return {name: of for name, of in given.items() if not isinstance(of, Mapping)}
    if direction not in by_direction:
        raise InputError(f"there are no metric spans for {direction}: give them by direction")
    return by_direction[direction]


def _check_preferences(gold: str | None, average: str | None) -> None:
    """Reject options that have no effect on preferences at segment level."""
    if gold is not None:
        raise InputError(
            f"gold '{gold}' scores systems, but at segment level preferences count one by one: leave it out"
        )
    if average is not None:
        raise InputError(
            "only correlations of scores are averaged, but these judgements are preferences: leave out the average"
        )


def _names(gold: Gold, options: _Options) -> tuple[str, ...]:
    """Names of the requested coefficients; the test must apply to one of them."""
    module = system_level if options.level == "system" else segment_level
    names = checked(options.correlation or module.usual(gold), module.possible(gold), level=options.level)
    if "darr" in names and gold.method in ("z", "even"):
        raise InputError(
            f"darr needs scores from 0 to 100 that differ by 25 or more, but {gold.method} changes them: use mean"
        )
    if options.test != "none":
        chosen(names, options.test, level=options.level, average=options.average or AVERAGE)
    return names


def _direction(name: str, gold: Gold, measured: Measured, options: _Options, outliers: tuple[str, ...]) -> Direction:
    resamples, seed, alpha = options.resamples, options.seed, options.alpha
    data: SystemLevel | SegmentLevel = (
        SystemLevel(gold, measured, resamples=resamples, seed=seed, alpha=alpha)
        if options.level == "system"
        else SegmentLevel(
            gold, measured, average=options.average or AVERAGE, resamples=resamples, seed=seed, alpha=alpha
        )
    )
    names = _names(gold, options)
    coefficients = tuple(data.coefficient(of) for of in names)
    tested = None
    if options.test != "none":
        of = chosen(names, options.test, level=options.level, average=options.average or AVERAGE)
        tested = compare_metrics(data, coefficients[names.index(of)], test=options.test, resamples=resamples)
    scored = measured.scored
    return Direction(
        name=name,
        names=measured.names,
        metrics=measured.metrics,
        signatures=tuple(map(str, scored.signatures)),
        references=scored.testset.reference_names,
        outliers=outliers,
        beside=dict(measured.beside) if "soft-accuracy" in names else {},
        gold=gold,
        metric_scores=scored.scores.T,
        coefficients=coefficients,
        tested=tested,
    )


def _check(value: str, known: Sequence[str], what: str) -> None:
    if value not in known:
        raise InputError(unknown_name(what, value, known))
