"""``lepor_matches``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_inputs import examples
from text_pairs import Pair, pairs_of

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.lepor import VARIANTS as NAMES
from mtassay.kernels.lepor import lepor_matches

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

VARIANTS = pytest.mark.parametrize("variant", NAMES)


def _matches(kernel: Any, texts: list[Pair], variant: str, *, context: int = 2) -> Any:
    return kernel(pairs_of(texts), context=context, variant=variant)


@st.composite
def texts(draw: st.DrawFn) -> Pair:
    words = st.lists(st.integers(0, draw(st.sampled_from([0, 1, 3, 9, 2**31 - 1]))), max_size=40)
    hyp = draw(words)
    return hyp, draw(words | st.permutations(hyp) | st.just(list(hyp)))


@VARIANTS
@examples(4)
@given(pairs=st.lists(texts(), max_size=6), context=st.integers(0, 12))
@example(pairs=[([], []), ([1], []), ([], [1]), ([1], [1])], context=2)
@example(pairs=[([1, 2, 1], [1, 1, 2]), ([1, 1], [1])], context=99)
def test_matches_agree(variant: str, pairs: list[Pair], context: int) -> None:
    expected = _matches(lepor_matches.specification, pairs, variant, context=context)
    result = _matches(native.lepor_matches, pairs, variant, context=context)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape == (len(pairs), 2)
    np.testing.assert_array_equal(result, expected)


@VARIANTS
def test_longer_texts_agree(variant: str) -> None:
    rng = random.Random(5)
    pairs = [
        ([int(rng.paretovariate(0.6)) % 500 for _ in range(n)], [int(rng.paretovariate(0.6)) % 500 for _ in range(m)])
        for n, m in [(400, 350), (30, 500), (500, 30)]
    ]
    np.testing.assert_array_equal(
        _matches(native.lepor_matches, pairs, variant), _matches(lepor_matches.specification, pairs, variant)
    )


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
def test_twenty_thousand_words(variant: str, pair: Pair) -> None:
    n_aligned = _matches(native.lepor_matches, [pair], variant)[0, 0]
    assert n_aligned == (Counter(pair[0]) & Counter(pair[1])).total()


@VARIANTS
@pytest.mark.parametrize("make", [_halves, _strangers])
def test_the_same_texts_shorter(variant: str, make: Any) -> None:
    pairs = [make(300), make(300)[::-1]]
    np.testing.assert_array_equal(
        _matches(native.lepor_matches, pairs, variant), _matches(lepor_matches.specification, pairs, variant)
    )


@pytest.mark.parametrize("kernel", [native.lepor_matches, lepor_matches.specification], ids=["native", "python"])
class TestArguments:
    def test_an_unknown_variant_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="variant"):
            _matches(kernel, [([1], [1])], "other")

    def test_a_negative_context_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="context"):
            _matches(kernel, [([1], [1])], "paper", context=-1)

    def test_a_text_whose_sum_might_overflow_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="too long"):
            _matches(kernel, [([0] * 2_000_001, [1])], "paper")

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        pairs = Pairs(Tokens.of([[1, 2], [3]]), Tokens.of([[3], [2, 1], []]), *every)
        rows = kernel(pairs, context=2, variant="paper")
        assert rows.tolist() == [[0, 0], [2, 4], [0, 0], [1, 0], [0, 0], [0, 0]]
