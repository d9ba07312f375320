"""``ter_edits`` and ``ter_trace``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mtassay.kernels import ter as python_ter

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

VARIANTS = pytest.mark.parametrize("variant", [0, 1, 2], ids=["sacrebleu", "tercom", "moses"])
#: The variant that shifts the reference.
MOSES = 2
Pair = tuple[list[int], list[int]]


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _edits(kernel: Any, pairs: list[Pair], variant: int, threads: int = 1) -> Any:
    index = np.arange(len(pairs))
    hyp, ref = _tokens([h for h, _ in pairs]), _tokens([r for _, r in pairs])
    return kernel.ter_edits(*hyp, *ref, index, index, variant, threads)


def _trace(kernel: Any, pair: Pair, variant: int) -> Any:
    return kernel.ter_trace(np.array(pair[0], np.int32), np.array(pair[1], np.int32), variant)


@st.composite
def unrelated(draw: st.DrawFn) -> Pair:
    words = st.lists(st.integers(0, draw(st.sampled_from([1, 2, 4, 20]))), max_size=60)
    return draw(words), draw(words)


@st.composite
def shifted(draw: st.DrawFn, max_size: int = 60) -> Pair:
    """A reference, and a hypothesis made from it by moving blocks and changing words."""
    ref = draw(st.lists(st.integers(0, draw(st.sampled_from([5, 20, 2**31 - 1]))), min_size=1, max_size=max_size))
    hyp = list(ref)
    position = st.integers(0, len(ref) - 1)
    for start, length, to in draw(st.lists(st.tuples(position, st.integers(1, 12), position), max_size=4)):
        block = hyp[start : start + length]
        del hyp[start : start + length]
        hyp[to:to] = block
    for at, word in draw(st.lists(st.tuples(position, st.integers(0, 25)), max_size=10)):
        hyp[at] = word
    return hyp[draw(st.integers(0, 3)) :], ref


@VARIANTS
@settings(max_examples=60)
@given(pair=unrelated() | shifted())
@example(pair=([], []))
@example(pair=([1, 2], []))
@example(pair=([], [1, 2]))
@example(pair=([1], list(range(120))))
@example(pair=(list(range(120)), [1]))
def test_traces_agree(variant: int, pair: Pair) -> None:
    assert _trace(native, pair, variant) == _trace(python_ter, pair, variant)


@VARIANTS
@settings(max_examples=30)
@given(pairs=st.lists(unrelated() | shifted(max_size=30), max_size=5), threads=st.integers(1, 3))
def test_counts_agree(variant: int, pairs: list[Pair], threads: int) -> None:
    expected = _edits(python_ter, pairs, variant)
    result = _edits(native, pairs, variant, threads)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape == (len(pairs), 5)
    np.testing.assert_array_equal(result, expected)


@VARIANTS
@settings(max_examples=60)
@given(pair=unrelated() | shifted())
def test_a_trace_tells_the_whole_story(variant: int, pair: Pair) -> None:
    hyp, ref = pair
    ops, shifts, order = _trace(native, pair, variant)
    moved = list(range(len(ref if variant == MOSES else hyp)))
    for start, end, to in shifts:
        block = moved[start : end + 1]
        del moved[start : end + 1]
        moved[to:to] = block
    assert order == moved
    hyp, ref = (hyp, [ref[k] for k in order]) if variant == MOSES else ([hyp[k] for k in order], ref)
    i = j = 0
    for op in ops:
        if op in " S":
            assert (hyp[i] == ref[j]) == (op == " ")
        i += op != "D"
        j += op != "I"
    assert (i, j) == (len(hyp), len(ref))
    n_moved = sum(end - start + 1 for start, end, _ in shifts)
    counts = [ops.count("I"), ops.count("D"), ops.count("S"), len(shifts), n_moved]
    assert _edits(native, [pair], variant).tolist() == [counts]


def _long_pair(n_words: int, n_moves: int) -> Pair:
    rng = random.Random(n_words)
    ref = [int(rng.paretovariate(0.5)) % 10_000 for _ in range(n_words)]
    hyp = list(ref)
    for _ in range(n_moves):
        start, length = rng.randrange(n_words - 20), rng.randint(1, 6)
        block = hyp[start : start + length]
        del hyp[start : start + length]
        to = max(0, start + rng.randint(-30, 30))
        hyp[to:to] = block
    return hyp, ref


@VARIANTS
@pytest.mark.parametrize("sizes", [(200, 200), (450, 450), (1, 1050), (1050, 1), (300, 40), (40, 450)])
def test_long_texts_agree(variant: int, sizes: tuple[int, int]) -> None:
    hyp, ref = _long_pair(max(sizes), 2)
    pair = hyp[: sizes[0]], ref[: sizes[1]]
    assert _trace(native, pair, variant) == _trace(python_ter, pair, variant)


@VARIANTS
def test_twenty_thousand_words(variant: int) -> None:
    hyp, ref = _long_pair(20_000, 20)
    pairs = [(hyp, ref), (hyp, ref[:1]), (hyp[:1], ref), (ref, ref), (hyp, []), ([], ref)]
    edits = _edits(native, pairs, variant)[:, :4].sum(axis=1).tolist()
    assert 0 < edits[0] < 300
    assert edits[1] in (19_999, 20_000)
    assert edits[2:] == [19_999, 0, 20_000, 20_000]


@pytest.mark.parametrize("kernel", [native, python_ter], ids=["native", "python"])
class TestArguments:
    def test_an_unknown_variant_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="variant"):
            _edits(kernel, [([1], [1])], 7)
        with pytest.raises(ValueError, match="variant"):
            _trace(kernel, ([1], [1]), -1)

    def test_an_index_out_of_range_is_refused(self, kernel: Any) -> None:
        ids, offsets = _tokens([[1], [2]])
        with pytest.raises(ValueError, match="index"):
            kernel.ter_edits(ids, offsets, ids, offsets, np.array([0]), np.array([2]), 0, 1)

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        hyp, ref = _tokens([[1, 2], [3]]), _tokens([[3], [1, 2], []])
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        edits = kernel.ter_edits(*hyp, *ref, *every, 0, 1)[:, :4].sum(axis=1)
        assert edits.reshape(2, 3).tolist() == [[2, 0, 2], [0, 2, 1]]
