"""Files of the WMT metrics tasks as metrics: expected values are computed from texts, or stand in other files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mtassay
from mtassay.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "metrics" / "external.md"

#: Their score of a system is the mean of its segment scores.
MEANS = ["BERTscore-refA", "COMET-refA", "MetricX-23-refA", "YiSi-1-refA", "eBLEU-refA", "tokengram_F-refA"]


@pytest.fixture(scope="module")
def wmt23(data_dir: Path) -> mtassay.TestSet:
    return mtassay.load(data_dir / "wmt23", lp="en-de")


@pytest.fixture(scope="module")
def folder(data_dir: Path) -> Path:
    return data_dir / "wmt23" / "metric-scores" / "en-de"


def test_the_command_of_the_documentation(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir((data_dir / "wmt23").parent)
    [command] = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "mtassay score wmt23" in line]
    assert main(command.split()[1:]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["system", "BLEU", "MetricX-23-refA"]


def test_segments_stand_where_they_belong(wmt23: mtassay.TestSet, folder: Path) -> None:
    result = mtassay.score(wmt23, metrics=["bleu", f"file:{folder}/BLEU-refA.seg.score"])
    scores = result.segment_scores()
    np.testing.assert_allclose(scores[..., 1], scores[..., 0], rtol=0, atol=1e-9)


def test_systems_stand_where_they_belong(wmt23: mtassay.TestSet, folder: Path) -> None:
    files = [f"file:{folder}/{name}-refA.sys.score" for name in ("BLEU", "chrF")]
    result = mtassay.score(wmt23, metrics=["bleu", "chrf", *files])
    # The stored chrF of AIRC differs in one segment, where sacreBLEU too gives ours: its text began with a BOM then.
    np.testing.assert_allclose(result.scores[:, 2:], result.scores[:, :2], rtol=0, atol=1e-4)
    np.testing.assert_allclose(result.scores[1:, 2:], result.scores[1:, :2], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", MEANS)
def test_segment_files_and_system_files_agree(wmt23: mtassay.TestSet, folder: Path, name: str) -> None:
    files = [f"file:{folder}/{name}.{level}.score" for level in ("seg", "sys")]
    scores = mtassay.score(wmt23, metrics=files).scores
    np.testing.assert_allclose(scores[:, 0], scores[:, 1], rtol=1e-13)


def test_every_submission_can_be_read_in_one_call(wmt23: mtassay.TestSet, folder: Path) -> None:
    files = sorted(folder.glob("*.score"))
    result = mtassay.score(wmt23, metrics=[f"file:{path},label={path.name}" for path in files])
    assert result.scores.shape == (12, 55)
    assert np.isfinite(result.scores).all()
    for m, path in enumerate(files):
        if path.name.endswith(".sys.score"):
            written = dict(line.split("\t") for line in path.read_text().splitlines())
            assert result.scores[:, m].tolist() == [float(written[system]) for system in wmt23.systems]


def test_a_table_of_many_metrics(data_dir: Path) -> None:
    path = data_dir / "williams" / "wmt12_williams" / "example-data" / "mt-systems-scored-by-metrics"
    testset = mtassay.load(data_dir / "wmt12" / "es-en")
    result = mtassay.score(testset, metrics=["bleu", f"file:{path},metric=BLEU_4_closest_cased"])
    np.testing.assert_allclose(result.scores[:, 1], result.scores[:, 0] / 100, rtol=0, atol=1e-3)
