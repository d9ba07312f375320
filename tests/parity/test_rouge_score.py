"""The default variant against rouge-score, run here and as recorded; W, S and SU against the paper."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import read_lines
from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ["rouge1", "rouge2", "rouge3", "rouge4", "rougeL"]
words = st.sampled_from(
    ["a", "b", "The", "the", "x-ray", "don't", "running", "flies", "É", "İx", "\u212a", "1,5", "_", "日本"]
)
texts = st.lists(words, max_size=12).map(" ".join)


def _theirs(kind: str, hypothesis: str, references: list[str], *, stem: bool = False) -> Any:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer([kind], use_stemmer=stem)
    return scorer.score_multi(references, hypothesis)[kind]


@pytest.mark.parametrize("kind", [*KINDS, "rouge7"])
@given(hypothesis=texts, references=st.lists(texts, min_size=1, max_size=3))
def test_any_text(kind: str, hypothesis: str, references: list[str]) -> None:
    metric = parse(kind if kind in KINDS else f"rouge1:n={kind[-1]}")
    [row] = metric.prepare(References([[reference] for reference in references])).statistics([hypothesis])
    assert row.tolist() == [*_theirs(kind, hypothesis, references), 1.0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tok", ["rouge", "rouge-stem"])
def test_real_texts(oracle_dir: Path, kind: str, tok: str) -> None:
    pytest.importorskip("rouge_score")
    folder = oracle_dir / "newstest2009-200" / "text"
    streams = [read_lines(folder / f"ref{i}.txt") for i in (0, 1)]
    hypotheses = read_lines(folder / "sysC.txt")
    rows = parse(f"{kind}:tok={tok}").prepare(References(streams)).statistics(hypotheses)
    expected = [
        _theirs(kind, hypothesis, references, stem=tok == "rouge-stem")
        for hypothesis, *references in zip(hypotheses, *streams, strict=True)
    ]
    np.testing.assert_allclose(rows[:, :3], expected, rtol=0, atol=1e-12)


_several = st.lists(texts, max_size=4).map("\n".join)


@pytest.mark.parametrize("tok", ["rouge", "rouge-stem"])
@given(hypothesis=_several, references=st.lists(_several, min_size=1, max_size=3))
def test_texts_of_several_sentences(tok: str, hypothesis: str, references: list[str]) -> None:
    metric = parse(f"rougeLsum:tok={tok}")
    [row] = metric.prepare(References([[reference] for reference in references])).statistics([hypothesis])
    assert row.tolist() == [*_theirs("rougeLsum", hypothesis, references, stem=tok == "rouge-stem"), 1.0]
    marked = [text.replace("\n", "<n>") for text in (hypothesis, *references)]
    metric = parse(f"rougeLsum:tok={tok},split=<n>")
    again = metric.prepare(References([[reference] for reference in marked[1:]])).statistics([marked[0]])
    assert again.tolist() == [row.tolist()]


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize("kind", KINDS)
def test_recorded_output(oracle_dir: Path, recorded: Any, system: str, kind: str) -> None:
    folder = oracle_dir / "newstest2009-200"
    columns = ("precision", "recall", "f")
    expected = np.column_stack([recorded.numbers("rouge-score", c, system=system, metric=kind) for c in columns])
    references = References([read_lines(folder / "text" / f"ref{i}.tok") for i in (0, 1)])
    rows = parse(kind).prepare(references).statistics(read_lines(folder / "text" / f"{system}.tok"))
    np.testing.assert_allclose(rows[:, :3], expected, rtol=0, atol=5.1e-7)


def _scores(kind: str, hypothesis: list[str], reference: list[str]) -> list[float]:
    references = References([[" ".join(reference)]])
    scores: list[float] = parse(kind).prepare(references).statistics([" ".join(hypothesis)])[0, :2].tolist()
    return scores


short = st.lists(st.sampled_from("abc"), max_size=8)


@given(hypothesis=short, reference=short, gap=st.integers(-1, 9), unigrams=st.booleans())
def test_skip_bigrams_by_brute_force(hypothesis: list[str], reference: list[str], gap: int, unigrams: bool) -> None:
    def bag(text: list[str]) -> Counter[Any]:
        pairs = Counter((text[i], text[j]) for i, j in combinations(range(len(text)), 2) if gap < 0 or j - i <= gap + 1)
        return pairs + Counter(text) if unigrams else pairs

    hyp, ref = bag(hypothesis), bag(reference)
    hits = (hyp & ref).total()
    expected = [hits / max(hyp.total(), 1), hits / max(ref.total(), 1)]
    name = "rougeSU" if unigrams else "rougeS"
    assert _scores(f"{name}:gap={gap}", hypothesis, reference) == pytest.approx(expected, abs=1e-12)


def _best_weighted_length(hyp: list[str], ref: list[str], weight: float) -> float:
    """The largest weighted length of any common subsequence: every sequence of matching pairs is looked at."""
    matches = [(i, j) for i, x in enumerate(hyp) for j, y in enumerate(ref) if x == y]

    def best_after(i: int, j: int, run: int) -> float:
        found: float = run**weight
        for a, b in matches:
            if (a, b) == (i + 1, j + 1):
                found = max(found, best_after(a, b, run + 1))
            elif a > i and b > j:
                found = max(found, run**weight + best_after(a, b, 1))
        return found

    return best_after(-2, -2, 0)


@given(hypothesis=st.lists(st.sampled_from("abc"), max_size=6), reference=st.lists(st.sampled_from("abc"), max_size=6))
def test_weighted_lengths_are_those_of_some_subsequence(hypothesis: list[str], reference: list[str]) -> None:
    # Lin's recurrence keeps one path to each pair of words, and so can miss the best one, never exceed it.
    precision, recall = _scores("rougeW:weight=2", hypothesis, reference)
    size = (precision * len(hypothesis)) ** 2
    assert size == pytest.approx((recall * len(reference)) ** 2)
    assert size <= _best_weighted_length(hypothesis, reference, 2) + 1e-9
    lcs_precision, _ = _scores("rougeL", hypothesis, reference)
    assert size > 0 or lcs_precision == 0


@pytest.mark.parametrize(
    ("hypothesis", "expected"), [("a b c d e", 25), ("a b x c d", 8), ("a x b c d", 10), ("e a", 1), ("x y", 0)]
)
def test_weighted_lengths_by_hand(hypothesis: str, expected: int) -> None:
    precision, recall = _scores("rougeW:weight=2", hypothesis.split(), list("abcde"))
    assert (precision * len(hypothesis.split())) ** 2 == pytest.approx(expected)
    assert (recall * 5) ** 2 == pytest.approx(expected)


def test_lin_s_example() -> None:
    # Lin 2004, section 4: two candidates with the same LCS; the one whose matches are in a row scores higher.
    reference = list("abcdefg")
    in_a_row, scattered = list("abcdhik"), list("ahbkcid")
    assert _scores("rougeL", in_a_row, reference) == _scores("rougeL", scattered, reference)
    assert _scores("rougeW:weight=2", in_a_row, reference)[0] == pytest.approx(4 / 7)
    assert _scores("rougeW:weight=2", scattered, reference)[0] == pytest.approx(2 / 7)


def test_a_copy_of_one_reference_is_perfect() -> None:
    for kind in [*KINDS, "rougeW", "rougeS", "rougeSU", "rougeS:gap=-1"]:
        score = parse(kind).corpus_score(
            ["one two three four five"], [["other words stand here now"], ["One two three four five."]]
        )
        assert score == pytest.approx(1.0, abs=1e-12)
