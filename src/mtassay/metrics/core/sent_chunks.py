"""Statistics of chunks that leave this process, for a cluster or for a folder of finished chunks.

For metrics that score each segment by itself, a chunk carries its own references; other metrics get all references
once. Metrics that read annotations are computed in this process: their texts are annotated in chunks before, which
takes nearly all of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from mtassay.metrics.core.references import Texts
from mtassay.metrics.core.table import joined_chunks, statistics_of_chunks, statistics_of_texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from mtassay.execution import Execution
    from mtassay.metrics.core.metric import Metric, Scorer
    from mtassay.metrics.core.references import References
    from mtassay.types import Floats, Statistics

#: Number of texts in a chunk: BLEU, chrF and TER take a tenth of a second for them, a hundred times as long as sending.
_SENT_TEXTS = 8192
#: Number of pairs in a chunk of ``pairwise``.
_SENT_PAIRS = 32_768


@dataclass(frozen=True)
class _SentChunk:
    """Texts of some segments.

    Attributes:
        segments: numbers of the segments.
        texts: texts of these segments, system after system.
        references: references of these segments; None if the metrics have the references of all segments.
    """

    segments: range
    texts: tuple[str, ...]
    references: References | None


class _SentMetrics:
    """Metrics, with all references if they need them; these are prepared once in each process."""

    def __init__(self, metrics: Sequence[Metric], references: References | None) -> None:
        self._metrics = tuple(metrics)
        self._references = references

    @cached_property
    def scorers_of_all(self) -> list[Scorer]:
        """Scorers prepared with all references."""
        return [metric.prepare(self._references) for metric in self._metrics if self._references is not None]

    def scorers(self, chunk: _SentChunk) -> tuple[list[Scorer], range]:
        """Scorers for a chunk, and the numbers that its segments have in their references."""
        if chunk.references is None:
            return self.scorers_of_all, chunk.segments
        return [metric.prepare(chunk.references) for metric in self._metrics], range(len(chunk.segments))

    def __getstate__(self) -> dict[str, object]:
        return {"_metrics": self._metrics, "_references": self._references}


def statistics_of_sent_chunks(
    references: References,
    systems: Mapping[str, Sequence[str]],
    parts: Mapping[Hashable, Metric],
    *,
    execution: Execution,
) -> dict[Hashable, Statistics]:
    """Statistics of metrics, by their keys, each of shape (systems, segments, K)."""
    annotated = {key: part for key, part in parts.items() if part.annotators}
    alone = {key: part for key, part in parts.items() if part.by_segment and key not in annotated}
    others = {key: part for key, part in parts.items() if key not in alone and key not in annotated}
    step = max(1, _SENT_TEXTS // max(1, len(systems)))
    edges = [range(first, min(first + step, references.n_segments)) for first in range(0, references.n_segments, step)]
    found: dict[Hashable, Statistics] = {}
    for some, need_all in ((alone, False), (others, True)):
        if some:
            chunks = [
                _SentChunk(
                    segments,
                    tuple(chain.from_iterable(lines[segments.start : segments.stop] for lines in systems.values())),
                    None if need_all else references.part(segments),
                )
                for segments in edges
            ]
            shared = _SentMetrics(list(some.values()), references if need_all else None)
            found |= joined_chunks(some, edges, execution.map_chunks(_statistics, chunks, shared=shared))
    if annotated:
        _annotate(references, systems, annotated.values(), execution)
        found |= statistics_of_chunks(references, systems, annotated, execution=execution.here)
    return found


def _statistics(metrics: _SentMetrics, chunk: _SentChunk) -> list[Statistics]:
    scorers, segments = metrics.scorers(chunk)
    return statistics_of_texts(scorers, chunk.texts, segments)


def pairwise_of_sent_chunks(
    metric: Metric, texts: Sequence[str], references: References, *, execution: Execution
) -> Floats:
    """Segment scores of every text against every segment of the references, shape (texts, segments)."""
    step = max(1, _SENT_PAIRS // max(1, references.n_segments))
    chunks = [tuple(texts[first : first + step]) for first in range(0, len(texts), step)]
    found = list(execution.map_chunks(_pairwise_scores, chunks, shared=_SentMetrics([metric], references)))
    return np.concatenate(found) if found else np.empty((0, references.n_segments))


def _pairwise_scores(metrics: _SentMetrics, texts: tuple[str, ...]) -> Floats:
    (scorer,) = metrics.scorers_of_all
    scores: Floats = scorer.metric.pairwise_scores(scorer, Texts.of_checked(texts))
    return scores


def _annotate(
    references: References, systems: Mapping[str, Sequence[str]], metrics: Iterable[Metric], execution: Execution
) -> None:
    """Annotate all texts, so that metrics find their annotations in the cache."""
    from mtassay.text.annotate import annotate, get_annotator

    texts = [*references.texts.strings, *chain.from_iterable(systems.values())]
    for spec in dict.fromkeys(chain.from_iterable(metric.annotators for metric in metrics)):
        if get_annotator(spec).is_kept:
            annotate(texts, spec, execution=execution)
