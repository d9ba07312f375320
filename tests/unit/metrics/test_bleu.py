"""The BLEU family where there is nothing to count."""

from __future__ import annotations

from itertools import product

import pytest

from mtassay.metrics import parse

_CODES = ["".join(parts) for parts in product("PRF", "AG", ["", "B"], ["", "C"], "4", ["", "^u"])]
_RULES = ["exp", "floor", "add-k", "none", "add", "mteval", "moses"]


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
