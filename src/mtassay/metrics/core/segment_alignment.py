"""What alignments of one segment have in common, whatever the metric."""

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
        n_references: number of references of the segment.
        score: the metric's score of the segment.
    """

    #: What it has: ``edits``, ``matches``, ``classes`` of words or ``errors``; reports show each in its own way.
    kind: ClassVar[str]

    metric: str
    segment: int
    reference: int
    n_references: int
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
