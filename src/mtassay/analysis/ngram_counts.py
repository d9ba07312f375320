"""Counts of n-grams: in each segment of two systems, and over all segments of all systems.

In each segment, min(count in the output, count in the reference) occurrences of an n-gram are *matched*; the other
occurrences in the output are *over-generated*, and the others in the reference *under-generated*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.analysis.matching import text_of_words
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ngram_numbers import count_in_segments, number_pairs
from mtassay.kernels.ngrams import ngram_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.analysis.matching import WordMatches
    from mtassay.types import Bools, Counts, Index, Ints

LONGEST = 4
KINDS = ("matched", "over-generated", "under-generated")


class Ngrams:
    """All n-grams of two systems and of the references, numbered by length."""

    def __init__(self, matches: WordMatches, pair: tuple[int, int]) -> None:
        outputs = [_of_system(matches, system) for system in pair]
        parts = [*outputs, matches.references]
        ids = np.concatenate([part.ids for part in parts]).astype(np.int64)
        starts = np.cumsum([0, *(len(part.ids) for part in parts)])
        chosen = [matches.chosen[system] for system in pair]
        #: Texts, and the text of each segment: outputs of both systems, and the references that they are compared with,
        #: which may be the same for both.
        texts = [(starts[n], part.offsets, np.arange(matches.n_segments)) for n, part in enumerate(outputs)]
        of_references = chosen[:1] if np.array_equal(*chosen) else chosen
        texts += [(starts[2], matches.references.offsets, text) for text in of_references]
        self._begins = np.stack([start + offsets[text] for start, offsets, text in texts], axis=1)
        self._ends = np.stack([start + offsets[text + 1] for start, offsets, text in texts], axis=1)
        ends = np.concatenate(
            [a + part.offsets[1:][text_of_words(part)] for a, part in zip(starts, parts, strict=False)]
        )
        #: For each length, the number of the n-gram that begins at each word; -1 if the text ends before.
        self._numbers: list[Ints] = [ids]
        #: For each length from 2 on: the n-grams without their last word, and their last words.
        self._prefixes: list[tuple[Ints, Ints]] = []
        #: For each length from 2 on: the n-grams without their first word.
        self._suffixes: list[Ints] = []
        self.sizes = [int(ids.max(initial=0)) + 1]
        for length in range(2, LONGEST + 1):
            shorter = self._numbers[-1]
            begins = np.flatnonzero(np.arange(len(ids)) + length <= ends)
            numbers, rows = number_pairs(shorter[begins], ids[begins + length - 1])
            first = begins[rows]
            self._prefixes.append((shorter[first], ids[first + length - 1]))
            self._suffixes.append(shorter[first + 1])
            self._numbers.append(np.full(len(ids), -1, dtype=np.int64))
            self._numbers[-1][begins] = numbers
            self.sizes.append(len(rows))

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
        numbers, n_numbers = self._numbers[length - 1], self.sizes[length - 1]
        segment, ngram, counts = count_in_segments(numbers, self._begins, self._ends, n_numbers=n_numbers)
        # The last text is the reference of the second system, and of the first if both have the same.
        both = [_kinds(counts[:, 0], counts[:, 2]), _kinds(counts[:, 1], counts[:, -1])]
        return SegmentCounts(segment, ngram, np.stack(both, axis=1))

    def hidden(self, totals: Sequence[Counts]) -> list[Bools]:
        """Which n-grams that occur are inside a longer one with the same counts.

        Args:
            totals: counts of two systems for each length, shape (2, n-grams).
        """
        joined = [first << 32 | second for first, second in totals]
        hidden = [np.zeros(len(of_length), dtype=bool) for of_length in joined]
        for shorter in range(LONGEST - 1):
            counted = np.flatnonzero(joined[shorter + 1])
            longer = joined[shorter + 1][counted]
            for part in (self._prefixes[shorter][0], self._suffixes[shorter]):
                inside = part[counted]
                hidden[shorter][inside[joined[shorter][inside] == longer]] = True
        return hidden


def _of_system(matches: WordMatches, system: int) -> Tokens:
    offsets = matches.outputs.offsets[system * matches.n_segments : (system + 1) * matches.n_segments + 1]
    return Tokens(matches.outputs.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def _kinds(output: Counts, reference: Counts) -> Counts:
    """Matched, over- and under-generated occurrences, shape (kinds, n), of counts (n,)."""
    matched = np.minimum(output, reference)
    return np.stack([matched, output - matched, reference - matched])


@dataclass(frozen=True, eq=False)
class SegmentCounts:
    """Counts of n-grams of one length in the segments of two systems.

    Attributes:
        segment: shape (n,).
        ngram: number of the n-gram, shape (n,).
        counts: matched, over- and under-generated, shape (kinds, systems, n).
    """

    segment: Index
    ngram: Index
    counts: Counts

    def totals(self, n_ngrams: int, kind: int) -> Counts:
        """Counts of each n-gram over all segments, shape (systems, n-grams)."""
        totals = np.empty((len(self.counts[kind]), n_ngrams), dtype=np.int64)
        for system, counts in enumerate(self.counts[kind]):
            there = np.flatnonzero(counts)
            totals[system] = np.bincount(self.ngram[there], weights=counts[there], minlength=n_ngrams)
        return totals

    def differences(self, kind: int) -> tuple[Index, Index, Ints]:
        """n-gram, segment, and difference of the two systems, for all segments in which they differ."""
        first, second = self.counts[kind]
        difference = first - second
        there = np.flatnonzero(difference)
        return self.ngram[there], self.segment[there], difference[there]


def total_ngrams(matches: WordMatches) -> Counts:
    """Matched, over- and under-generated n-grams of all systems, shape (systems, lengths, kinds)."""
    texts = np.arange(matches.chosen.size)
    pairs = Pairs(matches.outputs, matches.references, texts, matches.chosen.ravel())
    shape = (*matches.chosen.shape, LONGEST)
    matched = ngram_matches(pairs, order=LONGEST).reshape(shape).sum(axis=1)
    in_output, in_reference = (
        np.maximum(lengths[:, None] - np.arange(LONGEST), 0).reshape(shape).sum(axis=1) for lengths in pairs.lengths
    )
    return np.stack([matched, in_output - matched, in_reference - matched], axis=-1)


def count_some(matches: WordMatches, ngrams: Sequence[tuple[int, ...]]) -> Counts:
    """Occurrences of some n-grams in all systems, shape (n-grams, systems, kinds)."""
    outputs, references = (_Places(tokens, ngrams) for tokens in (matches.outputs, matches.references))
    chosen = matches.chosen.ravel()
    found = np.zeros((len(ngrams), matches.n_systems, len(KINDS)), dtype=np.int64)
    for row, words in enumerate(ngrams):
        in_output, in_reference = outputs.count(words), references.count(words)
        there = np.flatnonzero(in_output)
        matched = np.minimum(in_output[there], in_reference[chosen[there]])
        n_matched, n_output = (
            np.bincount(there // matches.n_segments, weights=counts, minlength=matches.n_systems)
            for counts in (matched, in_output[there])
        )
        n_reference = in_reference[matches.chosen].sum(axis=1)
        found[row] = np.column_stack([n_matched, n_output - n_matched, n_reference - n_matched])
    return found


class _Places:
    """Where the first words of some n-grams are in texts."""

    def __init__(self, tokens: Tokens, ngrams: Sequence[tuple[int, ...]]) -> None:
        self._tokens = tokens
        is_first = np.zeros(1 + max([int(tokens.ids.max(initial=0)), *(words[0] for words in ngrams)]), dtype=bool)
        is_first[np.array([words[0] for words in ngrams], dtype=np.int64)] = True
        places = np.flatnonzero(is_first[tokens.ids])
        order = np.argsort(tokens.ids[places], kind="stable")
        self._places, self._ids = places[order], tokens.ids[places[order]]

    def count(self, words: tuple[int, ...]) -> Counts:
        """How often an n-gram occurs in each text."""
        ids, offsets = self._tokens
        first, last = np.searchsorted(self._ids, [words[0], words[0] + 1])
        begins = self._places[first:last]
        begins = begins[begins + len(words) <= len(ids)]
        for place, word in enumerate(words[1:], 1):
            begins = begins[ids[begins + place] == word]
        text = np.searchsorted(offsets, begins, side="right") - 1
        whole = begins + len(words) <= offsets[1:][text]
        return np.bincount(text[whole], minlength=len(offsets) - 1)
