"""METEOR's matches between a hypothesis and its reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.metrics.core.segment_alignment import SegmentAlignment
from mtassay.metrics.meteor.parameters import STAGES

if TYPE_CHECKING:
    from mtassay.metrics.core.references import Texts
    from mtassay.metrics.meteor.metric import MeteorScorer


@dataclass(frozen=True)
class Match:
    """Words that match.

    Attributes:
        stage: ``exact``, ``stem``, ``synonym`` or ``paraphrase``.
        chunk: number of the chunk that the match belongs to, from 1, in the order of the reference.
        reference_start: position of the first reference word (0-based).
        reference: the reference words.
        hypothesis_start: position of the first hypothesis word (0-based).
        hypothesis: the hypothesis words.
    """

    stage: str
    chunk: int
    reference_start: int
    reference: tuple[str, ...]
    hypothesis_start: int
    hypothesis: tuple[str, ...]

    @property
    def reference_end(self) -> int:
        """One past the position of the last reference word."""
        return self.reference_start + len(self.reference)

    @property
    def hypothesis_end(self) -> int:
        """One past the position of the last hypothesis word."""
        return self.hypothesis_start + len(self.hypothesis)


@dataclass(frozen=True, kw_only=True)
class MeteorAlignment(SegmentAlignment):
    """Matches of one segment.

    Attributes:
        reference_words: METEOR's words of that reference.
        hypothesis_words: METEOR's words of the hypothesis.
        matches: the matches, in reference order.
        precision: precision of the segment.
        recall: recall of the segment.
        penalty: penalty for fragmentation.
    """

    kind: ClassVar[str] = "matches"

    metric: str = "meteor"
    reference_words: tuple[str, ...]
    hypothesis_words: tuple[str, ...]
    matches: tuple[Match, ...]
    precision: float
    recall: float
    penalty: float

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return max((match.chunk for match in self.matches), default=0)

    def count(self, stage: str) -> int:
        """Number of matches of a stage."""
        return sum(match.stage == stage for match in self.matches)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The hypothesis words without a match."""
        matched = {i for match in self.matches for i in range(match.hypothesis_start, match.hypothesis_end)}
        return tuple(word for i, word in enumerate(self.hypothesis_words) if i not in matched)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            **self.heading(),
            **{name: getattr(self, name) for name in ("precision", "recall", "penalty")},
            "chunks": self.n_chunks,
            "reference_words": list(self.reference_words),
            "hypothesis_words": list(self.hypothesis_words),
            "matches": [
                {**vars(match), "reference": list(match.reference), "hypothesis": list(match.hypothesis)}
                for match in self.matches
            ],
        }


def align_segment(scorer: MeteorScorer, texts: Texts, segment: int, numbers: list[int]) -> MeteorAlignment:
    """Align one segment; `numbers` are those of its references among the streams."""
    first, last = scorer.references.group_offsets[segment : segment + 2].tolist()
    index = np.arange(first, last)
    rows = scorer.of_pairs(texts, np.full(len(index), segment), index)
    scores = scorer.metric.segment_score(rows)
    best = int(np.argmax(scores))
    hypothesis = scorer.tokens(texts).text(segment)
    reference = scorer.tokens(scorer.references.texts).text(first + best)
    hyp_words = tuple(scorer.word(int(token)) for token in hypothesis)
    ref_words = tuple(scorer.word(int(token)) for token in reference)
    parts = scorer.metric.components(rows[best])
    return MeteorAlignment(
        segment=segment + 1,
        reference=numbers[best],
        n_references=len(numbers),
        reference_words=ref_words,
        hypothesis_words=hyp_words,
        matches=_matches(scorer.matches(hypothesis, reference), ref_words, hyp_words),
        score=float(scores[best]),
        precision=float(parts["precision"]),
        recall=float(parts["recall"]),
        penalty=float(parts["penalty"]),
    )


def _matches(
    trace: list[tuple[int, int, int, int, int]], reference: tuple[str, ...], hypothesis: tuple[str, ...]
) -> tuple[Match, ...]:
    matches: list[Match] = []
    chunk = 0
    for ref_start, n_ref, hyp_start, n_hyp, stage in trace:
        goes_on = bool(matches) and (matches[-1].reference_end, matches[-1].hypothesis_end) == (ref_start, hyp_start)
        chunk += not goes_on
        ref_words, hyp_words = reference[ref_start : ref_start + n_ref], hypothesis[hyp_start : hyp_start + n_hyp]
        matches.append(Match(STAGES[stage], chunk, ref_start, ref_words, hyp_start, hyp_words))
    return tuple(matches)
