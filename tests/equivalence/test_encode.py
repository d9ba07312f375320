"""The compiled encoder and the Python one give the same ids, offsets, words and errors."""

from __future__ import annotations

from itertools import pairwise
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.kernels import encoding
from mtassay.text import CASES

if TYPE_CHECKING:
    from pathlib import Path

native = pytest.importorskip("mtassay._native")
python: Any = SimpleNamespace(
    **{name: getattr(encoding, name).specification for name in ("Vocabulary", "encode_texts", "codepoints")}
)

TOKENIZERS = ["none", "ascii-space", "13a", "intl", "zh", "char", "chrf", "rouge"]
WORDS = st.lists(
    st.sampled_from(
        [
            *"abAZ09.,-'\"!$%&()*+/:;<=>?@[\\]^_`{|}~\x00\x7f",
            *"éßİǅσςΣ\u0301½²٣€№«»“”—…。，（）\u200b\ufeff",
            *"中龦あｱ한\u2a6d\u2a6e\u2f80\u2fa1\U00020000\U0001f600\U0001d7d8\ue000\U0010ffff",
            *"\ud800\udbff\udc80\udfff",
            *["&quot;", "&amp;", "&lt;", "&gt;", "&AMP;lt;", "<skipped>", "<SKIPPED>", "1.5", "U.S.", "word"],
        ]
    ),
    max_size=6,
).map("".join)
SPACES = st.sampled_from(
    [*"  \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000", "-\n", "  ", ""]
)
LINES = st.lists(WORDS | SPACES, max_size=10).map("".join) | st.text(max_size=30)


def assert_same(texts: list[str], tokenizer: str, case: str) -> None:
    vocabularies: list[Any] = [native.Vocabulary(), python.Vocabulary()]
    # Twice: the second time every word is known.
    for batch in (texts, texts[::-1]):
        (ids, offsets), (expected_ids, expected_offsets) = (
            module.encode_texts(batch, tokenizer, case=case, vocabulary=vocabulary)
            for module, vocabulary in zip((native, python), vocabularies, strict=True)
        )
        assert vocabularies[0].words() == vocabularies[1].words()
        assert (ids.dtype, offsets.dtype) == (np.int32, np.int64) == (expected_ids.dtype, expected_offsets.dtype)
        np.testing.assert_array_equal(ids, expected_ids)
        np.testing.assert_array_equal(offsets, expected_offsets)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(texts=st.lists(LINES, max_size=4), case=st.sampled_from(CASES))
def test_any_text(tokenizer: str, texts: list[str], case: str) -> None:
    assert_same(texts, tokenizer, case)


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_code_point_that_has_characters(tokenizer: str) -> None:
    starts = (*range(0, 0x20000, 0x800), 0x2F800, 0xE0000, 0x10F800)
    ranges = [range(start, start + 0x800) for start in starts]
    assert_same(["".join(f"a{chr(code)}.1{chr(code)} " for code in codes) for codes in ranges], tokenizer, "mixed")


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("path", ["wmt13/fr-en/hyp", "wmt13/cs-en/src", "wmt21/en-de/hyp"])
def test_real_lines(tokenizer: str, case: str, path: str, data_dir: Path) -> None:
    source = data_dir / path
    file = min(source.glob("*")) if source.is_dir() else source
    assert_same(file.read_bytes().decode("utf-8").split("\n")[::2], tokenizer, case)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@pytest.mark.parametrize(
    "text", ["", " ", ".", "w " * 20_000, "a" * 100_000 + ".", "&quot;-\n" * 5_000, "中，" * 5_000, "1.-,"]
)
def test_extreme_lines(tokenizer: str, text: str) -> None:
    assert_same([text], tokenizer, "lower")


def test_tokenizers_may_share_a_vocabulary() -> None:
    vocabularies = (native.Vocabulary(), python.Vocabulary())
    line = "Fig. 1,5: «a-b» 5-3 (c) 中.文 Fig. 1,5:"
    for tokenizer in [*TOKENIZERS, *TOKENIZERS[::-1], "13a", "zh", "13a"]:
        ids, expected = (
            module.encode_texts([line, f"x {line} x"], tokenizer, case="mixed", vocabulary=vocabulary)[0].tolist()
            for module, vocabulary in zip((native, python), vocabularies, strict=True)
        )
        assert ids == expected


def test_many_words_keep_their_ids() -> None:
    words = [f"{'long-' * (number % 7)}w{number}" for number in range(50_000)]
    vocabulary = native.Vocabulary()
    first, _ = native.encode_texts([" ".join(words)], "none", case="mixed", vocabulary=vocabulary)
    again, _ = native.encode_texts(words[::-1], "none", case="mixed", vocabulary=vocabulary)
    assert first.tolist() == list(range(50_000)) == again.tolist()[::-1]
    assert vocabulary.words() == words
    assert vocabulary.word(49_999) == words[-1]


@pytest.mark.parametrize("tokenizers", [["13a"] * 4, ["13a", "none", "13a", "chrf"]], ids=["one", "several"])
def test_threads_may_share_a_vocabulary(tokenizers: list[str]) -> None:
    vocabulary = native.Vocabulary()
    texts = [f"word{number} word{number}, word{number + 1}." for number in range(3_000)]
    results: dict[int, Any] = {}

    def run(slot: int) -> None:
        results[slot] = native.encode_texts(texts, tokenizers[slot], case="mixed", vocabulary=vocabulary)

    threads = [Thread(target=run, args=(slot,)) for slot in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    apart = [text.replace(",", " ,").replace(".", " .") for text in texts]
    for slot, tokenizer in enumerate(tokenizers):
        ids, offsets = results[slot]
        words = [vocabulary.word(number) for number in ids.tolist()]
        found = [" ".join(words[first:end]) for first, end in pairwise(offsets.tolist())]
        assert found == (texts if tokenizer == "none" else apart)


@given(texts=st.lists(LINES, max_size=4), case=st.sampled_from(CASES), keep_whitespace=st.booleans())
def test_code_points_of_any_text(texts: list[str], case: str, keep_whitespace: bool) -> None:
    ids, offsets = native.codepoints(texts, case=case, keep_whitespace=keep_whitespace)
    expected_ids, expected_offsets = python.codepoints(texts, case=case, keep_whitespace=keep_whitespace)
    assert (ids.dtype, offsets.dtype) == (np.int32, np.int64) == (expected_ids.dtype, expected_offsets.dtype)
    np.testing.assert_array_equal(ids, expected_ids)
    np.testing.assert_array_equal(offsets, expected_offsets)


def test_every_code_point_itself() -> None:
    texts = ["".join(map(chr, range(0x110000)))]
    for keep_whitespace in (False, True):
        ids, _ = native.codepoints(texts, case="mixed", keep_whitespace=keep_whitespace)
        np.testing.assert_array_equal(ids, python.codepoints(texts, case="mixed", keep_whitespace=keep_whitespace)[0])


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
class TestErrors:
    @pytest.mark.parametrize("texts", [[b"bytes"], ["a", None], [1], [["nested"]]])
    def test_texts_must_be_strings(self, module: Any, texts: list[Any]) -> None:
        vocabulary = module.Vocabulary()
        for tokenizer in TOKENIZERS:
            with pytest.raises(TypeError, match="every text must be a str"):
                module.encode_texts(texts, tokenizer, case="mixed", vocabulary=vocabulary)
        with pytest.raises(TypeError, match="every text must be a str"):
            module.codepoints(texts, case="mixed", keep_whitespace=False)
        assert len(vocabulary) == 0

    def test_case_must_be_known(self, module: Any) -> None:
        with pytest.raises(ValueError, match="letter case 'upper'"):
            module.encode_texts(["a"], "none", case="upper", vocabulary=module.Vocabulary())
        with pytest.raises(ValueError, match="letter case 'upper'"):
            module.codepoints(["a"], case="upper", keep_whitespace=False)

    def test_tokenizer_must_be_known(self, module: Any) -> None:
        with pytest.raises(ValueError, match=r"tokenizer (named )?'spam'"):
            module.encode_texts(["a"], "spam", case="mixed", vocabulary=module.Vocabulary())

    def test_ids_must_be_known(self, module: Any) -> None:
        vocabulary = module.Vocabulary()
        module.encode_texts(["a \ud800"], "none", case="mixed", vocabulary=vocabulary)
        assert vocabulary.word(1) == "\ud800"
        for number in (-1, 2):
            with pytest.raises(IndexError, match="no word has this id"):
                vocabulary.word(number)

    def test_nothing_gives_nothing(self, module: Any) -> None:
        for ids, offsets in (
            module.encode_texts([], "13a", case="mixed", vocabulary=module.Vocabulary()),
            module.codepoints([], case="mixed", keep_whitespace=False),
        ):
            assert (ids.tolist(), offsets.tolist()) == ([], [0])
