"""Segments in which two systems differ, word by word: the verb ``diff``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.analysis.segments import in_bucket
from mtassay.analysis.views import SEGMENT_VIEWS, error_metric, segment_buckets, tokenise
from mtassay.analysis.word_marks import alignment_metric
from mtassay.data.testset import as_testset
from mtassay.errors import InputError, did_you_mean
from mtassay.results import Result
from mtassay.text import tokenizer_of
from mtassay.verbs.analyse import examples_of, pair_of
from mtassay.verbs.analyse_result import examples_dict
from mtassay.verbs.analysis_plan import check_top
from mtassay.verbs.score import score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.analysis.examples import Examples
    from mtassay.analysis.views import TokenisedTexts
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.execution import Execution, Progress
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Bools
    from mtassay.verbs.score import ScoreResult

SCHEMA = "mtassay.diff/1"


@dataclass(frozen=True, eq=False, repr=False)
class DiffResult(Result):
    """Segments in which two systems differ most.

    Attributes:
        examples: the segments.
        n_segments: how many segments were looked at.
        better: only segments in which this system is better were requested; None for both systems.
        tok: tokenizer of words; by default that of the target language, else ``13a``.
    """

    verb: ClassVar[str] = "diff"

    examples: Examples
    n_segments: int
    better: str | None
    tok: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; segments are counted from 1."""
        return {
            "schema": SCHEMA,
            "n_segments": self.n_segments,
            "better": self.better,
            "tok": self.tok,
            **examples_dict(self.examples),
        }

    def __repr__(self) -> str:
        return f"DiffResult({', '.join(self.examples.pair)}; {self.examples.metric})"


def diff(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | None = None,
    *,
    metric: str | Metric = "chrf",
    pair: tuple[str, str] | None = None,
    better: str | None = None,
    grep: str | None = None,
    bucket: str | None = None,
    segment_labels: PathLike | Sequence[str] | None = None,
    alignment: str | Metric = "ter",
    judgements: Judgements | None = None,
    tok: str | None = None,
    top: int = 10,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> DiffResult:
    """Show the segments in which two systems differ most, word by word.

    Args:
        references: a test set, or one or more reference streams with one text (or ``None``) per segment each.
        systems: one text per segment, by system name; only without a test set.
        metric: a specification; segments are ordered by the difference of its scores.
        pair: the two systems; by default the two best.
        better: only segments in which this system is better.
        grep: a regular expression; only segments in which it is found in the source, a reference or an output.
        bucket: only segments of this bucket: ``length:20-30``, ``difference:5-``, ``domain:news`` …
        segment_labels: a file or a list with one label for each segment, for ``bucket="segment-label:…"``.
        alignment: the metric whose alignment marks words: a specification of ``ter`` or ``meteor``.
        judgements: human judgements to show, as ``mtassay.load_judgements`` reads them.
        tok: tokenizer of words; by default that of the target language, else ``13a``.
        top: number of segments to show for each of the two systems.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps long loops, for a progress bar.

    >>> found = diff([["a b c", "d"]], {"x": ["a b c", "e"], "y": ["a c", "d"]})
    >>> [example.segment for example in found.examples.first]
    [0]
    """
    check_top(top)
    if bucket is not None and not isinstance(bucket, str):
        raise InputError(f"bucket must be VIEW:BUCKET, such as length:20-30, not {bucket!r}")
    testset = as_testset(references, systems, needed_by="diff")
    if len(testset.systems) < 2:
        raise InputError("there is only one system: differences need two")
    scored = score(testset, metrics=[metric], threads=threads, execution=execution, progress=progress)
    scored.metrics[0].check_level("examples")
    chosen = pair_of(scored, pair)
    assert chosen is not None
    if better is not None and better not in chosen:
        raise InputError(f"'{better}' is not among the two systems: {', '.join(chosen)}{did_you_mean(better, chosen)}")
    aligned = alignment_metric(alignment, testset.language_pair)
    tok = tok or tokenizer_of(testset.target_language)
    texts = tokenise(testset, tok=tok, case="mixed")
    kept = np.ones(testset.n_segments, dtype=bool)
    if grep is not None:
        kept &= _found(testset, chosen, grep)
    if segment_labels is not None and not (bucket or "").startswith("segment-label:"):
        raise InputError("segment labels choose segments by a bucket: give one of them, --bucket segment-label:LABEL")
    if bucket is not None:
        kept &= _in_bucket(bucket, texts, scored, segment_labels)
    numbers = (scored.systems.index(chosen[0]), scored.systems.index(chosen[1]))
    examples = examples_of(
        scored,
        texts,
        numbers,
        top=top,
        alignment=aligned,
        errors=error_metric(texts, None),
        judgements=judgements,
        kept=kept,
    )
    if better is not None:
        examples = replace(examples, second=()) if better == chosen[0] else replace(examples, first=())
    return DiffResult(examples, int(kept.sum()), better, tok)


def _found(testset: TestSet, pair: tuple[str, str], pattern: str) -> Bools:
    """Which segments have a text that the pattern matches."""
    try:
        search = re.compile(pattern).search
        search("")
    except (re.error, TypeError) as error:
        raise InputError(f"{pattern!r} is not a regular expression: {error}") from None
    streams = [*testset.references, *(testset.systems[name] for name in pair)]
    streams += [] if testset.sources is None else [testset.sources]
    return np.array(
        [any(text is not None and search(text) for text in texts) for texts in zip(*streams, strict=True)], dtype=bool
    )


def _in_bucket(
    bucket: str, texts: TokenisedTexts, scored: ScoreResult, labels: PathLike | Sequence[str] | None
) -> Bools:
    name, _, wanted = bucket.partition(":")
    if name not in SEGMENT_VIEWS:
        hint = did_you_mean(name, SEGMENT_VIEWS)
        raise InputError(f"no buckets named '{name}'{hint} (write VIEW:BUCKET; views: {', '.join(SEGMENT_VIEWS)})")
    return in_bucket(segment_buckets(name, texts, scored.tables[0], labels=labels), wanted)
