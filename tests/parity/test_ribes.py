"""RIBES against NLTK, and against the output of the authors' script RIBES.py 1.03."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.translate.ribes_score import corpus_ribes, sentence_ribes

from mtassay.data import read_lines
from mtassay.metrics import parse

if TYPE_CHECKING:
    from pathlib import Path

_NLTK = parse("ribes:variant=nltk,tok=none")
_SCRIPT = parse("ribes:tok=none")
_words = st.lists(st.sampled_from("abcdef"), max_size=14)

#: From ``python RIBES.py -r REF -s -o OUTPUT HYP``, one line with the two texts each.
_PRINTED = [
    (
        "he read the book because he was interested in world history",
        "he was interested in world history because he read the book",
        0.309091,
    ),
    ("Bob hit John yesterday", "John hit Bob yesterday", 0.500000),
    ("the book was read by the boy", "the boy read the book", 0.183865),
    ("a", "a", 1.000000),
    ("a b", "a", 0.840896),
    ("a", "a b", 0.000000),
    ("A b a b A", "a b a a b", 0.000000),
    ("the the the", "the cat", 0.000000),
    ("x y z", "a b c", 0.000000),
    ("a b c a b d a b", "a b d a b c a b", 0.464286),
    ("b a b a b a b", "a b a b a b a", 0.579628),
    ("a a b b a a c", "c a a b a a b", 0.434721),
]
#: By system and number of references, from ``python RIBES.py -r ref0.tok [-r ref1.tok] SYSTEM.tok``: the score of the
#: corpus, and from its option -s those of the first three segments.
_PRINTED_CORPORA = {
    ("sysA", 1): (0.810729, 0.759171, 0.738025, 0.832967),
    ("sysA", 2): (0.812439, 0.759171, 0.801409, 0.832967),
    ("sysB", 1): (0.906943, 0.980188, 0.905432, 0.940559),
    ("sysB", 2): (0.909872, 0.980188, 0.905432, 0.940559),
    ("sysC", 1): (0.697835, 0.773055, 0.602213, 0.775163),
    ("sysC", 2): (0.701395, 0.773055, 0.627688, 0.775163),
}


@given(hypothesis=_words, references=st.lists(_words, min_size=1, max_size=3))
@example(hypothesis=["a"], references=[["a"]])
def test_any_text_of_nltk(hypothesis: list[str], references: list[list[str]]) -> None:
    streams = [[" ".join(reference)] for reference in references]
    theirs = sentence_ribes(references, hypothesis)
    assert _NLTK.corpus_score([" ".join(hypothesis)], streams) == pytest.approx(theirs, rel=1e-14)


def test_real_texts_of_nltk(oracle_dir: Path) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    streams = [read_lines(folder / f"ref{i}.tok") for i in (0, 1)]
    hypotheses = read_lines(folder / "sysC.tok")
    split = [[text.split() for text in stream] for stream in streams]
    theirs = corpus_ribes([list(refs) for refs in zip(*split, strict=True)], [text.split() for text in hypotheses])
    assert _NLTK.corpus_score(hypotheses, streams) == pytest.approx(theirs, rel=1e-13)


@pytest.mark.parametrize(("hypothesis", "reference", "score"), _PRINTED)
def test_segments_of_the_script(hypothesis: str, reference: str, score: float) -> None:
    assert _SCRIPT.corpus_score([hypothesis], [[reference]]) == pytest.approx(score, abs=6e-7)


@pytest.mark.parametrize(("system", "n_references"), _PRINTED_CORPORA)
def test_corpora_of_the_script(oracle_dir: Path, system: str, n_references: int) -> None:
    folder = oracle_dir / "newstest2009-200" / "text"
    streams = [read_lines(folder / f"ref{i}.tok") for i in range(n_references)]
    hypotheses = read_lines(folder / f"{system}.tok")
    corpus, *segments = _PRINTED_CORPORA[system, n_references]
    assert _SCRIPT.corpus_score(hypotheses, streams) == pytest.approx(corpus, abs=6e-7)
    np.testing.assert_allclose(_SCRIPT.segment_scores(hypotheses, streams)[:3], segments, rtol=0, atol=6e-7)
