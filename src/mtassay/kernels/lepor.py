"""LEPOR's word alignment, in plain Python: the specification of ``native/lepor.cpp``.

Words are aligned one to one with equal words. If a word occurs more than once on either side, its neighbours
decide: two occurrences *agree* if some word within `context` words of the one is within `context` words of the other.
Different words never compete for a counterpart, so each word is aligned independently of the others.

``paper``: from left to right, every occurrence in the hypothesis takes the nearest free one in the reference that
agrees; then the rest take the nearest free one. Distances are those of positions relative to the length of the text;
in a tie, the earlier one is taken.

``hlepor-py``: the rules of the package hLepor 0.0.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel, positions

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.types import Counts

    #: Function of a position in the hypothesis: which of the given reference positions agree with it.
    Agreeing = Callable[[int, list[int]], list[int]]

#: Rules of the alignment.
VARIANTS = ("paper", "hlepor-py")
#: Largest length of a text; beyond it the sum of distances might not fit into 64 bits.
MOST_WORDS = 2_000_000


@kernel
def lepor_matches(pairs: Pairs, *, context: int, variant: str) -> Counts:
    """Align the words of pairs (hypothesis, reference).

    Args:
        pairs: the pairs.
        context: number of words on either side that are neighbours.
        variant: one of ``VARIANTS``.

    Returns:
        int64, shape (n, 2): the number of aligned words, and the sum of ``|i·R - j·H|`` over aligned positions *i* in
        the hypothesis, which has H words, and *j* in the reference, which has R words, both counted from 1. These are
        whole numbers, so that sums are exact.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant '{variant}'")
    if context < 0:
        raise ValueError("context must not be negative")
    rows = np.zeros((len(pairs.hyp_index), 2), dtype=np.int64)
    for row, (hyp, ref) in enumerate(pairs.each()):
        if max(len(hyp), len(ref)) > MOST_WORDS:
            raise ValueError("text too long")
        aligned = lepor_alignment(hyp, ref, context=context, variant=variant)
        rows[row] = len(aligned), sum(abs((i + 1) * len(ref) - (j + 1) * len(hyp)) for i, j in aligned)
    return rows


def lepor_alignment(hyp: list[int], ref: list[int], *, context: int, variant: str) -> list[tuple[int, int]]:
    """Pairs (position in the hypothesis, position in the reference), counted from 0.

    >>> lepor_alignment([1, 2, 1, 3], [1, 3, 1, 2], context=1, variant="paper")
    [(0, 2), (1, 3), (2, 0), (3, 1)]
    """
    if variant == "hlepor-py" and hyp == ref:  # Parity: hLepor 0.0.4 aligns equal texts word by word
        return [(i, i) for i in range(len(hyp))]

    def agreeing(i: int, among: list[int]) -> list[int]:
        neighbours = _neighbours(hyp, i, context, variant)
        return [j for j in among if not neighbours.isdisjoint(_neighbours(ref, j, context, variant))]

    ref_positions = positions(ref)
    pairs: list[tuple[int, int]] = []
    for word, in_hyp in positions(hyp).items():
        in_ref = ref_positions.get(word, [])
        if len(in_hyp) == 1 == len(in_ref):
            pairs.append((in_hyp[0], in_ref[0]))
        elif variant == "paper":
            pairs += _align(in_hyp, in_ref, agreeing, lengths=(len(hyp), len(ref)))
        else:
            pairs += _align_as_hlepor_py(in_hyp, in_ref, agreeing)
    return sorted(pairs)


def _neighbours(text: list[int], i: int, context: int, variant: str) -> set[int]:
    # Parity: in hLepor 0.0.4, the first `context` words have no neighbours before them: its slice begins below 0.
    first = i - context if variant == "hlepor-py" else max(0, i - context)
    return {*text[first:i], *text[i + 1 : i + 1 + context]}


def _align(
    in_hyp: list[int], in_ref: list[int], agreeing: Agreeing, *, lengths: tuple[int, int]
) -> list[tuple[int, int]]:
    """Align the occurrences of one word: those that agree, then the others."""
    hyp_len, ref_len = lengths
    free, left = list(in_ref), []
    pairs = []

    def take(i: int, among: list[int]) -> None:
        j = min(among, key=lambda j: (abs((i + 1) * ref_len - (j + 1) * hyp_len), j))
        pairs.append((i, j))
        free.remove(j)

    for i in in_hyp:
        found = agreeing(i, free)
        if found:
            take(i, found)
        else:
            left.append(i)
    for i in left[: len(free)]:
        take(i, free)
    return pairs


def _align_as_hlepor_py(in_hyp: list[int], in_ref: list[int], agreeing: Agreeing) -> list[tuple[int, int]]:
    free = list(in_ref)
    pairs = []
    for i in in_hyp[: len(free)]:
        found = agreeing(i, free) or free
        nearest = min(range(len(found)), key=lambda k: abs(i - found[k]))
        # Parity: hLepor 0.0.4 uses the index of the nearest agreeing position to index all free positions.
        pairs.append((i, free.pop(nearest)))
    return pairs
