"""``lepor_matches``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mtassay.kernels import lepor as python_lepor

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

VARIANTS = pytest.mark.parametrize("variant", [0, 1], ids=["paper", "hlepor-py"])
Pair = tuple[list[int], list[int]]


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _matches(kernel: Any, pairs: list[Pair], variant: int, *, context: int = 2, threads: int = 1) -> Any:
    index = np.arange(len(pairs))
    hyp, ref = _tokens([h for h, _ in pairs]), _tokens([r for _, r in pairs])
    return kernel.lepor_matches(*hyp, *ref, index, index, context, variant, threads)


@st.composite
def texts(draw: st.DrawFn) -> Pair:
    words = st.lists(st.integers(0, draw(st.sampled_from([0, 1, 3, 9, 2**31 - 1]))), max_size=40)
    hyp = draw(words)
    return hyp, draw(words | st.permutations(hyp) | st.just(list(hyp)))


@VARIANTS
@settings(max_examples=200)
@given(pairs=st.lists(texts(), max_size=6), context=st.integers(0, 12), threads=st.integers(1, 3))
@example(pairs=[([], []), ([1], []), ([], [1]), ([1], [1])], context=2, threads=1)
@example(pairs=[([1, 2, 1], [1, 1, 2]), ([1, 1], [1])], context=99, threads=1)
def test_matches_agree(variant: int, pairs: list[Pair], context: int, threads: int) -> None:
    expected = _matches(python_lepor, pairs, variant, context=context)
    result = _matches(native, pairs, variant, context=context, threads=threads)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape == (len(pairs), 2)
    np.testing.assert_array_equal(result, expected)


@VARIANTS
def test_longer_texts_agree(variant: int) -> None:
    rng = random.Random(5)
    pairs = [
        ([int(rng.paretovariate(0.6)) % 500 for _ in range(n)], [int(rng.paretovariate(0.6)) % 500 for _ in range(m)])
        for n, m in [(400, 350), (30, 500), (500, 30)]
    ]
    np.testing.assert_array_equal(_matches(native, pairs, variant), _matches(python_lepor, pairs, variant))


def _halves(n_words: int) -> Pair:
    """One word, and twice as often on one side."""
    return [7] * n_words, [7] * (n_words // 2)


def _strangers(n_words: int) -> Pair:
    """One word among neighbours that the other side never has beside it."""
    hyp = [7 if i % 5 == 0 else 10 + i for i in range(n_words)]
    ref = [7 if i % 5 == 0 else 10 + (i * 7919) % n_words for i in range(n_words)]
    return hyp, ref


@VARIANTS
@pytest.mark.parametrize("pair", [_halves(20_000), _halves(20_000)[::-1], _strangers(20_000)])
def test_twenty_thousand_words(variant: int, pair: Pair) -> None:
    n_aligned = _matches(native, [pair], variant)[0, 0]
    assert n_aligned == (Counter(pair[0]) & Counter(pair[1])).total()


@VARIANTS
@pytest.mark.parametrize("make", [_halves, _strangers])
def test_the_same_texts_shorter(variant: int, make: Any) -> None:
    pairs = [make(300), make(300)[::-1]]
    np.testing.assert_array_equal(_matches(native, pairs, variant), _matches(python_lepor, pairs, variant))


@pytest.mark.parametrize("kernel", [native, python_lepor], ids=["native", "python"])
class TestArguments:
    def test_an_unknown_variant_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="variant"):
            _matches(kernel, [([1], [1])], 7)

    def test_a_negative_context_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="context"):
            _matches(kernel, [([1], [1])], 0, context=-1)

    def test_indices_are_checked(self, kernel: Any) -> None:
        ids, offsets = _tokens([[1], [2]])
        with pytest.raises(ValueError, match="index out of range"):
            kernel.lepor_matches(ids, offsets, ids, offsets, np.array([0]), np.array([2]), 2, 0, 1)
        with pytest.raises(ValueError, match="differ in length"):
            kernel.lepor_matches(ids, offsets, ids, offsets, np.array([0]), np.array([0, 1]), 2, 0, 1)

    def test_a_text_whose_sum_might_overflow_is_refused(self, kernel: Any) -> None:
        long = np.zeros(2_000_001, dtype=np.int32), np.array([0, 2_000_001])
        one, short = np.array([0]), _tokens([[1]])
        with pytest.raises(ValueError, match="too long"):
            kernel.lepor_matches(*long, *short, one, one, 2, 0, 1)

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        hyp, ref = _tokens([[1, 2], [3]]), _tokens([[3], [2, 1], []])
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        rows = kernel.lepor_matches(*hyp, *ref, *every, 2, 0, 1)
        assert rows.tolist() == [[0, 0], [2, 4], [0, 0], [1, 0], [0, 0], [0, 0]]
