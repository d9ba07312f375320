"""MetricX: the definition, computed by transformers one text at a time, without padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import mtassay
from mtassay.errors import InputError, MtassayError

if TYPE_CHECKING:
    from pathlib import Path

FORMS = {
    ("24", True): "source: {s} candidate: {h} reference: {r}",
    ("24", False): "source: {s} candidate: {h}",
    ("23", True): "candidate: {h} reference: {r}",
    ("23", False): "candidate: {h} source: {s}",
}
LONGEST = {"24": 1536, "23": 1024}


def by_definition(folder: Path, testset: mtassay.TestSet, year: str, *, refs: bool) -> list[list[float]]:
    """Scores of systems and segments, of the best reference."""
    import torch
    from transformers import AutoTokenizer, MT5ForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = MT5ForConditionalGeneration.from_pretrained(folder).eval()

    def score(**texts: str) -> float:
        ids = tokenizer(FORMS[year, refs].format(**texts), max_length=LONGEST[year], truncation=True)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        with torch.no_grad():
            hidden = model.encoder(input_ids=torch.tensor([ids[:-1]])).last_hidden_state
            decoded = model.decoder(input_ids=torch.tensor([[0]]), encoder_hidden_states=hidden).last_hidden_state
            logit: float = (decoded[0, 0] @ model.lm_head.weight[250_089]).item()
        return min(max(logit, 0.0), 25.0)

    found = []
    for texts in testset.systems.values():
        rows = zip(texts, testset.sources or (), *testset.references, strict=True)
        found.append([min(score(h=h, s=s, r=r) for r in references if r is not None) for h, s, *references in rows])
    return found


@pytest.mark.parametrize(("year", "refs"), list(FORMS))
@pytest.mark.parametrize("batch", [16, 3])
def test_scores_are_those_of_the_definition(
    metricx: Path, testset: mtassay.TestSet, year: str, refs: bool, batch: int
) -> None:
    spec = f"metricx:model={metricx},tokenizer={metricx},year={year},refs={'yes' if refs else 'no'},batch={batch}"
    found = mtassay.score(testset, metrics=[spec]).segment_scores()[..., 0]
    expected = by_definition(metricx, testset, year, refs=refs)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert len({*np.round(found.ravel(), 2)}) > 4


@pytest.mark.parametrize("factor", [1000, -1000, 30])
def test_scores_are_clipped(metricx: Path, testset: mtassay.TestSet, tmp_path: Path, factor: int) -> None:
    from transformers import MT5ForConditionalGeneration

    steep = tmp_path / "steep"
    model = MT5ForConditionalGeneration.from_pretrained(metricx)
    model.lm_head.weight.data.mul_(factor)
    model.save_pretrained(steep)
    found = mtassay.score(testset, metrics=[f"metricx:model={steep},tokenizer={metricx}"]).segment_scores()
    plain = mtassay.score(testset, metrics=[f"metricx:model={metricx},tokenizer={metricx}"]).segment_scores()
    assert plain.min() > 0
    np.testing.assert_allclose(found, np.clip(factor * plain, 0, 25), rtol=1e-5, atol=1e-4)


def test_long_texts_are_cut(metricx: Path) -> None:
    long = "the cat sat on the mat . " * 400
    testset = mtassay.TestSet([["rain", "rain"]], {"x": [long, long + "and more"]}, sources=["a", "a"])
    [[first, second]] = mtassay.score(
        testset, metrics=[f"metricx:model={metricx},tokenizer={metricx}"]
    ).segment_scores()[..., 0]
    assert first == pytest.approx(second, abs=1e-6)
    assert first == pytest.approx(by_definition(metricx, testset, "24", refs=True)[0][0], abs=1e-6)


def test_half_precision(metricx: Path, testset: mtassay.TestSet) -> None:
    specs = [f"metricx:model={metricx},tokenizer={metricx},precision={one}" for one in ("fp32", "bf16")]
    whole, half = np.moveaxis(mtassay.score(testset, metrics=specs).segment_scores(), -1, 0)
    assert 0 < np.abs(whole - half).max() < 0.1


def test_models_that_do_not_fit(metricx: Path, small_mt5: Path, bert: Path, testset: mtassay.TestSet) -> None:
    with pytest.raises(InputError, match=r"is not a model for metricx: its vocabulary has 300 pieces, but the score"):
        mtassay.score(testset, metrics=[f"metricx:model={small_mt5},tokenizer={metricx}"])
    with pytest.raises(MtassayError, match=r"is not a model for metricx: it lacks the weights decoder\."):
        mtassay.score(testset, metrics=[f"metricx:model={bert},tokenizer={metricx}"])
