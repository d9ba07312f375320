"""Candidate translations of one segment at a time: n-best lists and samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.errors import InputError, counted

if TYPE_CHECKING:
    from mtassay.types import Floats


@dataclass(frozen=True, kw_only=True)
class CandidateList:
    """Candidates of one segment.

    Attributes:
        texts: the candidates.
        counts: how often each was sampled; by default once.
        scores: model scores, if known.
        references: pseudo-references, if they are not the candidates.
        source: the source text, for metrics that read it.
        place: where the candidates come from, for messages.

    >>> texts, weights = CandidateList(texts=("a", "b", "a"), counts=(1, 2, 1)).weighted("uniform")
    >>> texts, weights.tolist()
    (('a', 'b'), [0.5, 0.5])
    """

    texts: tuple[str, ...]
    counts: tuple[int, ...] = ()
    scores: tuple[float, ...] | None = None
    references: tuple[str, ...] | None = None
    source: str | None = None
    place: str = "candidates"

    def __post_init__(self) -> None:
        """Reject lists of different lengths and values out of range."""
        if not self.texts:
            raise InputError(f"{self.place}: no candidates")
        object.__setattr__(self, "counts", self.counts or (1,) * len(self.texts))
        for name, values in (("count", self.counts), ("score", self.scores)):
            if values is not None and len(values) != len(self.texts):
                given = f"{counted(len(self.texts), 'candidate')}, but {counted(len(values), name)}"
                raise InputError(f"{self.place}: {given}")
        if min(self.counts) < 1:
            raise InputError(f"{self.place}: a count is {min(self.counts)}; it must be at least 1")
        if not all(map(math.isfinite, self.scores or ())):
            raise InputError(f"{self.place}: a score is not finite")
        if self.references is not None and not self.references:
            raise InputError(f"{self.place}: no references")

    def weighted(self, rule: str, *, scale: float = 1.0) -> tuple[tuple[str, ...], Floats]:
        """Every text once, in order, and its weight, shape (texts,).

        The weight of a candidate is its count, times exp(scale · score) if `rule` is ``scores``. The weight of a text
        is the sum of the weights of its candidates; the weights of all texts sum to 1.
        """
        weights = np.array(self.counts, dtype=np.float64)
        if rule == "scores":
            if self.scores is None:
                raise InputError(f"{self.place}: weights from model scores need scores")
            scaled = scale * np.array(self.scores)
            weights *= np.exp(scaled - scaled.max())
        number: dict[str, int] = {}
        numbers = [number.setdefault(text, len(number)) for text in self.texts]
        sums = np.bincount(numbers, weights=weights)
        return tuple(number), sums / sums.sum()

    def first_positions(self) -> list[int]:
        """For each distinct text, in order, the position of the first candidate with it, from 0."""
        first: dict[str, int] = {}
        for i, text in enumerate(self.texts):
            first.setdefault(text, i)
        return list(first.values())
