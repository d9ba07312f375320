"""COMET and XCOMET, against a stand-in with the interface of unbabel-comet 2; tests/neural has the package itself."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.errors import InputError, MissingExtraError, MtassayError, SpecError
from mtassay.metrics import parse
from mtassay.metrics.neural import comet as plug_in
from mtassay.metrics.neural.comet import Comet
from mtassay.metrics.neural.torch_runtime import silence
from mtassay.metrics.neural.xcomet import Xcomet

TESTSET = mtassay.TestSet(
    [["the cat", "a dog", "rain"], ["one cat", None, "rain"]],
    {"x": ["the cat", "dogs", ""], "y": ["the cat", "a dog", "rain"]},
    sources=["le chat", "un chien", "pluie"],
)


class Prediction(dict[str, Any]):
    """Values by key and by attribute."""

    __getattr__ = dict.__getitem__


class Model:
    """A score that shows what the model was given; marks the letter a."""

    word_level = False

    def __init__(self, path: str) -> None:
        self.path = path
        self.calls: list[dict[str, Any]] = []

    def requires_references(self) -> bool:
        return "kiwi" not in self.path

    def predict(self, samples: list[dict[str, str]], **options: Any) -> Prediction:
        self.calls.append({"samples": samples, **options})
        scores = [len(s["mt"]) + 10 * len(s.get("ref", "")) + 100 * len(s["src"]) for s in samples]
        return Prediction(
            scores=scores,
            system_score=0.0,
            metadata=Prediction(error_spans=[_errors(s["mt"]) for s in samples]),
        )


class Marking(Model):
    """A model as that of XCOMET."""

    word_level = True


def _errors(text: str) -> list[dict[str, Any]]:
    start = {"start": 0, "end": 0, "severity": "major", "confidence": 0.5, "text": ""}
    if "a" not in text:
        return [start]
    at = text.index("a")
    return [start, {**start, "start": at, "end": at + 1, "severity": "critical"}]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, Model]:
    made: dict[str, Model] = {}

    def load_from_checkpoint(checkpoint_path: str) -> Model:
        if "incomplete" in checkpoint_path:
            warnings.warn("Found keys that are in the model state dict but not in the checkpoint: ['x']", stacklevel=1)
        made[checkpoint_path] = (Marking if "xcomet" in checkpoint_path else Model)(checkpoint_path)
        return made[checkpoint_path]

    module = ModuleType("comet")
    module.load_from_checkpoint = load_from_checkpoint  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "comet", module)
    monkeypatch.setattr(plug_in, "device_of", lambda wanted: "cpu" if wanted == "auto" else wanted)
    return made


def folder(path: Path) -> Path:
    (path / "checkpoints").mkdir(parents=True)
    (path / "checkpoints" / "model.ckpt").write_text("weights")
    (path / "hparams.yaml").write_text(f"name: {path.name}")
    return path


def test_what_the_model_is_given(models: dict[str, Model], tmp_path: Path) -> None:
    made = folder(tmp_path / "da")
    result = mtassay.score(TESTSET, metrics=[f"comet:model={made},batch=4", "bleu"])
    [model] = models.values()
    assert model.path == str(made / "checkpoints" / "model.ckpt")
    [call] = model.calls
    samples = call.pop("samples")
    assert call == {"batch_size": 4, "progress_bar": False, "num_workers": 0, "gpus": 0}
    assert samples == [  # the longest first
        {"src": "le chat", "mt": "the cat", "ref": "one cat"},
        {"src": "le chat", "mt": "the cat", "ref": "the cat"},
        {"src": "un chien", "mt": "a dog", "ref": "a dog"},
        {"src": "un chien", "mt": "dogs", "ref": "a dog"},
        {"src": "pluie", "mt": "rain", "ref": "rain"},
        {"src": "pluie", "mt": "", "ref": "rain"},
    ]
    expected = [[777, 4 + 50 + 800, 0 + 40 + 500], [777, 5 + 50 + 800, 4 + 40 + 500]]
    assert result.segment_scores()[..., 0].tolist() == expected
    np.testing.assert_allclose(result.scores[:, 0], np.mean(expected, axis=1))


@pytest.mark.parametrize(
    ("device", "expected"),
    [
        ("cuda:2", {"gpus": 1, "accelerator": "cuda", "devices": [2]}),
        ("cuda", {"gpus": 1, "accelerator": "cuda", "devices": [0]}),
        ("mps", {"gpus": 1, "accelerator": "mps", "devices": [0]}),
    ],
)
def test_devices(models: dict[str, Model], tmp_path: Path, device: str, expected: dict[str, Any]) -> None:
    mtassay.score(TESTSET, metrics=[f"comet:model={folder(tmp_path / 'da')},device={device}"])
    [model] = models.values()
    assert expected.items() <= model.calls[0].items()


def test_options_of_older_versions() -> None:
    assert parse("comet:gpus=0,batch_size=4") == Comet(device="cpu", batch=4)
    assert parse("comet:gpus=1") == Comet(device="cuda")
    with pytest.raises(SpecError, match="comet: gpus must be 0 or 1, not '2'; device=cuda:1 names one of several"):
        parse("comet:gpus=2")


def test_without_references(models: dict[str, Model], tmp_path: Path) -> None:
    spec = f"cometkiwi:model={folder(tmp_path / 'kiwi')}"
    result = mtassay.score(TESTSET, metrics=[spec])
    [model] = models.values()
    assert all(set(sample) == {"src", "mt"} for sample in model.calls[0]["samples"])
    assert result.segment_scores()[0, :, 0].tolist() == [707, 804, 500]
    assert str(result.signatures[0]).startswith("nrefs:0|model:kiwi|revision:sha256-")
    assert "|refs:no|precision:fp32|unbabel-comet:" in str(result.signatures[0])
    alone = mtassay.TestSet([], TESTSET.systems, sources=TESTSET.sources)
    np.testing.assert_array_equal(mtassay.score(alone, metrics=[spec]).segment_scores(), result.segment_scores())
    with pytest.raises(InputError, match="comet needs references, but there are none"):
        mtassay.score(alone, metrics=["comet"])
    with pytest.raises(InputError, match="reads source texts, but there are none"):
        mtassay.score([], TESTSET.systems, metrics=[spec])


def test_names() -> None:
    kiwi = parse("cometkiwi")
    assert kiwi == Comet(model="Unbabel/wmt22-cometkiwi-da", refs=False)
    assert str(kiwi) == "comet:model=Unbabel/wmt22-cometkiwi-da,refs=no"
    assert (kiwi.label, parse("comet").label, parse("xcomet").label) == ("CometKiwi", "COMET", "XCOMET")
    assert not kiwi.needs_references


@pytest.mark.usefixtures("models")
def test_models_that_need_references(tmp_path: Path) -> None:
    made = folder(tmp_path / "da")
    with pytest.raises(InputError, match=r"da needs references: leave out refs=no$"):
        mtassay.score(TESTSET, metrics=[f"comet:model={made},refs=no"])


@pytest.mark.usefixtures("models")
def test_a_checkpoint_without_all_weights(tmp_path: Path) -> None:
    made = folder(tmp_path / "incomplete")
    with pytest.raises(MtassayError, match=r"incomplete lacks weights that its hparams.yaml asks for$"):
        mtassay.score(TESTSET, metrics=[f"comet:model={made}"])


def test_a_model_from_a_file(models: dict[str, Model], tmp_path: Path) -> None:
    checkpoint = folder(tmp_path / "da") / "checkpoints" / "model.ckpt"
    mtassay.score(TESTSET, metrics=[f"comet:model={checkpoint}"])
    assert list(models) == [str(checkpoint)]


@pytest.mark.usefixtures("models")
def test_sources_are_needed() -> None:
    with pytest.raises(InputError, match="comet reads source texts, but there are none: give --source FILE"):
        mtassay.score([["a"]], {"x": ["a"]}, metrics=["comet"])


@pytest.mark.parametrize("folder_name", ["da", None])
def test_without_the_package(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder_name: str | None,
) -> None:
    monkeypatch.setitem(sys.modules, "comet", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    spec = f"comet:model={folder(tmp_path / folder_name)}" if folder_name else "comet"
    with pytest.raises(MissingExtraError, match=r"the metric comet needs an optional package: pip install 'mtassay\["):
        mtassay.score(TESTSET, metrics=[spec])
    for name in ("src", "ref", "hyp"):
        (tmp_path / name).write_text("a\n")
    monkeypatch.chdir(tmp_path)
    assert main(["score", "ref", "-i", "hyp", "--source", "src", "-m", spec]) == 2
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
    with pytest.raises(MtassayError) as raised:
        mtassay.score(TESTSET, metrics=[f"comet:model={folder(tmp_path / 'da')}"])
    assert not isinstance(raised.value, MissingExtraError)
    assert str(raised.value).startswith(f"the package comet cannot be loaded: {message}")


def test_spans_of_errors(models: dict[str, Model], tmp_path: Path) -> None:
    metric = Xcomet(model=str(folder(tmp_path / "xcomet")))
    result = mtassay.score(TESTSET, metrics=["bleu", metric])
    spans = result.error_spans()
    assert spans.systems == ("x", "y")
    assert spans.segments == ("1", "2", "3")
    found = {
        (spans.systems[system], int(segment) + 1): [(s.start, s.end, s.severity) for s in marked]
        for system, segment, marked in zip(spans.system, spans.segment, spans.spans, strict=True)
    }
    critical = "critical"
    assert found == {
        **{("x", 1): [(5, 6, critical)], ("x", 2): [], ("x", 3): []},
        **{("y", 1): [(5, 6, critical)], ("y", 2): [(0, 1, critical)], ("y", 3): [(1, 2, critical)]},
    }
    [model] = models.values()
    assert len(model.calls) == 1  # spans come with the scores


@pytest.mark.usefixtures("models")
def test_spans_are_of_one_metric(tmp_path: Path) -> None:
    one = Xcomet(model=str(folder(tmp_path / "xcomet")))
    message = "spans of errors need exactly one metric that marks errors, such as xcomet, not "
    with pytest.raises(InputError, match=f"{message}bleu, chrf$"):
        mtassay.score(TESTSET, metrics=["bleu", "chrf"]).error_spans()
    other = Xcomet(model=one.model, refs=False)
    with pytest.raises(InputError, match="needs references: leave out refs=no"):
        mtassay.score(TESTSET, metrics=[other])
    with pytest.raises(InputError, match=f"{message}xcomet:.*, xcomet:"):
        mtassay.score(TESTSET, metrics=[one, Xcomet(model=one.model, batch=1)]).error_spans()


@pytest.mark.usefixtures("models")
def test_a_model_that_marks_no_errors(tmp_path: Path) -> None:
    made = folder(tmp_path / "da")
    with pytest.raises(InputError, match=f"{made} marks no errors: use it as comet:model={made}$"):
        mtassay.score(TESTSET, metrics=[Xcomet(model=str(made))])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Arguments that name the texts of a test set."""
    monkeypatch.chdir(tmp_path)
    streams = {"src": TESTSET.sources or (), "ref": TESTSET.references[0], **TESTSET.systems}
    for name, texts in streams.items():
        Path(name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return ["ref", "-i", "x", "y", "--source", "src"]


@pytest.mark.usefixtures("models")
def test_spans_of_the_command_are_read_by_metaeval(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    metric = f"xcomet:model={folder(Path('xcomet'))}"
    assert main(["score", *files, "-m", metric, "bleu", "--spans", "errors.jsonl", "-f", "tsv"]) == 0
    lines = [json.loads(line) for line in Path("errors.jsonl").read_text().splitlines()]
    assert [(line["system"], line["segment"], len(line["spans"])) for line in lines] == [
        *(("x", "1", 1), ("x", "2", 0), ("x", "3", 0)),
        *(("y", "1", 1), ("y", "2", 1), ("y", "3", 1)),
    ]
    capsys.readouterr()
    judged = ["--judgements", "errors.jsonl", "--metric-spans", "xcomet=errors.jsonl", "-m", "chrf", "-f", "json"]
    assert main(["metaeval", *files, *judged]) == 0
    assert '"xcomet"' in capsys.readouterr().out


@pytest.mark.usefixtures("models")
def test_faults_of_the_command(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*arguments: str) -> str:
        assert main(["score", *files, *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        return err.removeprefix("mtassay: ").rstrip("\n")

    metric = f"xcomet:model={folder(Path('xcomet'))}"
    assert refused("-m", "bleu", "--spans", "o.jsonl").endswith("such as xcomet, not bleu")
    assert "there is no folder no" in refused("-m", metric, "--spans", "no/o.jsonl")
    assert "x" in refused("-m", metric, "--spans", "x")
    assert Path("x").read_text().startswith("the cat")
    # The model is an input, too.
    assert "hparams.yaml" in refused("-m", metric, "-o", "xcomet/hparams.yaml")
    assert not Path("o.jsonl").exists()


def test_messages_of_libraries(capfd: pytest.CaptureFixture[str]) -> None:
    import logging

    logger = logging.getLogger("transformers")
    before = (logger.handlers, logger.propagate)
    with silence() as said:
        print("printed")
        print("to standard error", file=sys.stderr)
        logger.warning("logged %s", 1)
        warnings.warn("warned", UserWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert said == ["logged 1", "warned"]
    assert (logger.handlers, logger.propagate) == before
    assert capfd.readouterr() == ("", "")
