"""Numbers of n-grams and their counts: the compiled kernels give what the Python specifications give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels.ngram_numbers import count_in_segments, number_pairs

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

#: Few different numbers, so that pairs repeat, among them the ends of the range.
_ids = st.sampled_from([0, 1, 2, 255, 2**16, 2**31 - 2, 2**31 - 1])


@given(rows=st.lists(st.tuples(_ids, _ids), max_size=40))
def test_numbers_of_pairs(rows: list[tuple[int, int]]) -> None:
    first, second = np.array(rows, dtype=np.int64).reshape(-1, 2).T.copy()
    expected = number_pairs.specification(first, second)
    result = native.number_pairs(first, second)
    for ours, theirs in zip(result, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    numbers, firsts = expected
    assert [rows[firsts[number]] for number in numbers] == rows


@given(data=st.data(), n_texts=st.integers(1, 4), n_segments=st.integers(0, 4))
def test_numbers_in_segments(data: st.DataObject, n_texts: int, n_segments: int) -> None:
    numbers = np.array(data.draw(st.lists(st.integers(-1, 5), max_size=20)), dtype=np.int64)
    places = st.lists(st.integers(0, len(numbers)), min_size=2, max_size=2).map(sorted)
    n_spans = n_segments * n_texts
    spans = np.array(data.draw(st.lists(places, min_size=n_spans, max_size=n_spans)), dtype=np.int64)
    begins, ends = (column.reshape(n_segments, n_texts).copy() for column in spans.reshape(-1, 2).T)
    expected = count_in_segments.specification(numbers, begins, ends, n_numbers=6)
    result = native.count_in_segments(numbers, begins, ends, n_numbers=6)
    for ours, theirs in zip(result, expected, strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("which", ["specification", "native"])
def test_bad_arguments_of_counts(which: str) -> None:
    number: Any = native.number_pairs if which == "native" else number_pairs.specification
    count: Any = native.count_in_segments if which == "native" else count_in_segments.specification
    one, two = np.array([1]), np.array([1, 2])
    with pytest.raises(ValueError, match="columns of different lengths"):
        number(one, two)
    for outside in (-1, 2**31):
        with pytest.raises(ValueError, match="number out of range"):
            number(one, np.array([outside]))
    with pytest.raises(ValueError, match="different shapes"):
        count(two, np.array([[0, 1]]), np.array([[1]]), n_numbers=3)
    for begin, end in ((-1, 1), (1, 0), (0, 3)):
        with pytest.raises(ValueError, match="segment out of range"):
            count(two, np.array([[begin]]), np.array([[end]]), n_numbers=3)
    with pytest.raises(ValueError, match="number out of range"):
        count(two, np.array([[0]]), np.array([[2]]), n_numbers=2)
