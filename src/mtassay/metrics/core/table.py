"""StatsTable: the statistics of all systems, the only expensive computation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.references import length_error
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import for_kernels
from mtassay.metrics.core.references import References, Texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from mtassay.metrics.core.metric import Metric, Scorer
    from mtassay.types import Floats, Index, Statistics


#: A range of segments, of all systems.
Chunk = range

#: Largest number of texts in a chunk; their tokens take some 500 bytes each, and should stay in the cache.
_CHUNK_TEXTS = 2_000
#: Fewer texts are not worth a chunk of their own.
_WORTH_A_CHUNK = 250


@dataclass(frozen=True, eq=False)
class StatsTable:
    """Statistics of one metric for every system and segment.

    Attributes:
        metric: the metric.
        systems: names, in order.
        statistics: shape (systems, segments, K).
    """

    metric: Metric
    systems: tuple[str, ...]
    statistics: Statistics

    def totals(self, segments: Index | None = None) -> Statistics:
        """Statistics summed over some or all segments, shape (systems, K)."""
        rows = self.statistics if segments is None else self.statistics[:, segments]
        if rows.dtype == np.int64:  # counts can be added in any order
            counts: Statistics = np.einsum("snk->sk", rows)
            return counts
        from mtassay.execution.blocks import summed  # not for counts, to start fast

        return summed(rows)

    def scores(self, segments: Index | None = None) -> Floats:
        """Corpus scores over some or all segments, shape (systems,)."""
        if segments is not None:
            self.metric.check_level("scores of documents, domains and other parts")
        return self.metric.score(self.totals(segments))

    def segment_scores(self) -> Floats:
        """Segment scores, shape (systems, segments)."""
        self.metric.check_level("segment scores")
        return self.metric.segment_score(self.statistics)


def build_tables(
    references: References,
    systems: Mapping[str, Sequence[str]],
    metrics: Sequence[Metric],
    *,
    execution: Execution = SERIAL,
) -> list[StatsTable]:
    """Statistics of every system under every metric; statistics shared by metrics are computed once.

    Args:
        references: prepared references.
        systems: texts by system name, from a test set or ``check_texts``; they are not checked again here, since that
            would take a twentieth of the time.
        metrics: the metrics.
        execution: each thread takes chunks of segments; most work on a chunk is outside Python.
    """
    execution = for_kernels(execution)
    for name, texts in systems.items():
        if len(texts) != references.n_segments:
            raise length_error(name, len(texts), n_expected=references.n_segments)
    if not len(references.texts):
        for metric in metrics:
            metric.check_references()
    found: dict[Hashable, Statistics] = {}
    parts: dict[Hashable, Metric] = {}
    for part in chain.from_iterable(metric.parts for metric in metrics):
        key = part.statistics_key
        if key not in parts and key not in found:
            statistics = part.statistics_of_systems(references, systems, execution=execution)
            if statistics is None:
                parts[key] = part
            else:
                found[key] = statistics
    if execution.leaves_process:
        from mtassay.metrics.core.sent_chunks import statistics_of_sent_chunks

        found |= statistics_of_sent_chunks(references, systems, parts, execution=execution)
    else:
        found |= statistics_of_chunks(references, systems, parts, execution=execution)
    names = tuple(systems)
    return [
        StatsTable(metric, names, _joined([found[part.statistics_key] for part in metric.parts])) for metric in metrics
    ]


def _chunks(n_systems: int, n_segments: int, threads: int) -> list[Chunk]:
    """Split the work into chunks.

    A chunk has all systems, so that a kernel does the work on a reference once for all of them, and few segments, so
    that its tokens stay in the cache. With several threads, chunks become smaller towards the end, so that threads
    finish together.

    >>> _chunks(10, 600, 1)
    [range(0, 200), range(200, 400), range(400, 600)]
    >>> [len(chunk) for chunk in _chunks(10, 600, 2)]
    [150, 112, 84, 63, 47, 36, 27, 25, 25, 25, 6]
    """
    most, least = (max(1, n_texts // max(1, n_systems)) for n_texts in (_CHUNK_TEXTS, _WORTH_A_CHUNK))
    chunks: list[Chunk] = []
    first = 0
    while first < n_segments:
        left = n_segments - first
        share = left if threads == 1 else left // (2 * threads)
        end = min(first + max(least, min(most, share)), n_segments)
        chunks.append(range(first, end))
        first = end
    return chunks


@dataclass(frozen=True, eq=False)
class _Prepared:
    """Texts of all systems, and the scorers of all metrics."""

    systems: list[Sequence[str]]
    scorers: list[Scorer]


def statistics_of_chunks(
    references: References,
    systems: Mapping[str, Sequence[str]],
    parts: Mapping[Hashable, Metric],
    *,
    execution: Execution,
) -> dict[Hashable, Statistics]:
    """Compute statistics in threads of this process: for each key, an array of shape (systems, segments, K)."""
    if not parts:
        return {}
    prepared = _Prepared(list(systems.values()), [part.prepare(references) for part in parts.values()])
    chunks = _chunks(len(systems), references.n_segments, execution.threads)
    return joined_chunks(parts, chunks, execution.map_chunks(_statistics_of_range, chunks, shared=prepared))


def _statistics_of_range(prepared: _Prepared, chunk: Chunk) -> list[Statistics]:
    first, end = chunk.start, chunk.stop
    texts = tuple(chain.from_iterable(of_system[first:end] for of_system in prepared.systems))
    return statistics_of_texts(prepared.scorers, texts, chunk)


def statistics_of_texts(scorers: Sequence[Scorer], texts: tuple[str, ...], segments: range) -> list[Statistics]:
    """Statistics of the texts of a range of segments; one array of shape (systems, segments, K) for each scorer.

    Args:
        scorers: the scorers.
        texts: checked texts, system after system.
        segments: the segments of the scorers' references that the texts of each system belong to.
    """
    n_systems = len(texts) // len(segments)
    checked = Texts.of_checked(texts)
    index = np.tile(np.arange(segments.start, segments.stop), n_systems)
    return [scorer.statistics(checked, index).reshape(n_systems, len(segments), -1) for scorer in scorers]


def joined_chunks(
    keys: Iterable[Hashable], chunks: Sequence[Chunk], results: Iterable[Sequence[Statistics]]
) -> dict[Hashable, Statistics]:
    """Join the statistics of successive chunks: for each key, an array of shape (systems, segments, K)."""
    names = list(keys)
    found: dict[Hashable, Statistics] = {}
    for chunk, of_chunk in zip(chunks, results, strict=True):
        for key, rows in zip(names, of_chunk, strict=True):
            if key not in found:
                found[key] = np.empty((rows.shape[0], chunks[-1].stop, rows.shape[-1]), rows.dtype)
            elif rows.dtype != found[key].dtype:
                # Lengths of references are whole numbers in a chunk whose segments have one each, means in others.
                found[key] = found[key].astype(np.result_type(found[key], rows))
            found[key][:, chunk.start : chunk.stop] = rows
    return found


def _joined(arrays: list[Statistics]) -> Statistics:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=-1)
