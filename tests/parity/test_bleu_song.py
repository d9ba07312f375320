"""The BLEU family of Song et al. 2013: the paper's worked examples, and every code against its definition."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.metrics import References, build_tables, parse

CODES = [
    f"{base}{mean}{penalty}{clip}{n}{'^' + marks if marks else ''}"
    for base, mean, penalty, clip, n, marks in itertools.product(
        "PRF", "AG", ("B", ""), ("C", ""), range(1, 5), ("", "u", "b", "ub")
    )
    if penalty or "b" not in marks
]
METRICS = {code: parse(f"{code}:tok=none") for code in CODES}

# The paper's examples with a letter for each word: equal letters stand for equal words.
TABLE_1: dict[str, Any] = {
    "candidate": "I i a g t A w e h T m y O T c o T p .",
    "references": [
        "I i a g t A h e h T m W F D P c .",
        "I i T G r w u T m f y b U T d o T P .",
        "I i T x g q T n y t D T k o T p .",
    ],
}
TABLE_2_REFERENCE = "t i a c o T b m"
# In the paper's text this candidate has eight words (8/8 and 4/8), in the printed table one repetition is lost.
TABLE_2 = {"short": "t i", "repeated": "t t t i i i a c", "reordered": "T c i o T b m"}


def _unigram_precision(code: str, hypothesis: str, references: list[str]) -> tuple[int, int]:
    metric = parse(f"{code}:tok=none")
    row = metric.prepare(References([[text] for text in references])).statistics([hypothesis])[0]
    return row[metric.columns.index("correct_1")], row[metric.columns.index("total_1")]


def test_table_1_unigram_precision() -> None:
    assert _unigram_precision("PABC1", TABLE_1["candidate"], TABLE_1["references"]) == (18, 19)
    score = parse("PAC1^u:tok=none").corpus_score([TABLE_1["candidate"]], [[text] for text in TABLE_1["references"]])
    assert score == pytest.approx(100 * 18 / 19, rel=1e-14)


def test_table_2_clipping() -> None:
    assert _unigram_precision("PA1", TABLE_2["repeated"], [TABLE_2_REFERENCE]) == (8, 8)
    assert _unigram_precision("PAC1", TABLE_2["repeated"], [TABLE_2_REFERENCE]) == (4, 8)


def test_table_2_without_clipping_and_penalty_all_candidates_are_equal() -> None:
    hypotheses = list(TABLE_2.values())
    scores = parse("PG1^u:tok=none").segment_scores(hypotheses, [[TABLE_2_REFERENCE] * len(hypotheses)])
    assert scores.tolist() == pytest.approx([100.0, 100.0, 100.0], rel=1e-14)


# The definition, slowly.

#: A hypothesis and its references.
Segment = tuple[list[str], list[list[str]]]


def _ngrams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def _effective_reference(hypothesis: list[str], references: list[list[str]]) -> list[str]:
    """Closest in length; of two equally close ones the shorter."""
    return min(references, key=lambda words: (abs(len(words) - len(hypothesis)), len(words)))


def _precision_counts(hypothesis: list[str], references: list[list[str]], n: int, clip: bool) -> tuple[int, int]:
    ours = _ngrams(hypothesis, n)
    theirs = [_ngrams(words, n) for words in references]
    if clip:
        matched = sum(min(ours.count(ngram), max(one.count(ngram) for one in theirs)) for ngram in sorted(set(ours)))
    else:
        matched = sum(any(ngram in one for one in theirs) for ngram in ours)
    return matched, len(ours)


def _recall_counts(hypothesis: list[str], references: list[list[str]], n: int, clip: bool) -> tuple[int, int]:
    ours = _ngrams(hypothesis, n)
    theirs = _ngrams(_effective_reference(hypothesis, references), n)
    if clip:
        matched = sum(min(ours.count(ngram), theirs.count(ngram)) for ngram in sorted(set(theirs)))
    else:
        matched = sum(ngram in ours for ngram in theirs)
    return matched, len(theirs)


Counts = list[tuple[int, int]]
#: Counts of every segment by (precision or recall, n, clipping).
Table = dict[tuple[str, int, bool], Counts]


def _table(segments: list[Segment]) -> Table:
    counting = {"P": _precision_counts, "R": _recall_counts}
    return {
        (side, n, clip): [counting[side](hyp, refs, n, clip) for hyp, refs in segments]
        for side, n, clip in itertools.product("PR", range(1, 5), (True, False))
    }


def _ratio(counts: Counts, alpha: float) -> float:
    matched = sum(count[0] for count in counts) + alpha
    total = sum(count[1] for count in counts) + alpha
    return matched / total if total else 0.0


def by_definition(code: str, segments: list[Segment], table: Table, *, is_segment: bool) -> float:
    """Score of segments, from 0 to 100."""
    letters, _, marks = code.partition("^")
    # Our policy, which the paper leaves open: nothing on either side that counts is worth nothing, however smoothed.
    if not any(hyp for hyp, _ in segments):
        return 0.0
    if not any(_effective_reference(hyp, refs) for hyp, refs in segments):
        # With several references, another than the one of closest length may match.
        matched = letters[0] == "P" and any(count[0] for count in table["P", 1, True])
        if not matched:
            return 0.0
    base, mean, order = letters[0], letters[1], int(letters[-1])
    alpha = 1.0 if is_segment and "u" not in marks else 0.0
    values = []
    for n in range(1, order + 1):
        precision, recall = (_ratio(table[side, n, "C" in letters], alpha) for side in "PR")
        if base == "F":
            below = recall + 9 * precision
            values.append(10 * precision * recall / below if below else 0.0)
        else:
            values.append(precision if base == "P" else recall)
    score = sum(values) / order if mean == "A" else math.prod(values) ** (1 / order)
    if "B" in letters:
        c = sum(len(hyp) for hyp, _ in segments)
        r = sum(len(_effective_reference(hyp, refs)) for hyp, refs in segments)
        added = 1.0 if is_segment and "b" in marks else 0.0
        if c < r:
            score *= math.exp(1 - (r + added) / (c + added)) if c + added else 0.0
    return 100 * score


_sentence = st.lists(st.sampled_from("abcd"), max_size=7)


@st.composite
def _corpora(draw: st.DrawFn) -> list[Segment]:
    n_references = draw(st.integers(1, 3))
    segment = st.tuples(_sentence, st.lists(_sentence, min_size=n_references, max_size=n_references))
    return draw(st.lists(segment, min_size=1, max_size=4))


@settings(max_examples=25)
@given(corpus=_corpora())
def test_every_code_follows_its_definition(corpus: list[Segment]) -> None:
    hypotheses = [" ".join(hyp) for hyp, _ in corpus]
    streams = [[" ".join(words) for words in stream] for stream in zip(*(refs for _, refs in corpus), strict=True)]
    tables = build_tables(References(streams), {"system": hypotheses}, list(METRICS.values()))
    counts = _table(corpus)
    counts_of_segments = [_table([segment]) for segment in corpus]
    for code, ours in zip(METRICS, tables, strict=True):
        expected = by_definition(code, corpus, counts, is_segment=False)
        assert ours.scores()[0] == pytest.approx(expected, rel=1e-12, abs=1e-12), code
        of_segments = [
            by_definition(code, [segment], of_segment, is_segment=True)
            for segment, of_segment in zip(corpus, counts_of_segments, strict=True)
        ]
        assert ours.segment_scores()[0].tolist() == pytest.approx(of_segments, rel=1e-12, abs=1e-12), code


@pytest.mark.parametrize("options", ["smooth=add", "smooth=add,k=0.5"])
def test_smooth_forces_the_rule_at_both_levels(options: str) -> None:
    metric = parse(f"PGBC4:tok=none,{options}")
    row = metric.prepare(References([["a b c"]])).statistics(["a b d"])[0]
    k = 0.5 if "k=" in options else 1.0
    expected = 100 * math.prod([(2 + k) / (3 + k), (1 + k) / (2 + k), k / (1 + k), 1.0]) ** 0.25
    assert metric.score(row) == pytest.approx(expected, rel=1e-14)
    assert metric.segment_score(row) == metric.score(row)


def test_table_8_components() -> None:
    metric = parse("PABC2:tok=none")
    row = metric.prepare(References([["a b c d"]])).statistics(["a b x"])[0]
    parts = metric.components(row)
    assert list(parts) == ["P1", "P2", "LR", "BP"]
    assert [float(parts[name]) for name in parts] == pytest.approx([200 / 3, 50.0, 3 / 4, math.exp(1 - 4 / 3)])
