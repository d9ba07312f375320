"""BERTScore: the scores of bert-score itself."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.errors import InputError, MtassayError
from mtassay.metrics.neural.bertscore import MODELS

if TYPE_CHECKING:
    from pathlib import Path

MEASURES = ("precision", "recall", "f1")


def by_the_library(testset: mtassay.TestSet, **options: Any) -> Any:
    """Scores by bert_score.score, shape (measures, systems, segments); it takes the best reference itself."""
    import bert_score

    references = [
        [text for text in of_segment if text is not None] for of_segment in zip(*testset.references, strict=True)
    ]
    found = [bert_score.score(list(texts), references, **options) for texts in testset.systems.values()]
    return np.stack([[of_system[k].numpy() for of_system in found] for k in range(len(MEASURES))])


@pytest.mark.parametrize("layers", [2, 6])
@pytest.mark.parametrize("batch", [64, 2])
def test_scores_are_those_of_the_library(bert: Path, testset: mtassay.TestSet, layers: int, batch: int) -> None:
    specs = [f"bertscore:model={bert},layers={layers},measure={measure},batch={batch}" for measure in MEASURES]
    found = mtassay.score(testset, metrics=specs).segment_scores()
    expected = by_the_library(testset, model_type=str(bert), num_layers=layers)
    np.testing.assert_allclose(found, expected.transpose(1, 2, 0), rtol=0, atol=1e-6)
    assert len({*np.round(found.ravel(), 3)}) > 5


def test_models_of_languages() -> None:
    from bert_score.utils import lang2model

    assert dict(lang2model) == MODELS
    assert lang2model["xx"] == "bert-base-multilingual-cased"


@pytest.fixture
def hub(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The model as it lies in the cache of the Hugging Face hub, under a name that bert-score knows; the commit."""
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    commit = "0123456789abcdef0123456789abcdef01234567"
    folder = tmp_path / "hub" / "models--distilbert-base-uncased"
    shutil.copytree(bert, folder / "snapshots" / commit)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(commit)
    return commit


def test_a_model_of_the_hub_with_its_layer_and_baseline(hub: str, bert: Path, testset: mtassay.TestSet) -> None:
    from pathlib import Path

    import bert_score

    specs = [f"bertscore:model=distilbert-base-uncased,rescale={rescale}" for rescale in ("no", "yes")]
    result = mtassay.score(testset, metrics=[*specs, f"{specs[0]},revision={hub}"])
    known: dict[str, Any] = {"model_type": str(bert), "num_layers": 5}  # bert-score's choice for that name
    baseline = Path(bert_score.__file__).parent / "rescale_baseline" / "en" / "distilbert-base-uncased.tsv"
    rescaled = {"rescale_with_baseline": True, "lang": "en", "baseline_path": str(baseline)}
    expected = [by_the_library(testset, **known)[2], by_the_library(testset, **known, **rescaled)[2]]
    np.testing.assert_allclose(result.segment_scores()[..., 0], expected[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(result.segment_scores()[..., 1], expected[1], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(result.segment_scores()[..., 2], result.segment_scores()[..., 0])
    assert f"|model:distilbert-base-uncased|revision:{hub[:12]}|measure:f1|layers:default|idf:no|rescale:en|" in str(
        result.signatures[1]
    )


@pytest.mark.usefixtures("hub")
def test_a_model_that_is_nowhere(testset: mtassay.TestSet) -> None:
    with pytest.raises(MtassayError, match=r"^the model a/b is not on this machine, and the Hugging Face hub does not"):
        mtassay.score(testset, metrics=["bertscore:model=a/b,layers=2"])


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision(bert: Path, testset: mtassay.TestSet, precision: str) -> None:
    specs = [f"bertscore:model={bert},layers=2,precision={one}" for one in ("fp32", precision)]
    whole, half = np.moveaxis(mtassay.score(testset, metrics=specs).segment_scores(), -1, 0)
    assert 0 < np.abs(whole - half).max() < 0.05


def test_models_that_do_not_fit(bert: Path, metricx: Path, testset: mtassay.TestSet, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    with pytest.raises(MtassayError, match=r"cannot be loaded by bert-score: AssertionError: Invalid num_layers"):
        mtassay.score(testset, metrics=[f"bertscore:model={bert},layers=9"])
    with pytest.raises(MtassayError, match=r"cannot be loaded by bert-score: ValueError: Not supported$"):
        mtassay.score(testset, metrics=[f"bertscore:model={metricx},layers=1"])
    with pytest.raises(InputError, match=r"^bert-score has no layer for the model .*: give layers=N$"):
        mtassay.score(testset, metrics=[f"bertscore:model={bert}"])
    broken = tmp_path / "broken"
    shutil.copytree(bert, broken)
    weights = load_file(broken / "model.safetensors")
    save_file({key: value for key, value in weights.items() if "layer.1." not in key}, broken / "model.safetensors")
    with pytest.raises(
        MtassayError, match=r"broken is not a model for bertscore: it lacks the weights encoder.layer.1"
    ):
        mtassay.score(testset, metrics=[f"bertscore:model={broken},layers=2"])
