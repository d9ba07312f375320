"""Edits that turn a hypothesis into a reference without shifts: those of the word error rate, and those of CDER.

Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and reversals"; Leusch, Ueffing and Ney
2006, "CDER: efficient MT evaluation using block movements".

This is the executable specification of the compiled kernel: plain, and slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from mtassay.types import Counts

Words = Sequence[int]


def _word_edits(hyp: Words, ref: Words) -> tuple[int, int, int]:
    """Substitutions, insertions, deletions.

    Of the cheapest paths, the one that, traced from the end, prefers a match or substitution, then an insertion, then
    a deletion. A cell has the cost and the number of deletions of its path.
    """
    row = [(j, j) for j in range(len(ref) + 1)]
    for i, word in enumerate(hyp, start=1):
        diagonal, row[0] = row[0], (i, 0)
        for j, ref_word in enumerate(ref, start=1):
            above, left = row[j], row[j - 1]
            both = diagonal[0] + (word != ref_word)
            cost = min(both, above[0] + 1, left[0] + 1)
            if cost == both:
                row[j] = (cost, diagonal[1])
            elif cost == above[0] + 1:
                row[j] = (cost, above[1])
            else:
                row[j] = (cost, left[1] + 1)
            diagonal = above
    cost, deletions = row[-1]
    insertions = deletions + len(hyp) - len(ref)
    return cost - insertions - deletions, insertions, deletions


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
def word_edits(pairs: Pairs) -> Counts:
    """Count the edits of pairs.

    Returns:
        int64, shape (n, 3): substitutions, insertions (hypothesis words without counterpart), deletions (reference
        words without counterpart).

    >>> from mtassay.kernels import Tokens
    >>> first = np.array([0])
    >>> word_edits(Pairs(Tokens.of([[3, 1, 2]]), Tokens.of([[1, 5, 4, 6]]), first, first)).tolist()
    [[3, 0, 1]]
    """
    return np.array([_word_edits(hyp, ref) for hyp, ref in pairs.each()], dtype=np.int64).reshape(-1, 3)


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
