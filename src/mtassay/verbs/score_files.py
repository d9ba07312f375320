"""Scores of files that need not fit the memory: ``score`` over a stream.

A block of segments is read and scored at a time. Statistics are additive, so that corpus scores are those of their
sums. They are the same bytes as those of ``score``, which adds up blocks of the same size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.text_stream import TextStream
from mtassay.errors import InputError
from mtassay.execution import blocks
from mtassay.metrics.core.spec import parse_all
from mtassay.metrics.core.table import StatsTable
from mtassay.verbs.score import SystemScores, score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.signature import Signature
    from mtassay.types import Floats, Statistics
    from mtassay.verbs.score import Group, ScoreResult


@dataclass(frozen=True)
class StreamedTexts:
    """What is known of texts that were streamed.

    Attributes:
        n_segments: number of segments.
        reference_names: names of the references.
        language_pair: such as "en-de".
    """

    n_segments: int
    reference_names: tuple[str, ...]
    language_pair: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StreamedScores(SystemScores):
    """Scores of systems whose texts were streamed.

    Attributes:
        streamed: the texts.
        tables: the sums of the statistics as one segment, one table per metric.
        signatures: one per metric.
        scores: corpus scores, shape (systems, metrics).
        by: None: there are no groups.
        groups: empty.
    """

    streamed: StreamedTexts
    tables: tuple[StatsTable, ...]
    signatures: tuple[Signature, ...]
    scores: Floats
    by: str | None = None
    groups: tuple[Group, ...] = ()

    @property
    def texts(self) -> StreamedTexts:
        """The texts that were scored."""
        return self.streamed


def can_stream(metric: Metric) -> bool:
    """Whether a metric scores segment by segment, without knowing the others."""
    return all(part.by_segment for part in metric.parts)


def score_files(
    references: Sequence[PathLike],
    systems: Sequence[PathLike],
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    names: Sequence[str] | None = None,
    lp: str | None = None,
    encoding: str = "utf-8",
    threads: int = 1,
    each_block: Callable[[int, ScoreResult], Any] | None = None,
) -> StreamedScores:
    """Score line files of any size against references; memory does not grow with the number of segments.

    Args:
        references: one file per reference; compressed files and URLs, too.
        systems: one file per system; ``-`` is standard input, where tabs separate several systems.
        metrics: specifications; only metrics that score segment by segment.
        names: names of the systems; by default taken from the file names.
        lp: the language pair, such as "en-de".
        encoding: encoding of all files.
        threads: number of threads.
        each_block: called with the number of the first segment, counted from 1, and the scores of every block of
            segments, in order: for scores of segments.
    """
    parsed = parse_all(metrics, lp)
    if not parsed:
        raise InputError("there is no metric to score with")
    for metric in parsed:
        if not can_stream(metric):
            raise InputError(f"{metric} needs all segments at once: read the files with load_files, and use score")
    stream = TextStream(references, systems, names=names, language_pair=lp, encoding=encoding)
    n_segments = 0
    totals: list[Statistics] = []

    def add(block: TestSet) -> ScoreResult:
        nonlocal n_segments, totals
        scored = score(block, metrics=parsed, threads=threads)
        if each_block is not None:
            each_block(n_segments + 1, scored)
        n_segments += block.n_segments
        found = [table.totals() for table in scored.tables]
        totals = [before + now for before, now in zip(totals, found, strict=True)] if totals else found
        return scored

    pieces = stream.blocks(blocks.BLOCK)
    first = add(next(pieces))  # an empty file is refused
    for block in pieces:
        add(block)
    tables = [
        StatsTable(metric, first.systems, sums[:, np.newaxis]) for metric, sums in zip(parsed, totals, strict=True)
    ]
    return StreamedScores(
        streamed=StreamedTexts(n_segments, first.testset.reference_names, lp),
        tables=tuple(tables),
        signatures=first.signatures,
        scores=np.stack([table.scores() for table in tables], axis=-1),
    )
