"""NIST's weights and weighted matches, in plain Python: the specification of ``native/nist.cpp``.

The weight of an n-gram is the information that its last word adds to those before (Doddington 2002), from its counts in
all reference texts. Weights are kept by position in the references, so that no table of n-grams outlives a call.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtassay.kernels.ngrams import ngram_counts

if TYPE_CHECKING:
    from mtassay.types import Ids, Index, Offsets


Weights = NDArray[np.float64]


def nist_weights(ref_ids: Ids, ref_offsets: Offsets, order: int, zero: int) -> Weights:
    """Information of every n-gram of the references, log2(count of the n-gram without its last token / its own count).

    Args:
        ref_ids: token ids of the reference texts; with `ref_offsets` as in ``Tokens``.
        ref_offsets: see `ref_ids`.
        order: largest n-gram length.
        zero: a token behind which the number of all tokens is taken for its own count, or -1 for none.

    Returns:
        shape (tokens, order): [p, n - 1] is the weight of the n-gram that begins with token p, 0 where the text ends.

    >>> nist_weights(np.array([7, 8, 7, 9], np.int32), np.array([0, 4]), 2, -1).tolist()
    [[1.0, 1.0], [2.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
    """
    texts = [ref_ids[start:end].tolist() for start, end in pairwise(ref_offsets.tolist())]
    counts: Counter[tuple[int, ...]] = Counter({(): len(ref_ids)})
    for text in texts:
        counts.update(ngram_counts(text, order))
    weights = np.zeros((len(ref_ids), order))
    for text, first in zip(texts, ref_offsets.tolist(), strict=False):
        for start in range(len(text)):
            for n in range(1, min(order, len(text) - start) + 1):
                ngram = tuple(text[start : start + n])
                before = () if ngram[:-1] == (zero,) else ngram[:-1]
                weights[first + start, n - 1] = math.log2(counts[before] / counts[ngram])
    return weights


def nist_matches(
    hyp_ids: Ids,
    hyp_offsets: Offsets,
    ref_ids: Ids,
    ref_offsets: Offsets,
    weights: Weights,
    group_offsets: Offsets,
    hyp_index: Index,
    group_index: Index,
    order: int,
    threads: int,
) -> Weights:
    """Add the weights of matched n-grams of pairs (hypothesis, group of references), clipped as in ``ngram_matches``.

    Args:
        hyp_ids: see ``mtassay.kernels.ngrams.ngram_matches``.
        hyp_offsets: see there.
        ref_ids: see there.
        ref_offsets: see there.
        weights: what ``nist_weights`` gives for the reference texts.
        group_offsets: see there.
        hyp_index: see there.
        group_index: see there.
        order: largest n-gram length.
        threads: used by the compiled twin only.

    Returns:
        shape (n, order): sums for n = 1 … order, added from the beginning of the hypothesis to its end.
    """
    del threads
    sums = np.zeros((len(hyp_index), order))
    groups: dict[int, tuple[Counter[tuple[int, ...]], dict[tuple[int, ...], float]]] = {}
    for row, (hyp, group) in enumerate(zip(hyp_index.tolist(), group_index.tolist(), strict=True)):
        if group not in groups:
            texts = range(group_offsets[group], group_offsets[group + 1])
            groups[group] = _counts_and_weights(ref_ids, ref_offsets, weights, texts)
        left, weight_of = groups[group][0].copy(), groups[group][1]
        hypothesis = hyp_ids[hyp_offsets[hyp] : hyp_offsets[hyp + 1]].tolist()
        for n in range(1, order + 1):
            for start in range(len(hypothesis) - n + 1):
                ngram = tuple(hypothesis[start : start + n])
                if left[ngram] > 0:
                    left[ngram] -= 1
                    sums[row, n - 1] += weight_of[ngram]
    return sums


def _counts_and_weights(
    ref_ids: Ids, ref_offsets: Offsets, weights: Weights, texts: range
) -> tuple[Counter[tuple[int, ...]], dict[tuple[int, ...], float]]:
    """For the n-grams of a group of references the largest count in any one, and the weight."""
    order = weights.shape[1]
    counts: Counter[tuple[int, ...]] = Counter()
    weight_of: dict[tuple[int, ...], float] = {}
    for text in texts:
        first, last = ref_offsets[text], ref_offsets[text + 1]
        tokens, of_text = ref_ids[first:last].tolist(), weights[first:last].tolist()
        counts |= ngram_counts(tokens, order)
        for n in range(1, order + 1):
            for start in range(len(tokens) - n + 1):
                weight_of[tuple(tokens[start : start + n])] = of_text[start][n - 1]
    return counts, weight_of
