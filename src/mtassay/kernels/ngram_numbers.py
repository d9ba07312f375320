"""Numbers of n-grams and their counts by segment, in plain Python: the specification of ``native/ngram_numbers.cpp``.

An n-gram is a pair: the number of the n-gram without its last word, and that word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import kernel

if TYPE_CHECKING:
    from mtassay.types import Counts, Index, Ints


@kernel
def number_pairs(first: Ints, second: Ints) -> tuple[Ints, Index]:
    """Number the distinct pairs of two columns, in the order in which they first occur.

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
        numbers: int64, from 0 to `n_numbers` - 1, or below 0 if a number is not to be counted, shape (n,).
        begins: where each text's part of each segment begins in `numbers`, shape (segments, texts).
        ends: where it ends, of the same shape.
        n_numbers: the largest number plus 1.

    Returns:
        Segment, number, and count of the number in the segment of each text, shapes (rows,), (rows,) and (rows, texts);
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
