"""``ngram_matches`` and ``expected_matches``: the compiled kernels give what the Python specifications give."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ngrams import COUNTINGS, expected_matches, ngram_matches

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

EACH_COUNTING = pytest.mark.parametrize("counting", COUNTINGS)
LARGEST = 2**31 - 1
#: Few different ids, so that n-grams repeat, among them the ends of the range.
_ids = st.sampled_from([0, 1, 2, 255, 2**16, LARGEST - 1, LARGEST])
_text = st.lists(_ids, max_size=12)


@st.composite
def grouped_pairs(draw: st.DrawFn) -> Pairs:
    """Several groups of several references, pairs in any order and number; or every reference for itself."""
    hypotheses = draw(st.lists(_text, min_size=1, max_size=5))
    groups = draw(st.lists(st.lists(_text, max_size=3), min_size=1, max_size=5))
    references = [text for group in groups for text in group]
    alone = bool(references) and draw(st.booleans())
    n_groups = len(references) if alone else len(groups)
    pairs = draw(st.lists(st.tuples(st.integers(0, len(hypotheses) - 1), st.integers(0, n_groups - 1)), max_size=10))
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    group_offsets = None if alone else np.cumsum([0, *map(len, groups)], dtype=np.int64)
    hyp_index, ref_index = (np.ascontiguousarray(column) for column in index.T)
    return Pairs(Tokens.of(hypotheses), Tokens.of(references), hyp_index, ref_index, group_offsets)


def _assert_same(pairs: Pairs, **options: Any) -> None:
    expected = ngram_matches.specification(pairs, **options)
    result = native.ngram_matches(pairs, **options)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


@given(pairs=grouped_pairs(), order=st.integers(1, 7), counting=st.sampled_from(COUNTINGS))
def test_random_texts(pairs: Pairs, order: int, counting: str) -> None:
    before = copy.deepcopy(pairs)
    _assert_same(pairs, order=order, counting=counting)
    np.testing.assert_equal(pairs, before)


@given(pairs=grouped_pairs())
def test_without_groups_every_reference_is_one(pairs: Pairs) -> None:
    each = np.arange(len(pairs.references.offsets))
    index = pairs.ref_index % max(1, len(each) - 1)
    if len(each) > 1:
        alone, grouped = (
            pairs._replace(ref_index=index, group_offsets=None),
            pairs._replace(ref_index=index, group_offsets=each),
        )
        assert native.ngram_matches(alone, order=3).tolist() == native.ngram_matches(grouped, order=3).tolist()


@EACH_COUNTING
def test_long_and_repetitive_texts(counting: str) -> None:
    random = np.random.default_rng(1)
    hypotheses = [random.integers(0, 3, size=n).tolist() for n in (0, 1, 700, 2000)]
    references = [random.integers(0, 3, size=n).tolist() for n in (2000, 0, 5)] + [[7] * 1500]
    hyp_index, group_index = np.divmod(np.arange(12), 3)
    groups = np.array([0, 2, 3, 4])
    pairs = Pairs(Tokens.of(hypotheses), Tokens.of(references), hyp_index, group_index, groups)
    _assert_same(pairs, order=6, counting=counting)


@EACH_COUNTING
def test_groups_of_growing_and_shrinking_size(counting: str) -> None:
    """Memory that one group leaves behind must not show in the next one."""
    random = np.random.default_rng(2)
    sizes = [300, 1, 0, 40, 300, 2]
    texts = Tokens.of(random.integers(0, 20, size=n).tolist() for n in sizes)
    each = np.arange(len(sizes))
    _assert_same(Pairs(texts, texts, each, each[::-1].copy()), order=4, counting=counting)
    _assert_same(Pairs(texts, texts, each, each), order=4, counting=counting)


_GOOD: dict[str, Any] = {
    "hyp_offsets": [0, 2],
    "ref_offsets": [0, 1],
    "group_offsets": [0, 1],
    "hyp_index": [0],
    "ref_index": [0],
}


def _of_arrays(**arrays: list[int]) -> Pairs:
    given = {name: np.array(numbers, dtype=np.int64) for name, numbers in arrays.items()}
    return Pairs(
        Tokens(np.array([1, 2], dtype=np.int32), given["hyp_offsets"]),
        Tokens(np.array([1], dtype=np.int32), given["ref_offsets"]),
        given["hyp_index"],
        given["ref_index"],
        given["group_offsets"],
    )


def test_good_arguments_are_accepted_by_name() -> None:
    for kernel in (native.ngram_matches, ngram_matches.specification):
        assert kernel(pairs=_of_arrays(**_GOOD), order=2, counting="clipped").tolist() == [[1, 0]]


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
        ("ref_index", [1]),
        ("ref_index", [-1]),
    ],
)
def test_pairs_that_do_not_fit_are_refused(name: str, value: list[int]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        native.ngram_matches(_of_arrays(**{**_GOOD, name: value}), order=2)


def test_unknown_options_are_refused() -> None:
    for order in (0, -1):
        with pytest.raises(ValueError, match="order"):
            native.ngram_matches(_of_arrays(**_GOOD), order=order)
    for kernel in (native.ngram_matches, ngram_matches.specification):
        with pytest.raises(ValueError, match="way of counting"):
            kernel(_of_arrays(**_GOOD), order=2, counting="twice")


@pytest.mark.parametrize(("n_hypotheses", "n_groups"), [(20, 20), (12, 300)])
@EACH_COUNTING
def test_every_hypothesis_with_every_group(n_hypotheses: int, n_groups: int, counting: str) -> None:
    """An N × M matrix takes another way through the compiled kernel: many groups at once, several blocks of them."""
    random = np.random.default_rng(3)
    hypotheses = [random.integers(0, 5, size=random.integers(0, 15)).tolist() for _ in range(n_hypotheses)]
    sizes = random.integers(0, 3, size=n_groups)
    references = [random.integers(0, 5, size=random.integers(0, 15)).tolist() for _ in range(sizes.sum())]
    hyp_index, group_index = np.divmod(np.arange(n_hypotheses * n_groups, dtype=np.int64), n_groups)
    assert len(hyp_index) >= 8 * (n_hypotheses + n_groups)
    group_offsets = np.cumsum([0, *sizes], dtype=np.int64)
    pairs = Pairs(Tokens.of(hypotheses), Tokens.of(references), hyp_index, group_index, group_offsets)
    _assert_same(pairs, order=4, counting=counting)


@EACH_COUNTING
def test_more_tokens_than_short_keys_can_hold(counting: str) -> None:
    random = np.random.default_rng(4)
    hypotheses, references = ([random.integers(0, 4000, size=3000).tolist() for _ in range(2)] for _ in range(2))
    each = np.arange(2)
    _assert_same(Pairs(Tokens.of(hypotheses), Tokens.of(references), each, each), order=3, counting=counting)


@given(
    hyps=st.lists(st.lists(st.integers(0, 5), max_size=20), max_size=4),
    refs=st.lists(st.tuples(st.lists(st.integers(0, 5), max_size=20), st.floats(0, 1)), max_size=6),
    order=st.integers(1, 6),
)
def test_expected_matches_agree(hyps: list[list[int]], refs: list[tuple[list[int], float]], order: int) -> None:
    texts = Tokens.of(hyps), Tokens.of(text for text, _ in refs)
    options: dict[str, Any] = {"weights": np.array([weight for _, weight in refs]), "order": order}
    expected = expected_matches.specification(*texts, **options)
    np.testing.assert_array_equal(native.expected_matches(*texts, **options), expected)
    assert expected.shape == (len(hyps), order)


@pytest.mark.parametrize("kernel", [native.expected_matches, expected_matches.specification], ids=["native", "python"])
def test_expected_matches_refuse_what_does_not_fit(kernel: Any) -> None:
    texts = Tokens.of([[1], [2]])
    with pytest.raises(ValueError, match="every reference needs a weight"):
        kernel(texts, texts, weights=np.ones(1), order=2)
    with pytest.raises(ValueError, match="order must be at least 1"):
        kernel(texts, texts, weights=np.ones(2), order=0)
