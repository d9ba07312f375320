"""Addicter's alignment and errors of one segment, as ``align`` shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.metrics.core.segment_alignment import SegmentAlignment
from mtassay.metrics.linguistic.addicter_errors import KINDS

if TYPE_CHECKING:
    from mtassay.metrics.core.references import Texts
    from mtassay.metrics.linguistic.addicter import AddicterScorer


@dataclass(frozen=True)
class AddicterError:
    """One error.

    Attributes:
        kind: one of ``KINDS``.
        hypothesis: position of the word in the hypothesis, from 0; None if missing.
        reference: position of the word in the reference, from 0; None if there is none.
        other: position in the hypothesis of the word that it is switched with, or of the last word that a shifted
            word jumps over; None for other errors.
    """

    kind: str
    hypothesis: int | None
    reference: int | None
    other: int | None


@dataclass(frozen=True, kw_only=True)
class AddicterAlignment(SegmentAlignment):
    """Alignment and errors of one segment.

    Attributes:
        reference_words: words of the reference.
        hypothesis_words: words of the hypothesis.
        links: for each hypothesis word the position of its reference word, None if there is none.
        errors: all errors.
    """

    kind: ClassVar[str] = "errors"

    metric: str = "addicter"
    reference_words: tuple[str, ...]
    hypothesis_words: tuple[str, ...]
    links: tuple[int | None, ...]
    errors: tuple[AddicterError, ...]

    def count(self, kind: str) -> int:
        """Number of errors of a kind."""
        return sum(error.kind == kind for error in self.errors)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            **self.heading(),
            **{kind: self.count(kind) for kind in KINDS},
            "reference_words": list(self.reference_words),
            "hypothesis_words": list(self.hypothesis_words),
            "links": list(self.links),
            "errors": [vars(error) for error in self.errors],
        }


def align_segment(scorer: AddicterScorer, texts: Texts, segment: int, numbers: list[int]) -> AddicterAlignment:
    """Align one segment and list its errors; `numbers` are those of its references among the streams."""
    index = np.array([segment])
    found = scorer.find(texts, index, index)
    row, best = scorer.chosen(found, found.errors.counts(len(found.hyps)), 1)
    reference = found.refs[best]
    links = scorer.factors.align(found.hypotheses, scorer.reference_columns, index, reference)
    starts = found.hypotheses.words.offsets[segment], scorer.reference_columns.words.offsets[reference[0]]
    errors = [
        AddicterError(KINDS[kind], _place(hyp, starts[0]), _place(ref, starts[1]), _place(other, starts[0]))
        for pair, kind, hyp, ref, other in zip(*(column.tolist() for column in found.errors), strict=True)
        if pair == best[0]
    ]
    return AddicterAlignment(
        segment=segment + 1,
        reference=numbers[int(best[0])],
        n_references=len(numbers),
        reference_words=scorer.words(scorer.references.texts, int(reference[0])),
        hypothesis_words=scorer.words(texts, segment),
        links=tuple(None if place < 0 else place for place in links.tolist()),
        errors=tuple(errors),
        score=float(scorer.metric.segment_score(row)[0]),
    )


def _place(word: int, start: int) -> int | None:
    return None if word < 0 else int(word - start)
