"""``hjerson_errors``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.hjerson import COUNTS, hjerson_errors

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

Word = tuple[int, int]
Pair = tuple[list[Word], list[Word]]


def _errors(kernel: Any, pairs: list[Pair]) -> Any:
    index = np.arange(len(pairs))
    words, bases = (
        [Tokens.of([word[column] for word in pair[side]] for pair in pairs) for side in (0, 1)] for column in (0, 1)
    )
    return kernel(Pairs(words[0], words[1], index, index), hypothesis_bases=bases[0].ids, reference_bases=bases[1].ids)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    most = draw(st.sampled_from([1, 3, 8, 2**31 - 1]))
    words = st.lists(st.tuples(st.integers(0, most), st.integers(0, min(most, 4))), max_size=25)
    reference = draw(words)
    cut = draw(st.integers(0, 25))
    return draw(st.sampled_from([reference[cut:] + draw(words) + reference[:cut], draw(words)])), reference


@examples(4)
@given(batch=st.lists(pairs(), max_size=5))
def test_classes_and_counts_agree(batch: list[Pair]) -> None:
    for result, expected in zip(
        _errors(native.hjerson_errors, batch), _errors(hjerson_errors.specification, batch), strict=True
    ):
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kernel", [native.hjerson_errors, hjerson_errors.specification], ids=["native", "python"])
class TestArguments:
    def test_every_word_has_a_base(self, kernel: Any) -> None:
        texts, first = Tokens.of([[1, 2]]), np.array([0])
        with pytest.raises(ValueError, match="one base per word"):
            kernel(Pairs(texts, texts, first, first), hypothesis_bases=texts.ids, reference_bases=texts.ids[:1])

    def test_no_pairs(self, kernel: Any) -> None:
        counts, hyp, ref = _errors(kernel, [])
        assert (counts.shape, hyp.shape, ref.shape) == ((0, len(COUNTS)), (0,), (0,))
