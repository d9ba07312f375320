"""Matching and counting n-grams, in plain Python: the specification of ``native/ngrams.cpp``.

An n-gram of a hypothesis is compared with a *group* of reference texts; the count of an n-gram in a group is its
largest count in any one text of the group (Papineni et al. 2002). BLEU's precision uses the group of all references
of a segment, recall and chrF use groups of one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from mtassay.types import Counts, Index, Ints

#: Ways of counting a match: the smaller of the two counts, every hypothesis n-gram that the group has, or every
#: reference n-gram that the hypothesis has.
COUNTINGS = ("clipped", "hypothesis", "reference")


def ngram_counts(tokens: list[int], order: int) -> Counter[tuple[int, ...]]:
    """Count the n-grams of every length from 1 to `order`.

    >>> ngram_counts([7, 7, 8], 2)[(7,)]
    2
    """
    return Counter(
        tuple(tokens[start : start + n]) for n in range(1, order + 1) for start in range(len(tokens) - n + 1)
    )


@kernel
def ngram_matches(pairs: Pairs, *, order: int, counting: str = "clipped") -> Counts:
    """Count matched n-grams of pairs (hypothesis, group of references).

    Args:
        pairs: the pairs.
        order: largest n-gram length.
        counting: one of ``COUNTINGS``.

    Returns:
        int64, shape (n, order): matches of each pair for n = 1 … order.
    """
    if counting not in COUNTINGS:
        raise ValueError(f"unknown way of counting '{counting}'")
    which = COUNTINGS.index(counting)
    matches = np.zeros((len(pairs.hyp_index), order), dtype=np.int64)
    group_counts: dict[range, Counter[tuple[int, ...]]] = {}
    for row, (hypothesis, texts) in enumerate(pairs.each_group()):
        if texts not in group_counts:
            merged: Counter[tuple[int, ...]] = Counter()
            for text in texts:
                merged |= ngram_counts(pairs.references.text(text).tolist(), order)
            group_counts[texts] = merged
        references = group_counts[texts]
        for ngram, count in ngram_counts(hypothesis, order).items():
            in_group = references.get(ngram, 0)
            if in_group:
                matches[row, len(ngram) - 1] += (min(count, in_group), count, in_group)[which]
    return matches


@kernel
def number_pairs(first: Ints, second: Ints) -> tuple[Ints, Index]:
    """Number the different pairs of two columns, in the order in which they first occur.

    Args:
        first: int64, numbers from 0 to 2^31 - 1, shape (n,).
        second: the same, shape (n,).

    Returns:
        The number of each row's pair, shape (n,), and the first row of each pair, shape (pairs,).

    >>> numbers, rows = number_pairs(np.array([3, 3, 0, 3]), np.array([1, 2, 1, 1]))
    >>> numbers.tolist(), rows.tolist()
    ([0, 1, 2, 0], [0, 1, 2])
    """
    if len(first) != len(second):
        raise ValueError("columns of different lengths")
    known: dict[tuple[int, int], int] = {}
    numbers, rows = np.empty(len(first), dtype=np.int64), []
    for row, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if min(pair) < 0 or max(pair) >= 2**31:
            raise ValueError("number out of range")
        if pair not in known:
            known[pair] = len(known)
            rows.append(row)
        numbers[row] = known[pair]
    return numbers, np.array(rows, dtype=np.int64)


@kernel
def count_in_segments(numbers: Ints, begins: Index, ends: Index, *, n_numbers: int) -> tuple[Index, Ints, Counts]:
    """Count numbers in the segments of several texts.

    Args:
        numbers: int64, from 0 to `n_numbers` - 1, or below 0 for what does not count, shape (n,).
        begins: where each text's part of each segment begins in `numbers`, shape (segments, texts).
        ends: where it ends.
        n_numbers: how many numbers there are.

    Returns:
        Segment, number, and how often it is in the segment of each text, shapes (rows,), (rows,) and (rows, texts);
        segment by segment, numbers in the order in which they first occur.

    >>> segment, number, counts = count_in_segments(
    ...     np.array([0, 1, 0, 1, -1]), np.array([[0, 3]]), np.array([[3, 5]]), n_numbers=2
    ... )
    >>> segment.tolist(), number.tolist(), counts.tolist()
    ([0, 0], [0, 1], [[2, 0], [1, 1]])
    """
    if begins.shape != ends.shape:
        raise ValueError("begins and ends of different shapes")
    if begins.size and (begins.min() < 0 or (begins > ends).any() or ends.max() > len(numbers)):
        raise ValueError("segment out of range")
    rows: list[tuple[int, int, list[int]]] = []
    for segment, spans in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        found: dict[int, list[int]] = {}
        for text, (begin, end) in enumerate(zip(*spans, strict=True)):
            for number in numbers[begin:end].tolist():
                if number >= n_numbers:
                    raise ValueError("number out of range")
                if number >= 0:
                    found.setdefault(number, [0] * begins.shape[1])[text] += 1
        rows += [(segment, number, counts) for number, counts in found.items()]
    of_segments, of_numbers = (np.array([row[part] for row in rows], dtype=np.int64) for part in (0, 1))
    counts = np.array([row[2] for row in rows], dtype=np.int64).reshape(len(rows), begins.shape[1])
    return of_segments, of_numbers, counts
