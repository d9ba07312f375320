"""Words by bucket: how many words of each kind a system gets right.

A matched word of an output is in the bucket of its reference word; an unmatched word is in its own bucket.

    precision = matched / words of outputs,   recall = matched / words of references,   F1 = 2 · matched / (both)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.analysis.bucket_tests import test_on_all_segments
from mtassay.analysis.buckets import bucket_of, by_label, labels_of_cutoffs
from mtassay.analysis.matching import text_of_words
from mtassay.errors import InputError
from mtassay.stats.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtassay.analysis.bucket_tests import BucketResampling, BucketTests
    from mtassay.analysis.matching import WordMatches
    from mtassay.execution import Execution
    from mtassay.types import Array, Counts, Floats, Index

#: The smallest frequency of each bucket, except the first, which begins at 0.
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)
CASES = ("lower case", "upper case", "title case", "other")
NUMBERS = ("number", "digits and letters", "no digits")


@dataclass(frozen=True, eq=False)
class WordBuckets:
    """A division of words.

    Attributes:
        name: name of the view.
        title: title of the view.
        labels: names of the buckets.
        outputs: the bucket of each word of the outputs, shape (words,).
        references: the bucket of each word of the references, shape (words,).
    """

    name: str
    title: str
    labels: tuple[str, ...]
    outputs: Index
    references: Index


@dataclass(frozen=True, kw_only=True, eq=False)
class WordView:
    """Words of all systems by bucket; buckets without words are left out.

    Attributes:
        name: name of the view.
        title: title of the view.
        labels: names of the buckets.
        matched: number of matched words of outputs, shape (buckets, systems).
        in_output: number of words of outputs, shape (buckets, systems).
        in_reference: number of words of the references that outputs are compared with, shape (buckets, systems).
        segments: for each bucket, the segments (from 0) in which a reference or an output has a word of the bucket.
        tests: tests of F1.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    matched: Counts
    in_output: Counts
    in_reference: Counts
    segments: tuple[Index, ...]
    tests: BucketTests

    @property
    def precision(self) -> Floats:
        """Share of output words that match, shape (buckets, systems); NaN without any."""
        return _share(self.matched, self.in_output)

    @property
    def recall(self) -> Floats:
        """Share of reference words that are matched, shape (buckets, systems); NaN without any."""
        return _share(self.matched, self.in_reference)

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall, shape (buckets, systems); NaN without words."""
        return self.tests.scores


def _share(some: Counts, of: Counts) -> Floats:
    share: Floats = np.where(of > 0, some / np.maximum(of, 1), np.nan)
    return share


def by_frequency(matches: WordMatches, counts: Array, source: str) -> WordBuckets:
    """Words by how often they occur in a corpus; `counts` has a number per word of the vocabulary."""
    buckets = bucket_of(counts, FREQUENCIES)
    title = f"words by frequency in {source}"
    return _by_type(matches, buckets, "frequency", title, labels_of_cutoffs(FREQUENCIES, lowest=0))


def by_case(matches: WordMatches, vocabulary: Sequence[str]) -> WordBuckets:
    """Words by letter case: the first of Python's ``islower``, ``isupper`` and ``istitle`` that is true."""
    cases = [np.fromiter(map(test, vocabulary), bool) for test in (str.islower, str.isupper, str.istitle)]
    return _by_type(matches, np.select(cases, [0, 1, 2], 3), "case", "words by letter case", CASES)


def by_number(matches: WordMatches, vocabulary: Sequence[str]) -> WordBuckets:
    """Words by whether they are numbers: digits without letters."""
    buckets = np.array([_number(word) for word in vocabulary], dtype=np.int64)
    return _by_type(matches, buckets, "number", "numbers and other words", NUMBERS)


def _number(word: str) -> int:
    if not any(map(str.isdigit, word)):
        return 2
    return 1 if any(map(str.isalpha, word)) else 0


def _by_type(matches: WordMatches, buckets: Index, name: str, title: str, labels: tuple[str, ...]) -> WordBuckets:
    return WordBuckets(name, title, labels, buckets[matches.outputs.ids], buckets[matches.references.ids])


def by_word_label(outputs: Iterable[str], references: Iterable[str], title: str, *, name: str = "label") -> WordBuckets:
    """Words by given labels, one for each word of all outputs and of all references; the most frequent label first."""
    references, outputs = list(references), list(outputs)
    labels, numbers = by_label([*references, *outputs])
    order = np.argsort(-np.bincount(numbers[: len(references)], minlength=len(labels)), kind="stable")
    place = np.argsort(order)[numbers] if len(labels) else numbers
    names = tuple(labels[number] for number in order)
    return WordBuckets(name, title, names, place[len(references) :], place[: len(references)])


def count_words(matches: WordMatches, buckets: WordBuckets) -> Counts:
    """Matched words, words of the output and of the reference, shape (buckets, systems, segments, 3)."""
    n_outputs, n_references = len(matches.outputs.offsets) - 1, len(matches.references.offsets) - 1
    n_buckets, shape = len(buckets.labels), (-1, matches.n_systems, matches.n_segments)
    matched = matches.matched
    own = buckets.outputs.copy()
    own[matched] = buckets.references[matches.partner[matched]]
    keys = own * n_outputs + text_of_words(matches.outputs)
    in_output = np.bincount(keys, minlength=n_buckets * n_outputs).reshape(shape)
    n_matched = np.bincount(keys[matched], minlength=n_buckets * n_outputs).reshape(shape)
    keys = buckets.references * n_references + text_of_words(matches.references)
    in_reference = np.bincount(keys, minlength=n_buckets * n_references).reshape(n_buckets, n_references)
    return np.stack([n_matched, in_output, in_reference[:, matches.chosen]], axis=-1)


def f1_of(totals: Array) -> Floats:
    """F1 from matched words, words of outputs and of references, shape (..., 3) -> (...); NaN without words."""
    both = totals[..., 1] + totals[..., 2]
    with np.errstate(invalid="ignore"):
        f1: Floats = 2.0 * totals[..., 0] / both
    return f1


def word_views(
    divisions: Sequence[tuple[WordMatches, WordBuckets]], resampling: BucketResampling, *, execution: Execution
) -> list[WordView]:
    """Count the words of each bucket of each division, and test all of them on the same resamples."""
    if not divisions:
        return []
    counted = [_Counted(buckets, count_words(matches, buckets)) for matches, buckets in divisions]
    samples = [[Sample(of.counts[bucket], f1_of) for bucket in of.kept] for of in counted]
    tests = test_on_all_segments(samples, resampling, execution=execution)
    return [of.view(of_view) for of, of_view in zip(counted, tests, strict=True)]


class _Counted:
    """Counts of a division, shape (buckets, systems, segments, 3), and the buckets that have words."""

    def __init__(self, buckets: WordBuckets, counts: Counts) -> None:
        self._buckets = buckets
        self.counts = counts
        self._segments = [np.flatnonzero(of_bucket[..., 1:].any(axis=(0, 2))) for of_bucket in counts]
        self.kept = [bucket for bucket, segments in enumerate(self._segments) if len(segments)]
        if not self.kept:
            raise InputError(f"there are no words, so there is nothing to show for {buckets.title}")

    def view(self, tests: BucketTests) -> WordView:
        """The division with its tests."""
        totals = self.counts[self.kept].sum(axis=2)
        return WordView(
            name=self._buckets.name,
            title=self._buckets.title,
            labels=tuple(self._buckets.labels[bucket] for bucket in self.kept),
            matched=totals[..., 0],
            in_output=totals[..., 1],
            in_reference=totals[..., 2],
            segments=tuple(self._segments[bucket] for bucket in self.kept),
            tests=tests,
        )
