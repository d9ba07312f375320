"""Matching n-grams, in plain Python: the specification of ``native/ngrams.cpp``.

An n-gram of a hypothesis is compared with a *group* of reference texts; the count of an n-gram in a group is its
largest count in any one text of the group (Papineni et al. 2002). BLEU's precision uses the group of all references
of a segment, recall and chrF use groups of one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, Tokens, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.types import Counts, Floats

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
def expected_matches(hypotheses: Tokens, references: Tokens, *, weights: Floats, order: int) -> Floats:
    """Count the n-grams that hypotheses share with the weighted sum of references.

    Args:
        hypotheses: texts.
        references: texts; the count of an n-gram is the sum of its counts in all of them, times their weights.
        weights: weight of each reference, shape (references,).
        order: largest n-gram length.

    Returns:
        float64, shape (hypotheses, order): for n = 1 … order, the sum over n-grams of the smaller of both counts.

    >>> texts = Tokens.of([[1, 2], [1, 3], [1]])
    >>> expected_matches(texts, texts, weights=np.array([0.5, 0.25, 0.25]), order=2).tolist()
    [[1.5, 0.5], [1.25, 0.25], [1.0, 0.0]]
    """
    if order < 1:
        raise ValueError("order must be at least 1")
    if len(weights) != len(references.offsets) - 1:
        raise ValueError("every reference needs a weight")
    expected: dict[tuple[int, ...], float] = defaultdict(float)
    for r, weight in enumerate(weights.tolist()):
        for ngram in _ngrams(references.text(r).tolist(), order):
            expected[ngram] += weight
    n_hyps = len(hypotheses.offsets) - 1
    matches = np.zeros((n_hyps, order))
    for h in range(n_hyps):
        # In the order in which n-grams begin, so that sums are rounded as in the compiled twin.
        for ngram, count in Counter(_ngrams(hypotheses.text(h).tolist(), order)).items():
            if ngram in expected:
                matches[h, len(ngram) - 1] += min(float(count), expected[ngram])
    return matches


def _ngrams(tokens: list[int], order: int) -> Iterator[tuple[int, ...]]:
    """All n-grams, ordered by where they begin."""
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + order, len(tokens)) + 1):
            yield tuple(tokens[start:end])
