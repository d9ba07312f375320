"""Edits that turn a hypothesis into a reference without shifts: those of the word error rate, and those of CDER.

Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and reversals"; Leusch, Ueffing and Ney
2006, "CDER: efficient MT evaluation using block movements".

This is the executable specification of the compiled kernel: plain, and slow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from mtassay.types import Counts, Ids

Words = Sequence[int]


#: Rules that choose between paths of equal cost, which are traced from the end. ``substitutions`` prefers a match or
#: substitution, then an insertion, then a deletion (as Moses does). ``gaps`` first matches common words at both ends,
#: then prefers a deletion, then an insertion unless a substitution costs the same, then a match or substitution (as
#: RapidFuzz does, and therefore jiwer).
TIES = ("substitutions", "gaps")


def _edit_path(hyp: Words, ref: Words, ties: str) -> str:
    """The operations of the path: ' ' match, S substitution, I insertion, D deletion."""
    if ties not in TIES:
        raise ValueError(f"unknown rule for ties '{ties}'")
    if ties == "substitutions":
        return _traced(hyp, ref, _substitution_first)
    start, common = 0, min(len(hyp), len(ref))
    while start < common and hyp[start] == ref[start]:
        start += 1
    end = 0
    while end < common - start and hyp[-1 - end] == ref[-1 - end]:
        end += 1
    inner = _traced(hyp[start : len(hyp) - end], ref[start : len(ref) - end], _gap_first)
    return " " * start + inner + " " * end


def _traced(hyp: Words, ref: Words, choose: Callable[[int, int, int, int, bool], str]) -> str:
    """Compute the matrix of costs, and follow the path that `choose` prefers from its end to its start."""
    rows = [list(range(len(ref) + 1))]
    for i, word in enumerate(hyp, start=1):
        row = [i]
        for j, ref_word in enumerate(ref, start=1):
            row.append(min(rows[-1][j - 1] + (word != ref_word), rows[-1][j] + 1, row[j - 1] + 1))
        rows.append(row)
    i, j = len(hyp), len(ref)
    operations = []
    while i and j:
        same = hyp[i - 1] == ref[j - 1]
        operation = choose(rows[i][j], rows[i - 1][j - 1], rows[i - 1][j], rows[i][j - 1], same)
        operations.append(operation)
        i -= operation != "D"
        j -= operation != "I"
    return "I" * i + "D" * j + "".join(reversed(operations))


def _substitution_first(cost: int, diagonal: int, above: int, left: int, same: bool) -> str:
    del left
    if cost == diagonal + (not same):
        return " " if same else "S"
    return "I" if cost == above + 1 else "D"


def _gap_first(cost: int, diagonal: int, above: int, left: int, same: bool) -> str:
    if cost == left + 1:
        return "D"
    if above == diagonal - 1:
        return "I"
    return " " if same else "S"


def _cder_edits(hyp: Words, ref: Words) -> int:
    """Edits, including jumps to any other position in the hypothesis."""
    row = [min(i, 1) for i in range(len(hyp) + 1)]
    for ref_word in ref:
        costs = [row[0] + 1]
        for i, word in enumerate(hyp, start=1):
            costs.append(min(costs[i - 1] + 1, row[i - 1] + (word != ref_word), row[i] + 1))
        jump = min(costs) + 1
        row = [min(cost, jump) for cost in costs]
    return row[-1]


@kernel
def word_edits(pairs: Pairs, *, ties: str) -> Counts:
    """Count the edits of pairs; `ties` is one of ``TIES``.

    Returns:
        int64, shape (n, 3): substitutions, insertions (hypothesis words without counterpart), deletions (reference
        words without counterpart).

    >>> from mtassay.kernels import Tokens
    >>> first = np.array([0])
    >>> pairs = Pairs(Tokens.of([[3, 1, 2]]), Tokens.of([[1, 5, 4, 6]]), first, first)
    >>> word_edits(pairs, ties="substitutions").tolist()
    [[3, 0, 1]]
    """
    paths = [_edit_path(hyp, ref, ties) for hyp, ref in pairs.each()]
    return np.array([[path.count(kind) for kind in "SID"] for path in paths], dtype=np.int64).reshape(-1, 3)


@kernel
def word_trace(hypothesis: Ids, reference: Ids, *, ties: str) -> str:
    """The edits of one pair in order, ' ' (match), S, I and D; `ties` is one of ``TIES``.

    >>> hypothesis, reference = np.array([1, 2, 2], np.int32), np.array([1, 3], np.int32)
    >>> word_trace(hypothesis, reference, ties="substitutions"), word_trace(hypothesis, reference, ties="gaps")
    (' IS', ' IS')
    """
    return _edit_path(hypothesis.tolist(), reference.tolist(), ties)


@kernel
def cder_edits(pairs: Pairs) -> Counts:
    """Count CDER's edits of pairs.

    Returns:
        int64, shape (n, 1): substitutions, insertions, deletions and jumps together.

    >>> from mtassay.kernels import Tokens
    >>> first = np.array([0])
    >>> cder_edits(Pairs(Tokens.of([[3, 4, 1, 2]]), Tokens.of([[1, 2, 3, 4]]), first, first)).tolist()
    [[3]]
    """
    return np.array([_cder_edits(hyp, ref) for hyp, ref in pairs.each()], dtype=np.int64).reshape(-1, 1)
