"""BLEURT: the scores of bleurt-pytorch itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import mtassay
from mtassay.errors import MtassayError

if TYPE_CHECKING:
    from pathlib import Path


def by_the_library(folder: Path, testset: mtassay.TestSet) -> list[list[float]]:
    """As the port's own example, text by text; texts are cut at the longest that the model knows."""
    import torch
    from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

    model = BleurtForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = BleurtTokenizer.from_pretrained(folder)

    def score(reference: str, hypothesis: str) -> float:
        inputs = tokenizer(
            [reference], [hypothesis], truncation="longest_first", max_length=80, padding="longest", return_tensors="pt"
        )
        with torch.no_grad():
            return float(model(**inputs).logits.flatten())

    return [
        [
            max(score(reference, text) for reference in references if reference is not None)
            for text, *references in zip(texts, *testset.references, strict=True)
        ]
        for texts in testset.systems.values()
    ]


@pytest.mark.parametrize("batch", [16, 3])
def test_scores_are_those_of_the_library(bleurt: Path, testset: mtassay.TestSet, batch: int) -> None:
    found = mtassay.score(testset, metrics=[f"bleurt:model={bleurt},batch={batch}"]).segment_scores()[..., 0]
    np.testing.assert_allclose(found, by_the_library(bleurt, testset), rtol=0, atol=1e-6)
    assert len({*np.round(found.ravel(), 4)}) > 5


def test_half_precision(bleurt: Path, testset: mtassay.TestSet) -> None:
    specs = [f"bleurt:model={bleurt},precision={one}" for one in ("fp32", "bf16")]
    whole, half = np.moveaxis(mtassay.score(testset, metrics=specs).segment_scores(), -1, 0)
    assert 0 < np.abs(whole - half).max() < 0.1


def test_a_model_without_a_head(bert: Path, testset: mtassay.TestSet) -> None:
    with pytest.raises(MtassayError, match=r"is not a model for bleurt: it lacks the weights classifier.bias, class"):
        mtassay.score(testset, metrics=[f"bleurt:model={bert}"])
