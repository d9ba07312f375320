"""Costs of CharacTER, in plain Python: the specification of ``native/character.cpp``.

Wang et al. 2016, "CharacTer: translation edit rate on character level".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtassay.kernels import Pairs, Tokens, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mtassay.types import Floats

_SPACE = ord(" ")


@kernel
def character_costs(pairs: Pairs, *, words: Tokens) -> Floats:
    """Shift words of the hypothesis towards the reference, then compare characters.

    Args:
        pairs: pairs of texts as ids of words.
        words: the code points of every word, by id.

    Returns:
        float64, shape (n, 2): cost of edits and shifts, and number of characters of the hypothesis.
    """
    spelled = [tuple(words.text(id).tolist()) for id in range(len(words.offsets) - 1)]
    costs = []
    for hyp, ref in pairs.each():
        shifted = _shifted(hyp, ref, spelled)
        characters = _joined(shifted, spelled)
        cost = edit_distance(characters, _joined(ref, spelled)) + _shift_cost(hyp, shifted, spelled)
        costs.append((cost, len(characters)))
    return np.array(costs, dtype=np.float64).reshape(-1, 2)


def edit_distance(hyp: Sequence[int], ref: Sequence[int]) -> int:
    """Levenshtein's distance.

    >>> edit_distance([1, 2, 3], [1, 3, 4])
    2
    """
    row = list(range(len(ref) + 1))
    for i, token in enumerate(hyp, start=1):
        diagonal, row[0] = row[0], i
        for j, ref_token in enumerate(ref, start=1):
            diagonal, row[j] = row[j], min(diagonal + (token != ref_token), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def _joined(text: list[int], spelled: list[tuple[int, ...]]) -> list[int]:
    """The characters of a text, with a space between words."""
    characters: list[int] = []
    for number, word in enumerate(text):
        characters += (_SPACE, *spelled[word]) if number else spelled[word]
    return characters


def _shifted(hyp: list[int], ref: list[int], spelled: list[tuple[int, ...]]) -> list[int]:
    """Shift blocks of words as long as the edit distance of words falls, the best shift first.

    If several shifts gain the same, the one whose text comes last in the order of code points wins.
    """
    current, cost = hyp, edit_distance(hyp, ref)
    while True:
        shifts = [(cost - edit_distance(words, ref), words) for words in _shifts(current, ref)]
        gain, best = max(shifts, key=lambda shift: (shift[0], [spelled[word] for word in shift[1]]), default=(0, hyp))
        if gain <= 0:
            return current
        current, cost = best, cost - gain


def _shifts(hyp: list[int], ref: list[int]) -> Iterator[list[int]]:
    """All texts in which words that the reference has at another position are moved to that position."""
    for start, word in enumerate(hyp):
        for target, ref_word in enumerate(ref):
            if word != ref_word or start == target:
                continue
            length = _common_length(hyp[start:], ref[target:])
            rest = hyp[:start] + hyp[start + length :]
            yield rest[:target] + hyp[start : start + length] + rest[target:]


def _common_length(one: list[int], other: list[int]) -> int:
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _shift_cost(hyp: list[int], shifted: list[int], spelled: list[tuple[int, ...]]) -> float:
    """The mean length of the words of each moved block, summed over blocks.

    A block begins at a word that differs from the word of the shifted text at the same position, and is searched for
    after that position.
    """
    cost, start = 0.0, 0
    while start < len(hyp):
        first = start
        start += 1
        if hyp[first] == shifted[first] or hyp[first] not in shifted[first + 1 :]:
            continue
        place = shifted.index(hyp[first], first + 1)
        length = _common_length(hyp[first:], shifted[place:])
        cost += sum(len(spelled[word]) for word in hyp[first : first + length]) / length
        start = first + length
    return cost
