"""COMET and XCOMET: the scores and spans of unbabel-comet itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.data.formats.judgements.writing import write_judgements
from mtassay.errors import InputError, MtassayError

if TYPE_CHECKING:
    from pathlib import Path

#: Kind of model, and whether it is given references.
CASES = [
    ("comet", "regression_metric", True),
    ("comet", "referenceless_regression_metric", False),
    ("comet", "referenceless_regression_metric", True),
    ("comet", "unified_metric", False),
    ("comet", "xcomet_metric", True),
    ("xcomet", "xcomet_metric", True),
    ("xcomet", "xcomet_metric", False),
]


def predictions(model: Path, testset: mtassay.TestSet, *, refs: bool, batch: int = 16) -> dict[tuple[str, int], Any]:
    """By system and segment: scores and spans by the library, of the reference with the best score."""
    import comet

    samples, places = [], []
    streams = testset.references if refs else testset.references[:1]
    for name, texts in testset.systems.items():
        for i, text in enumerate(texts):
            for reference in (stream[i] for stream in streams):
                if reference is not None:
                    sample = {"src": testset.sources[i], "mt": text}  # type: ignore[index]
                    samples.append(sample | ({"ref": reference} if refs else {}))
                    places.append((name, i))
    loaded = comet.load_from_checkpoint(str(model / "checkpoints" / "model.ckpt"))
    said = loaded.predict(samples, batch_size=batch, gpus=0, progress_bar=False)
    spans = said["metadata"]["error_spans"] if "error_spans" in said.get("metadata", {}) else [[]] * len(samples)
    best: dict[tuple[str, int], Any] = {}
    for place, score, marked in zip(places, said["scores"], spans, strict=True):
        if place not in best or score > best[place][0]:
            best[place] = score, marked
    return best


@pytest.mark.parametrize(("metric", "kind", "refs"), CASES)
@pytest.mark.parametrize("batch", [16, 3])
def test_scores_are_those_of_the_library(
    comet_models: dict[str, Path], testset: mtassay.TestSet, metric: str, kind: str, refs: bool, batch: int
) -> None:
    model = comet_models[kind]
    spec = f"{metric}:model={model},refs={'yes' if refs else 'no'},batch={batch}"
    result = mtassay.score(testset, metrics=[spec])
    expected = predictions(model, testset, refs=refs)
    for s, name in enumerate(testset.systems):
        wanted = [expected[name, i][0] for i in range(testset.n_segments)]
        np.testing.assert_allclose(result.segment_scores()[s, :, 0], wanted, rtol=0, atol=1e-6)
        assert result.scores[s, 0] == pytest.approx(np.mean(wanted), abs=1e-6)
    assert len({*np.round(result.segment_scores().ravel(), 3)}) > 5  # the models do tell texts apart


@pytest.mark.parametrize("refs", [True, False])
def test_spans_are_those_of_the_library(
    comet_models: dict[str, Path], testset: mtassay.TestSet, tmp_path: Path, refs: bool
) -> None:
    model = comet_models["xcomet_metric"]
    result = mtassay.score(testset, metrics=[f"xcomet:model={model},refs={'yes' if refs else 'no'}"])
    spans = result.error_spans()
    expected = predictions(model, testset, refs=refs)
    n_spans = 0
    for system, segment, marked in zip(spans.system.tolist(), spans.segment.tolist(), spans.spans, strict=True):
        wanted = [
            (error["start"], error["end"], error["severity"])
            for error in expected[spans.systems[system], segment][1]
            if error["start"] < error["end"]
        ]
        assert [(span.start, span.end, span.severity) for span in marked] == wanted
        text = testset.systems[spans.systems[system]][segment]
        assert all(span.end <= len(text) for span in marked if span.end is not None)
        n_spans += len(wanted)
    assert n_spans > 5
    path = tmp_path / "spans.jsonl"
    write_judgements(spans, path, format="jsonl")
    again = mtassay.load_judgements(path, testset=testset)
    assert isinstance(again, type(spans))
    assert again.spans == spans.spans


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
@pytest.mark.parametrize(("metric", "kind"), [("comet", "regression_metric"), ("xcomet", "xcomet_metric")])
def test_half_precision(
    comet_models: dict[str, Path], testset: mtassay.TestSet, metric: str, kind: str, precision: str
) -> None:
    """Text by text: padding would change the rounding."""
    import torch

    model = comet_models[kind]
    found = mtassay.score(testset, metrics=[f"{metric}:model={model},batch=1,precision={precision}"]).segment_scores()
    with torch.autocast("cpu", dtype={"bf16": torch.bfloat16, "fp16": torch.float16}[precision]):
        expected = predictions(model, testset, refs=True, batch=1)
    wanted = [[expected[name, i][0] for i in range(testset.n_segments)] for name in testset.systems]
    np.testing.assert_allclose(found[..., 0], wanted, rtol=0, atol=1e-6)
    whole = mtassay.score(testset, metrics=[f"{metric}:model={model}"]).segment_scores()
    assert 0 < np.abs(whole - found).max() < 0.2


def test_models_that_do_not_fit(comet_models: dict[str, Path], testset: mtassay.TestSet, tmp_path: Path) -> None:
    import shutil

    import torch

    regression = comet_models["regression_metric"]
    with pytest.raises(InputError, match=r"needs references: leave out refs=no$"):
        mtassay.score(testset, metrics=[f"comet:model={regression},refs=no"])
    with pytest.raises(InputError, match=r"marks no errors: use it as comet:model="):
        mtassay.score(testset, metrics=[f"xcomet:model={regression}"])
    broken = tmp_path / "broken"
    shutil.copytree(regression, broken)
    path = broken / "checkpoints" / "model.ckpt"
    checkpoint = torch.load(path, weights_only=False)
    del checkpoint["state_dict"]["estimator.ff.0.weight"]
    torch.save(checkpoint, path)
    with pytest.raises(MtassayError, match=r"broken lacks weights that its hparams.yaml asks for$"):
        mtassay.score(testset, metrics=[f"comet:model={broken}"])
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(MtassayError, match=r"^the model .*broken cannot be loaded by unbabel-comet: RuntimeError: "):
        mtassay.score(testset, metrics=[f"comet:model={broken}"])
    (broken / "hparams.yaml").write_text("class_identifier: no_such_metric")
    with pytest.raises(MtassayError, match=r"^the model .*broken cannot be loaded by unbabel-comet: KeyError: "):
        mtassay.score(testset, metrics=[f"comet:model={broken}"])
