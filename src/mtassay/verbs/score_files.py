"""Scores of files that may be larger than memory: ``score`` over a stream.

One block of segments at a time is read and scored. Statistics are additive, so corpus scores are computed from the sums
over blocks. Scores are byte for byte those of ``score``, which adds up blocks of the same size.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.data.text_stream import TextStream
from mtassay.errors import InputError
from mtassay.execution import Execution, blocks
from mtassay.metrics.core.group_totals import GroupSums, block_group_totals
from mtassay.metrics.core.spec import parse_all
from mtassay.metrics.core.table import StatsTable
from mtassay.verbs.score import ScoreResult, SystemScores, count_full_stops, score
from mtassay.verbs.score_groups import groups_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.group_totals import GroupTotals
    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.core.sent_chunks import SentMetrics
    from mtassay.metrics.core.signature import Signature
    from mtassay.types import Statistics
    from mtassay.verbs.stream_blocks import StreamBlock


@dataclass(frozen=True)
class StreamedTexts:
    """What is known about streamed texts.

    Attributes:
        n_segments: number of segments.
        reference_names: names of the references.
        language_pair: such as "en-de".
        n_full_stops: number of outputs of each system that end in a separate full stop, as tokenised texts do; empty
            if they were not counted.
    """

    n_segments: int
    reference_names: tuple[str, ...]
    language_pair: str | None
    n_full_stops: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StreamedScores(SystemScores):
    """Scores of systems whose texts were streamed.

    Attributes:
        streamed: the texts.
    """

    streamed: StreamedTexts

    @property
    def texts(self) -> StreamedTexts:
        """The texts that were scored."""
        return self.streamed


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockSums:
    """What is kept of a block of segments: sums of statistics, and what all blocks have in common.

    Attributes:
        n_segments: number of segments.
        totals: statistics summed over the block, one array of shape (systems, K) per metric.
        groups: the same by document or domain; None if not requested.
        systems: names of the systems.
        reference_names: names of the references.
        signatures: one per metric.
        n_full_stops: number of outputs of each system that end in a separate full stop; empty if not requested.
    """

    n_segments: int
    totals: tuple[Statistics, ...]
    groups: GroupTotals | None
    systems: tuple[str, ...]
    reference_names: tuple[str, ...]
    signatures: tuple[Signature, ...]
    n_full_stops: tuple[int, ...] = ()


def block_sums(scored: ScoreResult, *, by: str | None = None, full_stops: bool = False) -> BlockSums:
    """The sums of a scored block, with `by` also those of its documents or domains, and full stops on request."""
    texts = scored.testset.systems
    return BlockSums(
        n_segments=scored.testset.n_segments,
        totals=tuple(table.totals() for table in scored.tables),
        groups=None if by is None else block_group_totals(scored.testset.labels(by), scored.tables),
        systems=scored.systems,
        reference_names=scored.testset.reference_names,
        signatures=scored.signatures,
        n_full_stops=tuple(count_full_stops(texts[name]) for name in scored.systems) if full_stops else (),
    )


class ScoreSums:
    """Adds up blocks in the order of their segments.

    Args:
        metrics: the metrics of all blocks.
        by: ``doc`` or ``domain`` if the blocks have sums of groups.
        lp: the language pair.
    """

    def __init__(self, metrics: Sequence[Metric], *, by: str | None = None, lp: str | None = None) -> None:
        self.n_segments = 0
        self._metrics = metrics
        self._by = by
        self._lp = lp
        self._first: BlockSums | None = None
        self._totals: list[Statistics] = []
        self._n_full_stops: tuple[int, ...] = ()
        self._groups = GroupSums(metrics)

    def add(self, block: BlockSums) -> None:
        """Add the next block."""
        self.n_segments += block.n_segments
        if self._first is None:
            self._first, self._totals, self._n_full_stops = block, list(block.totals), block.n_full_stops
        else:
            self._n_full_stops = tuple(map(add, self._n_full_stops, block.n_full_stops))
            self._totals = [before + now for before, now in zip(self._totals, block.totals, strict=True)]
        if block.groups is not None:
            self._groups.add(block.groups)

    @property
    def groups(self) -> GroupSums:
        """Sums by document or domain, if the blocks have them."""
        return self._groups

    @property
    def scores(self) -> StreamedScores:
        """Scores over all blocks; there must be at least one block."""
        if self._first is None:
            raise InputError("there are no segments to score")
        systems = self._first.systems
        tables = tuple(
            StatsTable(metric, systems, sums[:, np.newaxis])
            for metric, sums in zip(self._metrics, self._totals, strict=True)
        )
        return StreamedScores(
            streamed=StreamedTexts(self.n_segments, self._first.reference_names, self._lp, self._n_full_stops),
            tables=tables,
            signatures=self._first.signatures,
            scores=np.stack([table.scores() for table in tables], axis=-1),
            by=self._by,
            groups=() if self._by is None else groups_of(self._groups),
        )


def can_stream(metric: Metric) -> bool:
    """Whether a metric scores segment by segment, without knowing the others, and without annotators."""
    return all(part.by_segment and not part.annotators for part in metric.parts)


def streamed_metrics(metrics: Sequence[str | Metric], lp: str | None) -> list[Metric]:
    """Parse the metrics; one that cannot be streamed is an error."""
    parsed = parse_all(metrics, lp)
    if not parsed:
        raise InputError("there is no metric to score with")
    for metric in parsed:
        if not can_stream(metric):
            raise InputError(f"{metric} needs all segments at once: read the files with load_files, and use score")
    return parsed


def score_files(
    references: Sequence[PathLike],
    systems: Sequence[PathLike],
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    by: str | None = None,
    source: PathLike | None = None,
    documents: PathLike | None = None,
    domains: PathLike | None = None,
    names: Sequence[str] | None = None,
    lp: str | None = None,
    encoding: str = "utf-8",
    n_ref_columns: int = 1,
    threads: int = 1,
    execution: Execution | None = None,
    each_block: Callable[[int, ScoreResult], Any] | None = None,
) -> StreamedScores:
    """Score line files of any size against references; memory does not grow with the number of segments.

    Args:
        references: one file per reference; compressed files and URLs, too.
        systems: one file per system; ``-`` is standard input, where tabs separate several systems.
        metrics: specifications; only metrics that score segment by segment.
        by: ``"doc"`` or ``"domain"`` adds scores per document or domain; memory grows with their number.
        source: file of the source texts.
        documents: file with one document label per line.
        domains: file with one domain label per line.
        names: names of the systems; by default taken from the file names.
        lp: the language pair, such as "en-de".
        encoding: encoding of all files.
        n_ref_columns: number of tab-separated references in each reference file.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        each_block: called for every block of segments in order, with the number of its first segment (counted from 1)
            and its scores; use it to get the scores of segments.
    """
    parsed = streamed_metrics(metrics, lp)
    stream = TextStream(
        references,
        systems,
        source=source,
        documents=documents,
        domains=domains,
        names=names,
        language_pair=lp,
        encoding=encoding,
        n_ref_columns=n_ref_columns,
    )
    execution = Execution.of(execution, threads=threads)
    sums = ScoreSums(parsed, by=by, lp=lp)
    if execution.leaves_process:
        from mtassay.metrics.core.sent_chunks import SentMetrics  # few commands need it

        shared = _Shared(stream, SentMetrics(parsed), by, each_block is not None)
        _add_sent_blocks(stream, shared, sums, each_block, execution)
        return sums.scores
    for block in stream.blocks(blocks.BLOCK):
        scored = score(block, metrics=parsed, execution=execution)
        if each_block is not None:
            each_block(sums.n_segments + 1, scored)
        sums.add(block_sums(scored, by=by, full_stops=True))
    return sums.scores


class _Shared(NamedTuple):
    """What all blocks need; `with_rows`: whether statistics of single segments are wanted."""

    stream: TextStream
    metrics: SentMetrics
    by: str | None
    with_rows: bool


def _sums_of(shared: _Shared, block: StreamBlock) -> tuple[BlockSums, list[Statistics]] | None:
    """Sums of a block, with statistics of its segments if wanted; None if this process does not see the files."""
    texts = block.read(shared.stream)
    if texts is None:
        return None
    scored = score(texts, metrics=shared.metrics.checked)
    rows = [table.statistics for table in scored.tables] if shared.with_rows else []
    return block_sums(scored, by=shared.by, full_stops=True), rows


def _add_sent_blocks(
    stream: TextStream,
    shared: _Shared,
    sums: ScoreSums,
    each_block: Callable[[int, ScoreResult], Any] | None,
    execution: Execution,
) -> None:
    """Add blocks that other processes score."""
    from mtassay.verbs.stream_blocks import map_stream_blocks, stream_blocks

    items = stream_blocks(stream, execution)
    for block, (of_block, rows) in map_stream_blocks(
        _sums_of, items, shared=shared, stream=stream, execution=execution
    ):
        if each_block is not None:
            tables = tuple(
                StatsTable(metric, of_block.systems, statistics)
                for metric, statistics in zip(shared.metrics.checked, rows, strict=True)
            )
            scores = np.stack([table.scores() for table in tables], axis=-1)
            scored = ScoreResult(
                testset=block.texts_here(stream),
                tables=tables,
                signatures=of_block.signatures,
                scores=scores,
                by=None,
                groups=(),
            )
            each_block(sums.n_segments + 1, scored)
        sums.add(of_block)
