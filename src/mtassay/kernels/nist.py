"""NIST's weights and weighted matches, in plain Python: the specification of ``native/nist.cpp``.

The weight of an n-gram is the information of its last word given the words before it (Doddington 2002), from counts in
all reference texts. Weights are stored by position in the references, so that no table of n-grams outlives a call.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, Tokens, kernel
from mtassay.kernels.ngrams import ngram_counts

if TYPE_CHECKING:
    from mtassay.types import Floats


@kernel
def nist_weights(references: Tokens, *, order: int, zero: int = -1) -> Floats:
    """Information of every n-gram of the references, log2(count of the n-gram without its last token / its own count).

    Args:
        references: all reference texts.
        order: largest n-gram length.
        zero: a token whose count is replaced by the number of all tokens in bigrams that begin with it; -1 for none.

    Returns:
        shape (tokens, order): [p, n - 1] is the weight of the n-gram that begins with token p, 0 beyond the end of the
        text.

    >>> nist_weights(Tokens.of([[7, 8, 7, 9]]), order=2).tolist()
    [[1.0, 1.0], [2.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
    """
    offsets = references.offsets.tolist()
    texts = [references.text(i).tolist() for i in range(len(offsets) - 1)]
    counts: Counter[tuple[int, ...]] = Counter({(): len(references.ids)})
    for text in texts:
        counts.update(ngram_counts(text, order))
    weights = np.zeros((len(references.ids), order))
    for text, first in zip(texts, offsets, strict=False):
        for start in range(len(text)):
            for n in range(1, min(order, len(text) - start) + 1):
                ngram = tuple(text[start : start + n])
                before = () if ngram[:-1] == (zero,) else ngram[:-1]
                weights[first + start, n - 1] = math.log2(counts[before] / counts[ngram])
    return weights


@kernel
def nist_matches(pairs: Pairs, weights: Floats) -> Floats:
    """Add the weights of matched n-grams of pairs (hypothesis, group of references), clipped as in ``ngram_matches``.

    Args:
        pairs: the pairs.
        weights: ``nist_weights`` of the reference texts, shape (tokens, order).

    Returns:
        shape (n, order): sums for n = 1 … order, added from the beginning of the hypothesis to its end.
    """
    order = weights.shape[1]
    sums = np.zeros((len(pairs.hyp_index), order))
    groups: dict[range, tuple[Counter[tuple[int, ...]], dict[tuple[int, ...], float]]] = {}
    for row, (hypothesis, texts) in enumerate(pairs.each_group()):
        if texts not in groups:
            groups[texts] = _counts_and_weights(pairs.references, weights, texts)
        left, weight_of = groups[texts][0].copy(), groups[texts][1]
        for n in range(1, order + 1):
            for start in range(len(hypothesis) - n + 1):
                ngram = tuple(hypothesis[start : start + n])
                if left[ngram] > 0:
                    left[ngram] -= 1
                    sums[row, n - 1] += weight_of[ngram]
    return sums


def _counts_and_weights(
    references: Tokens, weights: Floats, texts: range
) -> tuple[Counter[tuple[int, ...]], dict[tuple[int, ...], float]]:
    """For each n-gram of a group of references, its largest count in any one of them, and its weight."""
    order = weights.shape[1]
    counts: Counter[tuple[int, ...]] = Counter()
    weight_of: dict[tuple[int, ...], float] = {}
    for text in texts:
        tokens = references.text(text).tolist()
        of_text = weights[references.offsets[text] : references.offsets[text + 1]].tolist()
        counts |= ngram_counts(tokens, order)
        for n in range(1, order + 1):
            for start in range(len(tokens) - n + 1):
                weight_of[tuple(tokens[start : start + n])] = of_text[start][n - 1]
    return counts, weight_of
