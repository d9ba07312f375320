"""Where systems differ: the verb ``analyse``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.analysis.bucket_tests import BucketResampling
from mtassay.analysis.examples import find_examples
from mtassay.analysis.ngram_counts import KINDS, LONGEST
from mtassay.analysis.ngrams import ngram_view
from mtassay.analysis.segments import all_segments, segment_view
from mtassay.analysis.views import SEGMENT_VIEWS, WORD_VIEWS, error_metrics, segment_buckets, tokenise, word_buckets
from mtassay.analysis.words import word_views
from mtassay.data.testset import as_testset
from mtassay.errors import InputError, did_you_mean, unknown_name
from mtassay.execution import Execution
from mtassay.metrics.core.spec import parse
from mtassay.results import Result, or_none
from mtassay.stats.adjust import check_adjustment
from mtassay.stats.intervals import check_alpha
from mtassay.stats.procedures import Procedure, all_pairs
from mtassay.text import tokenizer_of
from mtassay.verbs.comparison_plan import gaps_of
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtassay.analysis.bucket_tests import BucketTests
    from mtassay.analysis.examples import Example, Examples
    from mtassay.analysis.ngrams import NgramDifference, NgramView
    from mtassay.analysis.segments import SegmentView
    from mtassay.analysis.views import TokenisedTexts
    from mtassay.analysis.words import WordView
    from mtassay.data.testset import TestSet
    from mtassay.execution import Progress
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Index
    from mtassay.verbs.score import ScoreResult

SCHEMA = "mtassay.analyse/1"
#: Everything that can be asked for.
VIEWS = (*WORD_VIEWS, *SEGMENT_VIEWS, "errors", "ngrams", "examples")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnalyseResult(Result):
    """Words, segments, n-grams and examples in which systems differ.

    Attributes:
        scored: the scores and statistics behind it.
        words: words by bucket, one for each division.
        segments: segments by bucket, one for each division.
        ngrams: n-grams, where they were asked for.
        examples: examples, where they were asked for and there are two systems.
        pair: the two systems of n-grams and examples; None where there is one system.
        resampling: how buckets were tested.
        tok: tokenizer of words and n-grams; by default that of the target language, else ``13a``.
        case: letter case of words and n-grams.
        texts: the texts in words.
    """

    verb: ClassVar[str] = "analyse"

    scored: ScoreResult
    words: tuple[WordView, ...]
    segments: tuple[SegmentView, ...]
    ngrams: NgramView | None
    examples: Examples | None
    pair: tuple[str, str] | None
    resampling: BucketResampling
    tok: str
    case: str
    texts: TokenisedTexts

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order they were given."""
        return self.scored.systems

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; segments are counted from 1."""
        procedure = self.resampling.procedure
        return {
            "schema": SCHEMA,
            "systems": list(self.systems),
            "metrics": [
                {"name": metric.label, "metric": str(metric), "signature": str(signature)}
                for metric, signature in zip(self.scored.metrics, self.scored.signatures, strict=True)
            ],
            "scores": [[or_none(value) for value in row] for row in self.scored.scores.tolist()],
            "tok": self.tok,
            "case": self.case,
            "test": procedure.kind,
            "resamples": procedure.resamples,
            "seed": procedure.seed,
            "alpha": self.resampling.alpha,
            "adjust": self.resampling.adjust,
            "pair": None if self.pair is None else list(self.pair),
            "words": [self._of_words(view) for view in self.words],
            "segments": [self._of_segments(view) for view in self.segments],
            "ngrams": None if self.ngrams is None else self._of_ngrams(self.ngrams),
            "examples": None if self.examples is None else examples_dict(self.examples),
        }

    def _of_words(self, view: WordView) -> dict[str, Any]:
        precision, recall, f1 = view.precision, view.recall, view.f1
        return {
            "view": view.name,
            "title": view.title,
            "buckets": [
                {
                    "bucket": label,
                    "segments": _from_one(view.segments[b]),
                    "systems": [
                        {
                            "system": system,
                            "matched": int(view.matched[b, s]),
                            "in_output": int(view.in_output[b, s]),
                            "in_reference": int(view.in_reference[b, s]),
                            "precision": or_none(precision[b, s]),
                            "recall": or_none(recall[b, s]),
                            "f1": or_none(f1[b, s]),
                            **self._tested(view.tests, b, s),
                        }
                        for s, system in enumerate(self.systems)
                    ],
                    "pairs": self._pairs(view.tests, b),
                }
                for b, label in enumerate(view.labels)
            ],
        }

    def _of_segments(self, view: SegmentView) -> dict[str, Any]:
        return {
            "view": view.name,
            "title": view.title,
            "paired": view.paired,
            "buckets": [
                {
                    "bucket": label,
                    "segments": _from_one(view.segments[b][0])
                    if view.paired
                    else {system: _from_one(view.segments[b][s]) for s, system in enumerate(self.systems)},
                    "metrics": [
                        {
                            "name": metric.label,
                            "metric": str(metric),
                            "systems": [
                                {
                                    "system": system,
                                    "n_segments": len(view.segments[b][s]),
                                    "score": or_none(tests.scores[b, s]),
                                    **self._tested(tests, b, s),
                                }
                                for s, system in enumerate(self.systems)
                            ],
                            "pairs": self._pairs(tests, b),
                        }
                        for metric, tests in zip(view.metrics, view.tests, strict=True)
                    ],
                }
                for b, label in enumerate(view.labels)
            ],
        }

    def _tested(self, tests: BucketTests, bucket: int, system: int) -> dict[str, Any]:
        ends = tests.intervals[bucket, system].tolist()
        return {
            "interval": None if np.isnan(ends[0]) else ends,
            "better_than": [self.systems[other] for other in np.flatnonzero(tests.better[bucket, system])],
        }

    def _pairs(self, tests: BucketTests, bucket: int) -> list[dict[str, Any]]:
        return [
            {
                "systems": [self.systems[x], self.systems[y]],
                "difference": or_none(tests.scores[bucket, x] - tests.scores[bucket, y]),
                "p": float(tests.p[bucket, x, y]),
                "p_adjusted": float(tests.adjusted[bucket, x, y]),
            }
            for x, y in all_pairs(len(self.systems)).tolist()
            if not np.isnan(tests.p[bucket, x, y])
        ]

    def _of_ngrams(self, view: NgramView) -> dict[str, Any]:
        return {
            "totals": [
                {"system": system, "n": n, **dict(zip(KINDS, view.totals[s, n - 1].tolist(), strict=True))}
                for s, system in enumerate(self.systems)
                for n in range(1, LONGEST + 1)
            ],
            "kinds": [
                {
                    "kind": kind,
                    "n_tested": view.n_tested[kind],
                    "n_significant": view.n_significant[kind],
                    "more_in_first": [_of_ngram(one) for one in view.differences[kind][0]],
                    "more_in_second": [_of_ngram(one) for one in view.differences[kind][1]],
                }
                for kind in view.differences
            ],
        }

    def __repr__(self) -> str:
        views = [*(view.name for view in self.words), *(view.name for view in self.segments)]
        return f"AnalyseResult({', '.join(self.systems)}; {', '.join(views)})"


def _from_one(segments: Index) -> list[int]:
    numbers: list[int] = (segments + 1).tolist()
    return numbers


def _of_ngram(one: NgramDifference) -> dict[str, Any]:
    return {
        "words": list(one.words),
        "counts": list(one.counts),
        "salience": one.salience,
        "p": one.p,
        "p_adjusted": or_none(one.adjusted),
        "significant": one.significant,
        "segments": _from_one(one.segments),
        "all_counts": one.all_counts.tolist(),
    }


def examples_dict(examples: Examples) -> dict[str, Any]:
    """Examples as plain values."""
    return {
        "metric": str(examples.metric),
        "metrics": [str(metric) for metric in examples.metrics],
        "pair": list(examples.pair),
        "better_first": [_of_example(one) for one in examples.first],
        "better_second": [_of_example(one) for one in examples.second],
    }


def _of_example(example: Example) -> dict[str, Any]:
    return {
        "segment": example.segment + 1,
        "difference": example.difference,
        "source": example.source,
        "references": list(example.references),
        "outputs": [
            {
                "system": output.system,
                "text": output.text,
                "scores": [or_none(value) for value in output.scores],
                "reference": output.reference + 1,
                "words": [[word.word, word.mark] for word in output.words],
                "missing": list(output.missing),
            }
            for output in example.outputs
        ],
    }


def analyse(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    by: Sequence[str] | None = None,
    pair: tuple[str, str] | None = None,
    frequencies: PathLike | Mapping[str, int] | None = None,
    labels: str | Sequence[PathLike | Sequence[str]] | None = None,
    segment_labels: PathLike | Sequence[str] | None = None,
    tok: str | None = None,
    lowercase: bool = False,
    top: int = 10,
    resamples: int = 1000,
    alpha: float = 0.05,
    adjust: str = "bh",
    seed: int = 12345,
    threads: int = 1,
    progress: Progress = iter,
) -> AnalyseResult:
    """Find where systems differ: kinds of words and segments, n-grams, examples.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metrics: specifications; the first one divides segments by score, and chooses the pair and the examples.
        by: names from ``VIEWS``; by default all that the inputs allow, but for documents.
        pair: the systems whose n-grams and examples are shown; by default the two best.
        frequencies: counts of words: a corpus or a file of counts, or a mapping; by default from the references.
        labels: of words: the specification of an annotator, or for each reference and then for each system a file
            or a list of lines with one label for each word.
        segment_labels: a file or a list with one label for each segment.
        tok: tokenizer of words and n-grams; by default that of the target language, else ``13a``.
        lowercase: whether to compare words and n-grams in lower case.
        top: how many n-grams and examples to show each way.
        resamples: of tests and intervals in each bucket.
        alpha: p-values up to here are significant; intervals have 1 - `alpha` coverage.
        adjust: ``none``, ``holm`` or ``bh``, over the buckets and pairs of a view, and over n-grams.
        seed: of the resamples.
        threads: number of threads.
        progress: wraps long loops, for a progress bar.

    >>> result = analyse([["a b c d", "e f"]], {"x": ["a b c d", "e f"], "y": ["a b c", "f"]}, by=["length"])
    >>> result.segments[0].labels, result.segments[0].n_segments.tolist()
    (('0–9',), [[2, 2]])
    """
    testset = as_testset(references, systems)
    resampling = BucketResampling(Procedure("ar", None, resamples, seed), check_alpha(alpha), adjust)
    check_adjustment(adjust)
    check_top(top)
    chosen = _chosen(by, testset, labels=labels is not None, segment_labels=segment_labels is not None)
    execution = Execution(threads, progress)
    scored = score(testset, metrics=metrics, threads=threads, progress=progress)
    for metric in scored.metrics:
        metric.check_level("buckets")
    pair = pair_of(scored, pair)
    tok = tok or tokenizer_of(testset.target_language)
    case = "lower" if lowercase else "mixed"
    texts = tokenise(testset, tok=tok, case=case)
    divisions = [
        word_buckets(name, texts, frequencies=frequencies, labels=labels) for name in chosen if name in WORD_VIEWS
    ]
    words = word_views(divisions, resampling, execution=execution)
    gaps = [gaps_of(table) for table in scored.tables]
    segments = [
        segment_view(
            segment_buckets(name, texts, scored.tables[0], labels=segment_labels),
            scored.tables,
            gaps,
            resampling,
            execution=execution,
        )
        for name in chosen
        if name in SEGMENT_VIEWS
    ]
    if "errors" in chosen:
        segments.append(_errors(testset, resampling, execution))
    numbers = None if pair is None else (scored.systems.index(pair[0]), scored.systems.index(pair[1]))
    return AnalyseResult(
        scored=scored,
        words=tuple(words),
        segments=tuple(segments),
        ngrams=ngram_view(texts.matches, texts.vocabulary, numbers, top=top, alpha=resampling.alpha, adjust=adjust)
        if "ngrams" in chosen
        else None,
        examples=examples_of(scored, texts, numbers, top) if "examples" in chosen and numbers else None,
        pair=pair,
        resampling=resampling,
        tok=tok,
        case=case,
        texts=texts,
    )


def _chosen(by: Sequence[str] | None, testset: TestSet, *, labels: bool, segment_labels: bool) -> list[str]:
    """The views asked for, in their usual order."""
    if by is None:
        there = {
            "label": labels,
            "domain": testset.domains is not None,
            "document": False,  # a table with hundreds of rows: only where it was asked for
            "duplicates": testset.sources is not None and len(set(testset.sources)) < testset.n_segments,
            "segment-label": segment_labels,
            "errors": bool(error_metrics()),
        }
        return [name for name in VIEWS if there.get(name, True)]
    if isinstance(by, str):
        raise InputError(f"by is a single name; give a list: [{by!r}]")
    known = VIEWS if error_metrics() else tuple(name for name in VIEWS if name != "errors")
    for name in by:
        if name not in known:
            raise InputError(unknown_name("view", name, known))
    return [name for name in VIEWS if name in by]


def check_top(top: int) -> None:
    """Refuse a number of rows that means nothing."""
    if type(top) is not int or top < 1:
        raise InputError(f"the number of n-grams and examples must be a whole number from 1, not {top!r}")


def pair_of(scored: ScoreResult, pair: Iterable[str] | None) -> tuple[str, str] | None:
    """The two systems to compare: those named, or the two best; None where there is one system."""
    if pair is None:
        if len(scored.systems) < 2:
            return None
        best = scored.ranked[:2]
        return scored.systems[best[0]], scored.systems[best[1]]
    named = tuple(pair)
    for name in named:
        if name not in scored.systems:
            hint = did_you_mean(name, scored.systems) or f"; there are: {', '.join(scored.systems)}"
            raise InputError(f"no system named '{name}'{hint}")
    if len(named) != 2 or named[0] == named[1]:
        raise InputError(f"a pair is two different systems, not: {', '.join(named) or 'none'}")
    return named[0], named[1]


def examples_of(
    scored: ScoreResult, texts: TokenisedTexts, pair: tuple[int, int], top: int, **options: Any
) -> Examples:
    """Examples of two systems by number; `options` as for ``find_examples``."""
    return find_examples(
        scored.testset,
        texts.matches,
        texts.vocabulary,
        scored.segment_scores(),
        scored.metrics,
        pair=pair,
        top=top,
        **options,
    )


def _errors(testset: TestSet, resampling: BucketResampling, execution: Execution) -> SegmentView:
    """Rates of classes of errors over all segments: each class is a metric."""
    scored = score(testset, metrics=[parse(spec) for spec in error_metrics()], threads=execution.threads)
    whole = all_segments("errors", "rates of error classes", testset.n_segments)
    gaps = [gaps_of(table) for table in scored.tables]
    return segment_view(whole, scored.tables, gaps, resampling, execution=execution)
