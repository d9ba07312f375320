"""``meteor_statistics`` and ``meteor_matches``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_inputs import examples
from text_pairs import Pair, pairs_of

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels import meteor as python_meteor
from mtassay.kernels.meteor import NO_PHRASES, PhraseTable, WordFacts, meteor_matches, meteor_statistics
from mtassay.metrics.meteor import ParaphraseTable

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

N_WORDS = 12


def facts_of(
    n_words: int,
    *,
    stems: list[int] | None = None,
    synsets: list[list[int]] | None = None,
    function: list[bool] | None = None,
    sizes: list[int] | None = None,
    phrase_words: list[int] | None = None,
) -> WordFacts:
    """Facts of words; what is not given matches nothing."""
    synsets = synsets or [[] for _ in range(n_words)]
    none = [-1] * n_words
    return WordFacts(
        np.array(sizes or [1] * n_words, np.int32),
        np.array(function or [False] * n_words, np.uint8),
        np.array(stems or none, np.int32),
        np.cumsum([0, *map(len, synsets)], dtype=np.int64),
        np.array([number for numbers in synsets for number in sorted(numbers)], np.int32),
        np.array(phrase_words or none, np.int32),
    )


def phrases_of(pairs: list[tuple[list[int], list[int]]]) -> tuple[PhraseTable, ParaphraseTable]:
    """A table of paraphrases, words written as numbers."""
    table = ParaphraseTable.from_pairs([(" ".join(map(str, p)), " ".join(map(str, q))) for p, q in pairs])
    return PhraseTable(*(getattr(table, name) for name in PhraseTable._fields)), table


@st.composite
def languages(draw: st.DrawFn) -> tuple[WordFacts, PhraseTable]:
    """Facts of a few words that share stems, synsets and paraphrases."""
    some: dict[str, Any] = {"min_size": N_WORDS, "max_size": N_WORDS}
    phrase = st.lists(st.integers(0, N_WORDS - 1), min_size=1, max_size=3)
    pairs = draw(st.lists(st.tuples(phrase, phrase), max_size=12))
    phrases, table = phrases_of(pairs) if pairs else (NO_PHRASES, None)
    facts = facts_of(
        N_WORDS,
        stems=draw(st.lists(st.integers(-1, 5), **some)),
        synsets=draw(st.lists(st.lists(st.integers(0, 5), max_size=3, unique=True), **some)),
        function=draw(st.lists(st.booleans(), **some)),
        sizes=draw(st.lists(st.integers(1, 9), **some)),
        phrase_words=table.word_ids([str(word) for word in range(N_WORDS)]).tolist() if table else None,
    )
    return facts, phrases


def _rows(kernel: Any, texts: list[Pair], language: tuple[WordFacts, PhraseTable]) -> Any:
    facts, phrases = language
    return kernel(pairs_of(texts), facts=facts, phrases=phrases)


_texts = st.lists(st.integers(0, N_WORDS - 1), max_size=14)
_plain = (facts_of(N_WORDS), NO_PHRASES)


@examples(3)
@given(pairs=st.lists(st.tuples(_texts, _texts), max_size=4), language=languages())
@example(pairs=[([], [])], language=_plain)
@example(pairs=[([1, 2], []), ([], [1, 2])], language=_plain)
def test_matches_agree(pairs: list[Pair], language: tuple[WordFacts, PhraseTable]) -> None:
    expected = _rows(meteor_matches.specification, pairs, language)
    result = _rows(native.meteor_matches, pairs, language)
    assert result.dtype == expected.dtype == np.int64
    np.testing.assert_array_equal(result, expected)


@settings(max_examples=60)
@given(pairs=st.lists(st.tuples(_texts, _texts), max_size=5), language=languages())
def test_statistics_agree(pairs: list[Pair], language: tuple[WordFacts, PhraseTable]) -> None:
    expected = _rows(meteor_statistics.specification, pairs, language)
    result = _rows(native.meteor_statistics, pairs, language)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape == (len(pairs), python_meteor.N_COLUMNS)
    np.testing.assert_array_equal(result, expected)


def test_phrases_behind_an_empty_reference() -> None:
    """What is kept from one reference for the next is not taken for another's."""
    phrases, table = phrases_of([([1, 2], [3])])
    facts = facts_of(4, phrase_words=table.word_ids(["0", "1", "2", "3"]).tolist())
    pairs = [([3], []), ([3], [1, 2]), ([3], []), ([3], [1])]
    assert _rows(native.meteor_statistics, pairs, (facts, phrases))[:, 22].tolist() == [0, 2, 0, 0]


@examples(2)
@given(pair=st.tuples(_texts, _texts), language=languages())
def test_matches_are_an_alignment(pair: Pair, language: tuple[WordFacts, PhraseTable]) -> None:
    hyp, ref = pair
    facts, _ = language
    hyp_words: list[int] = []
    ref_words: list[int] = []
    for _, ref_start, ref_length, hyp_start, hyp_length, stage in _rows(
        native.meteor_matches, [pair], language
    ).tolist():
        ref_words += range(ref_start, ref_start + ref_length)
        hyp_words += range(hyp_start, hyp_start + hyp_length)
        a, b = hyp[hyp_start], ref[ref_start]
        if stage < python_meteor.PARAPHRASE:
            assert (ref_length, hyp_length) == (1, 1)
            assert (a == b) == (stage == python_meteor.EXACT)
        if stage == python_meteor.STEM:
            assert facts.stems[a] == facts.stems[b] != -1
    assert ref_words == sorted(set(ref_words))
    assert len(hyp_words) == len(set(hyp_words))
    assert set(ref_words) <= set(range(len(ref)))
    assert set(hyp_words) <= set(range(len(hyp)))


@settings(max_examples=30)
@given(text=st.lists(st.integers(0, 3), max_size=60))
def test_equal_texts_match_word_by_word(text: list[int]) -> None:
    """The short cut for equal texts is what the search itself gives."""
    starting = python_meteor._possible(text, text, *_plain)
    found = python_meteor._search(starting, python_meteor._fixed(starting, len(text)))
    fixed = python_meteor._fixed(starting, len(text)).values()
    assert sorted({*found, *fixed}) == [(i, 1, i, 1, 0) for i in range(len(text))]


@pytest.mark.parametrize("n_words", [70, 150])
def test_long_texts_agree(n_words: int) -> None:
    rng = random.Random(n_words)
    ref = [int(rng.paretovariate(0.7)) % 50 for _ in range(n_words)]
    hyp = list(ref)
    for _ in range(n_words // 5):
        hyp.insert(rng.randrange(n_words), hyp.pop(rng.randrange(n_words)))
    language = (
        facts_of(50, stems=[word // 3 for word in range(50)], synsets=[[word % 7] for word in range(50)]),
        NO_PHRASES,
    )
    expected = _rows(meteor_matches.specification, [(hyp, ref)], language)
    np.testing.assert_array_equal(_rows(native.meteor_matches, [(hyp, ref)], language), expected)


@pytest.mark.parametrize(
    "pair",
    [([0, 1] * 220, [1, 0, 2, 0, 1, 3]), ([2, 0, 1, 1, 2], [3] * 4200 + [0, 2, 1, 2])],
    ids=["choices", "words"],
)
def test_many_choices_or_words_agree(pair: Pair) -> None:
    """There are more than fit into the number by which the search usually ranks paths."""
    expected = _rows(meteor_matches.specification, [pair], _plain)
    np.testing.assert_array_equal(_rows(native.meteor_matches, [pair], _plain), expected)


def test_hypotheses_of_one_reference_agree() -> None:
    """What is kept of words from one hypothesis for the next is right, also when it was dropped in between."""
    n_words = 600
    language = facts_of(n_words, stems=[word % 97 for word in range(n_words)], synsets=[[0], [0, 1], *[[1]] * 598])
    hypotheses = [[*range(2, 180), 0], [0, *range(180, 400)], [0], list(range(1, 500)), [0, 3], []]
    index = np.arange(len(hypotheses))
    pairs = Pairs(
        Tokens.of(hypotheses), Tokens.of([[1, 350, 1], [0]]), np.tile(index, 2), np.repeat([0, 1], len(index))
    )
    result, expected = (
        kernel(pairs, facts=language, phrases=NO_PHRASES)
        for kernel in (native.meteor_matches, meteor_matches.specification)
    )
    np.testing.assert_array_equal(result, expected)


@pytest.mark.slow
def test_twenty_thousand_words() -> None:
    rng = random.Random(5)
    ref = [int(5 * rng.paretovariate(0.5)) % 10_000 for _ in range(20_000)]
    hyp = [*ref[5000:], *ref[:5000]]
    language = facts_of(10_000), NO_PHRASES
    rows = _rows(
        native.meteor_statistics,
        [(hyp, ref), (hyp, ref[:1]), (hyp[:1], ref), (ref, ref), (hyp, []), ([], ref)],
        language,
    )
    assert rows[0, 21] > 19_900
    assert rows[3:, 21].tolist() == [20_000, 0, 0]
    assert rows[3:, 20].tolist() == [0, 0, 0]


@pytest.mark.parametrize("kernel", [native.meteor_matches, meteor_matches.specification], ids=["native", "python"])
def test_a_word_without_facts_is_refused(kernel: Any) -> None:
    with pytest.raises(ValueError, match="facts"):
        _rows(kernel, [([1], [N_WORDS])], _plain)


@pytest.mark.parametrize(
    "kernel", [native.meteor_statistics, meteor_statistics.specification], ids=["native", "python"]
)
class TestArguments:
    def test_a_word_without_facts_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="facts"):
            _rows(kernel, [([1], [N_WORDS])], _plain)

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        pairs = Pairs(Tokens.of([[1, 2], [3]]), Tokens.of([[3], [1, 2], []]), *every)
        matched = kernel(pairs, facts=_plain[0], phrases=_plain[1])[:, 21]
        assert matched.reshape(2, 3).tolist() == [[0, 2, 0], [1, 0, 0]]
