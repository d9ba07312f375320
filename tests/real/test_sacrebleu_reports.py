"""Signatures, verbose strings and East Asian tokenizers equal those of sacreBLEU."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from mtassay.metrics import References, parse

HYPOTHESES = ["The small boat came home late , at 7.30 p.m.", "Nobody asked for it .", "Rain"]
STREAMS: list[list[str | None]] = [
    ["The little boat came home late, at 7.30 p.m.", "Nobody had asked for it.", "It rained."],
    ["A small boat returned late: 7.30.", None, "Rain"],
]
FULL = [[text or "nobody asked" for text in stream] for stream in STREAMS]

SIGNATURES: list[tuple[str, type, dict[str, Any]]] = [
    ("bleu", BLEU, {}),
    ("bleu:case=lower", BLEU, {"lowercase": True}),
    ("bleu:eff=yes", BLEU, {"effective_order": True}),
    *((f"bleu:tok={tok}", BLEU, {"tokenize": tok}) for tok in ("none", "intl", "zh", "char", "ja-mecab", "ko-mecab")),
    *((f"bleu:smooth={rule}", BLEU, {"smooth_method": rule}) for rule in ("none", "floor", "add-k")),
    ("bleu:smooth=floor,k=0.25", BLEU, {"smooth_method": "floor", "smooth_value": 0.25}),
    ("bleu:smooth=add-k,k=2", BLEU, {"smooth_method": "add-k", "smooth_value": 2}),
    ("chrf", CHRF, {}),
    ("chrf++", CHRF, {"word_order": 2}),
    ("chrf:char_order=4,beta=3,case=lower", CHRF, {"char_order": 4, "beta": 3, "lowercase": True}),
    ("chrf:whitespace=yes,eps=yes", CHRF, {"whitespace": True, "eps_smoothing": True}),
]


def _without_version(signature: str) -> str:
    """Without the last entry, in which each tool names itself and its version."""
    return re.sub(r"\b(v|version|mtassay):[^|]+$", "", signature)


@pytest.mark.parametrize("streams", [STREAMS[:1], FULL, STREAMS], ids=["one", "two", "varying"])
@pytest.mark.parametrize(("spec", "kind", "options"), SIGNATURES, ids=[row[0] for row in SIGNATURES])
def test_signature(spec: str, kind: type, options: dict[str, Any], streams: list[list[str | None]]) -> None:
    theirs = kind(**options)
    theirs.corpus_score(HYPOTHESES, streams)
    ours = parse(spec).signature(References(streams))
    for short in (False, True):
        expected = theirs.get_signature().format(short=short)
        assert _without_version(ours.format(short=short)) == _without_version(expected)


@pytest.mark.parametrize("hypotheses", [HYPOTHESES, ["", "", ""], ["x", "y", ""]], ids=["texts", "empty", "no match"])
@pytest.mark.parametrize(("spec", "kind", "options"), SIGNATURES, ids=[row[0] for row in SIGNATURES])
def test_label_and_verbose(spec: str, kind: type, options: dict[str, Any], hypotheses: list[str]) -> None:
    theirs = kind(**options).corpus_score(hypotheses, FULL)
    metric = parse(spec)
    totals = metric.prepare(References(FULL)).statistics(hypotheses).sum(axis=0)
    assert (metric.label, metric.verbose(totals)) == (theirs.name, getattr(theirs, "_verbose", ""))


@pytest.mark.parametrize("order", [1, 2, 6])
def test_verbose_of_other_orders(order: int) -> None:
    theirs = BLEU(max_ngram_order=order).corpus_score(HYPOTHESES, FULL)
    metric = parse(f"bleu:order={order}")
    totals = metric.prepare(References(FULL)).statistics(HYPOTHESES).sum(axis=0)
    assert metric.verbose(totals) == theirs._verbose


EAST_ASIAN = {
    "zh": (
        ["昨天晚上我在河边看到 3 只白鸟。", "他说：“明天见！”"],
        ["昨晚我在河边看见了三只白鸟。", "她说“明天见”。"],
    ),
    "ja-mecab": (
        ["昨日の夜、川のそばで白い鳥を三羽見ました。", "また明日。"],
        ["昨夜、川辺で白い鳥を3羽見た。", "では、また明日！"],
    ),
    "ko-mecab": (
        ["어젯밤에 강가에서 하얀 새 세 마리를 보았습니다.", "내일 봅시다."],
        ["어제 밤 강가에서 흰 새를 세 마리 봤다.", "내일 또 만나요!"],
    ),
}


@pytest.mark.parametrize("case", ["mixed", "lower"])
@pytest.mark.parametrize("tokenizer", EAST_ASIAN)
def test_east_asian_tokenizers(tokenizer: str, case: str) -> None:
    hypotheses, references = EAST_ASIAN[tokenizer]
    hypotheses, references = [*hypotheses, *HYPOTHESES], [*references, *FULL[0]]
    metric = parse(f"bleu:tok={tokenizer},case={case}")
    rows = metric.prepare(References([references])).statistics(hypotheses)
    theirs = BLEU(tokenize=tokenizer, lowercase=case == "lower", effective_order=True)
    assert metric.score(rows.sum(axis=0)) == pytest.approx(
        theirs.corpus_score(hypotheses, [references]).score, rel=1e-9
    )
    segments = [theirs.sentence_score(h, [r]).score for h, r in zip(hypotheses, references, strict=True)]
    np.testing.assert_allclose(metric.segment_score(rows), segments, rtol=1e-9, atol=0)
