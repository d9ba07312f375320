"""Candidates to tune on: their features and statistics in flat arrays, and the objective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtassay.data.nbest import NBest, accumulate
from mtassay.errors import InputError, SpecError, counted
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import for_kernels
from mtassay.metrics.core.references import Texts, as_references
from mtassay.tuning.rerank import model_scores, winners

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.data.formats.mert_files import MertTable
    from mtassay.metrics.core.metric import Metric, Scorer
    from mtassay.metrics.core.references import References
    from mtassay.types import Floats, Index, Offsets


#: Number of texts whose tokens are in memory together.
_CHUNK = 4_000
#: The statistics of mert's BLEU are matches and totals in turn, then the reference length.
_MERT_BLEU = "PGBC4^u:tok=none"
_MERT_BLEU_COLUMNS = (1, 8, 0, 2, 4, 6, 1, 3, 5, 7)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of all segments, as an optimiser needs them.

    Attributes:
        metric: the objective; it scores totals of statistics, and its sign is the direction.
        names: names of the K features.
        features: values of the features, shape (K, n).
        statistics: statistics of the candidates under the metric, shape (n, columns); float32 if that is exact.
        offsets: candidates of segment s are offsets[s] to offsets[s + 1], shape (segments + 1,).
    """

    metric: Metric
    names: tuple[str, ...]
    features: Floats
    statistics: NDArray[np.float32 | np.float64]
    offsets: Offsets

    def __post_init__(self) -> None:
        object.__setattr__(self, "statistics", _narrowed(self.statistics))

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.offsets) - 1

    def __len__(self) -> int:
        """Number of candidates."""
        return len(self.statistics)

    @cached_property
    def segment_index(self) -> Index:
        """The segment of every candidate, shape (n,)."""
        return np.repeat(np.arange(self.n_segments), np.diff(self.offsets))

    @cached_property
    def spreads(self) -> Floats:
        """Standard deviation of the values of each feature inside segments, shape (K,)."""
        sizes = np.diff(self.offsets)
        return np.array(
            [
                np.sqrt(np.mean((row - np.repeat(np.add.reduceat(row, self.offsets[:-1]) / sizes, sizes)) ** 2))
                for row in self.features
            ]
        )

    @cached_property
    def scales(self) -> Floats:
        """Change of each weight that changes model scores inside a segment by about 1; 0 for idle features, (K,)."""
        return np.divide(1.0, self.spreads, out=np.zeros(len(self.spreads)), where=self.spreads > 0)

    def model_scores(self, weights: Floats) -> Floats:
        """Weighted sums of features, shape (n,)."""
        return model_scores(self.features, weights)

    def winners(self, scores: Floats) -> Index:
        """The candidate with the highest model score in each segment, the first in a tie; shape (segments,)."""
        return winners(scores, self.offsets)

    def gain(self, totals: Any) -> Floats:
        """The objective of totals, with its sign changed if lower is better, shape (..., columns) -> (...)."""
        gains = self.metric.sign * self.metric.score(totals)
        return np.where(np.isnan(gains), -np.inf, gains)

    def segment_gains(self) -> Floats:
        """The objective of every single candidate, with its sign changed if lower is better, shape (n,)."""
        scores = self.metric.sign * self.metric.segment_score(self.statistics.astype(np.float64))
        return np.where(np.isnan(scores), np.nanmin(scores, initial=0.0), scores)

    def gain_of(self, scores: Floats) -> float:
        """The objective of the winners that these model scores choose, with its sign changed if lower is better."""
        return float(self.gain(self.statistics[self.winners(scores)].sum(axis=0, dtype=np.float64)))

    def score(self, weights: Mapping[str, float] | Floats) -> float:
        """The metric's score of the candidates that the weights choose."""
        array = np.array([weights[name] for name in self.names]) if not isinstance(weights, np.ndarray) else weights
        totals = self.statistics[self.winners(self.model_scores(array))].sum(axis=0, dtype=np.float64)
        return float(self.metric.score(totals))

    def of_segments(self, segments: Sequence[int] | Index) -> Candidates:
        """The candidates of some segments, such as one half of them to tune on."""
        chosen = np.asarray(segments, dtype=np.int64)
        sizes = np.diff(self.offsets)[chosen]
        rows = np.repeat(self.offsets[chosen] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return replace(
            self,
            features=np.ascontiguousarray(self.features[:, rows]),
            statistics=self.statistics[rows],
            offsets=np.concatenate([[0], np.cumsum(sizes)]),
        )


def candidates_of(
    nbest: NBest,
    references: References | Sequence[Sequence[str | None]],
    metric: Metric,
    *,
    execution: Execution = SERIAL,
) -> Candidates:
    """The candidates of an n-best list, with their statistics.

    Args:
        nbest: the list.
        references: references of the same segments.
        metric: the objective.
        execution: each thread takes chunks of candidates.
    """
    pool = Pool(metric, references, execution=execution)
    pool.add(nbest)
    return pool.candidates()


def candidates_of_mert(features: MertTable, scores: MertTable) -> Candidates:
    """The candidates of Moses' own files, as ``read_mert_features`` and ``read_mert_scores`` give them."""
    from mtassay.metrics.core.spec import parse

    if scores.names != ("BLEU",) or scores.values.shape[1] != len(_MERT_BLEU_COLUMNS) - 1:
        raise InputError(
            f"{scores.origin}: statistics of {' '.join(scores.names) or 'an unknown metric'}; only those of BLEU with "
            "9 columns can be read: give the n-best list and references instead"
        )
    statistics = scores.values[:, _MERT_BLEU_COLUMNS]
    transposed = np.ascontiguousarray(features.values.T)
    return Candidates(parse(_MERT_BLEU), features.names, transposed, np.ascontiguousarray(statistics), features.offsets)


class Pool:
    """Candidates of one decoder over several iterations; statistics of each are computed when it first appears.

    Args:
        metric: the objective.
        references: references of the segments.
        execution: each thread takes chunks of candidates.
    """

    def __init__(
        self, metric: Metric, references: References | Sequence[Sequence[str | None]], *, execution: Execution = SERIAL
    ) -> None:
        check_objective(metric)
        self.metric = metric
        self.nbest: NBest | None = None
        self._references = as_references(references)
        self._scorer: Scorer = metric.prepare(self._references)
        self._statistics: Floats = np.zeros((0, len(metric.columns)))
        self._execution = for_kernels(execution).quiet

    def add(self, nbest: NBest) -> int:
        """Add a list and return how many of its candidates are new."""
        _check_segments(nbest, self._references.n_segments)
        if self.nbest is None:
            merged, is_old = nbest, np.zeros(len(nbest), dtype=bool)
        else:
            merged = accumulate([self.nbest, nbest])
            # Old candidates come first in every segment.
            place = np.arange(len(merged)) - merged.offsets[merged.sentence_index]
            is_old = place < np.diff(self.nbest.offsets)[merged.sentence_index]
        statistics = np.empty((len(merged), self._statistics.shape[1]))
        statistics[is_old] = self._statistics
        new = np.flatnonzero(~is_old)
        statistics[new] = self._measured(merged, new)
        self.nbest, self._statistics = merged, statistics
        return len(new)

    def candidates(self) -> Candidates:
        """All candidates so far."""
        if self.nbest is None:
            raise InputError("no n-best list; add one")
        values = np.ascontiguousarray(self.nbest.values.T)
        return Candidates(self.metric, self.nbest.features, values, self._statistics, self.nbest.offsets)

    def _measured(self, nbest: NBest, rows: Index) -> Floats:
        """Statistics of some candidates; equal texts of a segment are measured once."""
        segments = nbest.sentence_index[rows]
        numbers: dict[tuple[int, str], int] = {}
        of_row = np.array(
            [
                numbers.setdefault((segment, nbest.texts[row]), len(numbers))
                for segment, row in zip(segments.tolist(), rows.tolist(), strict=True)
            ],
            dtype=np.int64,
        )
        texts = [text for _, text in numbers]
        of_text = np.array([segment for segment, _ in numbers], dtype=np.int64)
        found = np.empty((len(texts), self._statistics.shape[1]))

        def measure(first: int) -> None:
            chunk = slice(first, first + _CHUNK)
            found[chunk] = self._scorer.statistics(Texts.of_checked(tuple(texts[chunk])), of_text[chunk])

        self._execution.run(measure, range(0, len(texts), _CHUNK))
        return found[of_row]


def check_objective(metric: Metric) -> None:
    """Reject metrics that cannot be an objective: without direction, of whole systems, or not of texts."""
    for part in metric.parts:
        if not part.scores_texts:
            raise SpecError(f"{part} has scores of systems, not of texts, so there is nothing to tune towards")
    if metric.higher_is_better is None:
        raise InputError(f"{metric} has no direction, so there is nothing to tune towards")
    metric.check_level("candidates")


def _narrowed(statistics: NDArray[Any]) -> NDArray[np.float32 | np.float64]:
    """Statistics as float32 if that is exact: line searches then read half as much memory."""
    with np.errstate(over="ignore"):
        narrow = statistics.astype(np.float32)
    return narrow if np.array_equal(narrow, statistics) else np.asarray(statistics, dtype=np.float64)


def _check_segments(nbest: NBest, n_segments: int) -> None:
    if nbest.n_sentences > n_segments:
        raise InputError(
            f"{nbest.place(n_segments)}: sentence {n_segments} has no reference; the references have "
            f"{counted(n_segments, 'segment')}, the list has {nbest.n_sentences}"
        )
    if nbest.n_sentences < n_segments:
        raise InputError(
            f"{nbest.place(nbest.n_sentences - 1)}: sentence {nbest.n_sentences - 1} is the last one, but the "
            f"references have {counted(n_segments, 'segment')}; every segment needs candidates"
        )
