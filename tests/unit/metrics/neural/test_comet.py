"""The COMET plug-in, against a stand-in with the interface of unbabel-comet 2."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.errors import InputError, MissingExtraError, MtassayError
from mtassay.metrics.neural import comet as plug_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TESTSET = mtassay.TestSet(
    [["the cat", "a dog", "rain"], ["one cat", None, "rain"]],
    {"x": ["the cat", "dogs", ""], "y": ["the cat", "a dog", "rain"]},
    sources=["le chat", "un chien", "pluie"],
)


class Prediction(dict[str, Any]):
    """Values by key and by attribute."""

    __getattr__ = dict.__getitem__


class Model:
    """A score that shows what the model was given."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.calls: list[dict[str, Any]] = []
        self.answer: Any = None

    def requires_references(self) -> bool:
        return "kiwi" not in self.path

    def predict(
        self,
        samples: list[dict[str, str]],
        batch_size: int = 16,
        gpus: int = 1,
        progress_bar: bool = True,
    ) -> Prediction:
        self.calls.append({"samples": samples, "batch_size": batch_size, "gpus": gpus, "progress_bar": progress_bar})
        if isinstance(self.answer, Exception):
            raise self.answer
        scores = [len(s["mt"]) + 10 * len(s.get("ref", "")) + 100 * len(s["src"]) for s in samples]
        return Prediction(scores=scores if self.answer is None else self.answer, system_score=0.0)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Model]]:
    made: dict[str, Model] = {}

    def download_model(model: str, saving_directory: str | None = None) -> str:
        if model == "nobody/nothing":
            raise KeyError(f"Model '{model}' not supported by COMET.")
        return f"/cache/{model}/model.ckpt"

    def load_from_checkpoint(checkpoint_path: str) -> Model:
        made[checkpoint_path] = Model(checkpoint_path)
        return made[checkpoint_path]

    module = ModuleType("comet")
    module.download_model = download_model  # type: ignore[attr-defined]
    module.load_from_checkpoint = load_from_checkpoint  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "comet", module)
    plug_in._model.cache_clear()
    yield made
    plug_in._model.cache_clear()


def test_all_systems_in_one_call_and_equal_texts_once(models: dict[str, Model]) -> None:
    result = mtassay.score(TESTSET, metrics=["comet", "bleu", "comet:refs=yes,gpus=1,batch_size=4"])
    [model] = models.values()
    assert model.path == "/cache/Unbabel/wmt22-comet-da/model.ckpt"
    first, second = model.calls
    assert (first["batch_size"], first["gpus"]) == (16, 0)
    assert (second["batch_size"], second["gpus"]) == (4, 1)
    assert first["samples"] == [
        {"src": "le chat", "mt": "the cat", "ref": "the cat"},
        {"src": "le chat", "mt": "the cat", "ref": "one cat"},
        {"src": "un chien", "mt": "dogs", "ref": "a dog"},
        {"src": "pluie", "mt": "", "ref": "rain"},
        {"src": "un chien", "mt": "a dog", "ref": "a dog"},
        {"src": "pluie", "mt": "rain", "ref": "rain"},
    ]
    expected = [[777, 4 + 50 + 800, 0 + 40 + 500], [777, 5 + 50 + 800, 4 + 40 + 500]]
    assert result.segment_scores()[..., 0].tolist() == expected
    np.testing.assert_allclose(result.scores[:, 0], np.mean(expected, axis=1))


def test_without_references(models: dict[str, Model]) -> None:
    spec = "comet:model=Unbabel/wmt22-cometkiwi-da,refs=no"
    result = mtassay.score(TESTSET, metrics=[spec])
    [model] = models.values()
    assert all(set(sample) == {"src", "mt"} for sample in model.calls[0]["samples"])
    assert result.segment_scores()[0, :, 0].tolist() == [707, 804, 500]
    assert str(result.signatures[0]).startswith("nrefs:0|model:Unbabel/wmt22-cometkiwi-da|refs:no|unbabel-comet:")
    alone = mtassay.TestSet([], TESTSET.systems, sources=TESTSET.sources)
    np.testing.assert_array_equal(mtassay.score(alone, metrics=[spec]).segment_scores(), result.segment_scores())
    with pytest.raises(InputError, match="comet needs references, but there are none"):
        mtassay.score(alone, metrics=["comet"])
    with pytest.raises(InputError, match="reads source texts, but there are none"):
        mtassay.score([], TESTSET.systems, metrics=[spec])


@pytest.mark.usefixtures("models")
def test_models_that_need_references() -> None:
    with pytest.raises(InputError, match=r"Unbabel/wmt22-comet-da needs references: leave out refs=no"):
        mtassay.score(TESTSET, metrics=["comet:refs=no"])


def test_a_model_from_a_file(models: dict[str, Model]) -> None:
    mtassay.score(TESTSET, metrics=["comet:model=my/own.ckpt"])
    assert list(models) == ["my/own.ckpt"]


@pytest.mark.usefixtures("models")
def test_sources_are_needed() -> None:
    with pytest.raises(InputError, match="comet reads source texts, but there are none: give --source FILE"):
        mtassay.score([["a"]], {"x": ["a"]}, metrics=["comet"])


@pytest.mark.usefixtures("models")
def test_a_model_that_nobody_has() -> None:
    with pytest.raises(MtassayError, match="the COMET model nobody/nothing cannot be loaded: KeyError") as raised:
        mtassay.score(TESTSET, metrics=["comet:model=nobody/nothing"])
    assert isinstance(raised.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (RuntimeError("CUDA out of memory"), "comet failed: RuntimeError: CUDA out of memory"),
        ([0.5], "comet returned 1 scores for 6 texts"),
        ([0.5, 0.5, float("nan"), 1, 1, 1], "comet gave no finite score to x, segment 2"),
    ],
)
def test_a_model_that_fails(models: dict[str, Model], answer: Any, message: str) -> None:
    plug_in._model("Unbabel/wmt22-comet-da").answer = answer
    with pytest.raises(MtassayError) as raised:
        mtassay.score(TESTSET, metrics=["comet"])
    assert message in str(raised.value)
    assert len(models) == 1


def test_without_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "comet", None)
    plug_in._model.cache_clear()
    with pytest.raises(MissingExtraError, match=r"the metric comet needs an optional package: pip install 'mtassay\["):
        mtassay.score(TESTSET, metrics=["comet"])
    with pytest.raises(MissingExtraError):  # before sources are asked for
        mtassay.score([["a"]], {"x": ["a"]}, metrics=["comet"])
    for name in ("src", "ref", "hyp"):
        (tmp_path / name).write_text("a\n")
    monkeypatch.chdir(tmp_path)
    assert main(["score", "ref", "-i", "hyp", "--source", "src", "-m", "comet"]) == 2
    assert capsys.readouterr().err == (
        "mtassay: the metric comet needs an optional package: pip install 'mtassay[comet]'\n"
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import no_such_torch", "ModuleNotFoundError: No module named 'no_such_torch'"),
        ("from comet import models", "ImportError: cannot import name 'models'"),
        ("import comet.models", "ModuleNotFoundError: No module named 'comet.models'"),
        ("raise OSError('libcudart.so: no such file')", "OSError: libcudart.so: no such file"),
    ],
)
def test_a_package_that_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str) -> None:
    (tmp_path / "comet").mkdir()
    (tmp_path / "comet" / "__init__.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "comet", raising=False)
    plug_in._model.cache_clear()
    with pytest.raises(MtassayError) as raised:
        mtassay.score(TESTSET, metrics=["comet"])
    assert not isinstance(raised.value, MissingExtraError)
    assert str(raised.value).startswith(f"the package comet cannot be loaded: {message}")
