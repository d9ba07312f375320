"""Kernels of RIBES, EED, CharacTER and ROUGE-Lsum: the compiled ones give what the Python specifications give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from text_pairs import Pair, pairs_of

from mtassay.kernels import Tokens
from mtassay.kernels.character import character_costs
from mtassay.kernels.eed import eed_costs
from mtassay.kernels.ribes import VARIANTS, ascending_pairs
from mtassay.kernels.rouge import union_lcs_hits

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")


@st.composite
def text_pairs(draw: st.DrawFn, most: int = 30) -> Pair:
    words = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 15]))), max_size=most)
    return draw(words), draw(words)


def _assert_equal(result: Any, expected: Any) -> None:
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("variant", VARIANTS)
@given(texts=st.lists(text_pairs(), max_size=4))
@example(texts=[([], []), ([1], [1]), ([1, 1, 2], [1, 2, 1])])
def test_word_orders(variant: str, texts: list[Pair]) -> None:
    pairs = pairs_of(texts)
    _assert_equal(native.ascending_pairs(pairs, variant=variant), ascending_pairs.specification(pairs, variant=variant))


_costs = st.floats(0, 3)


@given(texts=st.lists(text_pairs(), max_size=4), jump=_costs, deletion=_costs, insertion=_costs)
@example(texts=[([], []), ([32], []), ([], [32]), ([1], [32, 1, 2, 3, 4, 5])], jump=2.0, deletion=0.2, insertion=1.0)
def test_extended_edit_distances(texts: list[Pair], jump: float, deletion: float, insertion: float) -> None:
    spaced = [
        ([32 if token == 3 else token for token in hyp], [32 if t == 3 else t for t in ref]) for hyp, ref in texts
    ]
    costs = {"jump": jump, "deletion": deletion, "insertion": insertion}
    _assert_equal(native.eed_costs(pairs_of(spaced), **costs), eed_costs.specification(pairs_of(spaced), **costs))


@given(
    texts=st.lists(text_pairs(10), max_size=3),
    words=st.lists(st.lists(st.integers(65, 68), max_size=4), min_size=16, max_size=16),
)
@example(texts=[([], []), ([1], []), ([], [1]), ([*range(40, 80), *range(40)], list(range(80)))], words=[[65]] * 80)
def test_characters(texts: list[Pair], words: list[list[int]]) -> None:
    spelled = Tokens.of(words)
    _assert_equal(
        native.character_costs(pairs_of(texts), words=spelled),
        character_costs.specification(pairs_of(texts), words=spelled),
    )


@given(texts=st.lists(st.tuples(text_pairs(), st.randoms(use_true_random=False)), max_size=4))
def test_subsequences_of_sentences(texts: list[tuple[Pair, Any]]) -> None:
    pairs = pairs_of([pair for pair, _ in texts])

    def ends(side: int) -> Tokens:
        cuts = []
        for pair, rng in texts:
            n_words = len(pair[side])
            cuts.append([*sorted(rng.randint(0, n_words) for _ in range(rng.randint(0, 3))), n_words])
        return Tokens.of(cuts)

    options = {"hyp_ends": ends(0), "ref_ends": ends(1)}
    _assert_equal(native.union_lcs_hits(pairs, **options), union_lcs_hits.specification(pairs, **options))


@pytest.mark.parametrize("kernel", [native.union_lcs_hits, union_lcs_hits.specification], ids=["native", "python"])
@pytest.mark.parametrize("ends", [[1], [3], [2, 1, 2], [-1, 2]])
def test_ends_that_do_not_fit_are_refused(kernel: Any, ends: list[int]) -> None:
    pairs = pairs_of([([1, 2], [1, 2])])
    with pytest.raises(ValueError, match="ends of sentences do not fit the text"):
        kernel(pairs, hyp_ends=Tokens.of([ends]), ref_ends=Tokens.of([[2]]))


@pytest.mark.parametrize("kernel", [native.ascending_pairs, ascending_pairs.specification], ids=["native", "python"])
def test_unknown_variants_are_refused(kernel: Any) -> None:
    with pytest.raises(ValueError, match="unknown variant 'x'"):
        kernel(pairs_of([([1], [1])]), variant="x")
