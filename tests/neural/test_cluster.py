"""Models on the workers of a cluster: the bytes of one process, and nothing is computed in the client.

Workers run PyTorch in one thread, as Dask has it; in several, PyTorch rounds otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import mtassay
from mtassay.metrics.neural.base import NeuralMetric

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """PyTorch in one thread here, too."""
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="module")
def local() -> Iterator[mtassay.Cluster]:
    """Two processes."""
    with mtassay.Cluster("local:2") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def specs(comet_models: dict[str, Path], bert: Path, word_bleurt: Path, metricx: Path) -> dict[str, str]:
    """A specification of every neural metric, without the size of batches."""
    return {
        "comet": f"comet:model={comet_models['regression_metric']}",
        "cometkiwi": f"cometkiwi:model={comet_models['unified_metric']}",
        "xcomet": f"xcomet:model={comet_models['xcomet_metric']}",
        "bertscore": f"bertscore:model={bert},layers=2",
        "bleurt": f"bleurt:model={word_bleurt}",
        "metricx": f"metricx:model={metricx},tokenizer={metricx}",
        "metricx-qe": f"metricx-qe:model={metricx},tokenizer={metricx}",
    }


def _refuse(*_: Any) -> Any:
    raise AssertionError("the client ran the model")


@pytest.mark.parametrize("name", ["comet", "cometkiwi", "xcomet", "bertscore", "bleurt", "metricx", "metricx-qe"])
def test_the_same_bytes(
    name: str,
    specs: dict[str, str],
    local: mtassay.Cluster,
    testset: mtassay.TestSet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    metric = f"{specs[name]},batch=1"  # chunks of eight texts
    expected = mtassay.score(testset, metrics=[metric])
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "other"))
    monkeypatch.setattr(NeuralMetric, "assess_chunk", _refuse)
    found = mtassay.score(testset, metrics=[metric], execution=local)
    assert found.render("json") == expected.render("json")
    assert found.tables[0].statistics.tobytes() == expected.tables[0].statistics.tobytes()
    # What workers found is kept by the client.
    assert mtassay.score(testset, metrics=[metric]).render("json") == expected.render("json")


def test_pairs(specs: dict[str, str], local: mtassay.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = mtassay.metric(f"0.5*{specs['bleurt']},batch=2+0.01*bleu")
    texts = ["the cat sat", "a dog barked loudly", "nobody", "rain", "the old house"]
    expected = metric.pairwise(texts, texts)
    monkeypatch.setenv("MTASSAY_CACHE", str(tmp_path / "other"))
    monkeypatch.setattr(NeuralMetric, "assess_chunk", _refuse)
    assert metric.pairwise(texts, texts, execution=local).tobytes() == expected.tobytes()


def test_a_model_that_workers_do_not_have_is_one_line(
    specs: dict[str, str], local: mtassay.Cluster, testset: mtassay.TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NeuralMetric, "package_version", "0.1")
    with pytest.raises(mtassay.InputError, match=r"^a worker would compute another bleurt: it has bleurt-pytorch:\S+,"):
        mtassay.score(testset, metrics=[specs["bleurt"]], execution=local)
