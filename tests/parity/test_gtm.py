"""GTM against the output of GTM 1.4, and the choice of runs against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data import read_lines
from mtassay.kernels.gtm import gtm_runs
from mtassay.metrics import References, parse

if TYPE_CHECKING:
    from pathlib import Path


def _assert_equal(metric: Any, hypotheses: Any, streams: Any, expected: list[float]) -> None:
    *segments, document = expected
    assert len(segments) == len(hypotheses)
    np.testing.assert_allclose(metric.segment_scores(hypotheses, streams), segments, rtol=0, atol=1e-15)
    assert metric.corpus_score(hypotheses, streams) == pytest.approx(document, abs=1e-15)


@pytest.mark.parametrize("system", ["sysA", "sysB", "sysC"])
@pytest.mark.parametrize("n_references", [1, 2])
@pytest.mark.parametrize("e", ["1.0", "1.2", "1.5", "2.0", "3.0"])
def test_newstest2009(oracle_dir: Path, recorded: Any, *, system: str, n_references: int, e: str) -> None:
    folder = oracle_dir / "newstest2009-200"
    streams = [read_lines(folder / "text" / f"ref{i}.tok") for i in range(n_references)]
    run = {"input": folder.name, "system": system, "references": n_references, "exponent": e}
    expected = recorded.numbers("gtm", "score", **run)
    _assert_equal(parse(f"gtm:e={e},tok=none"), read_lines(folder / "text" / f"{system}.tok"), streams, expected)


@pytest.mark.parametrize("system", ["cu-bojar", "jhu-heiro", "onlineA"])
@pytest.mark.parametrize("e", ["1.0", "1.5"])
def test_wmt12(oracle_dir: Path, recorded: Any, system: str, e: str) -> None:
    folder = oracle_dir / "wmt12-cs-en"
    texts = [read_lines(folder / "text" / f"{stem}.tok") for stem in ("ref0", f"sys.{system}")]
    expected = recorded.numbers("gtm", "score", input=folder.name, system=system, exponent=e)
    _assert_equal(parse(f"gtm:e={e},tok=none"), texts[1], texts[:1], expected)


def test_sizes_lengths_precision_and_recall(oracle_dir: Path, recorded: Any) -> None:
    folder = oracle_dir / "newstest2009-200"
    names = ("size", "length", "reference_length", "precision", "recall")
    expected = [recorded.numbers("gtm-parts", name) for name in names]
    metric = parse("gtm:e=1.2,tok=none")
    references = References([read_lines(folder / "text" / f"ref{i}.tok") for i in (0, 1)])
    rows = metric.prepare(references).statistics(read_lines(folder / "text" / "sysA.tok"))
    parts = metric.components(rows)
    np.testing.assert_allclose([*rows.T, parts["P"], parts["R"]], expected, rtol=1e-15)
    np.testing.assert_array_equal(parse("gtm:e=1.2,tok=none,result=p").segment_score(rows), parts["P"])
    np.testing.assert_array_equal(parse("gtm:e=1.2,tok=none,result=r").segment_score(rows), parts["R"])


def _runs_by_brute_force(hypothesis: list[int], references: list[list[int]]) -> list[int]:
    """Look at every stretch of both texts, take the best, strike its words, start again."""
    hyp: list[Any] = list(hypothesis)
    ref: list[Any] = [word for text in references for word in (*text, "break")]
    chosen: list[int] = []
    while True:
        ends = product(range(len(hyp) + 1), range(len(ref) + 1))
        stretches = ((n, i, j) for i, j in ends for n in range(1, min(i, j) + 1) if hyp[i - n : i] == ref[j - n : j])
        n, i, j = max(stretches, default=(0, 0, 0))
        if n == 0:
            return chosen
        chosen.append(n)
        hyp[i - n : i] = [f"hyp {k}" for k in range(i - n, i)]
        ref[j - n : j] = [f"ref {k}" for k in range(j - n, j)]


words = st.integers(0, 3)
texts = st.lists(words, max_size=12)


@given(hypothesis=texts, references=st.lists(texts, min_size=1, max_size=2))
def test_runs_are_chosen_as_defined(hypothesis: list[int], references: list[list[int]]) -> None:
    assert gtm_runs(hypothesis, references) == _runs_by_brute_force(hypothesis, references)


@given(hypothesis=texts, references=st.lists(texts, min_size=1, max_size=3))
def test_every_word_that_can_match_does(hypothesis: list[int], references: list[list[int]]) -> None:
    # So the size with e=1 is the number of words in common, whichever runs are chosen.
    in_common = Counter(hypothesis) & Counter(word for text in references for word in text)
    assert sum(gtm_runs(hypothesis, references)) == in_common.total()


def test_what_a_mean_reference_has_not_does_not_match() -> None:
    # Three words match, but references have two on average; 2.5 words where they have five in all.
    assert parse("gtm:result=p").corpus_score(["a b c"], [["a b"], ["c d"]]) == pytest.approx(2 / 3)
    [row] = parse("gtm:e=2").prepare(References([["a b"], ["c d e"]])).statistics(["a b c"])
    assert row.tolist() == [pytest.approx((2**2 + 0.5**2) ** 0.5), 3.0, 2.5]
