"""The Python encoder; tests/equivalence holds the compiled one to it."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.text import get_tokenizer

python: Any = import_module("mtassay.kernels.encoding")


def test_ids_follow_first_appearance() -> None:
    vocabulary = python.Vocabulary()
    ids, offsets = python.encode(["b a.", "", "A b"], "13a", 0, vocabulary)
    assert (ids.tolist(), offsets.tolist()) == ([0, 1, 2, 3, 0], [0, 3, 3, 5])
    assert vocabulary.words() == ["b", "a", ".", "A"]
    assert len(vocabulary) == 4


@pytest.mark.parametrize(("case", "words"), [(0, ["É", "A", "a"]), (1, ["é", "a"]), (2, ["É", "a"])])
def test_case(case: int, words: list[str]) -> None:
    vocabulary = python.Vocabulary()
    python.encode(["É A a"], "none", case, vocabulary)
    assert vocabulary.words() == words


@given(st.lists(st.text()), st.sampled_from(["none", "13a", "intl", "zh", "char"]))
def test_words_are_the_tokens(texts: list[str], tokenizer: str) -> None:
    vocabulary = python.Vocabulary()
    ids, offsets = python.encode(texts, tokenizer, 0, vocabulary)
    words = [vocabulary.word(number) for number in ids.tolist()]
    pieces = [words[start:end] for start, end in pairwise(offsets)]
    assert pieces == [get_tokenizer(tokenizer)(text) for text in texts]


def test_code_points() -> None:
    ids, offsets = python.codepoints(["A\u2028é", "\ud800 "], 1, False)
    assert (ids.tolist(), offsets.tolist()) == ([0x61, 0xE9, 0xD800], [0, 2, 3])
    ids, _ = python.codepoints([" a\n"], 0, True)
    assert ids.tolist() == [0x20, 0x61, 0x0A]
