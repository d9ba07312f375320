"""The command with real libraries: what it computes, what it does not compute again, and what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import mtassay
from mtassay.cli.main import main
from mtassay.metrics.neural.assessments import AssessmentStore
from mtassay.metrics.neural.bleurt import Bleurt

if TYPE_CHECKING:
    from pathlib import Path

#: Prints which libraries the command has imported.
_RUN = """
import sys
from mtassay.cli.main import main
status = main(sys.argv[1:])
print([name for name in ("torch", "transformers", "comet") if name in sys.modules], file=sys.stderr)
sys.exit(status)
"""


@pytest.fixture
def files(testset: mtassay.TestSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Arguments that name the texts."""
    monkeypatch.chdir(tmp_path)
    streams: dict[str, Any] = {"src": testset.sources, "ref": testset.references[0], **testset.systems}
    for name, texts in streams.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return ["ref", "-i", "x", "y", "--source", "src"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "default", "-c", _RUN, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_the_second_run_loads_no_library(files: list[str], comet_models: dict[str, Path], metricx: Path) -> None:
    metrics = [f"xcomet:model={comet_models['xcomet_metric']}", f"metricx-qe:model={metricx},tokenizer={metricx}"]
    arguments = [*files, "-m", *metrics, "-f", "json"]
    first = run("score", *arguments)
    assert first.returncode == 0, first.stderr
    assert first.stderr == "['torch', 'transformers', 'comet']\n"
    again = run("score", *arguments, "--spans", "errors.jsonl")
    assert (again.returncode, again.stderr) == (0, "[]\n")
    assert json.loads(again.stdout) == json.loads(first.stdout)
    for verb in ("compare", "rank", "report"):
        other = run(verb, *arguments, "--resamples", "20")
        assert (other.returncode, other.stderr) == (0, "[]\n")


def test_a_fault_is_one_line(files: list[str], bert: Path) -> None:
    found = run("score", *files, "-m", f"bleurt:model={bert}")
    assert (found.returncode, found.stdout) == (2, "")
    said, _of_the_test = found.stderr.splitlines()
    assert said == f"mtassay: {bert} is not a model for bleurt: it lacks the weights classifier.bias, classifier.weight"


def test_faults(
    files: list[str], comet_models: dict[str, Path], bert: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    regression = comet_models["regression_metric"]
    for metric, message in {
        "comet:model=no/such/model": "there is no model no/such/model: it is neither here nor a name on the Hugging",
        f"comet:model={bert}": f"{bert} is not a model for this metric: it has no file checkpoints/model.ckpt",
        f"xcomet:model={regression}": f"{regression} marks no errors",
        f"comet:model={regression},device=cuda:77": "device=cuda:77: PyTorch finds no such device here",
        f"comet:model={regression},device=abacus": "PyTorch has no device 'abacus': give cpu",
    }.items():
        assert main(["score", *files, "-m", metric]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"mtassay: {message}")
        assert err.count("\n") == 1


def test_a_killed_run_goes_on_where_it_was(word_bleurt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [f"the cat sat on mat {number} while it rained and nobody came home" for number in range(2000)]
    (tmp_path / "ref").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    metric = Bleurt(model=str(word_bleurt), batch=2)
    samples = [(text, text) for text in texts]
    store = AssessmentStore(metric.name, (metric.files.version, metric.package_version, "fp32", metric.arguments))
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, "score", "ref", "-i", "ref", "-m", str(metric)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        deadline = time.monotonic() + 120
        while len(store.read(samples)) < 64 and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = store.read(samples)
    assert 64 <= len(kept) < len(samples)
    computed: list[Any] = []
    load = Bleurt.load

    def counting(self: Bleurt, path: Path) -> Any:
        model = load(self, path)

        def assess(chunk: Any) -> Any:
            computed.extend(chunk)
            return model(chunk)

        return assess

    monkeypatch.setattr(Bleurt, "load", counting)
    mtassay.score([texts], {"x": texts}, metrics=[metric])
    assert len(computed) == len(samples) - len(kept)
    assert not set(computed) & set(kept)
