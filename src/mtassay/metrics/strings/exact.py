"""Exact match: the share of segments that equal a reference.

    exact match = segments identical to any of their references / segments

White space at both ends of a text is ignored (``space=ends``), since line endings and export tools leave it there.
``space=runs`` also treats any white space between words as one space, ``space=none`` compares every character. No
tokenizer is involved, and texts that differ only in how Unicode composes a letter differ.

Statistics: ``identical segments``.

An empty hypothesis equals an empty reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.text import lowercase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.types import Floats, Index, Statistics


@dataclass(frozen=True)
class Exact(Metric):
    """Share of segments identical to a reference."""

    name: ClassVar[str] = "exact"
    by_segment: ClassVar[bool] = True
    label: ClassVar[str] = "exact match"
    columns: ClassVar[tuple[str, ...]] = ("identical", "segments")
    digits: ClassVar[int] = 4

    case: str = case_option()
    space: str = option("ends", "white space to ignore", choices=("ends", "runs", "none"))

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Number the distinct references."""
        return _ExactScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Identical segments over segments, 0 if there are none."""
        totals = np.asarray(totals, dtype=np.float64)
        result: Floats = totals[..., 0] / np.maximum(totals[..., 1], 1.0)
        return result

    def verbose(self, totals: Statistics) -> str:
        """The two counts."""
        return f"({totals[0]:.0f} of {totals[1]:.0f})"

    def signature_entries(self) -> list[Entry]:
        """Case, and the white space that is ignored."""
        return [case_entry(self.case), Entry("space", "sp", self.space)]


class _ExactScorer(Scorer):
    metric: Exact

    def __init__(self, metric: Exact, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._numbers: dict[str, int] = {}
        numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in self._compared(self.references.texts)]
        self._refs = np.array(numbers, dtype=np.int64)

    def _compared(self, texts: Texts) -> Iterator[str]:
        """The texts without ignored white space, in the compared case."""
        strings: Iterator[str] = iter(texts.strings)
        if self.metric.case != "mixed":
            strings = (lowercase(text, self.metric.case) for text in strings)
        if self.metric.space == "ends":
            return map(str.strip, strings)
        return (" ".join(text.split()) for text in strings) if self.metric.space == "runs" else strings

    def _numbered(self, texts: Texts) -> Index:
        """For each text the number of the reference that it equals, -1 for none."""
        return np.fromiter((self._numbers.get(text, -1) for text in self._compared(texts)), np.int64, len(texts))

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        numbers = texts.remember(self, lambda: self._numbered(texts))
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        equal = numbers[hyps] == self._refs[refs]
        identical = np.bincount(rows[equal], minlength=len(hyp_index)) > 0
        return np.column_stack([identical.astype(np.int64), np.ones(len(hyp_index), dtype=np.int64)])
