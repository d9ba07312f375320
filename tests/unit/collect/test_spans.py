"""Tokens that judges choose, and spans of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.collect.spans import MarkedSpan, mark, read_spans, tokens_of, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't re-read it (1,500.5).", ["Don't", "re-read", "it", "(", "1,500.5", ")", ".", ""]),
        ("👩‍🔬👍🏽 ok", ["👩‍🔬", "👍🏽", "ok", ""]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा", "।", ""]),
        ("一个词。", ["一", "个", "词", "。", ""]),
        ("مرحبا، يا", ["مرحبا", "،", "يا", ""]),
        ("", [""]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [token.text for token in tokens_of(text)] == expected


@given(st.text())
def test_tokens_cover_everything_but_blanks(text: str) -> None:
    tokens = tokens_of(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert "".join(token.text for token in tokens) == "".join(text.split())


def test_runs_of_tokens_are_spans() -> None:
    tokens = tokens_of("a b c d")
    assert mark(tokens, [3, 0, 1, 9, 4], severity="major", category="style") == [
        MarkedSpan(0, 3, "major", "style"),
        MarkedSpan(6, 7, "major", "style"),
        MarkedSpan(7, 7, "major", "style", missing=True),
    ]


def test_spans_in_a_form_are_read_back() -> None:
    spans = [MarkedSpan(0, 3, "minor", "style"), MarkedSpan(7, 7, "major", "", missing=True)]
    assert read_spans(written(spans), length=7, severities=["minor", "major"], categories=["style"]) == spans
