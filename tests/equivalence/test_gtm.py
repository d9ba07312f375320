"""``gtm_sizes``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.gtm import gtm_sizes

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

Pair = tuple[list[int], list[list[int]]]


def _sizes(kernel: Any, pairs: list[Pair], exponent: float) -> Any:
    index = np.arange(len(pairs))
    groups = np.cumsum([0, *(len(references) for _, references in pairs)], dtype=np.int64)
    references = Tokens.of(text for _, references in pairs for text in references)
    return kernel(Pairs(Tokens.of(h for h, _ in pairs), references, index, index, groups), exponent=exponent)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    texts = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1]))), max_size=40)
    references = draw(st.lists(texts, min_size=1, max_size=3))
    cut = draw(st.integers(0, 40))
    copied = references[0][cut:] + draw(texts) + references[-1][:cut]
    return draw(st.sampled_from([copied, draw(texts)])), references


@examples(4)
@given(batch=st.lists(pairs(), max_size=5), exponent=st.just(1.0) | st.floats(1, 20))
def test_sizes_agree(batch: list[Pair], exponent: float) -> None:
    expected = _sizes(gtm_sizes.specification, batch, exponent)
    result = _sizes(native.gtm_sizes, batch, exponent)
    assert result.dtype == expected.dtype == np.float64
    np.testing.assert_array_equal(result, expected)


def test_twenty_thousand_words() -> None:
    rng = np.random.default_rng(5)
    text = (rng.pareto(0.5, 20_000) % 10_000).astype(int).tolist()
    other = (rng.pareto(0.5, 20_000) % 10_000).astype(int).tolist()
    one_word = [7] * 20_000
    batch = [(text, [text]), (text, [other]), (one_word, [one_word]), (text[:10_000], [text]), (text, [one_word])]
    sizes = _sizes(native.gtm_sizes, batch, 1.0)
    in_common = np.minimum(np.bincount(text, minlength=10_000), np.bincount(other, minlength=10_000)).sum()
    assert sizes.tolist() == [20_000, in_common, 20_000, 10_000, text.count(7)]
    assert _sizes(native.gtm_sizes, batch[3:4], 2.0)[0] == pytest.approx(10_000)


@pytest.mark.parametrize("kernel", [native.gtm_sizes, gtm_sizes.specification], ids=["native", "python"])
class TestArguments:
    def test_a_group_without_texts_matches_nothing(self, kernel: Any) -> None:
        assert _sizes(kernel, [([1, 2], [])], 2.0).tolist() == [0.0]

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        pairs = Pairs(Tokens.of([[1, 2], [3]]), Tokens.of([[3], [1, 2], []]), *every)
        sizes = kernel(pairs, exponent=1.0)
        assert sizes.reshape(2, 3).tolist() == [[0, 2, 0], [1, 0, 0]]

    def test_an_exponent_of_zero_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="exponent"):
            _sizes(kernel, [([1], [[1]])], 0.0)
