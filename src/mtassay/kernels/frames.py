"""Matches between semantic frames, in plain Python: the specification of ``native/frames.cpp``.

A frame is a list of arguments, the first of which is its predicate; an argument is a list of words, with a key (only
arguments of equal keys match) and a weight. Lo & Wu 2013, "MEANT at WMT 2013".

The similarity of two arguments is the F-measure of their words. If words have vectors, the match of a word is its
largest cosine with a word of the other argument, at least 0; otherwise a word matches as often as both arguments have
it.

Frames are aligned one to one so that the sum of the similarities of their predicates is as large as possible; in a tie,
the sum of the similarities of the other arguments decides. Predicates without similarity are not aligned. Inside
aligned frames, arguments are aligned in the same way.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mtassay.kernels import Tokens
    from mtassay.types import Floats, Index, Offsets

    Matrix = list[list[float]]

#: Weight of the other arguments relative to predicates when frames are aligned.
_LESS = 1e-6


class Frames(NamedTuple):
    """Frames of many texts laid end to end.

    Attributes:
        arguments: words of all arguments; the first argument of a frame is its predicate.
        keys: key of each argument, int64, shape (arguments,).
        weights: weight of each argument, float64, shape (arguments,).
        frame_offsets: frame *f* has the arguments ``frame_offsets[f]:frame_offsets[f + 1]``, at least one; int64, shape
            (frames + 1,).
        coverage: the weight of each frame in its text, float64, shape (frames,).
        text_offsets: text *i* has the frames ``text_offsets[i]:text_offsets[i + 1]``, int64, shape (texts + 1,).
    """

    arguments: Tokens
    keys: Index
    weights: Floats
    frame_offsets: Offsets
    coverage: Floats
    text_offsets: Offsets


@kernel
def frame_matches(hypotheses: Frames, references: Frames, *, hyp_index: Index, ref_index: Index, vectors: Any) -> Any:
    """Precision and recall of frames of pairs of texts, numerators and denominators.

    The numerator of the precision is the sum over aligned frames of coverage x matched / all, where *matched* is the
    sum of weight x similarity over the aligned arguments, predicate included, and *all* the sum of the weights of all
    arguments of the hypothesis's frame. Its denominator is the sum of the coverages of all frames of the hypothesis.
    The recall is the same from the reference's side.

    Args:
        hypotheses: frames of texts.
        references: frames of texts.
        hyp_index: for each pair the hypothesis, int64, shape (n,).
        ref_index: for each pair the reference, int64, shape (n,).
        vectors: unit vectors of the first words, float32, shape (words, dimensions); words beyond these are similar
            only to themselves. Without rows, words are compared exactly.

    Returns:
        float64, shape (n, 4).
    """
    if len(hyp_index) != len(ref_index):
        raise ValueError("hyp_index and ref_index differ in length")
    found = np.zeros((len(hyp_index), 4))
    for row, (h, r) in enumerate(zip(hyp_index.tolist(), ref_index.tolist(), strict=True)):
        for texts, text in ((hypotheses, h), (references, r)):
            if not 0 <= text < len(texts.text_offsets) - 1:
                raise ValueError("index out of range")
        found[row] = _matched(_Text(hypotheses, h), _Text(references, r), vectors)
    return found


class _Text:
    """The frames of one text, as lists."""

    def __init__(self, frames: Frames, text: int) -> None:
        first, end = frames.text_offsets[text : text + 2].tolist()
        edges = frames.frame_offsets[first : end + 1].tolist()
        ranges = [range(a, b) for a, b in pairwise(edges)]
        self.coverage: list[float] = frames.coverage[first:end].tolist()
        self.words = [[frames.arguments.text(argument).tolist() for argument in each] for each in ranges]
        self.keys = [[int(frames.keys[argument]) for argument in each] for each in ranges]
        self.weights = [[float(frames.weights[argument]) for argument in each] for each in ranges]

    def __len__(self) -> int:
        return len(self.coverage)


def _matched(hyp: _Text, ref: _Text, vectors: Any) -> list[float]:
    weights: Matrix = [[0.0] * len(ref) for _ in range(len(hyp))]
    matched: Matrix = [[0.0] * len(ref) for _ in range(len(hyp))]
    for i in range(len(hyp)):
        for k in range(len(ref)):
            of_predicates = similarity(hyp.words[i][0], ref.words[k][0], vectors)
            if of_predicates > 0:
                plain, weighted = _of_arguments(hyp, i, ref, k, vectors)
                weights[i][k] = of_predicates + _LESS * plain
                matched[i][k] = hyp.weights[i][0] * of_predicates + weighted
    result = [0.0, _total(hyp.coverage), 0.0, _total(ref.coverage)]
    for i, k in assignment(weights):
        for place, text, frame in ((0, hyp, i), (2, ref, k)):
            whole = _total(text.weights[frame])
            if weights[i][k] > 0 and whole > 0:
                result[place] += text.coverage[frame] * matched[i][k] / whole
    return result


def _of_arguments(hyp: _Text, i: int, ref: _Text, k: int, vectors: Any) -> tuple[float, float]:
    """Sum of the similarities of aligned arguments without the predicate, plain and weighted."""
    table = [
        [
            similarity(words, others, vectors) if key == other_key else 0.0
            for other_key, others in zip(ref.keys[k][1:], ref.words[k][1:], strict=True)
        ]
        for key, words in zip(hyp.keys[i][1:], hyp.words[i][1:], strict=True)
    ]
    plain = weighted = 0.0
    for a, b in assignment(table):
        plain += table[a][b]
        weighted += hyp.weights[i][a + 1] * table[a][b]
    return plain, weighted


def similarity(one: list[int], other: list[int], vectors: Any) -> float:
    """The F-measure of two lists of words; 0 if one is empty.

    >>> similarity([1, 1, 2], [1, 3], np.zeros((0, 0), np.float32))
    0.4
    """
    if not one or not other:
        return 0.0
    if not len(vectors):
        return 2.0 * (Counter(one) & Counter(other)).total() / (len(one) + len(other))
    precision, recall = (
        _total(max(0.0, *(_cosine(word, there, vectors) for there in theirs)) for word in ours) / len(ours)
        for ours, theirs in ((one, other), (other, one))
    )
    return 2.0 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _cosine(one: int, other: int, vectors: Any) -> float:
    if one == other:
        return 1.0
    if max(one, other) >= len(vectors):
        return 0.0
    return _total(x * y for x, y in zip(vectors[one].tolist(), vectors[other].tolist(), strict=True))


def _total(values: Iterable[float]) -> float:
    """Add values in order, as the compiled twin does; ``sum`` rounds differently since Python 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total


def assignment(weights: Matrix) -> list[tuple[int, int]]:
    """Pairs of a row and a column, one to one, with the largest sum of weights; as many as the shorter side has.

    This is the Hungarian method with potentials, row by row; in a tie, the first column is taken. Pairs are sorted.

    >>> assignment([[1.0, 2.0, 0.0], [3.0, 2.5, 0.0]])
    [(0, 1), (1, 0)]
    """
    n_rows, n_columns = len(weights), len(weights[0]) if weights else 0
    if n_rows > n_columns:
        swapped = [[weights[i][j] for i in range(n_rows)] for j in range(n_columns)]
        return sorted((i, j) for j, i in assignment(swapped))
    of_row, of_column = [0.0] * (n_rows + 1), [0.0] * (n_columns + 1)
    owner, way = [0] * (n_columns + 1), [0] * (n_columns + 1)
    for row in range(1, n_rows + 1):
        owner[0], column = row, 0
        slack, seen = [inf] * (n_columns + 1), [False] * (n_columns + 1)
        while owner[column]:
            seen[column] = True
            i, delta, following = owner[column], inf, 0
            for j in range(1, n_columns + 1):
                if not seen[j]:
                    cost = -weights[i - 1][j - 1] - of_row[i] - of_column[j]
                    if cost < slack[j]:
                        slack[j], way[j] = cost, column
                    if slack[j] < delta:
                        delta, following = slack[j], j
            for j in range(n_columns + 1):
                if seen[j]:
                    of_row[owner[j]] += delta
                    of_column[j] -= delta
                else:
                    slack[j] -= delta
            column = following
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    return sorted((owner[j] - 1, j - 1) for j in range(1, n_columns + 1) if owner[j])
