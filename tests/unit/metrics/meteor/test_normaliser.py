"""METEOR's normalisation without its data; against the original in tests/parity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.errors import SpecError
from mtassay.kernels import Vocabulary
from mtassay.metrics.core.references import encode
from mtassay.metrics.meteor import normalise, tokenizer_name
from mtassay.metrics.meteor.normaliser import Normaliser, get_normaliser
from mtassay.text import get_tokenizer

PIECES = st.sampled_from([*"abS1.,'’`“-– \t\v\xa0é中", " ", " ", "..", "''", "--", "U.S.", "Mr."])
LINES = st.lists(PIECES, max_size=20).map("".join)


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("en", "It's the dogs' 1990's, isn't it?", "It 's the dogs ' 1990 's , isn 't it ?"),
        ("fr", "l'homme d’une", "l' homme d' une"),
        ("de", "geht's", "geht ' s"),
        ("en", "well-known U.S.-based 5-10", "well known US based 5 10"),
        ("en", "a – b -- c — d", "a - b - c — d"),
        ("en", "“a” ''b'' `c’", '" a " " b " \' c \''),
        ("en", "1,000 a,b 1,a a,1", "1,000 a , b 1 , a a , 1"),
        ("en", "a,b,c", "a , b,c"),  # the letter between belongs to the first match only
        ("en", "Wait...what. No", "Wait ... what . No"),
        ("en", "etc. and. Then end.", "etc. and . Then end ."),
        ("en", "$5 (x)\t&amp;", "$ 5 ( x ) & amp ;"),
        ("en", "a\xa0b\u3000c", "a b c"),
        ("en", "", ""),
        ("en", " \t ", ""),
    ],
)
def test_rules(language: str, line: str, expected: str) -> None:
    assert normalise(line, language, data="none") == expected


def test_abbreviations() -> None:
    normaliser = Normaliser("en", {"Mr": 1, "No": 2}, punctuation=True)
    assert normaliser("Mr. A No. 5 No. A Mrs. B") == "Mr. A No. 5 No . A Mrs . B"


def test_without_punctuation() -> None:
    assert normalise("It's 5,000... or so!", "en", punctuation=False, data="none") == "It s 5 000 or so"


@given(LINES)
def test_pieces_give_what_whole_lines_give(line: str) -> None:
    normaliser = Normaliser("en", {"Mr": 1}, punctuation=True)
    whole = Normaliser("en", {"Mr": 1}, punctuation=True)
    whole._pieces = None  # type: ignore[assignment]  # a line that is not plain does not use them
    assert normaliser(line) == whole(f"{line}\f")


def test_pieces_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.metrics.meteor.normaliser._MOST_REMEMBERED", 5)
    normaliser = Normaliser("en", {}, punctuation=True)
    line = " ".join(f"w{i}, " for i in range(20)) + "x" * 100
    assert normaliser(line) == normaliser(line) == " ".join(f"w{i} ," for i in range(20)) + " " + "x" * 100
    assert len(normaliser._pieces) <= 6


def test_words_are_lower_cased_after_normalisation() -> None:
    assert get_tokenizer("meteor-en@none")("U.S. dept. Of ДОМ") == ["us", "dept", ".", "of", "дом"]
    assert get_tokenizer("meteor-split")("A b\x0bc\x85d\te") == ["A", "b\uf700c\uf705d", "e"]


@given(LINES)
def test_words_are_the_same_in_all_kernels(line: str) -> None:
    for name in ("meteor-en@none", "meteor-split"):
        vocabulary = Vocabulary()
        tokens = encode([line], name, case="mixed", vocabulary=vocabulary)
        assert [vocabulary.word(i) for i in tokens.ids.tolist()] == get_tokenizer(name)(line)


def test_names_of_tokenizers() -> None:
    assert tokenizer_name("en", norm="norm") == "meteor-en"
    assert tokenizer_name("de", norm="nopunct", data="x") == "meteor-de-nopunct@x"
    assert tokenizer_name("other", norm="no") == "meteor-split"
    assert get_tokenizer("meteor-cz@none").signature == "meteor-cz"


@pytest.mark.parametrize("language", ["it", "other"])
def test_languages_without_normalisation(language: str) -> None:
    with pytest.raises(SpecError, match=f"no normalisation for '{language}'.*norm=no"):
        get_normaliser(language)


@pytest.mark.parametrize("name", ["meteor-", "meteor-en-x", "meteor-klingon"])
def test_tokenizers_that_do_not_exist(name: str) -> None:
    with pytest.raises(SpecError):
        get_tokenizer(name)
