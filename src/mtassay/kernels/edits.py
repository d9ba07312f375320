"""Edits that turn a hypothesis into a reference without shifts: those of the word error rate, and those of CDER.

Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and reversals"; Leusch, Ueffing and Ney
2006, "CDER: efficient MT evaluation using block movements".

This is the executable specification of the compiled kernel: plain, and slow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from mtassay.kernels.pairs import each_pair
from mtassay.kernels.tokens import Tokens

Words = Sequence[int]


def _word_edits(hyp: Words, ref: Words) -> tuple[int, int, int]:
    """Substitutions, insertions, deletions.

    Among the cheapest paths the one that, seen from the end, goes over both words where it can, else over a
    hypothesis word, else over a reference word. A cell holds the cost and the number of deletions of its path.
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


def _cder_edits(hyp: Words, ref: Words) -> tuple[int]:
    """Edits where one of them may be a jump to any other place in the hypothesis."""
    row = [min(i, 1) for i in range(len(hyp) + 1)]
    for ref_word in ref:
        costs = [row[0] + 1]
        for i, word in enumerate(hyp, start=1):
            costs.append(min(costs[i - 1] + 1, row[i - 1] + (word != ref_word), row[i] + 1))
        jump = min(costs) + 1
        row = [min(cost, jump) for cost in costs]
    return (row[-1],)


def _of_pairs(
    count: Callable[[Words, Words], tuple[int, ...]],
    hyp_ids: npt.NDArray[np.int32],
    hyp_offsets: npt.NDArray[np.int64],
    ref_ids: npt.NDArray[np.int32],
    ref_offsets: npt.NDArray[np.int64],
    hyp_index: npt.NDArray[np.int64],
    ref_index: npt.NDArray[np.int64],
    *,
    n_columns: int,
) -> npt.NDArray[np.int64]:
    counts = np.zeros((len(hyp_index), n_columns), dtype=np.int64)
    for p, hyp, ref in each_pair(Tokens(hyp_ids, hyp_offsets), Tokens(ref_ids, ref_offsets), hyp_index, ref_index):
        counts[p] = count(hyp, ref)
    return counts


def word_edits(
    hyp_ids: npt.NDArray[np.int32],
    hyp_offsets: npt.NDArray[np.int64],
    ref_ids: npt.NDArray[np.int32],
    ref_offsets: npt.NDArray[np.int64],
    hyp_index: npt.NDArray[np.int64],
    ref_index: npt.NDArray[np.int64],
    threads: int,
) -> npt.NDArray[np.int64]:
    """Count edits of hypothesis text `hyp_index[p]` against reference text `ref_index[p]`, for every pair p.

    Args:
        hyp_ids: words of all hypotheses as numbers, end to end.
        hyp_offsets: where each hypothesis begins, and where the last one ends.
        ref_ids: words of all references.
        ref_offsets: where each reference begins, and where the last one ends.
        hyp_index: (n,) numbers of hypotheses.
        ref_index: (n,) numbers of references.
        threads: has no effect here.

    Returns:
        (n, 3): substitutions, insertions (hypothesis words without counterpart), deletions (reference words without
        counterpart).

    >>> hyp, ref, one = np.array([3, 1, 2], np.int32), np.array([1, 5, 4, 6], np.int32), np.array([0])
    >>> word_edits(hyp, np.array([0, 3]), ref, np.array([0, 4]), one, one, 1).tolist()
    [[3, 0, 1]]
    """
    del threads
    return _of_pairs(_word_edits, hyp_ids, hyp_offsets, ref_ids, ref_offsets, hyp_index, ref_index, n_columns=3)


def cder_edits(
    hyp_ids: npt.NDArray[np.int32],
    hyp_offsets: npt.NDArray[np.int64],
    ref_ids: npt.NDArray[np.int32],
    ref_offsets: npt.NDArray[np.int64],
    hyp_index: npt.NDArray[np.int64],
    ref_index: npt.NDArray[np.int64],
    threads: int,
) -> npt.NDArray[np.int64]:
    """Count CDER's edits of pairs; arguments as for ``word_edits``.

    Returns:
        (n, 1): substitutions, insertions, deletions and jumps together.

    >>> hyp, ref, one = np.array([3, 4, 1, 2], np.int32), np.array([1, 2, 3, 4], np.int32), np.array([0])
    >>> cder_edits(hyp, np.array([0, 4]), ref, np.array([0, 4]), one, one, 1).tolist()
    [[3]]
    """
    del threads
    return _of_pairs(_cder_edits, hyp_ids, hyp_offsets, ref_ids, ref_offsets, hyp_index, ref_index, n_columns=1)
