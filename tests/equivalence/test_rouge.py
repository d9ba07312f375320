"""Subsequences and skip-bigrams: the compiled kernels give what the Python specification gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.kernels import rouge as python_rouge

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

Pair = tuple[list[int], list[int]]


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _arguments(pairs: list[Pair]) -> tuple[Any, ...]:
    index = np.arange(len(pairs))
    return *_tokens([h for h, _ in pairs]), *_tokens([r for _, r in pairs]), index, index


@st.composite
def pairs(draw: st.DrawFn, max_size: int = 40) -> Pair:
    texts = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1]))), max_size=max_size)
    reference, cut = draw(texts), draw(st.integers(0, max_size))
    copied = reference[:cut] + draw(texts) + reference[cut:]
    return draw(st.sampled_from([copied, draw(texts)])), reference


def _assert_same(result: Any, expected: Any) -> None:
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


@settings(max_examples=200)
@given(batch=st.lists(pairs(max_size=150), max_size=4), threads=st.integers(1, 3))
def test_subsequences_agree(batch: list[Pair], threads: int) -> None:
    arguments = _arguments(batch)
    _assert_same(native.lcs_lengths(*arguments, threads), python_rouge.lcs_lengths(*arguments, 1))


@settings(max_examples=100)
@given(batch=st.lists(pairs(), max_size=4), weight=st.floats(1, 5), threads=st.integers(1, 3))
def test_weighted_subsequences_agree(batch: list[Pair], weight: float, threads: int) -> None:
    arguments = _arguments(batch)
    _assert_same(native.wlcs_sizes(*arguments, weight, threads), python_rouge.wlcs_sizes(*arguments, weight, 1))


@settings(max_examples=100)
@given(
    batch=st.lists(pairs(), max_size=4),
    gap=st.integers(-1, 12) | st.just(10**9),
    unigrams=st.sampled_from([0, 1, 2]),
    threads=st.integers(1, 3),
)
def test_skip_bigrams_agree(batch: list[Pair], gap: int, unigrams: int, threads: int) -> None:
    arguments = _arguments(batch)
    _assert_same(
        native.skip_bigram_matches(*arguments, gap, unigrams, threads),
        python_rouge.skip_bigram_matches(*arguments, gap, unigrams, 1),
    )


def _table_lcs(hyp: list[int], ref: list[int]) -> int:
    above = [0] * (len(ref) + 1)
    for word in hyp:
        row = [0]
        for j, other in enumerate(ref):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        above = row
    return above[-1]


@given(pair=pairs(max_size=80))
def test_the_specification_gives_the_length_of_the_table(pair: Pair) -> None:
    assert python_rouge.lcs_length(*pair) == _table_lcs(*pair)


@given(pair=pairs())
def test_with_weight_one_nothing_is_weighted(pair: Pair) -> None:
    # Both ways of counting words in a row then count words, and Lin's recurrence is the plain one.
    [sizes] = python_rouge.wlcs_sizes(*_arguments([pair]), 1.0, 1)
    assert sizes.tolist() == [python_rouge.lcs_length(*pair)] * 2


def test_twenty_thousand_words() -> None:
    rng = np.random.default_rng(5)
    text = (rng.pareto(0.5, 20_000) % 10_000).astype(int).tolist()
    batch = [(text, text), ([*text[:5000], 10_000, *text[5001:]], text), ([7] * 20_000, [7] * 10_000)]
    assert native.lcs_lengths(*_arguments(batch), 2).tolist() == [20_000, 19_999, 10_000]
    n_pairs = 20_000 * 19_999 // 2
    assert native.skip_bigram_matches(*_arguments(batch[:1]), -1, 0, 1).tolist() == [n_pairs]
    assert native.skip_bigram_matches(*_arguments(batch[:1]), 4, 1, 1).tolist() == [5 * 20_000 - 15 + 20_000]


def test_five_thousand_words_weighted() -> None:
    words = list(range(5000))
    sizes = native.wlcs_sizes(*_arguments([(words, words), (words[:2500], words)]), 1.2, 2)
    np.testing.assert_allclose(sizes, [[5000**1.2] * 2, [2500**1.2] * 2], rtol=1e-12)


def test_impossible_arguments_are_refused() -> None:
    ids, offsets = _tokens([[1], [2]])
    texts = (ids, offsets, ids, offsets)
    with pytest.raises(ValueError, match="index"):
        native.lcs_lengths(*texts, np.array([0]), np.array([2]), 1)
    with pytest.raises(ValueError, match="length"):
        native.wlcs_sizes(*texts, np.array([0]), np.array([0, 1]), 1.2, 1)
    with pytest.raises(ValueError, match="unigrams"):
        native.skip_bigram_matches(*texts, np.array([0]), np.array([0]), 4, 3, 1)
