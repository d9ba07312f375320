"""Statistics of chunks that leave this process, for a cluster or for a folder of finished chunks.

For metrics that score each segment by itself, a chunk carries its own references; other metrics get all references
once. For metrics that read annotations, texts are sent with their annotations, so that workers need no annotator.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError
from mtassay.metrics.core.references import Texts
from mtassay.metrics.core.table import joined_chunks, statistics_of_texts

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from mtassay.execution import Execution
    from mtassay.metrics.core.metric import Metric, Scorer
    from mtassay.metrics.core.references import References
    from mtassay.text.annotate.sent import SentAnnotations
    from mtassay.types import Floats, Statistics

#: Number of texts in a chunk: BLEU, chrF and TER take a tenth of a second for them, a hundred times as long as sending.
_SENT_TEXTS = 8192
#: The same for metrics that read annotations, which take at least ten times as long.
_SENT_ANNOTATED = 1024
#: Number of pairs in a chunk of ``pairwise``.
_SENT_PAIRS = 32_768


@dataclass(frozen=True)
class _SentChunk:
    """Texts of some segments.

    Attributes:
        segments: numbers of the segments.
        texts: texts of these segments, system after system.
        references: references of these segments; None if the metrics have the references of all segments.
        annotations: annotations of these texts and references, by specification of the annotator.
    """

    segments: range
    texts: tuple[str, ...]
    references: References | None
    annotations: dict[str, SentAnnotations]


class SentMetrics:
    """Metrics that are sent to other processes, which check that their files and libraries are the same.

    Args:
        metrics: the metrics.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = tuple(metrics)
        #: What scores depend on, such as digests of files and versions of libraries.
        self._described = tuple(metric.all_entries() for metric in metrics)

    @cached_property
    def checked(self) -> tuple[Metric, ...]:
        """The metrics; raises an error if a file or library that they need differs in this process."""
        for metric, described in zip(self._metrics, self._described, strict=True):
            wanted, found = (
                " ".join(f"{entry.name}:{entry.value}" for entry in some if entry not in others)
                for some, others in pairwise((described, metric.all_entries(), described))
            )
            if wanted or found:
                raise InputError(f"a worker would compute another {metric.name}: it has {found}, not {wanted}")
        return self._metrics

    def __getstate__(self) -> dict[str, object]:
        return {"_metrics": self._metrics, "_described": self._described}


class _SentScorers:
    """Metrics, with all references if they need them; these are prepared once in each process."""

    def __init__(
        self, metrics: Sequence[Metric], references: References | None, annotations: dict[str, SentAnnotations]
    ) -> None:
        self._metrics = SentMetrics(metrics)
        self._references = references
        #: Annotations of all references; empty if each chunk has its own references.
        self._annotations = annotations

    @cached_property
    def of_all(self) -> list[Scorer]:
        """Scorers prepared with all references."""
        return [metric.prepare(self._references) for metric in self._metrics.checked if self._references is not None]

    def of_chunk(self, chunk: _SentChunk) -> tuple[list[Scorer], range]:
        """Scorers for a chunk, and the numbers that its segments have in their references."""
        if chunk.references is None:
            return self.of_all, chunk.segments
        return [metric.prepare(chunk.references) for metric in self._metrics.checked], range(len(chunk.segments))

    def at_hand(self, annotations: dict[str, SentAnnotations]) -> AbstractContextManager[None]:
        """Let scorers find the annotations of a chunk and those of all references."""
        if not annotations and not self._annotations:
            return nullcontext()
        from mtassay.text.annotate.sent import at_hand  # most metrics need no annotations

        return at_hand(annotations, self._annotations)

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("_metrics", "_references", "_annotations")}


def statistics_of_sent_chunks(
    references: References,
    systems: Mapping[str, Sequence[str]],
    parts: Mapping[Hashable, Metric],
    *,
    execution: Execution,
) -> dict[Hashable, Statistics]:
    """Statistics of metrics, by their keys, each of shape (systems, segments, K)."""
    groups: dict[tuple[bool, bool], dict[Hashable, Metric]] = {}
    for key, part in parts.items():
        groups.setdefault((part.by_segment, bool(part.annotators)), {})[key] = part
    texts = list(chain.from_iterable(systems.values()))
    found: dict[Hashable, Statistics] = {}
    for (alone, annotated), some in groups.items():
        metrics = list(some.values())
        annotations = _annotations(metrics, references, texts, execution) if annotated else {}
        of_all = {} if alone else _of_texts(annotations, references.texts.strings)
        step = max(1, (_SENT_ANNOTATED if annotated else _SENT_TEXTS) // max(1, len(systems)))
        n = references.n_segments
        edges = [range(first, min(first + step, n)) for first in range(0, n, step)]
        chunks = [
            _chunk(segments, systems, references.part(segments) if alone else None, annotations) for segments in edges
        ]
        shared = _SentScorers(metrics, None if alone else references, of_all)
        found |= joined_chunks(some, edges, execution.map_chunks(_statistics, chunks, shared=shared))
    return found


def _chunk(
    segments: range,
    systems: Mapping[str, Sequence[str]],
    references: References | None,
    annotations: dict[str, SentAnnotations],
) -> _SentChunk:
    texts = tuple(chain.from_iterable(lines[segments.start : segments.stop] for lines in systems.values()))
    of_references = () if references is None else references.texts.strings
    return _SentChunk(segments, texts, references, _of_texts(annotations, [*texts, *of_references]))


def _statistics(scorers: _SentScorers, chunk: _SentChunk) -> list[Statistics]:
    with scorers.at_hand(chunk.annotations):
        prepared, segments = scorers.of_chunk(chunk)
        return statistics_of_texts(prepared, chunk.texts, segments)


def pairwise_of_sent_chunks(
    metric: Metric, texts: Sequence[str], references: References, *, execution: Execution
) -> Floats:
    """Segment scores of every text against every segment of the references, shape (texts, segments)."""
    annotations = _annotations([metric], references, texts, execution)
    shared = _SentScorers([metric], references, _of_texts(annotations, references.texts.strings))
    step = max(1, _SENT_PAIRS // max(1, references.n_segments))
    parts = [tuple(texts[first : first + step]) for first in range(0, len(texts), step)]
    chunks = [(part, _of_texts(annotations, part)) for part in parts]
    found = list(execution.map_chunks(_pairwise_scores, chunks, shared=shared))
    return np.concatenate(found) if found else np.empty((0, references.n_segments))


def _pairwise_scores(scorers: _SentScorers, chunk: tuple[tuple[str, ...], dict[str, SentAnnotations]]) -> Floats:
    texts, annotations = chunk
    with scorers.at_hand(annotations):
        (scorer,) = scorers.of_all
        scores: Floats = scorer.metric.pairwise_scores(scorer, Texts.of_checked(texts))
    return scores


def _annotations(
    metrics: Sequence[Metric], references: References, texts: Sequence[str], execution: Execution
) -> dict[str, SentAnnotations]:
    """Annotations of the texts for which metrics need them, by specification of the annotator."""
    reading = {spec: [metric for metric in metrics if spec in metric.annotators] for spec in _annotators(metrics)}
    if not reading:
        return {}
    from mtassay.text.annotate import annotations_to_send

    return {
        spec: annotations_to_send(
            [*references.texts.strings, *(texts if any(metric.annotates_outputs for metric in some) else ())],
            spec,
            execution=execution,
        )
        for spec, some in reading.items()
    }


def _annotators(metrics: Iterable[Metric]) -> Iterable[str]:
    return dict.fromkeys(chain.from_iterable(metric.annotators for metric in metrics))


def _of_texts(annotations: dict[str, SentAnnotations], texts: Iterable[str]) -> dict[str, SentAnnotations]:
    return {spec: found.of_texts(texts) for spec, found in annotations.items()}
