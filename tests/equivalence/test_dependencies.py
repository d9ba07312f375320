"""``dependency_matches``: the compiled kernel gives what the Python specification gives, and brute force finds."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.dependencies import dependency_matches

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

#: Hypothesis, reference and heads.
Pair = tuple[list[int], list[int], list[int]]


def _matches(kernel: Any, pairs: list[Pair], order: int = 3) -> Any:
    index = np.arange(len(pairs))
    references = Tokens.of(reference for _, reference, _ in pairs)
    heads = np.array([head for _, _, heads in pairs for head in heads], dtype=np.int32)
    return kernel(Pairs(Tokens.of(h for h, _, _ in pairs), references, index, index), heads=heads, order=order)


@st.composite
def pairs(draw: st.DrawFn, longest: int = 30) -> Pair:
    """Few words, so that they repeat; trees or several, without circles."""
    words = st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1])))
    reference = draw(st.lists(words, max_size=longest))
    order = draw(st.permutations(range(len(reference))))
    heads = [-1] * len(reference)
    for rank, word in enumerate(order):
        above = draw(st.integers(-1, rank - 1))
        heads[word] = order[above] if above >= 0 else -1
    cut = draw(st.integers(0, longest))
    copied = reference[cut:] + draw(st.lists(words, max_size=5)) + reference[:cut]
    return draw(st.sampled_from([copied, reference, draw(st.lists(words, max_size=longest))])), reference, heads


@examples(4)
@given(batch=st.lists(pairs(), max_size=5), order=st.integers(1, 5))
def test_matches_agree(batch: list[Pair], order: int) -> None:
    expected = _matches(dependency_matches.specification, batch, order)
    result = _matches(native.dependency_matches, batch, order)
    assert result.dtype == expected.dtype == np.float64
    np.testing.assert_array_equal(result, expected)


def _brute_row(hypothesis: list[int], reference: list[int], heads: list[int], order: int) -> list[float]:
    """From the definitions: sets of positions that are a path upwards, or complete subtrees side by side."""
    n_words = len(reference)

    def subtree(word: int) -> set[int]:
        return {word}.union(*(subtree(other) for other in range(n_words) if heads[other] == word))

    def is_chain(chosen: tuple[int, ...]) -> bool:
        inside = sum(heads[word] in chosen for word in chosen)
        below = [sum(heads[other] == word for other in chosen) for word in chosen]
        return inside == len(chosen) - 1 and max(below) <= 1

    def is_structure(chosen: tuple[int, ...]) -> bool:
        if chosen[-1] - chosen[0] != len(chosen) - 1:
            return False
        tops = [word for word in chosen if heads[word] not in chosen]
        [head, *others] = {heads[word] for word in tops}
        floating = not others and head >= 0 and set().union(*map(subtree, tops)) == set(chosen)
        below = [word for word in chosen if word != tops[0]]
        fixed = len(tops) == 1 and all(subtree(word) <= set(chosen) for word in below)
        return floating or fixed

    def value(chosen: tuple[int, ...], *, chain: bool) -> float:
        best = 0.0
        for places in combinations(range(len(hypothesis)), len(chosen)):
            if [hypothesis[place] for place in places] == [reference[word] for word in chosen]:
                gaps = zip(pairwise(chosen), pairwise(places), strict=True)
                off = sum(abs((b - a) - (d - c)) for (a, b), (c, d) in gaps)
                best = max(
                    best,
                    math.exp(-off / (len(chosen) - 1)) if chain else float(places[-1] - places[0] == len(places) - 1),
                )
        return best

    common = sum(min(hypothesis.count(word), reference.count(word)) for word in set(reference))
    values, numbers = [float(common)], [float(n_words)]
    for n in range(2, order + 1):
        found = [(c, is_chain(c)) for c in combinations(range(n_words), n) if is_chain(c) or is_structure(c)]
        values.append(sum(value(chosen, chain=chain) for chosen, chain in found))
        numbers.append(len(found))
    return values + numbers


@settings(max_examples=60)
@given(pair=pairs(longest=7))
def test_matches_are_those_of_the_definition(pair: Pair) -> None:
    for kernel in (native.dependency_matches, dependency_matches.specification):
        [row] = _matches(kernel, [pair])
        np.testing.assert_allclose(row, _brute_row(*pair, 3), rtol=1e-12)


def test_long_texts() -> None:
    rng = np.random.default_rng(5)
    text = (rng.pareto(0.5, 10_000) % 1_000).astype(int).tolist()
    heads = [-1, *range(9_999)]
    [row] = _matches(native.dependency_matches, [(text, text, heads)])
    assert row.tolist() == [10_000, 9_999, 9_998, 10_000, 9_999, 9_998]
    one_word = [7] * 5_000
    [row] = _matches(native.dependency_matches, [(one_word, one_word, heads[:5_000])])
    assert row.tolist() == [5_000, 4_999, 4_998, 5_000, 4_999, 4_998]


@pytest.mark.parametrize("kernel", [native.dependency_matches, dependency_matches.specification])
class TestArguments:
    def test_no_head_is_no_ngram(self, kernel: Any) -> None:
        assert _matches(kernel, [([1, 2], [1, 2], [-1, -1])]).tolist() == [[2, 0, 0, 2, 0, 0]]

    @pytest.mark.parametrize(("heads", "order"), [([0], 3), ([2, -1], 3), ([-2, -1], 3), ([-1, 0], 0)])
    def test_wrong_heads_and_orders_are_refused(self, kernel: Any, heads: list[int], order: int) -> None:
        with pytest.raises(ValueError, match=r"heads|order"):
            _matches(kernel, [([1], [1, 2], heads)], order)
