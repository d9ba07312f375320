"""BERTScore, MetricX and BLEURT without their libraries: names, options, texts that they read, errors."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.errors import InputError, MissingExtraError, MtassayError, SpecError
from mtassay.metrics import parse
from mtassay.metrics.neural import bertscore as bertscore_module
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.bertscore import BertScore
from mtassay.metrics.neural.bleurt import Bleurt
from mtassay.metrics.neural.metricx import MetricX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TESTSET = mtassay.TestSet(
    [["the cat", "a dog"]], {"x": ["the cat", "dogs"]}, sources=["le chat", "un chien"], language_pair="fr-en"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny"
    made.mkdir()
    for name in ("config.json", "tokenizer_config.json"):
        (made / name).write_text("{}")
    return made


@pytest.mark.parametrize(
    ("spec", "arguments", "needs"),
    [
        ("metricx", ("source", "hypothesis", "reference"), True),
        ("metricx-qe", ("source", "hypothesis"), False),
        ("metricx:model=google/metricx-23-xl-v2p0", ("hypothesis", "reference"), True),
        ("metricx-qe:model=google/metricx-23-qe-xl-v2p0", ("hypothesis", "source"), False),
        ("metricx:model=google/metricx-23-xl-v2p0,year=24", ("source", "hypothesis", "reference"), True),
        ("metricx:model=mine,year=23,refs=no", ("hypothesis", "source"), False),
        ("bleurt", ("reference", "hypothesis"), True),
        ("bertscore", ("hypothesis", "reference"), True),
    ],
)
def test_texts_that_are_read(spec: str, arguments: tuple[str, ...], needs: bool) -> None:
    metric: Any = parse(spec)
    assert metric.arguments == arguments
    assert metric.needs_references is needs


def test_names_and_directions() -> None:
    assert [parse(name).label for name in ("metricx", "metricx-qe", "bleurt", "bertscore")] == [
        *("MetricX", "MetricX-QE", "BLEURT", "BERTScore")
    ]
    assert BertScore(measure="recall").label == "BERTScore-recall"
    assert [parse(name).higher_is_better for name in ("metricx", "bleurt", "bertscore")] == [False, True, True]
    assert str(parse("metricx-qe")) == "metricx:refs=no"
    with pytest.raises(SpecError, match="metricx: no value of year named '22'"):
        parse("metricx:year=22")
    with pytest.raises(SpecError, match="bleurt: no value of precision named 'int8'"):
        parse("bleurt:precision=int8")


def test_models_of_languages() -> None:
    def model(lang: str | None) -> str:
        return BertScore(lang=lang).model_name

    assert [model(lang) for lang in ("en", "zh", "tr", "de", "EN", "en-sci")] == [
        *("roberta-large", "bert-base-chinese", "dbmdz/bert-base-turkish-cased", "bert-base-multilingual-cased"),
        *("roberta-large", "allenai/scibert_scivocab_uncased"),
    ]
    assert BertScore(model="mine", lang="en").model_name == "mine"
    assert parse("bertscore", language_pair="de-en") == BertScore(lang="en")
    with pytest.raises(InputError, match="bertscore chooses its model by language: give lang=de, model=NAME, or -l"):
        model(None)


@pytest.mark.parametrize(
    ("metric_class", "module", "package", "extra"),
    [
        (BertScore, "bert_score", "bert-score", "bertscore"),
        (MetricX, "transformers", "transformers", "metricx"),
        (Bleurt, "bleurt_pytorch", "bleurt-pytorch", "bleurt"),
    ],
)
def test_without_the_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch, metric_class: Any, module: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    more = {"tokenizer": str(folder)} if metric_class is MetricX else {}
    metric = metric_class(model=str(folder), **more)
    with pytest.raises(MissingExtraError, match=rf"the metric {extra} needs .*: pip install 'mtassay\[{extra}\]'$"):
        mtassay.score(TESTSET, metrics=[metric])
    assert metric.package == package


def test_scores_and_signature_of_metricx(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []

    def model(samples: Sequence[tuple[str, ...]]) -> list[Assessment]:
        seen.extend(samples)
        return [Assessment(float(len(sample[1]))) for sample in samples]

    monkeypatch.setattr(MetricX, "load", lambda self, path: model)
    metric = MetricX(model=str(folder), tokenizer=str(folder))
    result = mtassay.score(TESTSET, metrics=[metric])
    assert sorted(seen) == [("le chat", "the cat", "the cat"), ("un chien", "dogs", "a dog")]
    assert result["x", metric] == 5.5
    parts = dict(part.split(":") for part in str(result.signatures[0]).split("|"))
    assert (parts["refs"], parts["year"]) == ("yes", "24")
    assert parts["tok"].startswith("tiny-sha256-")
    # The best of several references has the fewest errors.
    several = mtassay.TestSet([["a", "b"], ["c", None]], {"x": ["h", "i"]}, sources=["s", "t"])
    monkeypatch.setattr(
        MetricX, "load", lambda self, path: lambda samples: [Assessment(float(ord(s[2]) - 96)) for s in samples]
    )
    monkeypatch.setattr("mtassay.metrics.neural.base._loaded", [])
    assert mtassay.score(several, metrics=[metric]).segment_scores().ravel().tolist() == [1.0, 2.0]
    # Another tokenizer gives other scores.
    (folder / "tokenizer_config.json").write_text('{"other": 1}')
    n_seen = len(seen)
    monkeypatch.setattr(MetricX, "load", lambda self, path: model)
    mtassay.score(TESTSET, metrics=[metric])
    assert len(seen) > n_seen


class Scorer:
    """As bert_score.BERTScorer."""

    made: list[dict[str, Any]]
    said = ""

    def __init__(self, **options: Any) -> None:
        import logging

        type(self).made.append(options)
        logging.getLogger("transformers.modeling_utils").warning(self.said)

    def score(self, hypotheses: list[str], references: list[str], batch_size: int) -> Any:
        n = len(hypotheses)
        return tuple(np.array([k + 0.1 * i for i in range(n)]) for k in (1.0, 2.0, 3.0))


@pytest.fixture
def scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[Scorer]:
    made = type("Fresh", (Scorer,), {"made": []})
    module = ModuleType("bert_score")
    module.BERTScorer = made  # type: ignore[attr-defined]
    module.__file__ = str(tmp_path / "bert_score" / "__init__.py")
    utils = ModuleType("bert_score.utils")
    utils.model2layers = {"roberta-large": 17}  # type: ignore[attr-defined]
    baseline = tmp_path / "bert_score" / "rescale_baseline" / "en" / "roberta-large.tsv"
    baseline.parent.mkdir(parents=True)
    baseline.write_text("LAYER,P,R,F\n")
    for name, one in {"bert_score": module, "bert_score.utils": utils}.items():
        monkeypatch.setitem(sys.modules, name, one)
    monkeypatch.setattr(bertscore_module, "device_of", lambda wanted: "cpu")
    return made


def test_measures_of_bertscore(folder: Path, scorer: type[Scorer]) -> None:
    found = [
        mtassay.score(TESTSET, metrics=[BertScore(model=str(folder), layers=2, measure=measure)]).scores[0, 0]
        for measure in ("precision", "recall", "f1")
    ]
    assert found == pytest.approx([1.05, 2.05, 3.05])
    assert scorer.made[0] == {
        "model_type": str(folder), "num_layers": 2, "batch_size": 64, "device": "cpu", "lang": "",
        "rescale_with_baseline": False, "baseline_path": None,
    }  # fmt: skip


def test_layers_and_baselines_are_looked_up_by_name(
    folder: Path, scorer: type[Scorer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"bert-score has no layer for the model .*tiny: give layers=N"):
        mtassay.score(TESTSET, metrics=[BertScore(model=str(folder))])
    with pytest.raises(InputError, match=r"no baseline of .*tiny for the language en: leave out rescale=yes"):
        mtassay.score(TESTSET, metrics=[f"bertscore:model={folder},layers=2,rescale=yes"])
    hub = SimpleNamespace(
        try_to_load_from_cache=lambda name, file, revision: str(folder.with_name("c0ffee") / file),
        list_repo_files=lambda name, revision: [],
        snapshot_download=lambda name, revision, ignore_patterns: str(folder),
    )
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    result = mtassay.score(TESTSET, metrics=["bertscore:rescale=yes"])
    [made] = scorer.made
    baseline = tmp_path / "bert_score" / "rescale_baseline" / "en" / "roberta-large.tsv"
    assert (made["model_type"], made["num_layers"], made["baseline_path"]) == (str(folder), 17, str(baseline))
    signature = "nrefs:1|model:roberta-large|revision:c0ffee|measure:f1|layers:default|idf:no|rescale:en|precision:fp32"
    assert str(result.signatures[0]).startswith(signature)


def test_weights_that_bertscore_would_make_up(folder: Path, scorer: type[Scorer]) -> None:
    scorer.said = "Some weights … are newly initialized: ['pooler.dense.bias', 'pooler.dense.weight']\nYou should TRAIN"
    mtassay.score(TESTSET, metrics=[BertScore(model=str(folder), layers=2)])
    scorer.said = "Some weights … are newly initialized: ['pooler.dense.bias',\n 'encoder.layer.0.weight']"
    with pytest.raises(MtassayError, match=r"tiny is not a model for bertscore: it lacks the weights encoder.layer.0"):
        mtassay.score(TESTSET, metrics=[BertScore(model=str(folder), layers=1)])
