"""Hjerson's class of every word of a segment, as ``align`` shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.kernels.hjerson import CLASSES
from mtassay.metrics.core.segment_alignment import SegmentAlignment

if TYPE_CHECKING:
    from mtassay.metrics.core.references import Texts
    from mtassay.metrics.linguistic.hjerson import HjersonScorer

#: The class of a word without an error.
CORRECT = CLASSES[0]


@dataclass(frozen=True, kw_only=True)
class HjersonAlignment(SegmentAlignment):
    """Classes of the words of one segment.

    Attributes:
        reference_words: words of the reference.
        hypothesis_words: words of the hypothesis.
        reference_classes: the class of each word of the reference, ``x`` if it is right.
        hypothesis_classes: the same for the words of the hypothesis.
    """

    kind: ClassVar[str] = "classes"

    metric: str = "hjerson"
    reference_words: tuple[str, ...]
    hypothesis_words: tuple[str, ...]
    reference_classes: tuple[str, ...]
    hypothesis_classes: tuple[str, ...]

    def count(self, name: str) -> int:
        """Number of words of a class: of the hypothesis, or of the reference for missing words."""
        return (self.reference_classes if name == "miss" else self.hypothesis_classes).count(name)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        sides = {
            side: [
                {"word": word, "class": name}
                for word, name in zip(getattr(self, f"{side}_words"), getattr(self, f"{side}_classes"), strict=True)
            ]
            for side in ("reference", "hypothesis")
        }
        return {
            **self.heading(),
            **{name: self.count(name) for name in CLASSES if name != CORRECT},
            **{f"{side}_words": words for side, words in sides.items()},
        }


def align_segment(scorer: HjersonScorer, texts: Texts, segment: int, numbers: list[int]) -> HjersonAlignment:
    """Classify the words of one segment; `numbers` are those of its references among the streams."""
    found = scorer.classify(texts, segment)
    row = scorer.statistics(texts, [segment], hypothesis_index=[segment])
    return HjersonAlignment(
        segment=segment + 1,
        reference=numbers[found.reference],
        n_references=len(numbers),
        reference_words=tuple(found.reference_words),
        reference_classes=tuple(CLASSES[number] for number in found.reference_classes),
        hypothesis_words=tuple(found.hypothesis_words),
        hypothesis_classes=tuple(CLASSES[number] for number in found.hypothesis_classes),
        score=float(scorer.metric.segment_score(row)[0]),
    )
