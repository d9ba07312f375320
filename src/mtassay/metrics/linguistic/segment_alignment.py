"""What alignments of one segment by error metrics have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, kw_only=True)
class SegmentAlignment:
    """A hypothesis compared with one reference of its segment.

    Attributes:
        metric: name of the metric.
        segment: number of the segment, from 1.
        reference: number of the reference that was used, from 1.
        n_references: how many references the segment has.
        reference_words: words of that reference.
        hypothesis_words: words of the hypothesis.
        score: the metric's score of the segment.
    """

    metric: ClassVar[str]

    segment: int
    reference: int
    n_references: int
    reference_words: tuple[str, ...]
    hypothesis_words: tuple[str, ...]
    score: float

    def heading(self) -> dict[str, Any]:
        """What is compared, and its score, as plain values."""
        return {
            "metric": self.metric,
            "segment": self.segment,
            "reference": self.reference,
            "n_references": self.n_references,
            "score": self.score,
        }
