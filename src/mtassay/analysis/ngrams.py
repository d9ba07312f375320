"""n-grams that one system has right, or gets wrong, more often than another.

The salience of an n-gram with counts c₁ and c₂ in two systems is (c₁ + 1) / (c₁ + c₂ + 2) (compare-mt). An n-gram that
is inside a longer one with the same counts is hidden, since it adds no information. Differences are tested by
exchanging segments (``mtassay.stats.sign_flips``). P-values are corrected over all n-grams of a kind that are not
hidden and differ in enough segments to become significant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.analysis.ngram_counts import KINDS, LONGEST, Ngrams, count_some, total_ngrams
from mtassay.stats.adjust import adjust as adjust_p
from mtassay.stats.sign_flips import p_of_sums, smallest_p

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.analysis.matching import WordMatches
    from mtassay.analysis.ngram_counts import SegmentCounts
    from mtassay.types import Array, Bools, Counts, Floats, Index, Ints


@dataclass(frozen=True, kw_only=True, eq=False)
class NgramDifference:
    """An n-gram with different counts in two systems.

    Attributes:
        words: the n-gram.
        counts: counts in the two systems.
        salience: (c₁ + 1) / (c₁ + c₂ + 2).
        p: p-value of the difference.
        adjusted: the corrected p-value; NaN if too few segments differ for a test.
        significant: whether the corrected p-value is significant.
        segments: the segments in which the counts of the two systems differ, from 0.
        all_counts: counts in all systems, shape (systems,).
    """

    words: tuple[str, ...]
    counts: tuple[int, int]
    salience: float
    p: float
    adjusted: float
    significant: bool
    segments: Index
    all_counts: Counts


@dataclass(frozen=True, eq=False)
class NgramView:
    """n-grams of all systems, and those whose counts differ most between two systems.

    Attributes:
        totals: matched, over- and under-generated n-grams, shape (systems, lengths 1 to 4, kinds).
        pair: numbers of the two systems; None if there is only one system.
        differences: by kind, the n-grams of which the first system has more, highest salience first, and those of which
            the second has more, lowest salience first.
        n_tested: by kind, the number of tested n-grams.
        n_significant: by kind, the number of significant n-grams.
    """

    totals: Counts
    pair: tuple[int, int] | None
    differences: dict[str, tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]]
    n_tested: dict[str, int]
    n_significant: dict[str, int]


def ngram_view(
    matches: WordMatches,
    vocabulary: Sequence[str],
    pair: tuple[int, int] | None,
    *,
    top: int,
    alpha: float,
    adjust: str,
) -> NgramView:
    """Count the n-grams of all systems, and compare two of them.

    Args:
        matches: the words.
        vocabulary: the words by their ids.
        pair: numbers of the two systems.
        top: number of n-grams to list for each kind and each of the two systems.
        alpha: significance level; corrected p-values up to it are significant.
        adjust: correction of p-values.
    """
    view = NgramView(total_ngrams(matches), pair, {}, {}, {})
    if pair is None:
        return view
    ngrams = Ngrams(matches, pair)
    counted = [ngrams.count(length) for length in range(1, LONGEST + 1)]
    tables = [_NgramTable(ngrams, counted, kind) for kind in range(len(KINDS))]
    sides = [[table.listed(side, top) for side in (1, -1)] for table in tables]
    of_all = _counts_of_all(matches, pair, tables, sides)
    for name, table, of_sides in zip(KINDS, tables, sides, strict=True):
        p, tested = table.p_values(np.concatenate(of_sides), alpha)
        adjusted = np.full(len(p), np.nan)
        adjusted[tested] = adjust_p(p[tested], adjust)
        view.n_tested[name], view.n_significant[name] = int(tested.sum()), int((adjusted <= alpha).sum())
        first, second = (
            tuple(
                _entry(table, row, p=p[row], adjusted=adjusted[row], alpha=alpha, of_all=of_all, vocabulary=vocabulary)
                for row in rows.tolist()
            )
            for rows in of_sides
        )
        view.differences[name] = (first, second)
    return view


class _NgramTable:
    """n-grams of all lengths of one kind that occur in one of two systems and are not hidden.

    Attributes:
        kind: number of the kind.
        length: length of each n-gram, shape (n,).
        number: number of each n-gram among those of its length, shape (n,).
        counts: counts in the two systems, shape (n, 2).
    """

    def __init__(self, ngrams: Ngrams, counted: Sequence[SegmentCounts], kind: int) -> None:
        totals = [of.totals(size, kind) for of, size in zip(counted, ngrams.sizes, strict=True)]
        shown = [
            np.flatnonzero((first + second > 0) & ~hidden)
            for (first, second), hidden in zip(totals, ngrams.hidden(totals), strict=True)
        ]
        self._ngrams = ngrams
        #: For each length: n-gram, segment and difference of the two systems, for segments in which they differ.
        self._differences = [of_length.differences(kind) for of_length in counted]
        self.kind = kind
        self.length: Ints = np.repeat(np.arange(1, LONGEST + 1), [len(rows) for rows in shown])
        self.number: Ints = np.concatenate(shown)
        self.counts: Counts = np.concatenate([of[:, rows].T for of, rows in zip(totals, shown, strict=True)])

    def listed(self, side: int, top: int) -> Index:
        """Rows of which the first system has more (side 1), or the second (-1), most salient first."""
        excess = side * (self.counts[:, 0] - self.counts[:, 1])
        rows = np.flatnonzero(excess > 0)
        # With equal salience, longer n-grams come first: they are more informative.
        order = np.lexsort((self.number[rows], -self.length[rows], -side * salience(self.counts[rows])))
        chosen: Index = rows[order[:top]]
        return chosen

    def p_values(self, listed: Index, alpha: float) -> tuple[Floats, Bools]:
        """P-values of the rows that are listed or can become significant, and which can; NaN for others."""
        p, tested = np.full(len(self.length), np.nan), np.zeros(len(self.length), dtype=bool)
        wanted = np.zeros(len(self.length), dtype=bool)
        wanted[listed] = True
        for n, (ngram, _, difference) in enumerate(self._differences, 1):
            rows, size = np.flatnonzero(self.length == n), self._ngrams.sizes[n - 1]
            tested[rows] = smallest_p(np.bincount(ngram, minlength=size)[self.number[rows]]) <= alpha
            rows = rows[tested[rows] | wanted[rows]]
            place = np.full(size, -1)
            place[self.number[rows]] = np.arange(len(rows))
            there = place[ngram] >= 0
            p[rows] = p_of_sums(place[ngram[there]], difference[there], len(rows))
        return p, tested

    def words(self, row: int) -> tuple[int, ...]:
        """The ids of the words of an n-gram."""
        return self._ngrams.words(int(self.length[row]), int(self.number[row]))

    def segments(self, row: int) -> Index:
        """The segments in which the two systems differ."""
        ngram, segment, _ = self._differences[self.length[row] - 1]
        differing: Index = segment[ngram == self.number[row]]
        return differing


def _counts_of_all(
    matches: WordMatches, pair: tuple[int, int], tables: Sequence[_NgramTable], listed: Sequence[Sequence[Index]]
) -> Callable[[_NgramTable, int], Counts]:
    """A function from a listed row of a table to its counts in all systems; those of the pair are already known."""
    if matches.n_systems == len(pair):
        return lambda table, row: table.counts[row, np.argsort(pair)]
    some = sorted({table.words(row) for table, of in zip(tables, listed, strict=True) for row in np.concatenate(of)})
    every = dict(zip(some, count_some(matches, some), strict=True))
    return lambda table, row: every[table.words(row)][:, table.kind]


def _entry(
    table: _NgramTable,
    row: int,
    *,
    p: float,
    adjusted: float,
    alpha: float,
    of_all: Callable[[_NgramTable, int], Counts],
    vocabulary: Sequence[str],
) -> NgramDifference:
    words = table.words(row)
    return NgramDifference(
        words=tuple(vocabulary[word] for word in words),
        counts=(int(table.counts[row, 0]), int(table.counts[row, 1])),
        salience=float(salience(table.counts[[row]])[0]),
        p=float(p),
        adjusted=float(adjusted),
        significant=bool(adjusted <= alpha),
        segments=table.segments(row),
        all_counts=of_all(table, row),
    )


def salience(counts: Array) -> Floats:
    """(c₁ + 1) / (c₁ + c₂ + 2) of counts (n, 2).

    >>> salience(np.array([[3, 1]])).round(3).tolist()
    [0.667]
    """
    found: Floats = (counts[:, 0] + 1.0) / (counts.sum(axis=1) + 2.0)
    return found
