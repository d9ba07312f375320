"""Random texts to metrics: finite scores for lists of texts, MtassayError for everything else."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.errors import MtassayError, SpecError

PIECES = ["the", "cat", "The", ".", ",", "$1,000.5", "&amp;", "&", "<skipped>", "-\n", "\n", "\t", "\r", "\x00", "\x1f"]
PIECES += [
    "\x85",
    "\u2028",
    "\xa0",
    "\u200b",
    "\ud800",
    "\udfff",
    "\ud83d\ude00",
    "é",
    "e\u0301",
    "İ",
    "ß",
    "字",
    "あ",
    "한",
]
PIECES += ["。", "👍🏽", "\U0010ffff", "\ufeff", "x" * 70]
TEXT = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.text(st.characters(exclude_categories=())),
)
SPECS = st.sampled_from(
    ["bleu", "bleu:tok=intl", "bleu:tok=zh", "bleu:tok=char", "bleu:tok=none,case=lower", "bleu:case=ascii,eff=yes"]
    + [f"bleu:smooth={rule}" for rule in ("none", "floor", "add-k", "add", "mteval", "moses")]
    + ["bleu:order=1", "bleu:order=9,ref_len=average", "bleu:ref_len=shortest", "bleu:bp=smooth,base=F,mean=A,clip=no"]
    + ["PGBC4", "PGBC4^ub", "RAC1", "FGB2^b", "FA3", "RGBC4", "chrf", "chrf+", "chrf++", "chrf:beta=0", "chrf:eps=yes"]
    + ["chrf:whitespace=yes,case=lower", "chrf:char_order=0,word_order=3", "ter", "ter:variant=tercom", "ter:norm=yes"]
    + ["ter:norm=yes,asian=yes,punct=no,case=mixed", "ter:punct=no", "0.5*bleu-0.5*ter", "1*chrf+1*RAC1+1*bleu"]
    + ["ter:variant=moses", "wer", "wer:tok=none,as=accuracy", "per", "per:tok=char", "cder", "cder:case=lower"]
    + ["nist", "nist:tok=char,order=9,variant=formula", "length_ratio:ref_len=average", "exact:space=runs,case=lower"]
)
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=3), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
        st.sets(st.text(max_size=2), max_size=2),
    ),
    max_leaves=12,
)
THREADS = st.sampled_from([1, 1, 2, 3])


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Hypotheses, and one to three references of which the first lacks nothing."""
    n = draw(st.integers(1, 5))
    first: list[Any] = draw(st.lists(TEXT, min_size=n, max_size=n))
    more = draw(st.lists(st.lists(st.one_of(st.none(), TEXT), min_size=n, max_size=n), max_size=2))
    hypotheses = draw(st.lists(st.one_of(TEXT, st.sampled_from(first)), min_size=n, max_size=n))
    return hypotheses, draw(st.permutations([first, *more]))


@given(SPECS, corpora(), THREADS)
def test_corpus_and_segment_scores_are_finite(spec: str, corpus: Any, threads: int) -> None:
    hypotheses, references = corpus
    metric = mtassay.metric(spec)
    assert np.isfinite(metric.corpus_score(hypotheses, references, threads=threads))
    scores = metric.segment_scores(hypotheses, references, threads=threads)
    assert scores.shape == (len(hypotheses),)
    assert np.isfinite(scores).all()


@given(st.lists(SPECS, min_size=1, max_size=3, unique_by=lambda spec: str(mtassay.metric(spec))), corpora())
def test_results_are_finite_and_print(specs: list[str], corpus: Any) -> None:
    hypotheses, references = corpus
    result = mtassay.score(references, {"a": hypotheses, "b": hypotheses[::-1]}, metrics=specs)
    assert np.isfinite(result.scores).all()
    assert np.isfinite(result.segment_scores()).all()
    assert len(result.to_dict()["scores"]) == 2 * len(specs)
    assert str(result)


@given(SPECS, st.lists(TEXT, max_size=5), st.lists(TEXT, min_size=1, max_size=5), THREADS)
def test_pairwise_is_finite(spec: str, hypotheses: list[str], references: list[str], threads: int) -> None:
    scores = mtassay.metric(spec).pairwise(hypotheses, references, threads=threads)
    assert scores.shape == (len(hypotheses), len(references))
    assert np.isfinite(scores).all()


@st.composite
def extreme_specs(draw: st.DrawFn) -> str:
    number = st.one_of(st.integers(-2, 120), st.floats(), st.sampled_from([1e-320, 1e-9, 1e9, 1e154, 1e308]))
    if draw(st.booleans()):
        return f"{abs(draw(number))}*bleu+{abs(draw(number))}*chrf-{abs(draw(number))}*ter"
    rule = draw(st.sampled_from(["floor", "add-k", "add", "mteval"]))
    options = [f"smooth={rule},k", f"bp=smooth,base=F,smooth={rule},k", "order", "base=R,order"]
    name, option = draw(
        st.sampled_from(
            [
                *(("bleu", option) for option in options),
                ("PGBC4^b", "k"),
                ("chrf", "beta"),
                ("chrf:eps=yes", "beta"),
                ("chrf", "char_order"),
                ("chrf", "word_order"),
            ]
        )
    )
    return f"{name}{',' if ':' in name else ':'}{option}={draw(number)}"


@given(extreme_specs(), corpora())
def test_extreme_options_are_refused_or_finite(spec: str, corpus: Any) -> None:
    try:
        metric = mtassay.metric(spec)
    except SpecError:
        return
    assert np.isfinite(metric.corpus_score(*corpus))
    assert np.isfinite(metric.segment_scores(*corpus)).all()


@given(SPECS, JUNK, JUNK)
def test_odd_shapes_for_a_metric(spec: str, hypotheses: Any, references: Any) -> None:
    metric = mtassay.metric(spec)
    for score in (metric.corpus_score, metric.segment_scores, metric.pairwise):
        try:
            result = score(hypotheses, references)
        except MtassayError:
            continue
        assert np.isfinite(result).all()


@given(JUNK, JUNK, st.one_of(st.lists(SPECS, max_size=2), JUNK))
def test_odd_shapes_for_score(references: Any, systems: Any, metrics: Any) -> None:
    try:
        result = mtassay.score(references, systems, metrics=metrics)
    except MtassayError:
        return
    assert np.isfinite(result.scores).all()
