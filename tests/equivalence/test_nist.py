"""``nist_weights`` and ``nist_matches``: the compiled kernels give what the Python specification gives, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels import nist as specification

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

LARGEST = 2**31 - 1
_ids = st.sampled_from([0, 1, 2, 255, LARGEST - 1, LARGEST])
_text = st.lists(_ids, max_size=12)


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([token for text in texts for token in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _assert_equal(result: Any, expected: Any) -> None:
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


def _assert_same(
    hypotheses: list[list[int]], groups: list[list[list[int]]], pairs: Any, *, order: int, zero: int, threads: int
) -> None:
    hyps, refs = _tokens(hypotheses), _tokens([text for group in groups for text in group])
    weights = specification.nist_weights(*refs, order, zero)
    _assert_equal(native.nist_weights(*refs, order, zero), weights)
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    group_offsets = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    arguments = (*hyps, *refs, weights, group_offsets, index[:, 0].copy(), index[:, 1].copy(), order, threads)
    _assert_equal(native.nist_matches(*arguments), specification.nist_matches(*arguments))


@given(
    hypotheses=st.lists(_text, min_size=1, max_size=5),
    groups=st.lists(st.lists(_text, max_size=3), min_size=1, max_size=5),
    data=st.data(),
    order=st.integers(1, 7),
    zero=st.sampled_from([-1, 0, 1, LARGEST]),
    threads=st.integers(1, 3),
)
def test_random_texts(
    hypotheses: list[list[int]], groups: list[list[list[int]]], data: Any, order: int, zero: int, threads: int
) -> None:
    pair = st.tuples(st.integers(0, len(hypotheses) - 1), st.integers(0, len(groups) - 1))
    pairs = data.draw(st.lists(pair, max_size=10))
    _assert_same(hypotheses, groups, pairs, order=order, zero=zero, threads=threads)


def test_long_texts_and_groups_of_growing_and_shrinking_size() -> None:
    """Memory that one group leaves behind must not show in the next one."""
    random = np.random.default_rng(2)

    def text(n: int, n_words: int) -> list[int]:
        return list(random.integers(0, n_words, size=n).tolist())

    groups = [[text(3000, 4000)], [text(1, 9)], [], [text(40, 9), text(300, 9), text(0, 1)], [text(2000, 3)], [[7] * 9]]
    hypotheses = [text(2500, 4000), text(500, 9), [], [7] * 700]
    pairs = [(h, g) for h in range(len(hypotheses)) for g in range(len(groups))]
    _assert_same(hypotheses, groups, pairs, order=5, zero=3, threads=1)
    _assert_same(hypotheses, groups, pairs[::-1], order=2, zero=-1, threads=2)


_GOOD: dict[str, Any] = {
    "hyp_ids": np.array([1, 2], dtype=np.int32),
    "hyp_offsets": np.array([0, 2], dtype=np.int64),
    "ref_ids": np.array([1, 3], dtype=np.int32),
    "ref_offsets": np.array([0, 2], dtype=np.int64),
    "weights": np.ones((2, 2)),
    "group_offsets": np.array([0, 1], dtype=np.int64),
    "hyp_index": np.array([0], dtype=np.int64),
    "group_index": np.array([0], dtype=np.int64),
    "order": 2,
    "threads": 1,
}


def test_good_arguments_are_accepted_by_name() -> None:
    assert native.nist_matches(**_GOOD).tolist() == specification.nist_matches(**_GOOD).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hyp_offsets", np.array([0, 3])),
        ("ref_offsets", np.array([0, 1])),
        ("group_offsets", np.array([0, 2])),
        ("hyp_index", np.array([1])),
        ("group_index", np.array([0, 0])),
        ("weights", np.ones((1, 2))),
        ("weights", np.ones((2, 1))),
        ("order", 0),
        ("order", 3),
    ],
)
def test_arguments_that_do_not_fit_are_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        native.nist_matches(**{**_GOOD, name: value})


def test_an_order_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        native.nist_weights(_GOOD["ref_ids"], _GOOD["ref_offsets"], 0, -1)
