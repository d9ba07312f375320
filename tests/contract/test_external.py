"""The contract of metrics that need data: files of scores, Python functions, neural metrics (with stand-ins)."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mtassay
from mtassay.execution import Execution
from mtassay.metrics import Metric, References, build_tables, parse
from mtassay.metrics.core.combination import Combination
from mtassay.metrics.core.registry import BUILT_IN
from mtassay.metrics.external.file import FileMetric
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.bertscore import BertScore
from mtassay.metrics.neural.bleurt import Bleurt
from mtassay.metrics.neural.comet import Comet
from mtassay.metrics.neural.metricx import MetricX
from mtassay.metrics.neural.xcomet import Xcomet

if TYPE_CHECKING:
    from collections.abc import Callable

SYSTEMS = {
    "x": ("the cat sat on the mat .", "a dog barked", "", "Nobody , nobody came .", "yes"),
    "y": ("a cat", "the dog barked", "rain", "Nobody came .", ""),
}
STREAMS: tuple[tuple[str | None, ...], ...] = (
    ("the cat sat on a mat .", "the dog barked loudly", "it rained", "Nobody came .", "yes"),
    ("a cat was on the mat .", None, "", "No one came , nobody .", "no"),
)
SOURCES = ("le chat", "le chien", "il pleut", "personne", "oui")
N = len(SOURCES)


def reference_gap(hypothesis: str, reference: str, source: str) -> float:
    return 0.1 * abs(len(hypothesis) - len(reference)) + 0.001 * len(source)


def _file(tmp_path: Path, _patch: pytest.MonkeyPatch) -> Metric:
    path = tmp_path / "z,1*2.seg.score"
    rows = [f"{name}\t{(i + 1) / 7 + s}\n" for s, name in enumerate(SYSTEMS) for i in range(N)]
    path.write_text("".join(rows) + "human\tNone\n" * N)
    return FileMetric(path=str(path), higher_is_better=False)


def _function(_tmp_path: Path, _patch: pytest.MonkeyPatch) -> Metric:
    return mtassay.segment_metric(reference_gap, higher_is_better=False)


def _batch(_tmp_path: Path, _patch: pytest.MonkeyPatch) -> Metric:
    def longest(hypothesis: list[str], references: list[tuple[str, ...]]) -> list[float]:
        return [len(h) / (1 + max(map(len, r))) for h, r in zip(hypothesis, references, strict=True)]

    return mtassay.segment_metric(longest, batch=True)


def _neural(metric_class: Any, **options: Any) -> Callable[[Path, pytest.MonkeyPatch], Metric]:
    """A neural metric whose model is a function of the texts."""

    def assess(samples: Any) -> list[Assessment]:
        return [Assessment(1 / (1 + reference_gap(s[1], s[-1], s[0]))) for s in samples]

    def make(tmp_path: Path, patch: pytest.MonkeyPatch) -> Metric:
        patch.setenv("MTASSAY_CACHE", str(tmp_path / "cache"))
        patch.setattr(metric_class, "load", lambda self, path: assess)
        patch.setattr("mtassay.metrics.neural.base._loaded", [])
        folder = tmp_path / "a model, of 1*2"
        for name in (*metric_class.needed_files, "tokenizer_config.json"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("{}")
        folders = {name: str(folder) for name in ("tokenizer",) if metric_class is MetricX}
        made: Metric = metric_class(model=str(folder), **folders, **options)
        return made

    return make


NEURAL: dict[str, Callable[[Path, pytest.MonkeyPatch], Metric]] = {
    "comet": _neural(Comet),
    "comet, no references": _neural(Comet, refs=False),
    "xcomet": _neural(Xcomet),
    "bertscore": _neural(BertScore, lang="en"),
    "metricx": _neural(MetricX),
    "metricx, no references": _neural(MetricX, refs=False),
    "metricx-23": _neural(MetricX, year="23"),
    "bleurt": _neural(Bleurt),
}
KINDS: dict[str, Callable[[Path, pytest.MonkeyPatch], Metric]] = {
    "file": _file, "function": _function, "batch": _batch, **NEURAL
}  # fmt: skip


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def metric(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Metric:
    made: Callable[..., Metric] = KINDS[kind]
    return made(tmp_path, monkeypatch)


def references() -> References:
    return References(STREAMS, sources=SOURCES)


def test_statistics(metric: Metric) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric])
    assert table.statistics.shape == (2, N, len(metric.columns))
    assert np.isfinite(table.statistics).all()
    assert (table.statistics[..., 1] == 1).all()
    np.testing.assert_array_equal(table.segment_scores(), table.statistics[..., 0])
    np.testing.assert_allclose(table.scores(), table.segment_scores().mean(axis=1), rtol=1e-15)


def test_parts_add_up(metric: Metric) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric])
    parts = table.totals(np.array([0, 1])) + table.totals(np.array([2, 3, 4]))
    np.testing.assert_allclose(parts, table.totals(), rtol=1e-15)
    subset = np.array([0, 3])
    np.testing.assert_allclose(table.scores(subset), table.segment_scores()[:, subset].mean(axis=1), rtol=1e-15)


def test_tables_equal_single_systems(metric: Metric) -> None:
    [together] = build_tables(references(), SYSTEMS, [metric])
    for s, name in enumerate(SYSTEMS):
        [alone] = build_tables(references(), {name: SYSTEMS[name]}, [metric])
        np.testing.assert_array_equal(alone.statistics[0], together.statistics[s])
        if metric.scores_texts:
            assert metric.corpus_score(SYSTEMS[name], references()) == together.scores()[s]
            np.testing.assert_array_equal(
                metric.segment_scores(SYSTEMS[name], references()), together.segment_scores()[s]
            )


def test_scores_are_vectorised(metric: Metric) -> None:
    [table] = build_tables(references(), SYSTEMS, [metric])
    rows = table.statistics[0]
    totals = np.random.default_rng(3).integers(1, 4, size=(2, 3, N)) @ rows
    for function in (metric.score, metric.segment_score):
        scores = function(totals)
        assert (scores.shape, scores.dtype.type) == ((2, 3), np.float64)
        assert scores[1, 2] == function(totals[1, 2])
        assert function(totals[:0]).shape == (0, 3)
    assert np.isnan(metric.score(np.zeros(2)))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing_and_are_not_used(kind: str, metric: Metric, threads: int) -> None:
    seen = set()
    asked = metric
    if kind == "function":

        def spy(hypothesis: str, reference: str, source: str) -> float:
            seen.add(threading.get_ident())
            return reference_gap(hypothesis, reference, source)

        asked = mtassay.segment_metric(spy, higher_is_better=False)
    [one, _] = build_tables(references(), SYSTEMS, [metric, parse("bleu")])
    [many, _] = build_tables(references(), SYSTEMS, [asked, parse("bleu")], execution=Execution(threads))
    np.testing.assert_array_equal(many.statistics, one.statistics)
    assert seen <= {threading.get_ident()}


def test_combinations(metric: Metric) -> None:
    weight = 2.0 * metric.sign
    combination = Combination(((0.5, parse("bleu")), (weight, metric)))
    bleu, alone, both = build_tables(references(), SYSTEMS, [parse("bleu"), metric, combination])
    np.testing.assert_allclose(both.scores(), 0.5 * bleu.scores() + weight * alone.scores(), rtol=1e-14)
    np.testing.assert_allclose(
        both.segment_scores(), 0.5 * bleu.segment_scores() + weight * alone.segment_scores(), rtol=1e-14
    )


def test_results(metric: Metric) -> None:
    testset = mtassay.TestSet(STREAMS, SYSTEMS, sources=SOURCES, documents=["a", "a", "b", "b", "b"])
    result = mtassay.score(testset, metrics=["bleu", metric], by="doc")
    [entry] = [
        e
        for e in json.loads(json.dumps(result.to_dict()))["scores"]
        if (e["system"], e.get("doc"), e["metric"]) == ("y", "a", str(metric))
    ]
    assert entry["score"] == pytest.approx(result.segment_scores()[1, :2, 1].mean(), rel=1e-15)
    assert entry["higher_is_better"] is metric.higher_is_better
    assert result["x", str(metric)] == result["x", metric] == result.scores[0, 1]
    assert f"{result.scores[0, 1]:.4f}" in str(result)
    names = [signed.name for signed in result.signatures[1].entries]
    assert len(set(names)) == len(names)
    assert len({signed.short for signed in result.signatures[1].entries}) == len(names)


def test_pairs_in_any_number_and_order(metric: Metric) -> None:
    if not metric.scores_texts:
        pytest.skip("scores no texts")
    scorer = metric.prepare(references())
    rows = scorer.statistics(SYSTEMS["x"], [4, 0, 0, 1], hypothesis_index=[0, 0, 0, 3])
    np.testing.assert_array_equal(rows[1], scorer.statistics(SYSTEMS["x"])[0])
    np.testing.assert_array_equal(rows[1], rows[2])
    assert scorer.statistics([], [], hypothesis_index=[]).shape == (0, 2)


_PATHS = st.text(st.characters(exclude_categories=()), min_size=1).filter(lambda path: path != "-")
_TEXTS = st.none() | st.text(min_size=1).filter(lambda text: text.isprintable() and text.strip())


@given(
    path=st.one_of(_PATHS, st.sampled_from(["a,b=c", "0.5*x+2*y", ' "', '""', "C:\\x,lp=1", "a:b", "x+y", "*"])),
    column=_TEXTS,
    label=_TEXTS,
    higher=st.booleans(),
    weight=st.floats(1e-9, 1e9),
)
def test_specifications_round_trip(
    path: str, column: str | None, label: str | None, higher: bool, weight: float
) -> None:
    metric = FileMetric(path=path, column=column, label_=label, higher_is_better=higher)
    again = parse(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    combination = Combination(((weight, parse("bleu")), (weight if higher else -weight, metric)))
    assert parse(str(combination)) == combination


@given(
    metric_class=st.sampled_from([Comet, Xcomet, BertScore, MetricX, Bleurt]),
    model=st.text(min_size=1),
    revision=st.none() | st.text(min_size=1),
    batch=st.integers(1, 999),
    device=st.sampled_from(["auto", "cpu", "cuda:1"]),
    precision=st.sampled_from(["fp32", "fp16", "bf16"]),
)
def test_specifications_of_neural_metrics_round_trip(metric_class: Any, **options: Any) -> None:
    metric = metric_class(**options)
    again = parse(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)


def test_every_neural_metric_is_here() -> None:
    registered = {name for name, dotted in BUILT_IN.items() if dotted.startswith("mtassay.metrics.neural")}
    assert {parse(name).name for name in registered} == {kind.partition(",")[0].partition("-")[0] for kind in NEURAL}
