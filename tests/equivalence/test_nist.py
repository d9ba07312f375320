"""``nist_weights`` and ``nist_matches``: the compiled kernels give what the Python specification gives, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.nist import nist_matches, nist_weights

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

LARGEST = 2**31 - 1
_ids = st.sampled_from([0, 1, 2, 255, LARGEST - 1, LARGEST])
_text = st.lists(_ids, max_size=12)


def _assert_equal(result: Any, expected: Any) -> None:
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


def _assert_same(
    hypotheses: list[list[int]], groups: list[list[list[int]]], pairs: Any, *, order: int, zero: int
) -> None:
    references = Tokens.of(text for group in groups for text in group)
    weights = nist_weights.specification(references, order=order, zero=zero)
    _assert_equal(native.nist_weights(references, order=order, zero=zero), weights)
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    group_offsets = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    arguments = Pairs(Tokens.of(hypotheses), references, index[:, 0].copy(), index[:, 1].copy(), group_offsets)
    _assert_equal(native.nist_matches(arguments, weights), nist_matches.specification(arguments, weights))


@given(
    hypotheses=st.lists(_text, min_size=1, max_size=5),
    groups=st.lists(st.lists(_text, max_size=3), min_size=1, max_size=5),
    data=st.data(),
    order=st.integers(1, 7),
    zero=st.sampled_from([-1, 0, 1, LARGEST]),
)
def test_random_texts(
    hypotheses: list[list[int]], groups: list[list[list[int]]], data: Any, order: int, zero: int
) -> None:
    pair = st.tuples(st.integers(0, len(hypotheses) - 1), st.integers(0, len(groups) - 1))
    pairs = data.draw(st.lists(pair, max_size=10))
    _assert_same(hypotheses, groups, pairs, order=order, zero=zero)


def test_long_texts_and_groups_of_growing_and_shrinking_size() -> None:
    """Memory that one group leaves behind must not show in the next one."""
    random = np.random.default_rng(2)

    def text(n: int, n_words: int) -> list[int]:
        return list(random.integers(0, n_words, size=n).tolist())

    groups = [[text(3000, 4000)], [text(1, 9)], [], [text(40, 9), text(300, 9), text(0, 1)], [text(2000, 3)], [[7] * 9]]
    hypotheses = [text(2500, 4000), text(500, 9), [], [7] * 700]
    pairs = [(h, g) for h in range(len(hypotheses)) for g in range(len(groups))]
    _assert_same(hypotheses, groups, pairs, order=5, zero=3)
    _assert_same(hypotheses, groups, pairs[::-1], order=2, zero=-1)


_TEXTS = Tokens.of([[1, 3]])
_GOOD = Pairs(Tokens.of([[1, 2]]), _TEXTS, np.array([0]), np.array([0]), np.array([0, 1]))


def test_good_arguments_are_accepted_by_name() -> None:
    for kernel in (native.nist_matches, nist_matches.specification):
        assert kernel(pairs=_GOOD, weights=np.ones((2, 2))).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (2, 0)])
def test_weights_of_other_texts_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"weights|order"):
        native.nist_matches(_GOOD, np.ones(shape))


def test_an_order_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        native.nist_weights(_TEXTS, order=0)
