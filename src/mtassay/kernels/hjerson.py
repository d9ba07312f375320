"""Hjerson's error class of every word, in plain Python: the specification of ``native/hjerson.cpp``.

Popović 2011, "Hjerson: an open source tool for automatic error classification of machine translation output". Words are
compared in order (the edits of the word error rate), without order (position-independent error rate), and without
order by their bases, such as lemmas.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.kernels import Pairs, kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.types import Array, Counts, Ids

#: Classes of words, by number.
CLASSES = ("x", "infl", "reord", "miss", "ext", "lex")
_CORRECT, _INFLECTION, _ORDER, _MISSING, _EXTRA, _LEXICAL = range(len(CLASSES))
#: Counts of each pair: words of the reference (first letter r) or hypothesis (h) of a class, blocks of them,
#: and the errors of three error rates.
_OF_CLASSES = ("r_infl", "h_infl", "r_reord", "h_reord", "r_miss", "h_ext", "r_lex", "h_lex")
COUNTS = (*_OF_CLASSES, *(f"{name}_blocks" for name in _OF_CLASSES), "wer", "rper", "hper")


class _Side(NamedTuple):
    """The words of one text, and their bases."""

    words: Sequence[int]
    bases: Sequence[int]


def hjerson_classes(hypothesis: _Side, reference: _Side) -> tuple[list[int], list[int], list[int]]:
    """Classes of the hypothesis words and of the reference words, and the numbers of WER, RPER and HPER errors.

    >>> h = _Side([1, 2, 30], [1, 2, 3])
    >>> r = _Side([2, 1, 31, 4], [2, 1, 3, 4])
    >>> [[CLASSES[number] for number in side] for side in hjerson_classes(h, r)[:2]]
    [['x', 'reord', 'infl'], ['reord', 'x', 'infl', 'lex']]
    """
    edits = _edits(hypothesis.words, reference.words)
    hyp_edits = [edit for edit in edits if edit[0] is not None]
    ref_edits = [edit for edit in edits if edit[1] is not None]
    hyp_unmatched = _unmatched(hypothesis, reference)
    ref_unmatched = _unmatched(reference, hypothesis)
    hyp_classes = [
        _class(unmatched, is_error=is_error, alone=_EXTRA if other is None else _LEXICAL)
        for unmatched, (_, other, is_error) in zip(hyp_unmatched, hyp_edits, strict=True)
    ]
    ref_classes = [
        _class(unmatched, is_error=is_error, alone=_MISSING if other is None else _LEXICAL)
        for unmatched, (other, _, is_error) in zip(ref_unmatched, ref_edits, strict=True)
    ]
    hyp_errors = [place for place, edit in enumerate(hyp_edits) if edit[2]]
    ref_errors = [place for place, edit in enumerate(ref_edits) if edit[2]]
    for place in _found(hyp_errors, hypothesis.words, [reference.words[other] for other in ref_errors]):
        hyp_classes[place] = _ORDER
    for place in _found(ref_errors, reference.words, [hypothesis.words[other] for other in hyp_errors]):
        ref_classes[place] = _ORDER
    rates = [sum(edit[2] for edit in edits), sum(map(bool, ref_unmatched)), sum(map(bool, hyp_unmatched))]
    return hyp_classes, ref_classes, rates


def _edits(hyp: Sequence[int], ref: Sequence[int]) -> list[tuple[int | None, int | None, bool]]:
    """The cheapest path: positions in hypothesis and reference, None if one has no word; and whether it is an error.

    If several paths have the same cost, the path is traced from the end and prefers a match or substitution, then a
    deletion (a reference word), then an insertion (a hypothesis word).
    """
    costs = [list(range(len(hyp) + 1))]
    for r, word in enumerate(ref, start=1):
        row = [r]
        for h, hyp_word in enumerate(hyp, start=1):
            row.append(min(costs[-1][h - 1] + (word != hyp_word), costs[-1][h] + 1, row[-1] + 1))
        costs.append(row)
    r, h = len(ref), len(hyp)
    edits: list[tuple[int | None, int | None, bool]] = []
    while r or h:
        here = costs[r][h]
        if r and h and here == costs[r - 1][h - 1] + (ref[r - 1] != hyp[h - 1]):
            edits.append((h - 1, r - 1, ref[r - 1] != hyp[h - 1]))
            r, h = r - 1, h - 1
        elif r and here == costs[r - 1][h] + 1:
            edits.append((None, r - 1, True))
            r -= 1
        else:
            edits.append((h - 1, None, True))
            h -= 1
    return edits[::-1]


def _unmatched(text: _Side, other: _Side) -> list[int]:
    """For each word, 0 if the other text has the word, 1 if it has only its base, else 2; each word is used once."""
    words, bases = list(other.words), list(other.bases)
    unmatched = []
    for word in text.words:
        found = word in words
        unmatched.append(0 if found else 2)
        if found:
            place = words.index(word)
            del words[place], bases[place]
    for place, base in enumerate(text.bases):
        if unmatched[place] and base in bases:
            unmatched[place] = 1
            bases.remove(base)
    return unmatched


def _class(unmatched: int, *, is_error: bool, alone: int) -> int:
    if unmatched == 1:
        return _INFLECTION
    return alone if unmatched and is_error else _CORRECT  # Parity: Hjerson finds no error in an aligned equal word


def _found(places: Iterable[int], words: Sequence[int], others: list[int]) -> list[int]:
    """The positions whose word is among the others, each of which is used once."""
    found = []
    for place in places:
        if words[place] in others:
            others.remove(words[place])
            found.append(place)
    return found


def _counts(ref_classes: list[int], hyp_classes: list[int]) -> list[int]:
    """Numbers in the order of ``_OF_CLASSES``."""
    sides = {"r": ref_classes, "h": hyp_classes}
    return [sides[name[0]].count(CLASSES.index(name[2:])) for name in _OF_CLASSES]


@kernel
def hjerson_errors(pairs: Pairs, *, hypothesis_bases: Ids, reference_bases: Ids) -> tuple[Counts, Array, Array]:
    """Classify the words of pairs of a hypothesis and a reference.

    Args:
        pairs: the pairs.
        hypothesis_bases: the base of each word of the hypotheses, laid end to end like them, int32.
        reference_bases: the base of each word of the references, int32.

    Returns:
        the counts that ``COUNTS`` names, int64, shape (n, 19); the class of each hypothesis word, pair after pair,
        uint8; the class of each reference word, pair after pair, uint8.

    >>> from mtassay.kernels import Tokens
    >>> texts, first = Tokens.of([[7, 8], [7, 9, 9]]), np.array([0])
    >>> counts, hyp, ref = hjerson_errors(
    ...     Pairs(texts, texts, first, first + 1), hypothesis_bases=texts.ids, reference_bases=texts.ids
    ... )
    >>> [CLASSES[number] for number in ref]
    ['x', 'miss', 'lex']
    """
    if len(hypothesis_bases) != len(pairs.hypotheses.ids) or len(reference_bases) != len(pairs.references.ids):
        raise ValueError("there must be one base per word")
    of_texts = pairs.hypotheses._replace(ids=hypothesis_bases), pairs.references._replace(ids=reference_bases)
    bases = pairs._replace(hypotheses=of_texts[0], references=of_texts[1])
    counts, of_hyps, of_refs = [], list[int](), list[int]()
    for (hyp, ref), (hyp_bases, ref_bases) in zip(pairs.each(), bases.each(), strict=True):
        hyp_classes, ref_classes, rates = hjerson_classes(_Side(hyp, hyp_bases), _Side(ref, ref_bases))
        runs = [[number for number, _ in groupby(classes)] for classes in (ref_classes, hyp_classes)]
        counts.append([*_counts(ref_classes, hyp_classes), *_counts(*runs), *rates])
        of_hyps += hyp_classes
        of_refs += ref_classes
    table = np.array(counts, dtype=np.int64).reshape(-1, len(COUNTS))
    return table, np.array(of_hyps, dtype=np.uint8), np.array(of_refs, dtype=np.uint8)
