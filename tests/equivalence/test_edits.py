"""``word_edits``, ``word_trace`` and ``cder_edits``: the compiled kernels give what the Python specification gives."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_inputs import examples
from text_pairs import Pair, pairs_of

from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.edits import TIES, cder_edits, word_edits, word_trace

native = pytest.importorskip("mtassay._native", reason="the compiled kernels were not built")

#: By name: the compiled kernel and its specification.
TWINS: dict[str, tuple[Any, Any]] = {
    **{
        f"word_edits-{ties}": (partial(native.word_edits, ties=ties), partial(word_edits.specification, ties=ties))
        for ties in TIES
    },
    "cder_edits": (native.cder_edits, cder_edits.specification),
}
KERNELS = pytest.mark.parametrize("name", TWINS)


def _expected(name: str, texts: list[Pair]) -> Any:
    return TWINS[name][1](pairs_of(texts))


def _compiled(name: str, texts: list[Pair]) -> Any:
    return TWINS[name][0](pairs_of(texts))


@st.composite
def text_pairs(draw: st.DrawFn) -> Pair:
    words = st.lists(st.integers(0, draw(st.sampled_from([1, 4, 20, 2**31 - 1]))), max_size=40)
    # Up to three machine words.
    return draw(words) * draw(st.integers(1, 4)), draw(words) * draw(st.integers(1, 4))


@KERNELS
@examples(2)
@given(pairs=st.lists(text_pairs(), max_size=4))
@example(pairs=[([], []), ([1, 2], []), ([], [1, 2])])
@example(pairs=[(list(range(n)), list(range(1, m))) for n in (63, 64, 65) for m in (64, 65, 66, 129)])
def test_counts_agree(name: str, pairs: list[Pair]) -> None:
    expected = _expected(name, pairs)
    result = _compiled(name, pairs)
    assert result.dtype == expected.dtype == np.int64
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


@KERNELS
@pytest.mark.parametrize("sizes", [(700, 650), (300, 70), (70, 300), (1000, 1), (1, 1000), (900, 64)])
def test_long_texts_agree(name: str, sizes: tuple[int, int]) -> None:
    rng = random.Random(sizes[0])
    pair = [rng.randrange(40) for _ in range(sizes[0])], [rng.randrange(40) for _ in range(sizes[1])]
    np.testing.assert_array_equal(_compiled(name, [pair]), _expected(name, [pair]))


def test_twenty_thousand_words() -> None:
    rng = random.Random(3)
    ref = [int(rng.paretovariate(0.5)) % 10_000 for _ in range(20_000)]
    hyp = [*ref[10_000:], -1, *ref[:10_000]]
    pairs = [(hyp, ref), (ref, hyp), (ref, ref), (hyp, []), ([], ref)]
    assert _compiled("cder_edits", pairs)[:, 0].tolist() == [3, 4, 0, 1, 20_000]
    words = _compiled("word_edits-substitutions", pairs)
    assert words.sum(axis=1).tolist() == _compiled("word_edits-gaps", pairs).sum(axis=1).tolist()
    assert words[0].sum() == words[1].sum()
    assert (words[:, 1] - words[:, 2]).tolist() == [1, -1, 0, 20_001, -20_000]
    assert words[2:].tolist() == [[0, 0, 0], [0, 20_001, 0], [0, 0, 20_000]]


@pytest.mark.parametrize("ties", TIES)
@examples(2)
@given(pair=text_pairs())
@example(pair=([], []))
def test_traces_agree(ties: str, pair: Pair) -> None:
    hyp, ref = (np.array(text, dtype=np.int32) for text in pair)
    trace = native.word_trace(hyp, ref, ties=ties)
    assert trace == word_trace.specification(hyp, ref, ties=ties)
    [counts] = native.word_edits(pairs_of([pair]), ties=ties).tolist()
    assert [trace.count(kind) for kind in "SID"] == counts


@pytest.mark.parametrize("kernel", [native.word_edits, word_edits.specification], ids=["native", "python"])
def test_unknown_rules_for_ties_are_refused(kernel: Any) -> None:
    with pytest.raises(ValueError, match="unknown rule for ties 'x'"):
        kernel(pairs_of([([1], [1])]), ties="x")


@pytest.mark.parametrize("kernel", [kernel for twins in TWINS.values() for kernel in twins])
class TestArguments:
    def test_what_does_not_fit_is_refused(self, kernel: Any) -> None:
        texts, zero = Tokens.of([[1], [2]]), np.array([0])
        with pytest.raises(ValueError, match="index"):
            kernel(Pairs(texts, texts, zero, np.array([2])))
        with pytest.raises(ValueError, match="differ in length"):
            kernel(Pairs(texts, texts, zero, np.array([0, 1])))
        with pytest.raises(ValueError, match="single references"):
            kernel(Pairs(texts, texts, zero, zero, np.array([0, 2])))

    def test_texts_can_be_paired_freely(self, kernel: Any) -> None:
        every = np.repeat(np.arange(2), 2), np.tile(np.arange(2), 2)
        edits = kernel(Pairs(Tokens.of([[1, 2], [3]]), Tokens.of([[3], [1, 2]]), *every)).sum(axis=1)
        assert edits.reshape(2, 2).tolist() == [[2, 0], [0, 2]]
