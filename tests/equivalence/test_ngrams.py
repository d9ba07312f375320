"""``ngram_matches``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels import ngrams as specification

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

LARGEST = 2**31 - 1
#: Few different ids, so that n-grams repeat, among them the ends of the range.
_ids = st.sampled_from([0, 1, 2, 255, 2**16, LARGEST - 1, LARGEST])
_text = st.lists(_ids, max_size=12)


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([token for text in texts for token in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, ...]:
    """Arguments up to `threads`: several groups of several references, pairs in any order and number."""
    hypotheses = draw(st.lists(_text, min_size=1, max_size=5))
    groups = draw(st.lists(st.lists(_text, max_size=3), min_size=1, max_size=5))
    references = [text for group in groups for text in group]
    pairs = draw(st.lists(st.tuples(st.integers(0, len(hypotheses) - 1), st.integers(0, len(groups) - 1)), max_size=10))
    group_offsets = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    order, counting = draw(st.integers(1, 7)), draw(st.integers(0, 2))
    return (
        *_tokens(hypotheses),
        *_tokens(references),
        group_offsets,
        np.ascontiguousarray(index[:, 0]),
        np.ascontiguousarray(index[:, 1]),
        order,
        counting,
    )


def _assert_same(arguments: tuple[Any, ...], threads: int) -> None:
    expected = specification.ngram_matches(*arguments, threads)
    result = native.ngram_matches(*arguments, threads)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


@given(arguments=calls(), threads=st.integers(1, 3))
def test_random_texts(arguments: tuple[Any, ...], threads: int) -> None:
    before = [np.copy(argument) for argument in arguments]
    _assert_same(arguments, threads)
    for argument, copy in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(argument, copy)


@pytest.mark.parametrize("counting", [specification.CLIPPED, specification.HYPOTHESIS, specification.REFERENCE])
def test_long_and_repetitive_texts(counting: int) -> None:
    random = np.random.default_rng(1)
    hypotheses = [random.integers(0, 3, size=n).tolist() for n in (0, 1, 700, 2000)]
    references = [random.integers(0, 3, size=n).tolist() for n in (2000, 0, 5)] + [[7] * 1500]
    pairs = np.array([(h, g) for h in range(4) for g in range(3)], dtype=np.int64)
    arguments = (
        *_tokens(hypotheses),
        *_tokens(references),
        np.array([0, 2, 3, 4], dtype=np.int64),
        pairs[:, 0].copy(),
        pairs[:, 1].copy(),
        6,
        counting,
    )
    _assert_same(arguments, 2)


def test_groups_of_growing_and_shrinking_size() -> None:
    """Memory that one group leaves behind must not show in the next one."""
    random = np.random.default_rng(2)
    sizes = [300, 1, 0, 40, 300, 2]
    references = [random.integers(0, 20, size=n).tolist() for n in sizes]
    each = np.arange(len(sizes), dtype=np.int64)
    offsets = np.arange(len(sizes) + 1, dtype=np.int64)
    for counting in range(3):
        _assert_same((*_tokens(references), *_tokens(references), offsets, each, each[::-1].copy(), 4, counting), 1)
        _assert_same((*_tokens(references), *_tokens(references), offsets, each, each, 4, counting), 1)


_GOOD: dict[str, Any] = {
    "hyp_ids": np.array([1, 2], dtype=np.int32),
    "hyp_offsets": np.array([0, 2], dtype=np.int64),
    "ref_ids": np.array([1], dtype=np.int32),
    "ref_offsets": np.array([0, 1], dtype=np.int64),
    "group_offsets": np.array([0, 1], dtype=np.int64),
    "hyp_index": np.array([0], dtype=np.int64),
    "group_index": np.array([0], dtype=np.int64),
    "order": 2,
    "counting": 0,
    "threads": 1,
}


def test_good_arguments_are_accepted_by_name() -> None:
    assert native.ngram_matches(**_GOOD).tolist() == specification.ngram_matches(**_GOOD).tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hyp_offsets", []),
        ("hyp_offsets", [0, 1]),
        ("hyp_offsets", [1, 2]),
        ("hyp_offsets", [0, 3]),
        ("hyp_offsets", [0, 2, 1, 2]),
        ("hyp_offsets", [0, -1, 2]),
        ("ref_offsets", []),
        ("ref_offsets", [0, 2]),
        ("group_offsets", []),
        ("group_offsets", [0, 2]),
        ("group_offsets", [-1, 1]),
        ("group_offsets", [1, 0]),
        ("hyp_index", [1]),
        ("hyp_index", [-1]),
        ("hyp_index", [0, 0]),
        ("group_index", [1]),
        ("group_index", [-1]),
        ("order", 0),
        ("order", -1),
        ("counting", -1),
        ("counting", 3),
    ],
)
def test_arguments_that_do_not_fit_are_refused(name: str, value: object) -> None:
    given_value = np.array(value, dtype=np.int64) if isinstance(value, list) else value
    with pytest.raises(ValueError, match=r".+"):
        native.ngram_matches(**{**_GOOD, name: given_value})


@pytest.mark.parametrize(("n_hypotheses", "n_groups"), [(20, 20), (12, 300)])
@pytest.mark.parametrize("counting", [specification.CLIPPED, specification.HYPOTHESIS, specification.REFERENCE])
def test_every_hypothesis_with_every_group(n_hypotheses: int, n_groups: int, counting: int) -> None:
    """An N × M matrix takes another way through the compiled kernel: many groups at once, several blocks of them."""
    random = np.random.default_rng(3)
    hypotheses = [random.integers(0, 5, size=random.integers(0, 15)).tolist() for _ in range(n_hypotheses)]
    sizes = random.integers(0, 3, size=n_groups)
    references = [random.integers(0, 5, size=random.integers(0, 15)).tolist() for _ in range(sizes.sum())]
    hyp_index, group_index = np.divmod(np.arange(n_hypotheses * n_groups, dtype=np.int64), n_groups)
    assert len(hyp_index) >= 8 * (n_hypotheses + n_groups)
    group_offsets = np.cumsum([0, *sizes], dtype=np.int64)
    arguments = (*_tokens(hypotheses), *_tokens(references), group_offsets, hyp_index, group_index, 4, counting)
    _assert_same(arguments, 1)
    _assert_same(arguments, 2)


@pytest.mark.parametrize("counting", [specification.CLIPPED, specification.HYPOTHESIS, specification.REFERENCE])
def test_more_tokens_than_short_keys_can_hold(counting: int) -> None:
    random = np.random.default_rng(4)
    hypotheses, references = ([random.integers(0, 4000, size=3000).tolist() for _ in range(2)] for _ in range(2))
    each, offsets = np.arange(2, dtype=np.int64), np.arange(3, dtype=np.int64)
    _assert_same((*_tokens(hypotheses), *_tokens(references), offsets, each, each, 3, counting), 2)
