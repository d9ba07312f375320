"""``frame_matches``: the compiled kernel gives what the Python specification gives."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_inputs import examples

from mtassay.kernels import Tokens
from mtassay.kernels.frames import Frames, assignment, frame_matches

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

#: Words, key and weight.
Argument = tuple[list[int], int, float]
Text = list[list[Argument]]
NO_VECTORS = np.zeros((0, 0), dtype=np.float32)


def laid_out(texts: list[Text]) -> Frames:
    frames = [frame for text in texts for frame in text]
    arguments = [argument for frame in frames for argument in frame]
    return Frames(
        Tokens.of(words for words, _, _ in arguments),
        np.array([key for _, key, _ in arguments], dtype=np.int64),
        np.array([weight for _, _, weight in arguments], dtype=np.float64),
        np.cumsum([0, *map(len, frames)], dtype=np.int64),
        np.array([len({word for words, _, _ in frame for word in words}) for frame in frames], dtype=np.float64),
        np.cumsum([0, *map(len, texts)], dtype=np.int64),
    )


_argument = st.tuples(
    st.lists(st.integers(0, 6), max_size=5), st.integers(1, 3), st.sampled_from([0.0, 0.25, 1.0]) | st.floats(0, 10)
)
_text = st.lists(st.lists(_argument, min_size=1, max_size=5), max_size=5)


@examples(4)
@given(
    hyps=st.lists(_text, min_size=1, max_size=3), refs=st.lists(_text, min_size=1, max_size=3), seed=st.integers(0, 99)
)
def test_matches_agree(hyps: list[Text], refs: list[Text], seed: int) -> None:
    rng = np.random.default_rng(seed)
    index: dict[str, Any] = {
        "hyp_index": np.repeat(np.arange(len(hyps)), len(refs)),
        "ref_index": np.tile(np.arange(len(refs)), len(hyps)),
    }
    vectors = rng.normal(size=(5, 3)).astype(np.float32)  # words 5 and 6 have none
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for given_vectors in (NO_VECTORS, vectors):
        arguments: Any = (laid_out(hyps), laid_out(refs))
        expected = frame_matches.specification(*arguments, **index, vectors=given_vectors)
        found = native.frame_matches(*arguments, **index, vectors=given_vectors)
        assert (found.dtype, found.shape) == (np.float64, (len(hyps) * len(refs), 4))
        np.testing.assert_array_equal(found, expected)


@given(st.integers(0, 5), st.integers(1, 5), st.integers(0, 999))
def test_an_assignment_has_the_largest_sum(n_rows: int, n_columns: int, seed: int) -> None:
    weights = np.random.default_rng(seed).choice([0.0, 0.5, 0.7, 1.0], size=(n_rows, n_columns)).tolist()
    pairs = assignment(weights)
    assert len(pairs) == min(n_rows, n_columns)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    wide = max(n_rows, n_columns)
    square = [[weights[i][j] if i < n_rows and j < n_columns else 0.0 for j in range(wide)] for i in range(wide)]
    best = max(sum(square[i][j] for i, j in enumerate(order)) for order in permutations(range(wide)))
    assert sum(weights[i][j] for i, j in pairs) == pytest.approx(best)


@pytest.mark.parametrize("kernel", [native.frame_matches, frame_matches.specification], ids=["native", "python"])
def test_arguments_are_checked(kernel: Any) -> None:
    frames = laid_out([[[([1], 0, 1.0)]]])
    one = np.zeros(1, dtype=np.int64)
    assert kernel(frames, frames, hyp_index=one, ref_index=one, vectors=NO_VECTORS).tolist() == [[1, 1, 1, 1]]
    with pytest.raises(ValueError, match="differ in length"):
        kernel(frames, frames, hyp_index=one, ref_index=one[:0], vectors=NO_VECTORS)
    for index in (one + 1, one - 1):
        with pytest.raises(ValueError, match="index out of range"):
            kernel(frames, frames, hyp_index=index, ref_index=one, vectors=NO_VECTORS)
