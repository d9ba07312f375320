"""Weights applied to n-best lists: the verb ``rerank``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.results import Result
from mtassay.tuning.weights import as_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.data.nbest import NBest
    from mtassay.types import Floats, Index


SCHEMA = "mtassay.rerank/1"
#: Relative difference of model scores that a decoder may make by rounding.
_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class RerankResult(Result):
    """An n-best list with model scores.

    Attributes:
        nbest: the list.
        scores: weighted sums of features, shape (n,).
    """

    verb: ClassVar[str] = "rerank"

    nbest: NBest
    scores: Floats

    @property
    def winners(self) -> Index:
        """The candidate with the highest score of each sentence, the first in a tie; shape (sentences,)."""
        return winners(self.scores, self.nbest.offsets)

    @property
    def texts(self) -> tuple[str, ...]:
        """The best text of each sentence."""
        return tuple(self.nbest.texts[row] for row in self.winners.tolist())

    @property
    def order(self) -> Index:
        """Candidates sentence by sentence, best first; in a tie, in the order of the list; shape (n,)."""
        return np.lexsort((-self.scores, self.nbest.sentence_index))

    def n_misplaced(self) -> int:
        """Number of sentences whose first candidate in the list scores clearly less than another one."""
        first, best = self.scores[self.nbest.offsets[:-1]], self.scores[self.winners]
        return int((first < best - _TOLERANCE * np.maximum(1.0, np.abs(best))).sum())

    def to_dict(self) -> dict[str, Any]:
        """The best candidate of each sentence (numbered from 0 as in the list), and its model score."""
        return {
            "schema": SCHEMA,
            "sentences": [
                {"sentence": sentence, "score": float(self.scores[row]), "text": self.nbest.texts[row]}
                for sentence, row in enumerate(self.winners.tolist())
            ],
        }

    def __repr__(self) -> str:
        return f"RerankResult({self.nbest.n_sentences} sentences, {len(self.nbest)} candidates)"


def rerank(nbest: NBest, weights: Mapping[str, float]) -> RerankResult:
    """Score the candidates of an n-best list with other weights.

    Scores that are equal in exact arithmetic may differ by rounding, which then decides between the candidates.

    Args:
        nbest: the list, as ``read_nbest`` gives it.
        weights: weights of its features, by name.
    """
    return RerankResult(nbest, model_scores(nbest.values.T, as_array(weights, nbest.features)))


def model_scores(features: Floats, weights: Floats) -> Floats:
    """Weighted sums of features, shapes (K, n) and (K,) -> (n,).

    Computed feature by feature and not as a matrix product, whose rounding depends on the position of a candidate:
    candidates with the same features must have the same score.
    """
    scores = np.zeros(features.shape[1])
    for weight, row in zip(weights.tolist(), features, strict=True):
        if weight:
            scores += weight * row
    return scores


def winners(scores: Floats, offsets: Index) -> Index:
    """The candidate with the highest score in each segment, the first in a tie; shape (segments,).

    >>> winners(np.array([1.0, 3.0, 3.0, 2.0]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    highest = np.maximum.reduceat(scores, offsets[:-1])
    hits = np.flatnonzero(scores == np.repeat(highest, np.diff(offsets)))
    return hits[np.searchsorted(hits, offsets[:-1])]
