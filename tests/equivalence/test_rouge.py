"""Subsequences and skip-bigrams: the compiled kernels give what the Python specification gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_inputs import examples
from text_pairs import Pair, pairs_of

from mtassay.kernels.rouge import UNIGRAMS, lcs_length, lcs_lengths, skip_bigram_matches, wlcs_sizes

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")


@st.composite
def pairs(draw: st.DrawFn, max_size: int = 40) -> Pair:
    texts = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1]))), max_size=max_size)
    reference, cut = draw(texts), draw(st.integers(0, max_size))
    copied = reference[:cut] + draw(texts) + reference[cut:]
    return draw(st.sampled_from([copied, draw(texts)])), reference


def _assert_same(result: Any, expected: Any) -> None:
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


@examples(4)
@given(batch=st.lists(pairs(max_size=150), max_size=4))
def test_subsequences_agree(batch: list[Pair]) -> None:
    arguments = pairs_of(batch)
    _assert_same(native.lcs_lengths(arguments), lcs_lengths.specification(arguments))


@examples(2)
@given(batch=st.lists(pairs(), max_size=4), weight=st.floats(1, 5))
def test_weighted_subsequences_agree(batch: list[Pair], weight: float) -> None:
    arguments = pairs_of(batch)
    _assert_same(native.wlcs_sizes(arguments, weight=weight), wlcs_sizes.specification(arguments, weight=weight))


@examples(2)
@given(
    batch=st.lists(pairs(), max_size=4),
    gap=st.integers(-1, 12) | st.just(10**9),
    unigrams=st.sampled_from(UNIGRAMS),
)
def test_skip_bigrams_agree(batch: list[Pair], gap: int, unigrams: str) -> None:
    arguments = pairs_of(batch)
    _assert_same(
        native.skip_bigram_matches(arguments, gap=gap, unigrams=unigrams),
        skip_bigram_matches.specification(arguments, gap=gap, unigrams=unigrams),
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
    assert lcs_length(*pair) == _table_lcs(*pair)


@given(pair=pairs())
def test_with_weight_one_nothing_is_weighted(pair: Pair) -> None:
    # Both ways of counting words in a row then count words, and Lin's recurrence is the plain one.
    [sizes] = wlcs_sizes.specification(pairs_of([pair]), weight=1.0)
    assert sizes.tolist() == [lcs_length(*pair)] * 2


def test_twenty_thousand_words() -> None:
    rng = np.random.default_rng(5)
    text = (rng.pareto(0.5, 20_000) % 10_000).astype(int).tolist()
    batch = [(text, text), ([*text[:5000], 10_000, *text[5001:]], text), ([7] * 20_000, [7] * 10_000)]
    assert native.lcs_lengths(pairs_of(batch)).tolist() == [20_000, 19_999, 10_000]
    n_pairs = 20_000 * 19_999 // 2
    assert native.skip_bigram_matches(pairs_of(batch[:1]), gap=-1, unigrams="none").tolist() == [n_pairs]
    assert native.skip_bigram_matches(pairs_of(batch[:1]), gap=4, unigrams="all").tolist() == [5 * 20_000 - 15 + 20_000]


def test_five_thousand_words_weighted() -> None:
    words = list(range(5000))
    sizes = native.wlcs_sizes(pairs_of([(words, words), (words[:2500], words)]), weight=1.2)
    np.testing.assert_allclose(sizes, [[5000**1.2] * 2, [2500**1.2] * 2], rtol=1e-12)


@pytest.mark.parametrize("kernel", [native.skip_bigram_matches, skip_bigram_matches.specification])
def test_an_unknown_rule_is_refused(kernel: Any) -> None:
    with pytest.raises(ValueError, match="unigrams"):
        kernel(pairs_of([([1], [1])]), gap=4, unigrams="some")
