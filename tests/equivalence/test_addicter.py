"""``addicter_alignments`` and ``order_errors``: the compiled kernels give what the Python specifications give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.addicter import addicter_alignments, order_errors

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

Word = tuple[int, int, int]
Pair = tuple[list[Word], list[Word]]
_LEMMAS = (
    b"",
    b"A",
    b"AB",
    b"BA",
    b"HOUSE",
    b"HOUSES",
    b"MOUSE",
    b"PA\xc3\xafEN",
    b"PAGAN",
    b"2012",
    b"2021",
    b"DEMOCRAT",
)
_STARTS = np.array([78, 78, 86, 46], dtype=np.int32)
_MARKS = np.array([0, 0, 0, 1], dtype=np.int32)


def _aligned(kernel: Any, pairs: list[Pair], **changes: Any) -> Any:
    index = np.arange(len(pairs))
    words, lemmas, tags = (
        [Tokens.of([word[column] for word in pair[side]] for pair in pairs) for side in (0, 1)] for column in range(3)
    )
    arguments: dict[str, Any] = {
        "hypothesis_lemmas": lemmas[0].ids,
        "hypothesis_tags": tags[0].ids,
        "reference_lemmas": lemmas[1].ids,
        "reference_tags": tags[1].ids,
        "letters": Tokens.of(_LEMMAS),
        "tag_starts": _STARTS,
        "tag_marks": _MARKS,
    }
    return kernel(Pairs(words[0], words[1], index, index), **{**arguments, **changes})


_words = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, len(_LEMMAS) - 1), st.integers(0, len(_STARTS) - 1)), max_size=10
)


@examples(4)
@given(batch=st.lists(st.tuples(_words, _words), max_size=4))
def test_alignments_agree(batch: list[Pair]) -> None:
    result = _aligned(native.addicter_alignments, batch)
    expected = _aligned(addicter_alignments.specification, batch)
    assert result.dtype == expected.dtype == np.int32
    np.testing.assert_array_equal(result, expected)


@examples(4)
@given(
    letters=st.lists(st.binary(max_size=64) | st.text("AEIOU12", max_size=64).map(str.encode), min_size=13, max_size=13)
)
def test_alignments_of_any_letters_agree(letters: list[bytes]) -> None:
    tagged = [(i, i, 0) for i in range(len(letters))]
    batch = [([(50 + i, lemma, tag) for i, lemma, tag in tagged], tagged[::-1]) for tagged in (tagged, tagged[:4])]
    batch = [(hyp[: len(hyp) // 2], ref[: len(ref) // 2]) for hyp, ref in batch]  # no lemma on both sides
    result, expected = (
        _aligned(kernel, batch, letters=Tokens.of(letters))
        for kernel in (native.addicter_alignments, addicter_alignments.specification)
    )
    np.testing.assert_array_equal(result, expected)


@examples(4)
@given(
    batch=st.lists(st.integers(0, 12).flatmap(lambda n: st.permutations(range(3, 3 + 2 * n, 2))), max_size=3),
    beam=st.sampled_from([1, 3, 25]),
)
def test_errors_of_order_agree(batch: list[list[int]], beam: int) -> None:
    orders = Tokens.of(batch)
    result, expected = native.order_errors(orders, beam=beam), order_errors.specification(orders, beam=beam)
    assert result.dtype == expected.dtype == np.int64
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kernel", [native.order_errors, order_errors.specification], ids=["native", "python"])
class TestOrders:
    def test_a_sorted_text_has_no_errors(self, kernel: Any) -> None:
        assert kernel(Tokens.of([[], [1, 2, 7]]), beam=25).shape == (0, 4)

    def test_a_place_twice_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="different"):
            kernel(Tokens.of([[1, 1]]), beam=25)

    def test_a_beam_of_nothing_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="beam"):
            kernel(Tokens.of([[2, 1]]), beam=0)


@pytest.mark.parametrize(
    "kernel", [native.addicter_alignments, addicter_alignments.specification], ids=["native", "python"]
)
class TestAlignmentArguments:
    def test_every_word_has_a_tag(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="one lemma and one tag per word"):
            _aligned(kernel, [([(1, 1, 1)], [(1, 1, 1)])], hypothesis_tags=np.empty(0, dtype=np.int32))

    def test_unknown_lemmas_are_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="out of range"):
            _aligned(kernel, [([(1, 99, 1)], [(1, 1, 1)])])

    def test_tags_are_described_twice(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="differ in length"):
            _aligned(kernel, [], tag_marks=_MARKS[:1])

    def test_long_lemmas_are_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="more than 64 letters"):
            _aligned(kernel, [], letters=Tokens.of([b"A" * 65]))
