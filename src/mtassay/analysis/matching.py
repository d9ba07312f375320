"""Which words of an output are in its reference.

The i-th occurrence of a word in the output matches the i-th in the reference (Neubig et al. 2019, compare-mt).
Each output is compared with the reference that has most matches, the first in a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.kernels import Tokens
    from mtassay.types import Bools, Ids, Index, Ints, Offsets


@dataclass(frozen=True, eq=False)
class WordMatches:
    """Words of outputs and references, and which of them match.

    Attributes:
        outputs: words of all systems; text s * segments + n is the output of system s for segment n.
        references: words of all references; those of segment n are texts ``group_offsets[n]:group_offsets[n + 1]``.
        group_offsets: see `references`, shape (segments + 1,).
        n_systems: number of systems.
        chosen: the reference text that each output is compared with, shape (systems, segments).
        partner: for each output word the position of the reference word that it matches, or -1, shape (words,).
    """

    outputs: Tokens
    references: Tokens
    group_offsets: Offsets
    n_systems: int
    chosen: Index
    partner: Index

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.group_offsets) - 1

    @property
    def matched(self) -> Bools:
        """Which output words match, shape (words,)."""
        matched: Bools = self.partner >= 0
        return matched


def match_words(outputs: Tokens, references: Tokens, group_offsets: Offsets) -> WordMatches:
    """Match the words of outputs with those of references.

    Args:
        outputs: words of all systems, system after system; ids are from one vocabulary with those of the references.
        references: words of all references, segment after segment.
        group_offsets: where the references of each segment begin, shape (segments + 1,).

    >>> from mtassay.kernels import Tokens
    >>> found = match_words(Tokens.of([[1, 1, 2]]), Tokens.of([[1, 3]]), np.array([0, 1]))
    >>> found.partner.tolist()
    [0, -1, -1]
    """
    n_segments = len(group_offsets) - 1
    n_outputs = len(outputs.offsets) - 1
    n_words = 1 + max(int(outputs.ids.max(initial=0)), int(references.ids.max(initial=0)))
    text = text_of_words(outputs)
    occurrence, reference_occurrence = occurrences(outputs), occurrences(references)
    n_repeats = 1 + max(int(occurrence.max(initial=0)), int(reference_occurrence.max(initial=0)))

    def keys(segment: Ints, ids: Ids, occurrence: Ints) -> Ints:
        return (segment * n_words + ids) * n_repeats + occurrence

    wanted = keys(text % n_segments, outputs.ids, occurrence)
    counts = np.diff(group_offsets)
    reference_segment = np.repeat(np.arange(n_segments), counts)
    reference_text = text_of_words(references)
    offered = keys(reference_segment[reference_text], references.ids, reference_occurrence)
    chosen = np.tile(group_offsets[:-1], n_outputs // max(n_segments, 1))
    partner = np.full(len(wanted), -1, dtype=np.int64)
    most = np.full(n_outputs, -1, dtype=np.int64)
    for number in range(int(counts.max(initial=0))):
        # The reference with this number, for every segment that has one.
        here = np.flatnonzero(reference_text - group_offsets[reference_segment[reference_text]] == number)
        found = _positions(wanted, offered[here], here)
        n_matches = np.bincount(text[found >= 0], minlength=n_outputs)
        better = (n_matches > most) & np.tile(counts > number, n_outputs // n_segments)
        most[better] = n_matches[better]
        chosen[better] = np.tile(group_offsets[:-1] + number, n_outputs // n_segments)[better]
        partner = np.where(better[text], found, partner)
    n_systems = n_outputs // max(n_segments, 1)
    return WordMatches(outputs, references, group_offsets, n_systems, chosen.reshape(n_systems, n_segments), partner)


def text_of_words(tokens: Tokens) -> Index:
    """The number of the text that each word belongs to, shape (words,)."""
    return np.repeat(np.arange(len(tokens.offsets) - 1), tokens.lengths)


def occurrences(tokens: Tokens) -> Ints:
    """How often each word has occurred before in its text, shape (words,).

    >>> from mtassay.kernels import Tokens
    >>> occurrences(Tokens.of([[5, 6, 5], [5]])).tolist()
    [0, 0, 1, 0]
    """
    keys = text_of_words(tokens) * (1 + int(tokens.ids.max(initial=0))) + tokens.ids
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    place = np.arange(len(keys))
    is_first = np.concatenate([[True], in_order[1:] != in_order[:-1]])[: len(keys)]
    found = np.empty(len(keys), dtype=np.int64)
    found[order] = place - np.maximum.accumulate(np.where(is_first, place, 0))
    return found


def _positions(wanted: Ints, offered: Ints, positions: Index) -> Index:
    """For each wanted key, the position of the equal key among those offered, or -1."""
    if len(offered) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(offered)
    in_order = offered[order]
    place = np.minimum(np.searchsorted(in_order, wanted), len(in_order) - 1)
    return np.where(in_order[place] == wanted, positions[order[place]], -1)
