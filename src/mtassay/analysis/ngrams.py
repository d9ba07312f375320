"""n-grams that one system has right, or gets wrong, more often than another.

In each segment, min(count in the output, count in the reference) occurrences of an n-gram are *matched*, the others of
the output *over-generated*, the others of the reference *under-generated*. The salience of an n-gram with counts c₁ and
c₂ in two systems is (c₁ + 1) / (c₁ + c₂ + 2) (compare-mt). An n-gram that is inside a longer one with the same counts
is hidden, since it says the same. Differences are tested by exchanging segments (``mtassay.analysis.sign_flips``);
the family of tests is all n-grams of a kind that are not hidden and differ in enough segments to become significant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.analysis.matching import text_of_words
from mtassay.analysis.sign_flips import p_of_sums, smallest_p
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ngrams import ngram_matches
from mtassay.stats.adjust import adjust as adjust_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.analysis.matching import WordMatches
    from mtassay.types import Array, Bools, Counts, Floats, Index, Ints

LONGEST = 4
KINDS = ("matched", "over-generated", "under-generated")


@dataclass(frozen=True, eq=False)
class NgramDifference:
    """An n-gram that two systems differ in.

    Attributes:
        words: the n-gram.
        counts: of the two systems.
        salience: (c₁ + 1) / (c₁ + c₂ + 2).
        p: p-value of the difference.
        adjusted: the same, corrected; NaN where too few segments differ for a test.
        significant: whether the corrected p-value is significant.
        segments: where the counts of the two systems differ, from 0.
        all_counts: of all systems, shape (systems,).
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
    """n-grams of all systems, and those that two systems differ in most.

    Attributes:
        totals: matched, over- and under-generated n-grams, shape (systems, lengths 1 to 4, kinds).
        pair: the two systems by number; None where there is one system.
        differences: by kind, those of which the first system has more, highest salience first, and those of which the
            second has more, lowest first.
        n_tested: by kind, how many n-grams were tested.
        n_significant: by kind, how many of them are significant.
    """

    totals: Counts
    pair: tuple[int, int] | None
    differences: dict[str, tuple[tuple[NgramDifference, ...], tuple[NgramDifference, ...]]]
    n_tested: dict[str, int]
    n_significant: dict[str, int]


class Ngrams:
    """All n-grams of two systems and of the references, numbered by length."""

    def __init__(self, matches: WordMatches, pair: tuple[int, int]) -> None:
        parts = [_of_system(matches, system) for system in pair] + [matches.references]
        ids = np.concatenate([part.ids for part in parts]).astype(np.int64)
        self._starts = np.cumsum([0, *(len(part.ids) for part in parts)])
        texts = [text_of_words(part) for part in parts]
        #: What is counted: the outputs of both systems and their references, by number of the part, and for each word
        #: the segment; -1 where another reference is taken.
        self._sides = [(0, texts[0]), (1, texts[1])]
        first, second = matches.chosen[pair[0]], matches.chosen[pair[1]]
        for chosen in (first,) if np.array_equal(first, second) else (first, second):
            segment_of_text = np.full(len(matches.references.offsets) - 1, -1)
            segment_of_text[chosen] = np.arange(matches.n_segments)
            self._sides.append((2, segment_of_text[texts[2]]))
        begins = self._starts[:-1]
        ends = np.concatenate([a + part.offsets[1:][text] for a, part, text in zip(begins, parts, texts, strict=True)])
        n_words = int(ids.max(initial=0)) + 1
        #: For each length the number of the n-gram that begins at each word; -1 where the text is over.
        self._numbers: list[Ints] = [ids]
        #: For each length from 2 on the n-grams without their last word, their last words, and without their first.
        self._prefixes: list[tuple[Ints, Ints]] = []
        self._suffixes: list[Ints] = []
        self.sizes = [n_words]
        for length in range(2, LONGEST + 1):
            begins = np.flatnonzero(np.arange(len(ids)) + length <= ends)
            keys = self._numbers[-1][begins] * n_words + ids[begins + length - 1]
            different, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
            self._prefixes.append((different // n_words, different % n_words))
            self._suffixes.append(self._numbers[-1][begins[first] + 1])
            self._numbers.append(np.full(len(ids), -1, dtype=np.int64))
            self._numbers[-1][begins] = numbers
            self.sizes.append(len(different))

    def words(self, length: int, number: int) -> tuple[int, ...]:
        """The ids of the words of an n-gram."""
        rest: list[int] = []
        for of_length in range(length, 1, -1):
            prefix, last = self._prefixes[of_length - 2]
            rest.append(int(last[number]))
            number = int(prefix[number])
        return (number, *reversed(rest))

    def count(self, length: int) -> SegmentCounts:
        """Count the n-grams of one length in each segment of the two systems."""
        size, numbers = self.sizes[length - 1], self._numbers[length - 1]
        # Outputs and references side by side: each number of an n-gram in a segment, and whose it is, is one key.
        keys = []
        for side, (part, segment) in enumerate(self._sides):
            of_part = numbers[self._starts[part] : self._starts[part + 1]]
            there = np.flatnonzero((of_part >= 0) & (segment >= 0))
            keys.append((segment[there] * size + of_part[there]) * len(self._sides) + side)
        in_order = np.sort(np.concatenate(keys))
        firsts = np.flatnonzero(np.diff(in_order, prepend=-1))
        every, side_of = np.divmod(in_order[firsts], len(self._sides))
        is_new = np.diff(every, prepend=-1) != 0
        counts = np.zeros((int(is_new.sum()), len(self._sides)), dtype=np.int64)
        counts[np.cumsum(is_new) - 1, side_of] = np.diff(firsts, append=len(in_order))
        segment, ngram = np.divmod(every[is_new], size)
        # The last side is the reference of the second system, and of the first where they share it.
        both = [_kinds(counts[:, 0], counts[:, 2]), _kinds(counts[:, 1], counts[:, -1])]
        return SegmentCounts(segment, ngram, np.stack(both))

    def hidden(self, totals: Sequence[Counts]) -> list[Bools]:
        """Which n-grams are inside a longer one with the same counts; `totals` has (n-grams, 2) for each length."""
        joined = [of_length[:, 0] << 32 | of_length[:, 1] for of_length in totals]
        hidden = [np.zeros(len(of_length), dtype=bool) for of_length in totals]
        for shorter in range(LONGEST - 1):
            for inside in (self._prefixes[shorter][0], self._suffixes[shorter]):
                hidden[shorter][inside[joined[shorter][inside] == joined[shorter + 1]]] = True
        return hidden


def _of_system(matches: WordMatches, system: int) -> Tokens:
    offsets = matches.outputs.offsets[system * matches.n_segments : (system + 1) * matches.n_segments + 1]
    return Tokens(matches.outputs.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def _kinds(output: Counts, reference: Counts) -> Counts:
    """Matched, over- and under-generated occurrences, shape (n, kinds), of counts (n,)."""
    matched = np.minimum(output, reference)
    return np.stack([matched, output - matched, reference - matched], axis=-1)


@dataclass(frozen=True, eq=False)
class SegmentCounts:
    """Counts of n-grams of one length in the segments of two systems.

    Attributes:
        segment: shape (n,).
        ngram: number of the n-gram, shape (n,).
        counts: matched, over- and under-generated, shape (systems, n, kinds).
    """

    segment: Index
    ngram: Index
    counts: Counts

    def totals(self, n_ngrams: int, kind: int) -> Counts:
        """Counts of each n-gram over all segments, shape (n-grams, systems)."""
        columns = [np.bincount(self.ngram, weights=of[:, kind], minlength=n_ngrams) for of in self.counts]
        return np.stack(columns, axis=-1).astype(np.int64)

    def differences(self, kind: int) -> tuple[Index, Index, Ints]:
        """n-gram, segment, and difference of the two systems, where they differ."""
        difference = self.counts[0, :, kind] - self.counts[1, :, kind]
        there = np.flatnonzero(difference)
        return self.ngram[there], self.segment[there], difference[there]


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
        pair: two systems by number.
        top: how many n-grams to list of each kind and direction.
        alpha: corrected p-values up to here are significant.
        adjust: correction of p-values.
    """
    view = NgramView(_totals(matches), pair, {}, {}, {})
    if pair is None:
        return view
    ngrams = Ngrams(matches, pair)
    counted = [ngrams.count(length) for length in range(1, LONGEST + 1)]
    for kind, name in enumerate(KINDS):
        table = _table(ngrams, counted, kind, alpha=alpha, adjust=adjust)
        view.n_tested[name] = int((~np.isnan(table.adjusted)).sum())
        view.n_significant[name] = int((table.adjusted <= alpha).sum())
        first, second = (
            tuple(_entry(ngrams, table, row, kind, matches, vocabulary, alpha) for row in table.listed(side, top))
            for side in (1, -1)
        )
        view.differences[name] = (first, second)
    return view


def _totals(matches: WordMatches) -> Counts:
    """Matched, over- and under-generated n-grams, shape (systems, lengths, kinds)."""
    texts = np.arange(matches.chosen.size)
    pairs = Pairs(matches.outputs, matches.references, texts, matches.chosen.ravel())
    shape = (*matches.chosen.shape, LONGEST)
    matched = ngram_matches(pairs, order=LONGEST).reshape(shape).sum(axis=1)
    in_output, in_reference = (
        np.maximum(lengths[:, None] - np.arange(LONGEST), 0).reshape(shape).sum(axis=1) for lengths in pairs.lengths
    )
    return np.stack([matched, in_output - matched, in_reference - matched], axis=-1)


def count_ngram(matches: WordMatches, words: tuple[int, ...]) -> Counts:
    """Matched, over- and under-generated occurrences of one n-gram in each system, shape (systems, kinds)."""
    in_output, in_reference = (_occurrences(tokens, words) for tokens in (matches.outputs, matches.references))
    outputs, references = in_output.reshape(matches.chosen.shape), in_reference[matches.chosen]
    matched = np.minimum(outputs, references)
    return np.stack([of.sum(axis=1) for of in (matched, outputs - matched, references - matched)], axis=-1)


def _occurrences(tokens: Tokens, words: tuple[int, ...]) -> Counts:
    """How often an n-gram occurs in each text."""
    begins = np.flatnonzero(tokens.ids == words[0])
    text = np.searchsorted(tokens.offsets, begins, side="right") - 1
    whole = begins + len(words) <= tokens.offsets[1:][text]
    begins, text = begins[whole], text[whole]
    for place, word in enumerate(words[1:], 1):
        same = tokens.ids[begins + place] == word
        begins, text = begins[same], text[same]
    return np.bincount(text, minlength=len(tokens.offsets) - 1)


@dataclass(frozen=True, eq=False)
class _Table:
    """n-grams of all lengths of one kind in two systems, those that are not hidden and occur in either.

    Attributes:
        length: shape (n,).
        number: of the n-gram among those of its length, shape (n,).
        counts: shape (n, 2).
        adjusted: corrected p-values; NaN where too few segments differ.
        differences: for each length, n-gram, segment and difference of the two systems, where they differ.
    """

    length: Ints
    number: Ints
    counts: Counts
    adjusted: Floats
    differences: list[tuple[Index, Index, Ints]]

    def listed(self, side: int, top: int) -> Index:
        """Rows of which the first system has more (side 1), or the second (-1), most salient first."""
        excess = side * (self.counts[:, 0] - self.counts[:, 1])
        rows = np.flatnonzero(excess > 0)
        # Of equal salience the longer ones first: they say more.
        order = np.lexsort((self.number[rows], -self.length[rows], -side * salience(self.counts[rows])))
        chosen: Index = rows[order[:top]]
        return chosen


def _table(ngrams: Ngrams, counted: Sequence[SegmentCounts], kind: int, *, alpha: float, adjust: str) -> _Table:
    totals = [of.totals(size, kind) for of, size in zip(counted, ngrams.sizes, strict=True)]
    shown = [
        np.flatnonzero(of_length.any(axis=1) & ~hidden)
        for of_length, hidden in zip(totals, ngrams.hidden(totals), strict=True)
    ]
    differences = [of_length.differences(kind) for of_length in counted]
    p: list[Floats] = []
    for (ngram, _, difference), rows, size in zip(differences, shown, ngrams.sizes, strict=True):
        n_differing = np.bincount(ngram, minlength=size)
        tested = rows[smallest_p(n_differing[rows]) <= alpha]
        found = np.full(size, np.nan)
        place = np.full(size, -1)
        place[tested] = np.arange(len(tested))
        some = place[ngram] >= 0
        found[tested] = p_of_sums(place[ngram[some]], difference[some], len(tested))
        p.append(found[rows])
    adjusted = np.concatenate(p)
    testable = ~np.isnan(adjusted)
    adjusted[testable] = adjust_p(adjusted[testable], adjust)
    return _Table(
        length=np.repeat(np.arange(1, LONGEST + 1), [len(rows) for rows in shown]),
        number=np.concatenate(shown),
        counts=np.concatenate([of_length[rows] for of_length, rows in zip(totals, shown, strict=True)]),
        adjusted=adjusted,
        differences=differences,
    )


def _entry(
    ngrams: Ngrams,
    table: _Table,
    row: int,
    kind: int,
    matches: WordMatches,
    vocabulary: Sequence[str],
    alpha: float,
) -> NgramDifference:
    length, number = int(table.length[row]), int(table.number[row])
    ngram, segment, difference = table.differences[length - 1]
    here = ngram == number
    words = ngrams.words(length, number)
    return NgramDifference(
        words=tuple(vocabulary[word] for word in words),
        counts=(int(table.counts[row, 0]), int(table.counts[row, 1])),
        salience=float(salience(table.counts[[row]])[0]),
        p=float(p_of_sums(np.zeros(here.sum(), dtype=np.int64), difference[here], 1)[0]),
        adjusted=float(table.adjusted[row]),
        significant=bool(table.adjusted[row] <= alpha),
        segments=segment[here],
        all_counts=count_ngram(matches, words)[:, kind],
    )


def salience(counts: Array) -> Floats:
    """(c₁ + 1) / (c₁ + c₂ + 2) of counts (n, 2).

    >>> salience(np.array([[3, 1]])).round(3).tolist()
    [0.667]
    """
    found: Floats = (counts[:, 0] + 1.0) / (counts.sum(axis=1) + 2.0)
    return found
