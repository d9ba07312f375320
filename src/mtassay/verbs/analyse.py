"""Where systems differ: the verb ``analyse``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.analysis.examples import find_examples
from mtassay.analysis.ngrams import ngram_view
from mtassay.analysis.segments import all_segments, segment_view
from mtassay.analysis.views import (
    SEGMENT_VIEWS,
    WORD_VIEWS,
    error_metric,
    error_metrics,
    segment_buckets,
    tokenise,
    word_buckets,
)
from mtassay.analysis.words import word_views
from mtassay.data.testset import as_testset
from mtassay.errors import InputError, did_you_mean, each_of
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.spec import parse_all
from mtassay.verbs.analyse_result import AnalyseResult
from mtassay.verbs.analysis_plan import ADJUST, RESAMPLES, TOP, VIEWS, AnalysisPlan
from mtassay.verbs.comparison_plan import gaps_of
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtassay.analysis.bucket_tests import BucketResampling
    from mtassay.analysis.examples import Examples
    from mtassay.analysis.segments import SegmentView
    from mtassay.analysis.views import TokenisedTexts
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.execution import Progress
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.verbs.score import ScoreResult

__all__ = ["VIEWS", "AnalyseResult", "analyse"]


def analyse(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    by: Sequence[str] | None = None,
    pair: tuple[str, str] | None = None,
    frequencies: PathLike | Mapping[str, int] | None = None,
    labels: str | Sequence[PathLike | Sequence[str]] | None = None,
    layer: str | None = None,
    segment_labels: PathLike | Sequence[str] | None = None,
    alignment: str | Metric = "ter",
    judgements: Judgements | None = None,
    tok: str | None = None,
    lowercase: bool = False,
    top: int = TOP,
    resamples: int = RESAMPLES,
    alpha: float = 0.05,
    adjust: str = ADJUST,
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> AnalyseResult:
    """Find where systems differ: kinds of words and segments, n-grams, examples.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications; the first one divides segments by score, and chooses the pair and the examples.
        by: names from ``VIEWS``; by default all that the inputs allow, except ``document``.
        pair: the systems whose n-grams and examples are shown; by default the two best.
        frequencies: counts of words: a corpus or a file of counts, or a mapping; by default from the references.
        labels: labels of words: the specification of an annotator; or a file, or a list of lines, with one label per
            word, for each reference and then for each system. Error classes use the lemmas of the annotator, too.
        layer: which annotation is the label: ``upos``, ``xpos``, ``class``, ``relation`` or ``entity``; by default the
            part of speech.
        segment_labels: a file or a list with one label for each segment.
        alignment: the metric whose alignment marks the words of examples: a specification of ``ter`` or ``meteor``.
        judgements: human judgements to show with examples, as ``mtassay.load_judgements`` reads them.
        tok: tokenizer of words and n-grams; by default that of the target language, else ``13a``.
        lowercase: whether to compare words and n-grams in lower case.
        top: number of n-grams and examples to show for each of the two systems.
        resamples: number of resamples for tests and intervals in each bucket.
        alpha: significance level; p-values up to it are significant, and intervals cover 1 - `alpha`.
        adjust: ``none``, ``holm`` or ``bh``, over the buckets and pairs of a view, and over n-grams.
        seed: seed of the resamples.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.

    >>> result = analyse([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}, by=["length"])
    >>> result.segments[0].labels, result.segments[0].n_segments.tolist()
    (('0–9',), [[2, 2]])
    """
    testset = as_testset(references, systems, needed_by="analyse")
    parsed = parse_all(metrics, testset.language_pair)
    plan = AnalysisPlan(
        testset=testset,
        metrics=parsed,
        by=by,
        pair=pair,
        frequencies=frequencies,
        labels=labels,
        layer=layer,
        segment_labels=segment_labels,
        alignment=alignment,
        judgements=judgements,
        tok=tok,
        lowercase=lowercase,
        top=top,
        resamples=resamples,
        alpha=alpha,
        adjust=adjust,
        seed=seed,
    )
    plan.check_used()
    execution = Execution.of(execution, threads=threads, progress=progress)
    return analyse_scored(score(testset, metrics=parsed, execution=execution), plan, execution=execution)


def analyse_scored(scored: ScoreResult, plan: AnalysisPlan, *, execution: Execution = SERIAL) -> AnalyseResult:
    """Find where scored systems differ; `plan` is of the same test set, which needs references."""
    for metric in scored.metrics:
        metric.check_level("buckets")
    pair, chosen, resampling = pair_of(scored, plan.pair), plan.views, plan.resampling
    texts = tokenise(scored.testset, tok=plan.tokenizer, case=plan.case)
    divisions = [
        word_buckets(name, texts, frequencies=plan.frequencies, labels=plan.labels, layer=plan.layer)
        for name in chosen
        if name in WORD_VIEWS
    ]
    words = word_views(divisions, resampling, execution=execution)
    tables = scored.tables
    buckets = [
        segment_buckets(name, texts, tables[0], labels=plan.segment_labels) for name in chosen if name in SEGMENT_VIEWS
    ]
    gaps = [gaps_of(table) for table in tables]
    segments = [segment_view(division, tables, gaps, resampling, execution=execution) for division in buckets]
    errors = error_metric(texts, plan.labels)
    if "errors" in chosen:
        segments.append(_errors(texts, errors, resampling, execution))
    numbers = None if pair is None else (scored.systems.index(pair[0]), scored.systems.index(pair[1]))
    ngrams = examples = None
    if "ngrams" in chosen:
        ngrams = ngram_view(
            texts.matches, texts.vocabulary, numbers, top=plan.top, alpha=resampling.alpha, adjust=resampling.adjust
        )
    if "examples" in chosen and numbers:
        details = {"alignment": plan.aligned, "errors": errors, "judgements": plan.judgements}
        examples = examples_of(scored, texts, numbers, top=plan.top, **details)
    return AnalyseResult(
        scored=scored,
        words=tuple(words),
        segments=tuple(segments),
        ngrams=ngrams,
        examples=examples,
        pair=pair,
        resampling=resampling,
        tok=plan.tokenizer,
        case=plan.case,
        texts=texts,
        alignment=plan.aligned,
        errors=errors,
    )


def pair_of(scored: ScoreResult, pair: Iterable[str] | None) -> tuple[str, str] | None:
    """The two systems to compare: those named, or the two best; None if there is only one system."""
    if pair is None:
        if len(scored.systems) < 2:
            return None
        best = scored.ranked[:2]
        return scored.systems[best[0]], scored.systems[best[1]]
    named = list(each_of(pair, "pair", such_as="['a', 'b']"))
    for name in named:
        if name not in scored.systems:
            hint = did_you_mean(name, scored.systems) or f"; there are: {', '.join(scored.systems)}"
            raise InputError(f"no system named '{name}'{hint}")
    if len(named) != 2 or named[0] == named[1]:
        raise InputError(f"a pair is two different systems, not: {', '.join(named) or 'none'}")
    return named[0], named[1]


def examples_of(scored: ScoreResult, texts: TokenisedTexts, pair: tuple[int, int], **options: Any) -> Examples:
    """Examples of two systems by number; `options` as for ``find_examples``."""
    return find_examples(texts, scored.segment_scores(), scored.metrics, pair=pair, **options)


def _errors(texts: TokenisedTexts, metric: Metric, resampling: BucketResampling, execution: Execution) -> SegmentView:
    """Rates of classes of errors over all segments: each class is a metric."""
    scored = score(texts.testset, metrics=error_metrics(metric), execution=execution)
    whole = all_segments("errors", f"rates of error classes, {_bases(metric)}", texts.testset.n_segments)
    gaps = [gaps_of(table) for table in scored.tables]
    return segment_view(whole, scored.tables, gaps, resampling, execution=execution, together=True)


def _bases(metric: Any) -> str:
    return f"by lemmas of {metric.annotator}" if metric.annotator else "by the first four letters of words"
