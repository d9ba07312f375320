"""``word_edits`` and ``cder_edits``: the compiled kernels give what the Python specification gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mtassay.kernels import edits as python_edits

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

KERNELS = pytest.mark.parametrize("name", ["word_edits", "cder_edits"])
Pair = tuple[list[int], list[int]]


def _tokens(texts: list[list[int]]) -> tuple[Any, Any]:
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _edits(module: Any, name: str, pairs: list[Pair], threads: int = 1) -> Any:
    index = np.arange(len(pairs))
    hyp, ref = _tokens([h for h, _ in pairs]), _tokens([r for _, r in pairs])
    return getattr(module, name)(*hyp, *ref, index, index, threads)


@st.composite
def text_pairs(draw: st.DrawFn) -> Pair:
    words = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1]))), max_size=40)
    # Up to three machine words.
    return draw(words) * draw(st.integers(1, 4)), draw(words) * draw(st.integers(1, 4))


@KERNELS
@settings(max_examples=100)
@given(pairs=st.lists(text_pairs(), max_size=4), threads=st.integers(1, 3))
@example(pairs=[([], []), ([1, 2], []), ([], [1, 2])], threads=1)
@example(pairs=[(list(range(n)), list(range(1, m))) for n in (63, 64, 65) for m in (64, 65, 66, 129)], threads=1)
def test_counts_agree(name: str, pairs: list[Pair], threads: int) -> None:
    expected = _edits(python_edits, name, pairs)
    result = _edits(native, name, pairs, threads)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


@KERNELS
@pytest.mark.parametrize("sizes", [(700, 650), (300, 70), (70, 300), (1000, 1), (1, 1000), (900, 64)])
def test_long_texts_agree(name: str, sizes: tuple[int, int]) -> None:
    rng = random.Random(sizes[0])
    pair = [rng.randrange(40) for _ in range(sizes[0])], [rng.randrange(40) for _ in range(sizes[1])]
    np.testing.assert_array_equal(_edits(native, name, [pair]), _edits(python_edits, name, [pair]))


def test_twenty_thousand_words() -> None:
    rng = random.Random(3)
    ref = [int(rng.paretovariate(0.5)) % 10_000 for _ in range(20_000)]
    hyp = [*ref[10_000:], -1, *ref[:10_000]]
    pairs = [(hyp, ref), (ref, hyp), (ref, ref), (hyp, []), ([], ref)]
    assert _edits(native, "cder_edits", pairs)[:, 0].tolist() == [3, 4, 0, 1, 20_000]
    words = _edits(native, "word_edits", pairs)
    assert words[0].sum() == words[1].sum()
    assert (words[:, 1] - words[:, 2]).tolist() == [1, -1, 0, 20_001, -20_000]
    assert words[2:].tolist() == [[0, 0, 0], [0, 20_001, 0], [0, 0, 20_000]]


@KERNELS
@pytest.mark.parametrize("module", [native, python_edits], ids=["native", "python"])
class TestArguments:
    def test_an_index_out_of_range_is_refused(self, module: Any, name: str) -> None:
        ids, offsets = _tokens([[1], [2]])
        with pytest.raises(ValueError, match="index"):
            getattr(module, name)(ids, offsets, ids, offsets, np.array([0]), np.array([2]), 1)
        with pytest.raises(ValueError, match="differ in length"):
            getattr(module, name)(ids, offsets, ids, offsets, np.array([0]), np.array([0, 1]), 1)

    def test_texts_can_be_paired_freely(self, module: Any, name: str) -> None:
        hyp, ref = _tokens([[1, 2], [3]]), _tokens([[3], [1, 2]])
        every = np.repeat(np.arange(2), 2), np.tile(np.arange(2), 2)
        edits = getattr(module, name)(*hyp, *ref, *every, 1).sum(axis=1)
        assert edits.reshape(2, 2).tolist() == [[2, 0], [0, 2]]
