"""Matches, buckets of words and n-grams against loops written from the definitions."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.analysis.bucket_tests import BucketResampling
from mtassay.analysis.ngram_counts import KINDS, Ngrams, count_some
from mtassay.analysis.ngrams import ngram_view
from mtassay.analysis.views import TokenisedTexts, tokenise
from mtassay.analysis.words import FREQUENCIES, by_case, by_frequency, by_number, count_words, word_views
from mtassay.data import TestSet
from mtassay.execution import SERIAL
from mtassay.stats.procedures import Procedure

Texts = list[list[str]]
_text = st.lists(st.sampled_from(["a", "b", "A", "Bb", "7", "x7", "."]), max_size=7).map(" ".join)


@st.composite
def sets(draw: st.DrawFn) -> TestSet:
    """Made test sets with one to three references, some of them missing, and one to three systems."""
    n_segments, n_references, n_systems = (draw(st.integers(1, n)) for n in (4, 3, 3))
    column = st.lists(_text, min_size=n_segments, max_size=n_segments)
    references: list[list[str | None]] = [[*draw(column)]]
    references += [
        draw(st.lists(st.one_of(st.none(), _text), min_size=n_segments, max_size=n_segments))
        for _ in range(n_references - 1)
    ]
    return TestSet(references, {f"s{n}": draw(column) for n in range(n_systems)})


def words_of(testset: TestSet) -> TokenisedTexts:
    return tokenise(testset, tok="none", case="mixed")


def n_matches(output: list[str], reference: list[str]) -> int:
    return (Counter(output) & Counter(reference)).total()


def chosen_reference(testset: TestSet, system: str, segment: int) -> list[str]:
    """The reference with most matches, the first in a tie."""
    output = testset.systems[system][segment].split()
    texts = [stream[segment] for stream in testset.references]
    return max((text.split() for text in texts if text is not None), key=lambda text: n_matches(output, text))


def expected_counts(testset: TestSet, bucket_of: dict[str, int], n_buckets: int) -> list[list[list[list[int]]]]:
    """Matched words, words of the output, words of the reference, by bucket, system and segment."""
    counts = np.zeros((n_buckets, len(testset.systems), testset.n_segments, 3), dtype=int)
    for s, (name, outputs) in enumerate(testset.systems.items()):
        for n, text in enumerate(outputs):
            reference = chosen_reference(testset, name, n)
            left = Counter(reference)
            for word in text.split():
                # The bucket of a word depends on the word only, so that of its match is its own.
                counts[bucket_of[word], s, n, 1] += 1
                if left[word] > 0:
                    left[word] -= 1
                    counts[bucket_of[word], s, n, 0] += 1
            for word in reference:
                counts[bucket_of[word], s, n, 2] += 1
    result: list[list[list[list[int]]]] = counts.tolist()
    return result


@given(sets())
def test_words_by_frequency_case_and_number(testset: TestSet) -> None:
    texts = words_of(testset)
    every = Counter(word for stream in testset.references for text in stream if text for word in text.split())
    by_hand = {
        "frequency": {word: sum(every[word] >= cutoff for cutoff in FREQUENCIES) for word in texts.vocabulary},
        "case": {"a": 0, "b": 0, "A": 1, "Bb": 2, "7": 3, "x7": 0, ".": 3},
        "number": {"a": 2, "b": 2, "A": 2, "Bb": 2, "7": 0, "x7": 1, ".": 2},
    }
    counts = np.bincount(texts.matches.references.ids, minlength=len(texts.vocabulary))
    for buckets in (
        by_frequency(texts.matches, counts, "the references"),
        by_case(texts.matches, texts.vocabulary),
        by_number(texts.matches, texts.vocabulary),
    ):
        found = count_words(texts.matches, buckets)
        assert found.tolist() == expected_counts(testset, by_hand[buckets.name], len(buckets.labels))


def test_a_matched_word_is_in_the_bucket_of_its_reference_word() -> None:
    """The i-th occurrence matches the i-th: labels tell them apart."""
    from mtassay.analysis.word_labels import by_given_labels

    testset = TestSet([["run run walk"]], {"x": ["run walk run run"]})
    texts = words_of(testset)
    buckets = by_given_labels(texts.matches, testset, [["N V V"], ["A B C D"]])
    counts = dict(zip(buckets.labels, count_words(texts.matches, buckets)[:, 0, 0].tolist(), strict=True))
    # First run: N; walk: V; second run: V; third run has no match and keeps its label D.
    assert counts == {"V": [2, 2, 2], "N": [1, 1, 1], "A": [0, 0, 0], "B": [0, 0, 0], "C": [0, 0, 0], "D": [0, 1, 0]}


def test_precision_recall_and_f1() -> None:
    testset = TestSet([["a a b", "c"]], {"x": ["a b b b", "d"], "y": ["", "c"]})
    texts = words_of(testset)
    counts = np.bincount(texts.matches.references.ids, minlength=len(texts.vocabulary))
    resampling = BucketResampling(Procedure("ar", resamples=50), 0.05, "none")
    (view,) = word_views([(texts.matches, by_frequency(texts.matches, counts, ""))], resampling, execution=SERIAL)
    assert view.labels == ("0", "1", "2")
    assert view.matched.tolist() == [[0, 0], [1, 1], [1, 0]]
    assert view.in_output.tolist() == [[1, 0], [3, 1], [1, 0]]
    assert view.in_reference.tolist() == [[0, 0], [2, 2], [2, 2]]
    np.testing.assert_allclose(view.precision, [[0, math.nan], [1 / 3, 1], [1, math.nan]])
    np.testing.assert_allclose(view.recall, [[math.nan] * 2, [1 / 2, 1 / 2], [1 / 2, 0]])
    np.testing.assert_allclose(view.f1, [[0, math.nan], [2 / 5, 2 / 3], [2 / 3, 0]])
    assert [index.tolist() for index in view.segments] == [[1], [0, 1], [0]]


def test_p_values_of_words_are_those_of_all_exchanges() -> None:
    """With seven segments all 128 exchanges are taken: F1 of each, by hand."""
    draw = np.random.default_rng(7)
    made = [[" ".join(draw.choice(list("abcd"), draw.integers(1, 6))) for _ in range(7)] for _ in range(3)]
    testset = TestSet([made[0]], {"x": made[1], "y": made[2]})
    texts = words_of(testset)
    buckets = by_frequency(texts.matches, np.array([1, 1, 2, 2]), "")
    resampling = BucketResampling(Procedure("ar", resamples=1000), 0.05, "none")
    (view,) = word_views([(texts.matches, buckets)], resampling, execution=SERIAL)
    vocabulary = {"1": texts.vocabulary[:2], "2": texts.vocabulary[2:]}

    def f1(outputs: list[str], words: tuple[str, ...]) -> float:
        matched = n_output = n_reference = 0
        for output, reference in zip(outputs, made[0], strict=True):
            left, right = ([word for word in text.split() if word in words] for text in (output, reference))
            matched, n_output, n_reference = (
                matched + n_matches(left, right),
                n_output + len(left),
                n_reference + len(right),
            )
        return 2 * matched / (n_output + n_reference)

    for b, label in enumerate(view.labels):
        found = []
        for swaps in product((0, 1), repeat=7):
            sides = [[made[1 + (swap ^ side)][n] for n, swap in enumerate(swaps)] for side in (0, 1)]
            found.append(f1(sides[0], vocabulary[label]) - f1(sides[1], vocabulary[label]))
        expected = np.mean(np.abs(found) >= abs(found[0]) - 1e-12)
        assert view.tests.p[b, 0, 1] == pytest.approx(float(expected), rel=1e-12)
        assert view.f1[b, 0] - view.f1[b, 1] == pytest.approx(found[0], rel=1e-12)


def test_intervals_of_words_are_bootstrap_percentiles_of_resamples_with_such_words() -> None:
    """The draws are those of ``compare``; a resample without a word of the bucket does not count."""
    from mtassay.stats.resamples import Resamples

    testset = TestSet([["a", "b", "b", "b c"]], {"x": ["a", "b", "c", "b"]})
    texts = words_of(testset)
    counts = np.bincount(texts.matches.references.ids, minlength=len(texts.vocabulary))
    resampling = BucketResampling(Procedure("ar", resamples=500, seed=3), 0.1, "none")
    (view,) = word_views([(texts.matches, by_frequency(texts.matches, counts, ""))], resampling, execution=SERIAL)
    weights = np.concatenate([Resamples(4, 500, seed=3)(range(n, min(n + 256, 500))) for n in (0, 256)])
    # Words that occur once: a matches in segment 1, c is wrong in segment 3 and missing in segment 4.
    matched, words = weights @ [1, 0, 0, 0], weights @ [2, 0, 1, 1]
    f1 = (2 * matched / np.maximum(words, 1))[words > 0]
    np.testing.assert_allclose(view.tests.intervals[0, 0], np.quantile(f1, [0.05, 0.95]))


def ngrams_of(words: list[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1))


def by_hand(testset: TestSet, system: str) -> list[Counter[tuple[str, ...]]]:
    """Matched, over- and under-generated n-grams of a system."""
    totals: list[Counter[tuple[str, ...]]] = [Counter(), Counter(), Counter()]
    for n, text in enumerate(testset.systems[system]):
        output, reference = ngrams_of(text.split()), ngrams_of(chosen_reference(testset, system, n))
        for kind, counts in enumerate((output & reference, output - reference, reference - output)):
            totals[kind].update(counts)
    return totals


@given(sets())
def test_ngram_counts(testset: TestSet) -> None:
    texts = words_of(testset)
    names = list(testset.systems)
    pair = (0, len(names) - 1)
    expected = [by_hand(testset, name) for name in names]
    ngrams = Ngrams(texts.matches, pair)
    for length in range(1, 5):
        counted = ngrams.count(length)
        for kind in range(3):
            totals = counted.totals(ngrams.sizes[length - 1], kind).T
            for place, system in enumerate(pair):
                found = {
                    tuple(texts.vocabulary[word] for word in ngrams.words(length, number)): count
                    for number, count in enumerate(totals[:, place].tolist())
                    if count
                }
                assert found == {gram: n for gram, n in expected[system][kind].items() if len(gram) == length}
    view = ngram_view(texts.matches, texts.vocabulary, None, top=1, alpha=0.05, adjust="none")
    for system, kind, length in product(range(len(names)), range(3), range(1, 5)):
        by_length = sum(n for gram, n in expected[system][kind].items() if len(gram) == length)
        assert view.totals[system, length - 1, kind] == by_length
    ids = {word: number for number, word in enumerate(texts.vocabulary)}
    grams = sorted({gram for of_system in expected for of_kind in of_system for gram in of_kind})
    some = count_some(texts.matches, [tuple(ids[word] for word in gram) for gram in grams])
    for gram, found_counts in zip(grams, some.tolist(), strict=True):
        assert found_counts == [[of_kind[gram] for of_kind in of_system] for of_system in expected]


@given(sets())
def test_listed_ngrams(testset: TestSet) -> None:
    """Counts, saliences and p-values of what is listed; nothing else is there but what a longer n-gram hides."""
    if len(testset.systems) < 2:
        return
    texts = words_of(testset)
    view = ngram_view(texts.matches, texts.vocabulary, (0, 1), top=1000, alpha=0.05, adjust="none")
    first, second = (by_hand(testset, name) for name in list(testset.systems)[:2])
    for kind, name in enumerate(KINDS):
        counts = {gram: (first[kind][gram], second[kind][gram]) for gram in {*first[kind], *second[kind]}}
        shown = {
            gram: both
            for gram, both in counts.items()
            if both[0] != both[1]
            and not any(
                both == other and len(longer) == len(gram) + 1 and gram in {longer[1:], longer[:-1]}
                for longer, other in counts.items()
            )
        }
        listed = [*view.differences[name][0], *view.differences[name][1]]
        assert {one.words: one.counts for one in listed} == shown
        for side, of_side in zip((1, -1), view.differences[name], strict=True):
            saliences = [one.salience for one in of_side]
            assert saliences == sorted(saliences, reverse=side == 1)
        for one in listed:
            c1, c2 = one.counts
            assert one.salience == (c1 + 1) / (c1 + c2 + 2)
            assert one.all_counts[:2].tolist() == [c1, c2]
