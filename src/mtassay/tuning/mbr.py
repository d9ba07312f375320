"""Minimum Bayes risk: the candidate with the highest expected utility under a metric.

Kumar and Byrne 2004, "Minimum Bayes-risk decoding for statistical machine translation"; Eikema and Aziz 2020, "Is MAP
decoding all you need?".

    utility(h) = Σ_r weight(r) · metric(h, r)      over pseudo-references r, each taken as the only reference

A text that occurs several times is one candidate, and one pseudo-reference with the sum of its weights.

There are three ways to compute the utility:

- *exact*, every candidate against every pseudo-reference;
- *aggregated* (DeNero, Chiang and Knight 2009, "Fast consensus decoding over translation forests"; Vamvas and Sennrich
  2024, "Linear-time minimum Bayes risk decoding with reference aggregation"): metric(h, r̄), where every count of r̄
  is the weighted mean of the pseudo-references' counts. Linear in the number of candidates;
- *pruned* (Cheng and Vlachos 2023, "Faster minimum Bayes risk decoding with confidence-based pruning"): candidates are
  compared with 16, 32, 64 … pseudo-references in a random order. After each step, pseudo-references are resampled, and
  candidates that are at least as good as the best one in at most 1 − confidence of the resamples are left out. The
  remaining candidates are compared with all pseudo-references.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import best_first, magnitude
from mtassay.metrics.core.references import References, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mtassay.data.candidate_lists import CandidateList
    from mtassay.execution import Execution
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Bools, Floats, Index

#: Weights of pseudo-references: all equal, or from model scores.
WEIGHTS = ("uniform", "scores")
#: Number of pseudo-references in the first step of pruning; every step doubles it.
_FIRST_STEP = 16
#: Number of resamples in each step of pruning.
_RESAMPLES = 500
#: Number of segments in a chunk.
_SEGMENTS_AT_ONCE = 4


@dataclass(frozen=True, kw_only=True)
class MbrOptions:
    """How candidates are chosen.

    Attributes:
        metric: the utility.
        weights: one of ``WEIGHTS``.
        scale: factor by which model scores are multiplied.
        aggregate: whether pseudo-references are aggregated.
        confidence: confidence of pruning, or None for no pruning.
        shortlist: the metric that chooses the candidates whose utility is computed, or None for all.
        keep: number of candidates on the shortlist.
        n_best: number of candidates that are returned.
        seed: seed of pruning.
    """

    metric: Metric
    weights: str = "uniform"
    scale: float = 1.0
    aggregate: bool = False
    confidence: float | None = None
    shortlist: Metric | None = None
    keep: int = 20
    n_best: int = 1
    seed: int = 12345


@dataclass(frozen=True)
class MbrCandidate:
    """A candidate that was chosen.

    Attributes:
        text: the text.
        position: position of the first candidate with this text, from 0.
        utility: expected score under the metric.
    """

    text: str
    position: int
    utility: float


@dataclass(frozen=True)
class MbrSegment:
    """The best candidates of one segment.

    Attributes:
        best: the candidates, best first; in a tie, in the order of the list.
        n_candidates: number of distinct candidates.
        n_references: number of distinct pseudo-references.
        n_comparisons: number of pairs of texts that the metric scored; with aggregated references, of candidates.
    """

    best: tuple[MbrCandidate, ...]
    n_candidates: int
    n_references: int
    n_comparisons: int


def choose_all(
    lists: Iterable[tuple[CandidateList, CandidateList]], options: MbrOptions, *, execution: Execution
) -> Iterator[MbrSegment]:
    """Choose the best candidates of every segment, in order; only a few segments are in memory at a time.

    Args:
        lists: candidates and pseudo-references of each segment.
        options: how to choose.
        execution: how chunks of segments are run.
    """
    numbered = enumerate(lists)
    chunks = iter(lambda: list(islice(numbered, _SEGMENTS_AT_ONCE)), [])
    for chosen in execution.map_chunks(_choose_some, chunks, shared=options):
        yield from chosen


def _choose_some(
    options: MbrOptions, segments: list[tuple[int, tuple[CandidateList, CandidateList]]]
) -> list[MbrSegment]:
    return [choose(*lists, options, number=number) for number, lists in segments]


def choose(candidates: CandidateList, references: CandidateList, options: MbrOptions, *, number: int = 0) -> MbrSegment:
    """Choose the best candidates of one segment; random numbers depend on the `number` of the segment."""
    utility = _Utility(candidates, references, options)
    kept = np.arange(len(utility.texts))
    if options.shortlist is not None and options.keep < len(kept):
        cheap = utility.expected(options.shortlist, kept)
        kept = np.sort(_ranked(options.shortlist.sign * cheap)[: options.keep])
    if options.aggregate:
        values = utility.aggregated(options.metric, kept)
    elif options.confidence is not None:
        rng = np.random.default_rng([options.seed, number])
        kept = utility.pruned(options.metric, kept, options.confidence, rng)
        values = utility.expected(options.metric, kept)
    else:
        values = utility.expected(options.metric, kept)
    order = _ranked(options.metric.sign * values)[: options.n_best]
    positions = candidates.first_positions()
    return MbrSegment(
        tuple(
            MbrCandidate(utility.texts[i], positions[i], value)
            for i, value in zip(kept[order].tolist(), values[order].tolist(), strict=True)
        ),
        n_candidates=len(utility.texts),
        n_references=len(utility.references),
        n_comparisons=utility.n_comparisons,
    )


def _ranked(values: Floats) -> Index:
    """Positions of the values, largest first; in a tie, in order.

    The same scores in another order are a tie, although their sums may differ by rounding.
    """
    return np.array(best_first(values, scale=magnitude(values)), dtype=np.int64)


class _Utility:
    """Expected scores of the candidates of one segment."""

    def __init__(self, candidates: CandidateList, references: CandidateList, options: MbrOptions) -> None:
        self.texts = tuple(dict.fromkeys(candidates.texts))
        self.references, self.weights = references.weighted(options.weights, scale=options.scale)
        self._source = candidates.source
        self.n_comparisons = 0
        #: Scores that are known, by metric: shape (candidates, references), NaN if unknown.
        self._known: dict[Metric, Floats] = {}

    def expected(self, metric: Metric, rows: Index) -> Floats:
        """Expected scores of some candidates, shape (rows,)."""
        scores = self._scores(metric, rows, np.arange(len(self.references)))
        # Not a matrix product, whose rounding depends on the position of a row.
        expected: Floats = (scores * self.weights).sum(axis=1)
        return expected

    def aggregated(self, metric: Metric, rows: Index) -> Floats:
        """Scores of some candidates against aggregated references, shape (rows,)."""
        scorer = metric.prepare(References([self.references]))
        texts = Texts(self.texts[i] for i in rows.tolist())
        self.n_comparisons += len(texts)
        return metric.segment_score(scorer.expected_statistics(texts, self.weights))

    def pruned(self, metric: Metric, rows: Index, confidence: float, rng: np.random.Generator) -> Index:
        """The candidates that remain after pruning, in order."""
        order = rng.permutation(len(self.references))
        n_used = _FIRST_STEP
        while n_used < len(order) and len(rows) > 1:
            used = order[:n_used]
            gains = metric.sign * self._scores(metric, rows, used)
            rows = rows[_may_win(gains, self.weights[used], confidence, rng)]
            n_used *= 2
        return rows

    def _scores(self, metric: Metric, rows: Index, columns: Index) -> Floats:
        """Scores of candidates against references, shape (rows, columns); every pair is scored once."""
        if metric not in self._known:
            self._known[metric] = np.full((len(self.texts), len(self.references)), np.nan)
        known = self._known[metric]
        missing = np.isnan(known[np.ix_(rows, columns)])
        new_rows, new_columns = rows[missing.any(axis=1)], columns[missing.any(axis=0)]
        if len(new_rows):
            hypotheses = [self.texts[i] for i in new_rows.tolist()]
            references = [self.references[j] for j in new_columns.tolist()]
            sources = None if self._source is None else [self._source] * len(references)
            known[np.ix_(new_rows, new_columns)] = metric.pairwise(hypotheses, references, sources=sources)
            self.n_comparisons += len(hypotheses) * len(references)
        scores: Floats = known[np.ix_(rows, columns)]
        return scores


def _may_win(gains: Floats, weights: Floats, confidence: float, rng: np.random.Generator) -> Bools:
    """Whether each candidate is as good as the best one in enough resamples, (candidates, n), (n,) -> (candidates,)."""
    n = gains.shape[1]
    best = int(np.argmax((gains * weights).sum(axis=1)))
    draws = rng.multinomial(n, np.full(n, 1 / n), size=_RESAMPLES) * weights
    resampled = draws @ (gains - gains[best]).T
    may_win: Bools = (resampled >= 0).mean(axis=0) > 1 - confidence
    may_win[best] = True
    return may_win
