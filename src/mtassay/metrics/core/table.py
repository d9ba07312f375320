"""StatsTable: the statistics of all systems, the only expensive computation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from mtassay.data.references import length_error
from mtassay.execution import SERIAL, Execution
from mtassay.execution.blocks import summed
from mtassay.kernels import for_kernels
from mtassay.metrics.core.references import References, Texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

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
        return summed(self.statistics if segments is None else self.statistics[:, segments])

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
        systems: texts by system name, from a test set or ``check_texts``; checking them again here would take a
            twentieth of the time.
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
    scorers: dict[Hashable, Scorer] = {}
    at_once: dict[Hashable, Statistics] = {}
    for part in chain.from_iterable(metric.parts for metric in metrics):
        key = part.statistics_key
        if key not in scorers and key not in at_once:
            statistics = part.statistics_of_systems(references, systems, execution=execution)
            if statistics is None:
                scorers[key] = part.prepare(references)
            else:
                at_once[key] = statistics
    job = _Job(list(systems.values()), scorers)
    chunks = _chunks(len(systems), references.n_segments, execution.threads)
    if scorers:
        execution.run(job.compute, chunks)
    found = job.statistics | at_once
    names = tuple(systems)
    return [
        StatsTable(metric, names, _joined([found[part.statistics_key] for part in metric.parts])) for metric in metrics
    ]


def _chunks(n_systems: int, n_segments: int, threads: int) -> list[Chunk]:
    """Split the work into chunks.

    A chunk has all systems, so that a kernel does the work on a reference once for all of them, and few segments, so
    that its tokens stay in the cache. With several threads, chunks become smaller towards the end, so that threads
    end together.

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


class _Job:
    """Fills the tables chunk by chunk."""

    def __init__(self, texts: list[Sequence[str]], scorers: dict[Hashable, Scorer]) -> None:
        self.statistics: dict[Hashable, Statistics] = {}
        self._texts = texts
        self._scorers = scorers
        self._lock = Lock()

    def compute(self, chunk: Chunk) -> None:
        first, end = chunk.start, chunk.stop
        n_systems = len(self._texts)
        texts = Texts.of_checked(tuple(chain.from_iterable(of_system[first:end] for of_system in self._texts)))
        segments = np.tile(np.arange(first, end), n_systems)
        for key, scorer in self._scorers.items():
            rows = scorer.statistics(texts, segments).reshape(n_systems, end - first, -1)
            with self._lock:
                if key not in self.statistics:
                    self.statistics[key] = np.empty((n_systems, len(self._texts[0]), rows.shape[-1]), rows.dtype)
            self.statistics[key][:, first:end] = rows


def _joined(arrays: list[Statistics]) -> Statistics:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=-1)
