"""The result of ``analyse``, and its conversion (and that of examples, for ``diff``) to plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.analysis.ngram_counts import KINDS, LONGEST
from mtassay.results import Result, or_none
from mtassay.stats.procedures import all_pairs

if TYPE_CHECKING:
    from mtassay.analysis.bucket_tests import BucketResampling, BucketTests
    from mtassay.analysis.examples import Example, Examples
    from mtassay.analysis.ngrams import NgramDifference, NgramView
    from mtassay.analysis.segments import SegmentView
    from mtassay.analysis.views import TokenisedTexts
    from mtassay.analysis.words import WordView
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Index
    from mtassay.verbs.score import ScoreResult

SCHEMA = "mtassay.analyse/1"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnalyseResult(Result):
    """Words, segments, n-grams and examples in which systems differ.

    Attributes:
        scored: the scores and statistics behind it.
        words: words by bucket, one view for each division into buckets.
        segments: segments by bucket, one view for each division into buckets.
        ngrams: n-grams, if requested.
        examples: examples, if requested and if there are two systems.
        pair: the two systems of n-grams and examples; None if there is only one system.
        resampling: how buckets were tested.
        tok: tokenizer of words and n-grams; by default that of the target language, else ``13a``.
        case: letter case of words and n-grams.
        texts: the texts, split into words.
        alignment: the metric whose alignment marks the words of texts: TER or METEOR.
        errors: the metric that counts errors by class: Hjerson.
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
    alignment: Metric
    errors: Metric

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
        "alignment": str(examples.alignment),
        "pair": list(examples.pair),
        "better_first": [_of_example(one) for one in examples.first],
        "better_second": [_of_example(one) for one in examples.second],
    }


def _of_example(example: Example) -> dict[str, Any]:
    return {
        "segment": example.segment + 1,
        "difference": example.difference,
        "preferences": None if example.preferences is None else example.preferences._asdict(),
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
                "errors": output.errors,
                "human": output.human,
            }
            for output in example.outputs
        ],
    }
