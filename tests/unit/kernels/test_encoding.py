"""The Python encoder; tests/equivalence holds the compiled one to it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels.encoding import Vocabulary, codepoints, encode_texts
from mtassay.text import get_tokenizer

vocabulary_of_python = Vocabulary.specification  # type: ignore[attr-defined]
encode, code_points = encode_texts.specification, codepoints.specification


def test_ids_follow_first_appearance() -> None:
    vocabulary = vocabulary_of_python()
    ids, offsets = encode(["b a.", "", "A b"], "13a", case="mixed", vocabulary=vocabulary)
    assert (ids.tolist(), offsets.tolist()) == ([0, 1, 2, 3, 0], [0, 3, 3, 5])
    assert vocabulary.words() == ["b", "a", ".", "A"]
    assert len(vocabulary) == 4


@pytest.mark.parametrize(("case", "words"), [("mixed", ["É", "A", "a"]), ("lower", ["é", "a"]), ("ascii", ["É", "a"])])
def test_case(case: str, words: list[str]) -> None:
    vocabulary = vocabulary_of_python()
    encode(["É A a"], "none", case=case, vocabulary=vocabulary)
    assert vocabulary.words() == words


@given(st.lists(st.text()), st.sampled_from(["none", "13a", "intl", "zh", "char"]))
def test_words_are_the_tokens(texts: list[str], tokenizer: str) -> None:
    vocabulary = vocabulary_of_python()
    ids, offsets = encode(texts, tokenizer, case="mixed", vocabulary=vocabulary)
    words = [vocabulary.word(number) for number in ids.tolist()]
    pieces = [words[start:end] for start, end in pairwise(offsets)]
    assert pieces == [get_tokenizer(tokenizer)(text) for text in texts]


def test_code_points() -> None:
    ids, offsets = code_points(["A\u2028é", "\ud800 "], case="lower", keep_whitespace=False)
    assert (ids.tolist(), offsets.tolist()) == ([0x61, 0xE9, 0xD800], [0, 2, 3])
    ids, _ = code_points([" a\n"], case="mixed", keep_whitespace=True)
    assert ids.tolist() == [0x20, 0x61, 0x0A]
