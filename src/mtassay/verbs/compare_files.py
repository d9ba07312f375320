"""Significance tests on files that may be larger than memory: ``compare`` over a stream.

Each block of segments is read, scored, summed under all resamples and then discarded. The results are byte for byte
those of ``compare``, which draws the same random numbers for the same blocks. The number of segments must be known
before the first block is resampled, so the first reference is read twice. If documents are resampled, their sums are
kept in memory.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from mtassay.data.text_stream import TextStream
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution, Progress, blocks
from mtassay.io.inputs import shown
from mtassay.metrics.core.sent_chunks import SentMetrics
from mtassay.stats.procedures import Procedure, pseudo_statistics
from mtassay.stats.resampled_sums import SumsInMemory, SumsOfBlocks, block_draws
from mtassay.stats.resampled_sums import block_sums as resampled_block
from mtassay.stats.sample import Sample
from mtassay.verbs.compare import CompareResult, check_options, comparisons_of, pairs_of
from mtassay.verbs.comparison_plan import Plan
from mtassay.verbs.rank import rank_compared, test_of_rank
from mtassay.verbs.score import score
from mtassay.verbs.score_files import BlockSums, ScoreSums, block_sums, streamed_metrics
from mtassay.verbs.stream_blocks import map_stream_blocks, stream_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Metric
    from mtassay.stats.resampled_sums import BlockSums as ResampledBlock
    from mtassay.stats.resampled_sums import ResampledSums
    from mtassay.verbs.comparison_plan import MetricComparison
    from mtassay.verbs.rank import RankResult
    from mtassay.verbs.stream_blocks import StreamBlock

    #: Sums of a block, and its sums under resamples.
    _Sums = tuple[BlockSums, ResampledBlock | None]

_R = TypeVar("_R")


def compare_files(
    references: Sequence[PathLike],
    systems: Sequence[PathLike],
    *,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: str = "ar",
    sides: int | None = None,
    resamples: int = 0,
    alpha: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    baseline: str | None = None,
    seed: int = 12345,
    source: PathLike | None = None,
    documents: PathLike | None = None,
    domains: PathLike | None = None,
    names: Sequence[str] | None = None,
    lp: str | None = None,
    encoding: str = "utf-8",
    n_ref_columns: int = 1,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> CompareResult:
    """Compare systems in line files of any size; memory does not grow with the number of segments.

    Args:
        references: one file per reference; compressed files and URLs, too. The first is read twice.
        systems: one file per system; ``-`` is standard input, where tabs separate several systems.
        metrics: specifications; only metrics that score segment by segment.
        test: name of the test; not those on sacreBLEU's resamples.
        sides: 1 or 2; None for the test's default.
        resamples: number of resamples for the test and the intervals; 0 for the test's default. Memory grows with it.
        alpha: significance level; p-values up to it are significant, and intervals cover 1 - `alpha`.
        adjust: ``none``, ``holm`` or ``bh``, over the pairs of each metric.
        unit: ``segment``, or ``doc`` to resample whole documents; memory grows with their number.
        baseline: compare everything with this system only.
        seed: seed of the resamples.
        source: file of the source texts.
        documents: file with one document label per line.
        domains: file with one domain label per line.
        names: names of the systems; by default taken from the file names.
        lp: the language pair, such as "en-de".
        encoding: encoding of all files.
        n_ref_columns: number of tab-separated references in each reference file.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps the loop over blocks of segments, for a progress bar.
    """
    procedure = Procedure(test, sides, resamples, seed)
    parsed = streamed_metrics(metrics, lp)
    check_options(parsed, alpha=alpha, adjust=adjust, unit=unit, interval="percentile")
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
    execution = Execution.of(execution, threads=threads, progress=progress)
    sum_up = _documents if unit == "doc" else _segments
    scores, sums = sum_up(_Source(stream, baseline, execution), parsed, procedure)
    scored = scores.scores
    plan = Plan(
        procedure,
        pairs=pairs_of(scored.systems, baseline),
        alpha=float(alpha),
        adjust=adjust,
        interval="percentile",
        execution=execution.here.quiet,
    )
    return CompareResult(
        scored=scored,
        systems=scored.systems,
        runs=np.arange(len(scored.systems))[:, None],
        procedure=procedure,
        alpha=plan.alpha,
        adjust=adjust,
        unit=unit,
        interval=plan.interval,
        baseline=baseline,
        comparisons=comparisons_of(scored, _found(sums, plan), plan),
        of_pair=lambda x, y: pseudo_statistics(sums, (x, y)),
    )


def rank_files(
    references: Sequence[PathLike],
    systems: Sequence[PathLike],
    *,
    by_intervals: bool = False,
    metrics: Sequence[str | Metric] = ("bleu",),
    test: str = "ar",
    sides: int | None = None,
    resamples: int = 0,
    alpha: float = 0.05,
    adjust: str = "none",
    unit: str = "segment",
    seed: int = 12345,
    source: PathLike | None = None,
    documents: PathLike | None = None,
    domains: PathLike | None = None,
    names: Sequence[str] | None = None,
    lp: str | None = None,
    encoding: str = "utf-8",
    n_ref_columns: int = 1,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> RankResult:
    """Rank systems in line files of any size, in clusters of those that are not significantly different.

    Args:
        references: one file per reference; compressed files and URLs, too. The first is read twice.
        systems: one file per system; ``-`` is standard input, where tabs separate several systems.
        by_intervals: make clusters by overlapping confidence intervals instead of tests.
        metrics: specifications; only metrics that score segment by segment.
        test: name of the test; not those on sacreBLEU's resamples.
        sides: 1 or 2; None for the test's default.
        resamples: number of resamples for the test and the intervals; 0 for the test's default. Memory grows with it.
        alpha: significance level; p-values up to it are significant, and intervals cover 1 - `alpha`.
        adjust: ``none``, ``holm`` or ``bh``, over the pairs of each metric.
        unit: ``segment``, or ``doc`` to resample whole documents; memory grows with their number.
        seed: seed of the resamples.
        source: file of the source texts.
        documents: file with one document label per line.
        domains: file with one domain label per line.
        names: names of the systems; by default taken from the file names.
        lp: the language pair, such as "en-de".
        encoding: encoding of all files.
        n_ref_columns: number of tab-separated references in each reference file.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps the loop over blocks of segments, for a progress bar.
    """
    compared = compare_files(
        references,
        systems,
        metrics=metrics,
        test=test_of_rank(test, by_intervals=by_intervals, sides=sides, adjust=adjust),
        sides=sides,
        resamples=resamples,
        alpha=alpha,
        adjust=adjust,
        unit=unit,
        seed=seed,
        source=source,
        documents=documents,
        domains=domains,
        names=names,
        lp=lp,
        encoding=encoding,
        n_ref_columns=n_ref_columns,
        threads=threads,
        execution=execution,
        progress=progress,
    )
    return rank_compared(compared, by_intervals=by_intervals)


def _found(sums: ResampledSums, plan: Plan) -> list[MetricComparison]:
    if isinstance(sums, SumsInMemory):
        return plan.run([[sample] for sample in sums.in_memory])
    return plan.run_of_sums(sums)


class _Shared(NamedTuple):
    """What all blocks need."""

    stream: TextStream
    metrics: SentMetrics
    by: str | None


def _sums_of(shared: _Shared, block: StreamBlock, *, execution: Execution = SERIAL) -> _Sums | None:
    """Sums of a block, with and without resampling; a pure function. None if this process does not see the files.

    The options of a block are the random numbers of its resamples; None if documents are resampled.
    """
    texts = block.read(shared.stream)
    if texts is None:
        return None
    scored = score(texts, metrics=shared.metrics.checked, execution=execution)
    sums = block_sums(scored, by=shared.by)
    if block.options is None:
        return sums, None
    return sums, resampled_block([table.statistics for table in scored.tables], block.options, execution=execution)


class _Source(NamedTuple):
    """Files whose systems can be compared."""

    stream: TextStream
    baseline: str | None
    execution: Execution

    def blocks(self) -> Iterator[StreamBlock]:
        """Blocks of segments; at the first block, systems that cannot be compared are an error."""
        for number, block in enumerate(stream_blocks(self.stream, self.execution)):
            if not number:
                pairs_of(tuple(block.texts_here(self.stream).systems), self.baseline)
            yield block

    def map(self, items: Iterable[StreamBlock], metrics: list[Metric], *, by: str | None) -> Iterator[_Sums]:
        """Sums of all blocks, in order. Threads of this process share a block, so that only one is in memory."""
        leaves, execution = self.execution.leaves_process, self.execution.quiet
        results = map_stream_blocks(
            _sums_of if leaves else partial(_sums_of, execution=execution),
            items,
            shared=_Shared(self.stream, SentMetrics(metrics), by),
            stream=self.stream,
            execution=execution if leaves else SERIAL,
        )
        sums = (of_block for _, of_block in results)
        if not isinstance(items, Sized):
            return sums
        # The bar counts results. It must not end the loop: at their end, the items check that no block is left over.
        return _with_progress(sums, iter(self.execution.progress(range(len(items)))))


def _segments(source: _Source, metrics: list[Metric], procedure: Procedure) -> tuple[ScoreSums, ResampledSums]:
    """Sums under resamples of segments."""
    n_segments = source.stream.count()
    scores = ScoreSums(metrics, lp=source.stream.language_pair)
    sums = SumsOfBlocks(procedure, n_segments, scoring=[(metric.score, metric.sign) for metric in metrics])
    items = _Blocks(source, procedure, n_segments)
    for of_block, resampled in source.map(items, metrics, by=None):
        scores.add(of_block)
        if resampled is not None:
            sums.add(resampled)
    return scores, sums


def _with_progress(results: Iterator[_R], bar: Iterator[int]) -> Iterator[_R]:
    for result in results:
        next(bar, None)
        yield result
    next(bar, None)


class _Blocks:
    """The blocks of a stream whose number is known."""

    def __init__(self, source: _Source, procedure: Procedure, n_segments: int) -> None:
        self._source = source
        self._procedure = procedure
        self._ranges = blocks.ranges(n_segments)
        self._n_segments = n_segments

    def __len__(self) -> int:
        return len(self._ranges)

    def __iter__(self) -> Iterator[StreamBlock]:
        pieces = self._source.blocks()
        draws = block_draws(self._procedure, self._n_segments)
        for segments, of_block in zip(self._ranges, draws, strict=True):
            block = next(pieces, None)
            if block is None or block.n_segments != len(segments):
                raise self._changed()
            yield replace(block, options=of_block)
        if next(pieces, None) is not None:
            raise self._changed()

    def _changed(self) -> InputError:
        return InputError(f"{shown(self._source.stream.references[0])} changed while it was read")


def _documents(source: _Source, metrics: list[Metric], procedure: Procedure) -> tuple[ScoreSums, ResampledSums]:
    """Sums of documents, which are then resampled in memory."""
    scores = ScoreSums(metrics, lp=source.stream.language_pair)
    for of_block, _ in source.map(source.blocks(), metrics, by="doc"):
        scores.add(of_block)
    samples = [
        Sample(totals.swapaxes(0, 1), metric.score, metric.sign)
        for totals, metric in zip(scores.groups.totals(), metrics, strict=True)
    ]
    return scores, SumsInMemory(samples, procedure)
