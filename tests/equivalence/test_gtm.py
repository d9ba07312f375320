"""``gtm_sizes``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.kernels import gtm as python_gtm

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

Pair = tuple[list[int], list[list[int]]]


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _sizes(kernel: Any, pairs: list[Pair], exponent: float, threads: int = 1) -> Any:
    index = np.arange(len(pairs))
    groups = np.cumsum([0, *(len(references) for _, references in pairs)], dtype=np.int64)
    references = _tokens([text for _, references in pairs for text in references])
    return kernel.gtm_sizes(*_tokens([h for h, _ in pairs]), *references, groups, index, index, exponent, threads)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    texts = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1]))), max_size=40)
    references = draw(st.lists(texts, min_size=1, max_size=3))
    cut = draw(st.integers(0, 40))
    copied = references[0][cut:] + draw(texts) + references[-1][:cut]
    return draw(st.sampled_from([copied, draw(texts)])), references


@settings(max_examples=200)
@given(batch=st.lists(pairs(), max_size=5), exponent=st.just(1.0) | st.floats(1, 20), threads=st.integers(1, 3))
def test_sizes_agree(batch: list[Pair], exponent: float, threads: int) -> None:
    expected = _sizes(python_gtm, batch, exponent)
    result = _sizes(native, batch, exponent, threads)
    assert result.dtype == expected.dtype == np.float64
    np.testing.assert_array_equal(result, expected)


def test_twenty_thousand_words() -> None:
    rng = np.random.default_rng(5)
    text = (rng.pareto(0.5, 20_000) % 10_000).astype(int).tolist()
    other = (rng.pareto(0.5, 20_000) % 10_000).astype(int).tolist()
    one_word = [7] * 20_000
    batch = [(text, [text]), (text, [other]), (one_word, [one_word]), (text[:10_000], [text]), (text, [one_word])]
    sizes = _sizes(native, batch, 1.0)
    in_common = np.minimum(np.bincount(text, minlength=10_000), np.bincount(other, minlength=10_000)).sum()
    assert sizes.tolist() == [20_000, in_common, 20_000, 10_000, text.count(7)]
    assert _sizes(native, batch[3:4], 2.0)[0] == pytest.approx(10_000)


@pytest.mark.parametrize("kernel", [native, python_gtm], ids=["native", "python"])
class TestArguments:
    def test_a_group_without_texts_matches_nothing(self, kernel: Any) -> None:
        assert _sizes(kernel, [([1, 2], [])], 2.0).tolist() == [0.0]

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        hyp, ref = _tokens([[1, 2], [3]]), _tokens([[3], [1, 2], []])
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        sizes = kernel.gtm_sizes(*hyp, *ref, np.arange(4), *every, 1.0, 1)
        assert sizes.reshape(2, 3).tolist() == [[0, 2, 0], [1, 0, 0]]


def test_impossible_arguments_are_refused() -> None:
    ids, offsets = _tokens([[1], [2]])
    groups, index = np.arange(3), np.array([0])
    for bad in [
        (np.array([1, 3]), index, index, 1.0),
        (groups, index, np.array([2]), 1.0),
        (groups, index, index, 0.0),
    ]:
        with pytest.raises(ValueError, match=r"group_offsets|index|exponent"):
            native.gtm_sizes(ids, offsets, ids, offsets, *bad, 1)
