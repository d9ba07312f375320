"""METEOR on real texts with several references: the best one of each segment, and the original's scores."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mtassay
from mtassay.errors import MissingExtraError

N_SEGMENTS = 300


@pytest.fixture(scope="module")
def texts(data_dir: Path) -> tuple[list[list[str]], list[str]]:
    """Two references and a system of WMT21 cs-en."""
    testset = mtassay.load(data_dir / "wmt21" / "cs-en")
    assert len(testset.references) == 2
    streams = [[text or "" for text in stream[:N_SEGMENTS]] for stream in testset.references]
    return streams, list(testset.systems["Online-B"][:N_SEGMENTS])


def _scores(spec: str, hypotheses: list[str], streams: list[list[str]]) -> np.ndarray:
    try:
        return mtassay.metric(spec).segment_scores(hypotheses, streams)
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_the_best_reference_counts(texts: tuple[list[list[str]], list[str]]) -> None:
    streams, hypotheses = texts
    singly = [_scores("meteor", hypotheses, [stream]) for stream in streams]
    np.testing.assert_array_equal(_scores("meteor", hypotheses, streams), np.maximum(*singly))
    assert (singly[0] > singly[1]).any()
    assert (singly[0] < singly[1]).any()


def test_the_original(texts: tuple[list[list[str]], list[str]], tmp_path: Path) -> None:
    streams, hypotheses = texts
    java, package = shutil.which("java"), find_spec("pycocoevalcap")
    if java is None or package is None:
        pytest.skip("no Java, or no METEOR to run")
    jar = Path(next(iter(package.submodule_search_locations or ()))) / "meteor" / "meteor-1.5.jar"
    (tmp_path / "hyp").write_text("".join(f"{text}\n" for text in hypotheses), encoding="utf-8")
    (tmp_path / "ref").write_text("".join(f"{a}\n{b}\n" for a, b in zip(*streams, strict=True)), encoding="utf-8")
    command = [java, "-Xmx1G", "-jar", str(jar), "hyp", "ref", "-r", "2", "-norm", "-m", "exact stem synonym"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    expected = [float(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("Segment ")]
    ours = _scores("meteor:stages=exact+stem+synonym", hypotheses, streams)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)
