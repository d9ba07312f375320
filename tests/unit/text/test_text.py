from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import InputError, MissingExtraError, SpecError
from mtassay.text import get_tokenizer, lowercase, tokenizer_signature
from mtassay.text.tokenizers.mecab import Mecab


def test_unknown_tokenizer_gets_a_suggestion() -> None:
    with pytest.raises(SpecError, match=r"no tokenizer named 'int'; did you mean 'intl'\?"):
        get_tokenizer("int")


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("ja-mecab", "MeCab", "ja"),
        ("ja-mecab", "ipadic", "ja"),
        ("ko-mecab", "mecab_ko", "ko"),
        ("moses", "sacremoses", "moses"),
    ],
)
def test_missing_package_names_the_extra(name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    get_tokenizer.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"the tokenizer '{name}' .*mtassay\[{extra}\]"):
        get_tokenizer(name)


def test_another_mecab_dictionary_is_refused() -> None:
    pytest.importorskip("MeCab")
    with pytest.raises(InputError, match="a different dictionary"):
        Mecab("MeCab", "ipadic", n_entries=1)


def test_mecab_refuses_what_it_cannot_split(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("MeCab")
    mecab = Mecab("MeCab", "ipadic", n_entries=392126)

    class Overwhelmed:
        def parse(self, text: str) -> None:
            """Give up, as MeCab does with some hundred thousand characters that are in no dictionary."""

    monkeypatch.setattr(mecab, "_tagger", Overwhelmed())
    with pytest.raises(InputError, match="segment of 3 characters"):
        mecab("abc")


def test_mecab_splits_a_long_segment() -> None:
    pytest.importorskip("MeCab")
    assert get_tokenizer("ja-mecab")("猫です。" * 7_000) == ["猫", "です", "。"] * 7_000


@pytest.mark.parametrize(
    ("case", "expected"), [("mixed", "ÀBcİ ΣΑΣ"), ("lower", "àbci\u0307 σας"), ("ascii", "Àbcİ ΣΑΣ")]
)
def test_lowercase(case: str, expected: str) -> None:
    assert lowercase("ÀBcİ ΣΑΣ", case) == expected


@given(st.text(), st.sampled_from(["mixed", "lower", "ascii"]))
def test_lowercase_twice_is_once(text: str, case: str) -> None:
    once = lowercase(text, case)
    assert lowercase(once, case) == once


@given(st.text())
def test_ascii_case_is_that_of_bytes(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    assert lowercase(text, "ascii").encode("utf-8", "surrogatepass") == raw.lower()


@pytest.mark.parametrize("name", ["none", "13a", "intl", "zh", "char", "rouge"])
def test_signatures_need_no_tokenizer(name: str) -> None:
    assert tokenizer_signature(name) == get_tokenizer(name).signature
