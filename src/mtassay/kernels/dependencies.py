"""Dependency n-grams of references in hypotheses, in plain Python: the specification of ``native/dependencies.cpp``.

Only the reference has a tree. Its dependency n-grams are

- chains: n words, each followed by its head; a chain matches if the hypothesis has its words in the same order.
  Its weight decreases with the differences in the distances between neighbours, exp(-Σ |difference| / (n - 1)); the
  match with the largest weight counts;
- structures of n neighbouring words: a head with complete subtrees of its dependents (fixed), or complete subtrees of
  one head that is not among them (floating). A structure counts 1 if the hypothesis has its words side by side.

A chain of neighbours is not also counted as a structure. Single words count as often as both texts have them.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, kernel, positions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.types import Floats, Ids


def chains(heads: Sequence[int], n: int) -> list[tuple[int, ...]]:
    """Chains of n words as ascending positions, in the order of their lowest words.

    >>> chains([1, -1, 1, 2], 3)
    [(1, 2, 3)]
    """
    found = []
    for word in range(len(heads)):
        chain = [word]
        while len(chain) < n and heads[chain[-1]] >= 0:
            chain.append(heads[chain[-1]])
        if len(chain) == n:
            found.append(tuple(sorted(chain)))
    return found


def structures(heads: Sequence[int], n: int) -> list[int]:
    """Start positions of fixed and floating structures of n words, ascending.

    >>> structures([1, -1, 3, 1], 2)
    [0, 2]
    """
    found = []
    for first in range(len(heads) - n + 1):
        inside = range(first, first + n)
        tops = [word for word in inside if heads[word] not in inside]
        # Words with dependents outside of the structure.
        cut = {head for word, head in enumerate(heads) if head in inside and word not in inside}
        is_fixed = len(tops) == 1 and cut <= set(tops)
        is_floating = not cut and heads[tops[0]] >= 0 and all(heads[word] == heads[tops[0]] for word in tops)
        if tops and (is_fixed or is_floating):
            found.append(first)
    return found


@kernel
def dependency_matches(pairs: Pairs, *, heads: Ids, order: int) -> Floats:
    """Weights of dependency n-grams of references matched in hypotheses, and their numbers.

    Args:
        pairs: the pairs, each of a single reference.
        heads: for each word of the references the position of its head in the same text, -1 for none, int32.
        order: the largest n.

    Returns:
        float64, shape (n, 2 · order): weights of n-grams of 1, 2 … words, then their numbers.
    """
    if order < 1:
        raise ValueError("the order must be positive")
    if len(heads) != len(pairs.references.ids):
        raise ValueError("heads and words differ in number")
    of_texts = [heads[first:end].tolist() for first, end in pairwise(pairs.references.offsets.tolist())]
    for text in of_texts:
        if any(not -1 <= head < len(text) for head in text):
            raise ValueError("heads out of range")
    rows = np.zeros((len(pairs.hyp_index), 2 * order))
    for row, (hypothesis, reference), text in zip(rows, pairs.each(), pairs.ref_index.tolist(), strict=True):
        row[0], row[order] = (Counter(hypothesis) & Counter(reference)).total(), len(reference)
        places = positions(hypothesis)
        for n in range(2, order + 1):
            found = chains(of_texts[text], n)
            for chain in found:  # not by sum, which rounds differently from Python 3.12 on
                row[n - 1] += _chain_value(chain, reference, places)
            starts = set(structures(of_texts[text], n)) - {c[0] for c in found if c[-1] - c[0] == n - 1}
            row[n - 1] += sum(_has(hypothesis, reference[first : first + n], places) for first in starts)
            row[order + n - 1] = len(found) + len(starts)
    return rows


def _chain_value(chain: tuple[int, ...], reference: Sequence[int], places: Mapping[int, Sequence[int]]) -> float:
    """exp(-least difference / (n - 1)), 0 if the hypothesis does not have the words in this order."""
    least = dict.fromkeys(places.get(reference[chain[0]], ()), 0)  # by position of the last word so far
    for before, word in pairwise(chain):
        least = {
            place: min(cost + abs(word - before - (place - last)) for last, cost in least.items() if last < place)
            for place in places.get(reference[word], ())
            if any(last < place for last in least)
        }
    return math.exp(-min(least.values()) / (len(chain) - 1)) if least else 0.0


def _has(hypothesis: Sequence[int], words: Sequence[int], places: Mapping[int, Sequence[int]]) -> bool:
    return any(hypothesis[place : place + len(words)] == words for place in places.get(words[0], ()))
