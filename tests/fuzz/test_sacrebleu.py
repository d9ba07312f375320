"""The functions of the sacreBLEU drop-in with random texts: sacreBLEU's numbers to the last digit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.compat import sacrebleu as ours

theirs: Any = pytest.importorskip("sacrebleu")

PIECES = [
    "the",
    "cat",
    "The",
    "mat",
    ".",
    ",",
    "$1,000.5",
    "a-b",
    "&amp;",
    "&lt;",
    "<skipped>",
    "-\n",
    "\t",
    "\r",
    "\x1f",
]
PIECES += [
    "\x85",
    "\u2028",
    "\xa0",
    "\u3000",
    "\u200b",
    "é",
    "e\u0301",
    "İ",
    "ß",
    "Σς",
    "字",
    "你好。",
    "あ",
    "한",
    "👍🏽",
]
PIECES += ["\ufeff", "٣", "½", "x" * 70, "\x00", "\ud800"]
TEXT = st.one_of(
    st.lists(st.sampled_from(PIECES[:8]), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=20),
)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    n = draw(st.integers(1, 4))
    references = draw(st.lists(st.lists(TEXT, min_size=n, max_size=n), min_size=1, max_size=3))
    return draw(st.lists(st.one_of(TEXT, st.sampled_from(references[0])), min_size=n, max_size=n)), references


def outcome(score: Any, *args: Any, **options: Any) -> Any:
    """All numbers of a score, or the type of the error."""
    try:
        found = score(*args, **options)
    except Exception as error:
        return type(error)
    return vars(found), str(found)


def check(name: str, corpus: tuple[list[str], list[list[str]]], **options: Any) -> None:
    hypotheses, references = corpus
    assert outcome(getattr(ours, f"corpus_{name}"), *corpus, **options) == outcome(
        getattr(theirs, f"corpus_{name}"), *corpus, **options
    )
    segment = hypotheses[0], [stream[0] for stream in references]
    assert outcome(getattr(ours, f"sentence_{name}"), *segment, **options) == outcome(
        getattr(theirs, f"sentence_{name}"), *segment, **options
    )


@given(
    corpora(),
    st.fixed_dictionaries(
        {},
        optional={
            "smooth_method": st.sampled_from(["exp", "floor", "add-k", "none"]),
            "smooth_value": st.sampled_from([0.0, 0.01, 0.5, 1.0, 2.0]),
            "lowercase": st.booleans(),
            "tokenize": st.sampled_from(["13a", "intl", "zh", "char", "none"]),
            "use_effective_order": st.booleans(),
        },
    ),
)
def test_bleu(corpus: Any, options: dict[str, Any]) -> None:
    check("bleu", corpus, **options)


@given(
    corpora(),
    st.fixed_dictionaries(
        {},
        optional={
            "char_order": st.integers(1, 7),
            "word_order": st.integers(0, 3),
            "beta": st.integers(1, 3),
            "remove_whitespace": st.booleans(),
            "eps_smoothing": st.booleans(),
        },
    ),
)
def test_chrf(corpus: Any, options: dict[str, Any]) -> None:
    check("chrf", corpus, **options)


@given(
    corpora(),
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("normalized", "no_punct", "asian_support", "case_sensitive"), st.booleans()),
    ),
)
def test_ter(corpus: Any, options: dict[str, bool]) -> None:
    check("ter", corpus, **options)
