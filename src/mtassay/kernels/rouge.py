"""Common subsequences and skip-bigrams of pairs, in plain Python: the specification of ``native/rouge.cpp``.

Lin 2004, "ROUGE: a package for automatic evaluation of summaries".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mtassay.kernels import Pairs, Tokens, kernel, positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.types import Counts, Floats, Ids

#: Which single words count along with skip-bigrams: none, all, or all but the last of a text.
UNIGRAMS = ("none", "all", "all but last")


@kernel
def lcs_lengths(pairs: Pairs) -> Counts:
    """Lengths of the longest common subsequences, int64, shape (n,)."""
    return np.array([lcs_length(hypothesis, reference) for hypothesis, reference in pairs.each()], dtype=np.int64)


def lcs_length(hypothesis: Sequence[int], reference: Sequence[int]) -> int:
    """Length of the longest common subsequence.

    A column of the table is stored as bits, 0 where the value increases by one (Hyyrö 2004, "Bit-parallel LCS-length
    computation revisited").

    >>> lcs_length([1, 2, 3, 4], [1, 3, 2, 4])
    3
    """
    bits: dict[int, int] = defaultdict(int)
    for j, word in enumerate(reference):
        bits[word] |= 1 << j
    every = (1 << len(reference)) - 1
    column = every
    for word in hypothesis:
        found = column & bits[word]
        column = ((column + found) | (column - found)) & every
    return len(reference) - column.bit_count()


@kernel
def union_lcs_hits(pairs: Pairs, *, hyp_ends: Tokens, ref_ends: Tokens) -> Counts:
    """Words of the longest common subsequences of each reference sentence with all hypothesis sentences, int64, (n,).

    A word counts at most as often as it occurs in either text.

    Args:
        pairs: the pairs.
        hyp_ends: for every hypothesis, where its sentences end.
        ref_ends: for every reference, where its sentences end.
    """
    hits = []
    for (hyp, ref), h, r in zip(pairs.each(), pairs.hyp_index.tolist(), pairs.ref_index.tolist(), strict=True):
        hyp_sentences, ref_sentences = _sentences(hyp, hyp_ends.text(h)), _sentences(ref, ref_ends.text(r))
        left = Counter(hyp) & Counter(ref)
        found = 0
        for sentence in ref_sentences:
            union = set().union(*(_lcs_positions(other, sentence) for other in hyp_sentences))
            for word in (sentence[position] for position in sorted(union)):
                found += left[word] > 0
                left[word] -= 1
        hits.append(found)
    return np.array(hits, dtype=np.int64)


def _sentences(text: list[int], ends: Ids) -> list[list[int]]:
    starts = [0, *ends.tolist()]
    if starts != sorted(starts) or starts[-1] != len(text):
        raise ValueError("ends of sentences do not fit the text")
    return [text[start:end] for start, end in pairwise(starts)]


def _lcs_positions(hypothesis: list[int], reference: list[int]) -> list[int]:
    """Positions in the reference of a longest common subsequence.

    It is traced from the end: both words are passed if they are equal, else the hypothesis word if that keeps more of
    the subsequence, else the reference word.
    """
    rows = [[0] * (len(hypothesis) + 1)]
    for ref_word in reference:
        row = [0]
        for j, hyp_word in enumerate(hypothesis):
            row.append(rows[-1][j] + 1 if ref_word == hyp_word else max(rows[-1][j + 1], row[j]))
        rows.append(row)
    i, j = len(reference), len(hypothesis)
    found = []
    while i and j:
        if reference[i - 1] == hypothesis[j - 1]:
            i, j = i - 1, j - 1
            found.append(i)
        elif rows[i][j - 1] > rows[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return found


class _Cell(NamedTuple):
    """The best path to a pair of words."""

    size: float = 0.0  # weighted length
    run: int = 0  # consecutive words in both texts that match up to here
    closed: float = 0.0  # weighted length of the runs in the reference that have ended
    ref_run: int = 0  # consecutive words of the reference on the path, up to `ref_last`
    ref_last: int = -2  # the last word of the reference that is on the path


@kernel
def wlcs_sizes(pairs: Pairs, *, weight: float) -> Floats:
    """Weighted longest common subsequences, in which k consecutive words count k to the power of `weight`.

    Returns:
        float64, shape (n, 2): the value of Lin's recurrence, in which words must be consecutive in both texts; and
        that of ROUGE-1.5.5, the same path with words that are consecutive in the reference.
    """
    sizes = [_wlcs(hypothesis, reference, weight) for hypothesis, reference in pairs.each()]
    return np.array(sizes, dtype=np.float64).reshape(-1, 2)


def _wlcs(hypothesis: Sequence[int], reference: Sequence[int], weight: float) -> tuple[float, float]:
    powers = [float(k) ** weight for k in range(min(len(hypothesis), len(reference)) + 1)]
    above = [_Cell()] * (len(hypothesis) + 1)
    for i, ref_word in enumerate(reference):
        row = [_Cell()]
        for j, hyp_word in enumerate(hypothesis):
            if ref_word != hyp_word:
                row.append(above[j + 1] if above[j + 1].size >= row[j].size else row[j])
                row[-1] = row[-1]._replace(run=0)
                continue
            before = above[j]
            size = before.size + powers[before.run + 1] - powers[before.run]
            if before.ref_last == i - 1:
                closed, ref_run = before.closed, before.ref_run + 1
            else:
                closed, ref_run = before.closed + powers[before.ref_run], 1
            row.append(_Cell(size, before.run + 1, closed, ref_run, i))
        above = row
    end = above[-1]
    return end.size, end.closed + powers[end.ref_run]


@kernel
def skip_bigram_matches(pairs: Pairs, *, gap: int, unigrams: str) -> Counts:
    """Clipped matches of skip-bigrams: two words in order with at most `gap` words between them, -1 for any number.

    Returns:
        int64, shape (n,); `unigrams`, one of ``UNIGRAMS``, adds matches of words.
    """
    if unigrams not in UNIGRAMS:
        raise ValueError(f"unknown rule for unigrams '{unigrams}'")
    matches = []
    for hypothesis, reference in pairs.each():
        in_hyp, in_ref = positions(hypothesis), positions(reference)
        found = 0
        # One first word at a time, since all skip-bigrams of a long text would not fit into memory.
        for first in in_hyp.keys() & in_ref.keys():
            after_hyp = _followers(hypothesis, in_hyp[first], gap=gap, unigrams=unigrams)
            after_ref = _followers(reference, in_ref[first], gap=gap, unigrams=unigrams)
            found += (after_hyp & after_ref).total()
        matches.append(found)
    return np.array(matches, dtype=np.int64)


def _followers(text: list[int], starts: list[int], *, gap: int, unigrams: str) -> Counter[int | None]:
    """Second words of the skip-bigrams that begin at some positions; None for the word alone."""
    counts: Counter[int | None] = Counter()
    for i in starts:
        counts.update(text[i + 1 :] if gap < 0 else text[i + 1 : i + gap + 2])
        counts[None] += unigrams == "all" or (unigrams == "all but last" and i < len(text) - 1)
    return counts
