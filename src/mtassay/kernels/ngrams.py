"""Matching n-grams, in plain Python: the specification of ``native/ngrams.cpp``.

An n-gram of a hypothesis is compared with a *group* of reference texts; the count of an n-gram in a group is its
largest count in any one text of the group (Papineni et al. 2002). BLEU's precision uses the group of all references
of a segment, recall and chrF use groups of one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.types import Counts, Ids, Index, Offsets


#: Ways of counting a match. CLIPPED: the smaller of the two counts. HYPOTHESIS: every hypothesis n-gram that the group
#: has. REFERENCE: every reference n-gram that the hypothesis has.
CLIPPED, HYPOTHESIS, REFERENCE = 0, 1, 2


def ngram_counts(tokens: list[int], order: int) -> Counter[tuple[int, ...]]:
    """Count the n-grams of every length from 1 to `order`.

    >>> ngram_counts([7, 7, 8], 2)[(7,)]
    2
    """
    return Counter(
        tuple(tokens[start : start + n]) for n in range(1, order + 1) for start in range(len(tokens) - n + 1)
    )


def ngram_matches(
    hyp_ids: Ids,
    hyp_offsets: Offsets,
    ref_ids: Ids,
    ref_offsets: Offsets,
    group_offsets: Offsets,
    hyp_index: Index,
    group_index: Index,
    order: int,
    counting: int,
    threads: int,
) -> Counts:
    """Count matched n-grams of pairs (hypothesis, group of references).

    Args:
        hyp_ids: token ids of the hypotheses; with `hyp_offsets` as in ``Tokens``.
        hyp_offsets: see `hyp_ids`.
        ref_ids: token ids of the reference texts; with `ref_offsets` as in ``Tokens``.
        ref_offsets: see `ref_ids`.
        group_offsets: group *g* is reference texts ``group_offsets[g]:group_offsets[g + 1]``.
        hyp_index: for each pair the hypothesis, shape (n,).
        group_index: for each pair the group, shape (n,).
        order: largest n-gram length.
        counting: ``CLIPPED``, ``HYPOTHESIS`` or ``REFERENCE``.
        threads: used by the compiled twin only.

    Returns:
        int64, shape (n, order): matches of each pair for n = 1 … order.
    """
    del threads
    matches = np.zeros((len(hyp_index), order), dtype=np.int64)
    group_counts: dict[int, Counter[tuple[int, ...]]] = {}
    for row, (hyp, group) in enumerate(zip(hyp_index.tolist(), group_index.tolist(), strict=True)):
        if group not in group_counts:
            merged: Counter[tuple[int, ...]] = Counter()
            for text in range(group_offsets[group], group_offsets[group + 1]):
                merged |= ngram_counts(ref_ids[ref_offsets[text] : ref_offsets[text + 1]].tolist(), order)
            group_counts[group] = merged
        references = group_counts[group]
        hypothesis = ngram_counts(hyp_ids[hyp_offsets[hyp] : hyp_offsets[hyp + 1]].tolist(), order)
        for ngram, count in hypothesis.items():
            in_group = references.get(ngram, 0)
            if in_group:
                matched = (min(count, in_group), count, in_group)[counting]
                matches[row, len(ngram) - 1] += matched
    return matches
