"""The BLEU family where there is nothing to count, and its parts to the last digit."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import sacrebleu

from mtassay.metrics import References, parse

_CODES = ["".join(parts) for parts in product("PRF", "AG", ["", "B"], ["", "C"], "4", ["", "^u"])]
_RULES = ["exp", "floor", "add-k", "none", "add", "mteval", "moses", "nltk4", "nltk5", "nltk6", "nltk7"]


@pytest.mark.parametrize(
    "spec",
    [
        *_CODES,
        "PGBC4^b",
        *(f"bleu:smooth={rule}" for rule in _RULES),
        *(f"bleu:segment_smooth={rule},eff={eff}" for rule, eff in product(_RULES, ["segment", "no"])),
    ],
)
def test_without_words_on_one_side_the_score_is_zero(spec: str) -> None:
    metric = parse(spec)
    for hypothesis, reference in (("", "a b"), ("a b", ""), ("", "")):
        assert metric.corpus_score([hypothesis], [[reference]]) == 0
        assert metric.segment_scores([hypothesis], [[reference]]).tolist() == [0]
    # A reference with words is enough, wherever it stands.
    assert metric.segment_scores(["a b c d"], [[""], ["a b c d"]])[0] > 0


@pytest.mark.parametrize("rule", ["add", "mteval", "moses"])
def test_shares_are_smoothed_where_the_score_is(rule: str) -> None:
    metric = parse(f"bleu:smooth={rule}")
    for hypothesis, reference in (("", "a b"), ("a b", ""), ("", ""), ("x y", "a b")):
        [row] = metric.prepare(References([[reference]])).statistics([hypothesis])
        shares = [metric.components(row)[f"P{n}"] for n in range(1, 5)]
        assert all(shares) == (metric.score(row) > 0) == (hypothesis == "x y")


@pytest.mark.parametrize("correct", [[663, 300, 120, 40], [663, 300, 120, 0], [663, 0, 0, 0], [13, 1, 0, 0]])
@pytest.mark.parametrize(("rule", "k"), [("exp", None), ("floor", 0.1), ("add-k", 0.5), ("none", None)])
def test_parts_are_those_of_sacrebleu(rule: str, k: float | None, correct: list[int]) -> None:
    total = [1040, 1000, 960, 920]
    theirs = sacrebleu.BLEU.compute_bleu(list(correct), list(total), 1040, 1072, smooth_method=rule, smooth_value=k)
    given: dict[str, Any] = {} if k is None else {"k": k}
    metric = parse("bleu", smooth=rule, **given)
    totals = np.array([1040, 1072, *correct, *total])
    assert [metric.components(totals)[f"P{n}"] for n in range(1, 5)] == theirs.precisions
    assert metric.verbose(totals) == theirs._verbose
