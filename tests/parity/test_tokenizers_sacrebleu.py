"""Every tokenizer that sacreBLEU has gives sacreBLEU's tokens."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.text import get_tokenizer
from mtassay.text.chrf_words import ChrfWordTokenizer
from mtassay.text.unicode_classes import class_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

sacrebleu_tokenizer = pytest.importorskip("sacrebleu.metrics.bleu")._get_tokenizer

PLAIN = ["none", "13a", "intl", "zh", "char"]
MECAB = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}

SENTENCES = [
    "今天天气很好，我们去公园散步吧！价格是3.50元（约合0.5美元）。",
    "他说：“2023年第1季度，GDP增长了4.5%。”——真的吗？",
    "𠀀𪛖 rare 龦 ideographs, \u2fa1 \u3000 ＡＢＣ１２３",
    "東京は日本の首都です。人口は約1,400万人、面積は2,194km²だ。",
    "「すみません」と彼女は言った…ｶﾀｶﾅも混ぜる。",
    "나는 어제 친구와 함께 3.5km를 걸었다. 정말 좋았어요!",
    "서울의 인구는 약 9,400,000명이다(2023년 기준).",
    "«Bonjour», dit-il : 1 234,56 € !",
    ".5 is less than 1. But 10-20, 3-D and 5.",
    "naïve café — “quoted” ‘text’ №5 ½ ٣٫٥ १२३।",
    "",
    " ",
    ".",
]

NASTY = st.lists(
    st.sampled_from(
        [
            *"abAZ09.,-'\"!$%&()*+/:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x00\x7f",
            *"\x85\xa0\u1680\u2000\u2001\u200b\u2028\u2029\u202f\u205f\u3000\ufeff",
            *"éßİǅσς\u0301\u0327½²٣१〇€№©«»“”—…。，！（）",
            *"中龦あアｱ한\u2a6d\u2a6e\u2f80\u2fa1\U00020000\U0001f600\U0001d7d8\ue000\U0010ffff",
            *["&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "<skipped>", "-\n", "1.5", "2-3", ",,", "..", "U.S."],
        ]
    ),
    max_size=12,
).map("".join)
SURROGATES = st.lists(st.sampled_from([*"a1.,&; \n", "\ud800", "\udfff", "\udc80"]), max_size=8).map("".join)


def original(name: str) -> Callable[[str], list[str]]:
    tokenize = sacrebleu_tokenizer(name)()
    return lambda line: tokenize(line.rstrip()).split()


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("line", SENTENCES)
def test_sentences_of_many_scripts(name: str, line: str) -> None:
    assert get_tokenizer(name)(line) == original(name)(line)


@pytest.mark.parametrize("name", PLAIN)
@given(line=NASTY | SURROGATES | st.text())
def test_any_text(name: str, line: str) -> None:
    assert get_tokenizer(name)(line) == original(name)(line)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(
    "path", ["wmt13/fr-en/hyp", "wmt13/fr-en/src", "wmt13/cs-en/hyp", "wmt13/cs-en/src", "wmt21/en-de/hyp"]
)
def test_real_lines(name: str, path: str, data_dir: Path) -> None:
    source = data_dir / path
    file = min(source.glob("*")) if source.is_dir() else source
    lines = file.read_bytes().decode("utf-8").split("\n")[::3]
    assert len(lines) > 300
    ours, theirs = get_tokenizer(name), original(name)
    assert [ours(line) for line in lines] == [theirs(line) for line in lines]


@pytest.mark.parametrize("name", ["13a", "intl", "zh"])
def test_every_code_point_that_has_characters(name: str) -> None:
    ours, theirs = get_tokenizer(name), original(name)
    for start in (*range(0, 0x20000, 0x800), 0x2F800, 0xE0000, 0x10F800):
        line = "".join(f"a{chr(code)}1 " for code in range(start, start + 0x800))
        assert ours(line) == theirs(line)


@pytest.mark.parametrize("name", MECAB)
def test_mecab_words_and_signature(name: str) -> None:
    pytest.importorskip(MECAB[name])
    assert [get_tokenizer(name)(line) for line in SENTENCES] == [original(name)(line) for line in SENTENCES]
    assert get_tokenizer(name).signature == sacrebleu_tokenizer(name)().signature()


@pytest.mark.parametrize("name", MECAB)
@given(line=NASTY)
def test_mecab_on_any_text(name: str, line: str) -> None:
    pytest.importorskip(MECAB[name])
    assert get_tokenizer(name)(line) == original(name)(line)


@pytest.mark.parametrize("name", PLAIN)
def test_signatures(name: str) -> None:
    assert get_tokenizer(name).signature == sacrebleu_tokenizer(name)().signature()


@given(line=NASTY | SURROGATES | st.text())
def test_chrf_words(line: str) -> None:
    chrf = import_module("sacrebleu.metrics.chrf").CHRF()
    assert ChrfWordTokenizer()(line) == chrf._remove_punctuation(line)


def test_character_classes_are_those_of_the_regex_package() -> None:
    """If this fails, the package has a newer Unicode: run tools/unicode_classes.py and note it in the changelog."""
    regex = pytest.importorskip("regex")
    everything = "".join(map(chr, range(0x110000)))
    expected = bytearray(0x110000)
    for value, letter in enumerate("PSN", start=1):
        for match in regex.finditer(rf"\p{{{letter}}}", everything):
            expected[match.start()] = value
    assert class_table() == bytes(expected)
