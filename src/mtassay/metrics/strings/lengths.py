"""The length of several references, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mtassay.metrics.core.references import References
    from mtassay.types import Counts, Index


class ReferenceLengths:
    """Lengths of the references of every segment.

    Args:
        lengths: number of tokens of every reference text, shape (texts,).
        references: gives the segment of each text.
    """

    def __init__(self, lengths: Counts, references: References) -> None:
        self._lengths = lengths
        self._references = references
        # As a table (segments, most references), -1 if a segment has fewer.
        self._table = np.full((references.n_segments, int(references.counts.max())), -1, dtype=np.int64)
        self._table[np.arange(self._table.shape[1]) < references.counts[:, None]] = lengths

    def chosen(self, hyp_len: Counts, segment_index: Index, *, rule: str) -> Index:
        """For each pair the reference text that sets the length; the closest one if the rule is the average."""
        ref_lens = self._table[segment_index]
        wanted = {"shortest": 0, "longest": int(self._lengths.max(initial=0))}
        distance = np.abs(ref_lens - wanted.get(rule, hyp_len[:, None]))
        largest = int(max(distance.max(initial=0), ref_lens.max(initial=0))) + 1
        # Nearest first, then the shorter one, then the earlier one.
        cost = np.where(ref_lens < 0, largest * largest, distance * largest + ref_lens)
        reference: Index = self._references.group_offsets[segment_index] + cost.argmin(axis=1)
        return reference

    def averages(self, segment_index: Index) -> Any:
        """For each pair the mean length of its references; whole numbers if all segments have one reference."""
        if self._references.n_references == "1":
            return self._lengths[segment_index]
        sums = np.add.reduceat(self._lengths, self._references.group_offsets[:-1])
        return (sums / self._references.counts)[segment_index]

    def effective(self, hyp_len: Counts, segment_index: Index, *, rule: str) -> Any:
        """For each pair the length of its references under the rule."""
        if rule == "average":
            return self.averages(segment_index)
        return self._lengths[self.chosen(hyp_len, segment_index, rule=rule)]
