"""Every metric on the workers of a cluster: the bytes of one process, and the client computes no statistics."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.data.judgements import Preferences
from mtassay.execution import Execution
from mtassay.learn.matrix import Resources
from mtassay.learn.training import train
from mtassay.metrics.core import sent_chunks
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.registry import BUILT_IN, metric_class
from mtassay.metrics.external import functions
from mtassay.metrics.neural import base

pytest.importorskip("distributed")
cloudpickle = pytest.importorskip("cloudpickle")

REFERENCES: list[list[str | None]] = [
    ["the cat sat on a mat .", "the dog barked loudly", "it rained", "Nobody came , however .", "yes", "a b"],
    ["a cat was on the mat .", None, "", "No one came , nobody .", "no", "b a"],
]
SYSTEMS = {
    "x": ["the cat sat on the mat .", "a dog barked", "", "Nobody , nobody came .", "yes", "a b c"],
    "y": ["a cat", " the dog barked", "rain", "Nobody came .", "", "b"],
    "z": ["cats sit on mats", "dogs bark", "it rains", "No one , mais .", "yes", "a a"],
}
SOURCES = ["The cat, since then.", "A dog, while.", "It rains, yet.", "However, nobody.", "yes", "Although a."]
TESTSET = mtassay.TestSet(REFERENCES, SYSTEMS, sources=SOURCES, language_pair="en-fr")

ANNOTATED = ("addicter", "depref-align", "depref-exact", "hwcm", "meant", "sempos", "stm", "umeant")
NEURAL = ("bertscore", "bleurt", "comet", "cometkiwi", "metricx", "metricx-qe", "xcomet")
#: By name: specifications of metrics that need more than their name. Workers do not know the annotator "halves".
SPECS = {
    **{name: f"{name}:annotator=halves" for name in ANNOTATED},
    **{name: f"{name}:model=MODEL" for name in NEURAL},
    "metricx": "metricx:model=MODEL,tokenizer=MODEL",
    "metricx-qe": "metricx-qe:model=MODEL,tokenizer=MODEL",
    "act": "act:lang=fr",
    "cross": "cross:chrf",
    "file": "file:FOLDER/scores.tsv",
    "learned": "learned:FOLDER/m.model,annotator=halves",
    "terrorcat": "terrorcat:FOLDER/m.model,annotator=halves",
}
_DICTIONARY = "connective\tsense\texpression\nhowever\tcontrast\t"
#: Metrics that divide by the mean length of several references.
AVERAGES = ["bleu:ref_len=average", "length_ratio:ref_len=average", "ter:variant=tercom"]
#: Further ways of computing.
OTHERS = ["hjerson:annotator=halves", "cross:hjerson:annotator=halves", "0.5*stm:annotator=halves+0.01*bleu"]


@pytest.fixture(scope="module")
def local() -> Iterator[mtassay.Cluster]:
    """Two processes, where models are functions of texts."""
    with mtassay.Cluster("local:2") as cluster:
        here = sys.modules[__name__]
        cloudpickle.register_pickle_by_value(here)  # workers cannot import this file
        cluster.connection.client.run(_load_functions, NEURAL)
        yield cluster
        cloudpickle.unregister_pickle_by_value(here)


def _load_functions(names: tuple[str, ...]) -> None:
    """Let neural metrics load a function in place of a model."""
    from mtassay.metrics.core.registry import metric_class
    from mtassay.metrics.neural.assessments import Assessment

    def assess(samples: list[tuple[str, ...]]) -> list[Assessment]:
        return [Assessment(1 / (1 + sum(map(len, sample)) / 3)) for sample in samples]

    for name in names:
        metric_class(name).load = lambda self, path: assess  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of scores and models."""
    made = tmp_path_factory.mktemp("files")
    rows = [f"{name}\t{number / 7}\n" for name in SYSTEMS for number in range(len(SOURCES))]
    (made / "scores.tsv").write_text("system\tscore\n" + "".join(rows), encoding="utf-8")
    n = len(SOURCES)
    judged = Preferences(
        tuple(SYSTEMS),
        tuple(str(number + 1) for number in range(n)),
        ("",),
        np.tile(np.arange(n), 3),
        np.zeros(3 * n, np.int64),
        first=np.repeat([0, 0, 1], n),
        second=np.repeat([1, 2, 2], n),
        outcome=np.tile([1, -1, 1], n),
        item=np.arange(3 * n),
    )
    resources = Resources(annotator="halves")
    train(TESTSET, judged, model="ranksvm", features="terrorcat", resources=resources).save(made / "m.model")
    for name in NEURAL:
        for file in (*metric_class(name).needed_files, "tokenizer_config.json"):  # type: ignore[attr-defined]
            (made / "model" / file).parent.mkdir(parents=True, exist_ok=True)
            (made / "model" / file).write_text("{}", encoding="utf-8")
    return made


@pytest.fixture
def small_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several chunks of a few texts; models are functions here, too, and nothing is found in caches."""
    monkeypatch.setattr(sent_chunks, "_SENT_TEXTS", 6)
    monkeypatch.setattr(sent_chunks, "_SENT_ANNOTATED", 6)
    monkeypatch.setattr(sent_chunks, "_SENT_PAIRS", 10)
    monkeypatch.setattr(functions, "_CALLS_AT_ONCE", 4)
    monkeypatch.setattr(base, "_BATCHES_AT_ONCE", 1)
    monkeypatch.setattr(base, "_loaded", [])
    for name in NEURAL:
        monkeypatch.setattr(metric_class(name), "load", None)  # restored after the test
    _load_functions(NEURAL)
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))


def _refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("the client computed statistics")


def _pass_on(scorer: Scorer, *pairs: Any, compute: Any = Scorer.statistics, **options: Any) -> Any:
    """Statistics of metrics whose scorers send chunks, and no others."""
    return compute(scorer, *pairs, **options) if scorer.metric.sends_chunks else _refuse()


@pytest.fixture
def only_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A function after which only other processes can compute."""

    def forbid() -> None:
        monkeypatch.setattr(Scorer, "statistics", _pass_on)
        monkeypatch.setattr(functions.FunctionMetric, "called", _refuse)
        monkeypatch.setattr(base.NeuralMetric, "assess_chunk", _refuse)
        monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "other"))

    return forbid


def _found(result: mtassay.ScoreResult) -> tuple[str, list[bytes]]:
    return str(result.render("json")), [table.statistics.tobytes() for table in result.tables]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("spec", [*(SPECS.get(name, name) for name in BUILT_IN), *OTHERS])
def test_every_metric(spec: str, folder: Path, local: mtassay.Cluster, only_workers: Any, tmp_path: Path) -> None:
    metric = spec.replace("FOLDER", str(folder)).replace("MODEL", str(folder / "model"))
    if metric.startswith(NEURAL):
        metric += ",batch=4"
    expected = _found(mtassay.score(TESTSET, metrics=[metric]))
    assert (
        _found(mtassay.score(TESTSET, metrics=[metric], execution=Execution(2, resume=tmp_path / "kept"))) == expected
    )
    only_workers()
    assert _found(mtassay.score(TESTSET, metrics=[metric], execution=local)) == expected


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("spec", [*(SPECS.get(name, name) for name in BUILT_IN), *AVERAGES])
def test_chunks_with_other_numbers_of_references(spec: str, folder: Path, tmp_path: Path) -> None:
    """The first chunk has one reference for each segment, whose length is a whole number; means in the next are not."""
    metric = spec.replace("FOLDER", str(folder)).replace("MODEL", str(folder / "model"))
    second: list[str | None] = [None, None, "it rained a lot", "No one", "no", "b"]
    testset = mtassay.TestSet([REFERENCES[0], second], SYSTEMS, sources=SOURCES, language_pair="en-fr")
    expected = _found(mtassay.score(testset, metrics=[metric]))
    assert _found(mtassay.score(testset, metrics=[metric], execution=Execution(resume=tmp_path / "kept"))) == expected


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "spec", ["bleu", "umeant:annotator=halves", "depref-exact:annotator=halves", "bleurt:model=MODEL"]
)
def test_pairs(spec: str, folder: Path, local: mtassay.Cluster, only_workers: Any) -> None:
    metric = mtassay.metric(spec.replace("MODEL", str(folder / "model")))
    texts = [*SYSTEMS["x"], *SYSTEMS["y"]]
    expected = metric.pairwise(texts, SYSTEMS["z"])
    only_workers()
    assert metric.pairwise(texts, SYSTEMS["z"], execution=local).tobytes() == expected.tobytes()


@pytest.mark.usefixtures("small_chunks")
class TestFunctions:
    def test_functions_of_no_module(self, local: mtassay.Cluster, only_workers: Any) -> None:
        factor = 0.1

        def gap(hypothesis: str, reference: str, source: str) -> float:
            return factor * abs(len(hypothesis) - len(reference)) + len(source)

        def rank(hypothesis: list[str]) -> list[float]:  # of all texts: it must be called once
            order = sorted(hypothesis)
            return [order.index(text) for text in hypothesis]

        metrics = [mtassay.segment_metric(gap), mtassay.segment_metric(rank, batch=True)]
        expected = _found(mtassay.score(TESTSET, metrics=metrics))
        only_workers()
        assert _found(mtassay.score(TESTSET, metrics=metrics, execution=local)) == expected

    def test_a_function_that_fails_is_one_line(self, local: mtassay.Cluster) -> None:
        def fail(hypothesis: str) -> float:
            return 1 / (hypothesis != "dogs bark")

        with pytest.raises(mtassay.MtassayError, match=r"^fail failed on z, segment 2: ZeroDivisionError") as here:
            mtassay.score(TESTSET, metrics=[mtassay.segment_metric(fail)])
        assert isinstance(here.value.__cause__, ZeroDivisionError)
        with pytest.raises(mtassay.MtassayError) as there:
            mtassay.score(TESTSET, metrics=[mtassay.segment_metric(fail)], execution=local)
        assert str(there.value) == str(here.value)

    def test_a_function_that_cannot_be_sent_is_one_line(self, local: mtassay.Cluster) -> None:
        lock = threading.Lock()
        locked = mtassay.segment_metric(lambda hypothesis: lock.locked(), name="locked")
        with pytest.raises(mtassay.InputError, match=r"^locked cannot be sent to workers \(TypeError: .*lock"):
            mtassay.score(TESTSET, metrics=[locked], execution=local)

    def test_a_module_that_workers_do_not_have_is_one_line(
        self, local: mtassay.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "only_here.py").write_text("def length(hypothesis): return len(hypothesis)\n", encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        length = mtassay.segment_metric(__import__("only_here").length)
        with pytest.raises(
            mtassay.InputError, match=r"^a worker cannot load what it is sent: No module named 'only_he"
        ):
            mtassay.score(TESTSET, metrics=[length], execution=local)


def test_another_file_on_a_worker_is_refused(local: mtassay.Cluster, tmp_path: Path) -> None:
    """Files that options name are read by workers, too."""
    path = tmp_path / "dictionary.tsv"
    path.write_text(_DICTIONARY + "cependant\n", encoding="utf-8")
    metric = mtassay.metric(f"act:dictionary={path}")
    sent = sent_chunks.SentMetrics([metric])
    path.write_text(_DICTIONARY + "mais\n", encoding="utf-8")
    with pytest.raises(
        mtassay.InputError, match=r"^a worker would compute another act: it has dictionary:file-\w+, not"
    ):
        list(local.map_chunks(lambda metrics, _: metrics.checked, [0], shared=sent))
