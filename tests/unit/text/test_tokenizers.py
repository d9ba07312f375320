"""What each tokenizer does with the cases its rules single out; the expected tokens follow from the rules by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import SpecError
from mtassay.text import TOKENIZERS, get_tokenizer
from mtassay.text.tokenizers.chrf_words import ChrfWordTokenizer
from mtassay.text.tokenizers.sentence_pieces import MODELS

WHITE_SPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
OPTIONAL = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko", "moses": "sacremoses", "rouge-stem": "nltk"}

#: Tokenizers that need no model from elsewhere; test_sentence_pieces.py has the others.
READY = [name for name in TOKENIZERS if name not in MODELS]


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("none", " a  b,\u2028c ", ["a", "b,", "c"]),
        ("none", "", []),
        ("13a", "3.14, 1,000. x.5 5.x", ["3.14", ",", "1,000", ".", "x", ".", "5", "5", ".", "x"]),
        ("13a", "1990-95 non-x don't", ["1990", "-", "95", "non-x", "don't"]),
        ("13a", "5.", ["5", "."]),
        ("13a", "line-\nbreak\nhere", ["linebreak", "here"]),
        ("13a", "ends-\n", ["ends-"]),
        ("13a", "a<skipped>b -<skipped>\nc", ["ab", "c"]),
        ("13a", "&amp;lt; &quot;x&quot; &apos;", ["<", '"', "x", '"', "&", "apos", ";"]),
        ("13a", "café… “q”", ["café…", "“q”"]),
        ("13a", "a...", ["a", ".", ".", "."]),
        ("intl", "“q” 5€ 3,5 in 1999.", ["“", "q", "”", "5", "€", "3,5", "in", "1999."]),
        ("intl", "“5 5”", ["“5", "5”"]),
        ("intl", ".5", [".5"]),
        ("intl", " .5", [".", "5"]),
        ("intl", "&amp;", ["&", "amp", ";"]),
        ("zh", "5. 你好5.", ["5", ".", "你", "好", "5."]),
        ("zh", ".5", [".5"]),
        ("zh", " .5", [".5"]),
        ("zh", "a\u2014b\u20acc", ["a", "\u2014", "b", "\u20ac", "c"]),
        ("zh", "\U00020000\U00020001", ["\U00020000\U00020001"]),
        ("rouge", "The 5-year-old's café, x_y", ["The", "5", "year", "old", "s", "caf", "x", "y"]),
        ("rouge", "\u2026 \u65e5\u672c ", []),
        ("char", "a b\u3000\U0001f600e\u0301", ["a", "b", "\U0001f600", "e", "\u0301"]),
    ],
)
def test_rules(name: str, line: str, expected: list[str]) -> None:
    assert get_tokenizer(name)(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("(hi)", ["(hi", ")"]),
        ("(hi", ["(", "hi"]),
        ("! ?! ab", ["!", "?", "!", "ab"]),
        ("é! 中。", ["é", "!", "中。"]),
    ],
)
def test_chrf_words(line: str, expected: list[str]) -> None:
    assert ChrfWordTokenizer()(line) == expected


@pytest.mark.parametrize("name", READY)
@pytest.mark.parametrize("line", ["a\ud800b \udfff.", "\udc80", "\ud83d\ude00"])
def test_lone_surrogates_are_kept(name: str, line: str) -> None:
    if name.startswith("rouge"):
        pytest.skip("keeps ASCII only")
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    assert "".join(get_tokenizer(name)(line)) == "".join(line.split())


@pytest.mark.parametrize("name", READY)
def test_tokens_hold_no_white_space(name: str) -> None:
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    tokens = get_tokenizer(name)("x".join(WHITE_SPACE) + "x. 1,5 中文")
    assert tokens
    assert all(token.split() == [token] for token in tokens)


@given(st.text(alphabet="a1.,-'!&;\x00é\ud800 \xa0\u2028\t", max_size=20))
def test_13a_works_word_by_word(line: str) -> None:
    tokenizer = get_tokenizer("13a")
    assert tokenizer(line) == [token for word in line.split() for token in tokenizer(word)]


@pytest.mark.parametrize("name", READY)
def test_names(name: str) -> None:
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    tokenizer = get_tokenizer(name)
    assert tokenizer.name == name
    assert tokenizer.signature.startswith(name)
    assert tokenizer is get_tokenizer(name)


def test_moses_does_not_escape() -> None:
    pytest.importorskip("sacremoses")
    assert get_tokenizer("moses")('Mr. Smith\'s "R&D".') == ["Mr.", "Smith", "'s", '"', "R", "&", "D", '"', "."]


def test_moses_of_a_language() -> None:
    pytest.importorskip("sacremoses")
    assert get_tokenizer("moses-fr")("L'an 5, M. Dupont.") == ["L'", "an", "5", ",", "M.", "Dupont", "."]
    assert get_tokenizer("moses-de").signature.endswith("-de")
    assert get_tokenizer("moses-en")("don't") == get_tokenizer("moses")("don't")
    with pytest.raises(SpecError, match="no language of Moses' tokenizer named 'dee'"):
        get_tokenizer("moses-dee")


def test_rouge_stems_words_of_more_than_three_letters() -> None:
    pytest.importorskip("nltk")
    assert get_tokenizer("rouge-stem")("running dogs' ties was") == ["run", "dog", "tie", "was"]


def test_mecab_reads_up_to_nul() -> None:
    pytest.importorskip("MeCab")
    assert get_tokenizer("ja-mecab")("猫です\x00犬です") == ["猫", "です"]
