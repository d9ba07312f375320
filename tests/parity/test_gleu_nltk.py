"""GLEU against NLTK, on the oracle's texts and on random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu

from mtassay.data import read_lines
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path

_words = st.lists(st.sampled_from("abcd"), max_size=14)


@given(
    hypothesis=_words,
    references=st.lists(_words, min_size=1, max_size=3),
    orders=st.sampled_from([(1, 4), (2, 3), (1, 1), (3, 6)]),
)
def test_any_text(hypothesis: list[str], references: list[list[str]], orders: tuple[int, int]) -> None:
    metric = parse(f"gleu:tok=none,min_len={orders[0]},max_len={orders[1]}")
    theirs = sentence_gleu(references, hypothesis, *orders)
    assert metric.corpus_score([" ".join(hypothesis)], [[" ".join(ref)] for ref in references]) == theirs


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
def test_real_texts(oracle_dir: Path, system: str) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    streams = [read_lines(folder / f"ref{i}.tok") for i in (0, 1)]
    hypotheses = read_lines(folder / f"{system}.tok")
    split = [[text.split() for text in stream] for stream in streams]
    theirs = corpus_gleu([list(refs) for refs in zip(*split, strict=True)], [text.split() for text in hypotheses])
    assert parse("gleu:tok=none").corpus_score(hypotheses, streams) == theirs
