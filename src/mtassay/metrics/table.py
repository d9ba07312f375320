"""StatsTable: the statistics of all systems, the only expensive thing that is computed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.data.references import check_texts
from mtassay.metrics.references import References, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from mtassay.kernels.tokens import Index
    from mtassay.metrics.base import Metric, Scorer, Scores, Statistics


#: Texts of a block of systems; their tokens take some 500 bytes each.
_BLOCK_TEXTS = 50_000


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
        totals: Statistics = rows.sum(axis=1)
        return totals

    def scores(self, segments: Index | None = None) -> Scores:
        """Corpus scores over some or all segments, shape (systems,)."""
        return self.metric.score(self.totals(segments))

    def segment_scores(self) -> Scores:
        """Segment scores, shape (systems, segments)."""
        return self.metric.segment_score(self.statistics)


def build_tables(
    references: References,
    systems: Mapping[str, Sequence[str]],
    metrics: Sequence[Metric],
    *,
    threads: int = 1,
    progress: Callable[[Iterable[tuple[str, ...]]], Iterable[tuple[str, ...]]] = iter,
) -> list[StatsTable]:
    """Statistics of every system under every metric.

    Systems are taken a few at a time: together, because a kernel then does the work on a reference once for all of
    them; few, because only their tokens are held. Statistics that metrics have in common are computed once.

    Args:
        references: prepared references.
        systems: texts by system name.
        metrics: the metrics.
        threads: number of threads of the compiled kernels.
        progress: wraps the loop over blocks of systems, for a progress bar.
    """
    scorers: dict[Hashable, Scorer] = {}
    for metric in metrics:
        for part in metric.parts:
            if part.statistics_key not in scorers:
                scorers[part.statistics_key] = part.prepare(references, threads=threads)
    rows: dict[Hashable, list[Any]] = {key: [] for key in scorers}
    n_segments = references.n_segments
    for block in progress(_blocks(tuple(systems), n_segments)):
        texts = Texts(chain.from_iterable(check_texts(systems[name], name, n_segments=n_segments) for name in block))
        segments = np.tile(np.arange(n_segments), len(block))
        for key, scorer in scorers.items():
            rows[key].append(scorer.statistics(texts, segments).reshape(len(block), n_segments, -1))
    stacked = {key: _joined(of_blocks, axis=0) for key, of_blocks in rows.items()}
    names = tuple(systems)
    return [
        StatsTable(metric, names, _joined([stacked[part.statistics_key] for part in metric.parts], axis=-1))
        for metric in metrics
    ]


def _joined(arrays: list[Statistics], *, axis: int) -> Statistics:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=axis)


def _blocks(names: tuple[str, ...], n_segments: int) -> list[tuple[str, ...]]:
    size = max(1, _BLOCK_TEXTS // n_segments)
    return [names[start : start + size] for start in range(0, len(names), size)]
