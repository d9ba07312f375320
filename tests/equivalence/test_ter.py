"""``ter_edits`` and ``ter_trace``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from text_pairs import Pair, pairs_of

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ter import VARIANTS as NAMES
from mtassay.kernels.ter import ter_edits, ter_trace

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

VARIANTS = pytest.mark.parametrize("variant", NAMES)
#: The variant that shifts the reference.
MOSES = "moses"


def _edits(kernel: Any, texts: list[Pair], variant: str) -> Any:
    return kernel(pairs_of(texts), variant=variant)


def _trace(kernel: Any, pair: Pair, variant: str) -> Any:
    return kernel(np.array(pair[0], np.int32), np.array(pair[1], np.int32), variant=variant)


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
def test_traces_agree(variant: str, pair: Pair) -> None:
    assert _trace(native.ter_trace, pair, variant) == _trace(ter_trace.specification, pair, variant)


@VARIANTS
@settings(max_examples=30)
@given(pairs=st.lists(unrelated() | shifted(max_size=30), max_size=5))
def test_counts_agree(variant: str, pairs: list[Pair]) -> None:
    expected = _edits(ter_edits.specification, pairs, variant)
    result = _edits(native.ter_edits, pairs, variant)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape == (len(pairs), 5)
    np.testing.assert_array_equal(result, expected)


@VARIANTS
@settings(max_examples=60)
@given(pair=unrelated() | shifted())
def test_a_trace_tells_the_whole_story(variant: str, pair: Pair) -> None:
    hyp, ref = pair
    ops, shifts, order = _trace(native.ter_trace, pair, variant)
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
    assert _edits(native.ter_edits, [pair], variant).tolist() == [counts]


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
def test_long_texts_agree(variant: str, sizes: tuple[int, int]) -> None:
    hyp, ref = _long_pair(max(sizes), 2)
    pair = hyp[: sizes[0]], ref[: sizes[1]]
    assert _trace(native.ter_trace, pair, variant) == _trace(ter_trace.specification, pair, variant)


@VARIANTS
def test_twenty_thousand_words(variant: str) -> None:
    hyp, ref = _long_pair(20_000, 20)
    pairs = [(hyp, ref), (hyp, ref[:1]), (hyp[:1], ref), (ref, ref), (hyp, []), ([], ref)]
    edits = _edits(native.ter_edits, pairs, variant)[:, :4].sum(axis=1).tolist()
    assert 0 < edits[0] < 300
    assert edits[1] in (19_999, 20_000)
    assert edits[2:] == [19_999, 0, 20_000, 20_000]


@pytest.mark.parametrize("kernel", [native.ter_trace, ter_trace.specification], ids=["native", "python"])
def test_a_trace_by_unknown_rules_is_refused(kernel: Any) -> None:
    with pytest.raises(ValueError, match="variant"):
        _trace(kernel, ([1], [1]), "other")


@pytest.mark.parametrize("kernel", [native.ter_edits, ter_edits.specification], ids=["native", "python"])
class TestArguments:
    def test_an_unknown_variant_is_refused(self, kernel: Any) -> None:
        with pytest.raises(ValueError, match="variant"):
            _edits(kernel, [([1], [1])], "other")

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        every = np.repeat(np.arange(2), 3), np.tile(np.arange(3), 2)
        pairs = Pairs(Tokens.of([[1, 2], [3]]), Tokens.of([[3], [1, 2], []]), *every)
        edits = kernel(pairs, variant="sacrebleu")[:, :4].sum(axis=1)
        assert edits.reshape(2, 3).tolist() == [[2, 0, 2], [0, 2, 1]]
