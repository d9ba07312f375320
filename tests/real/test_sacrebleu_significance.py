"""Paired tests of sacreBLEU on real systems: p-values to the last digit, means to what float32 leaves of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

import mtassay
from mtassay.verbs.sacrebleu_tests import paired

N_SEGMENTS = 250
PEERS: dict[str, Any] = {"bleu": BLEU, "chrf": CHRF, "ter": TER}


def _systems(data_dir: Path, pair: str, n: int) -> tuple[list[list[str]], dict[str, list[str]]]:
    folder = data_dir / pair
    testset = mtassay.load(folder)
    names = list(testset.systems)[:n]
    references = [[text or "" for text in stream[:N_SEGMENTS]] for stream in testset.references]
    return references, {name: list(testset.systems[name][:N_SEGMENTS]) for name in names}


@pytest.mark.parametrize("pair", ["wmt13/fr-en", "wmt12/cs-en"])
@pytest.mark.parametrize("test", ["ar", "bs"])
@pytest.mark.parametrize("spec", PEERS)
def test_paired_tests(data_dir: Path, pair: str, test: str, spec: str) -> None:
    references, systems = _systems(data_dir, pair, 4)
    peer = PEERS[spec](references=references)
    _, theirs = PairedTest(list(systems.items()), {spec: peer}, None, test_type=test, n_samples=500)()
    [column] = [cast("list[Any]", values) for name, values in theirs.items() if name != "System"]
    ours = paired(mtassay.score(references, systems, metrics=[spec]), test, resamples=500)
    assert ours.p is not None
    assert ours.p[1:, 0].tolist() == [result.p_value for result in column[1:]]
    assert np.isnan(ours.p[0, 0])
    if test == "bs":
        assert ours.means is not None
        assert ours.halves is not None
        np.testing.assert_allclose(ours.means[:, 0], [result.mean for result in column], rtol=1e-6)
        np.testing.assert_allclose(ours.halves[:, 0], [result.ci for result in column], rtol=1e-5)


@pytest.mark.parametrize("spec", PEERS)
def test_confidence_of_one_system(data_dir: Path, spec: str) -> None:
    references, systems = _systems(data_dir, "wmt13/fr-en", 1)
    [hypotheses] = systems.values()
    theirs = PEERS[spec]().corpus_score(hypotheses, references, n_bootstrap=300)
    ours = paired(mtassay.score(references, systems, metrics=[spec]), None, resamples=300)
    assert ours.means is not None
    assert ours.halves is not None
    assert ours.means[0, 0] == pytest.approx(theirs._mean, rel=1e-6)
    assert ours.halves[0, 0] == pytest.approx(theirs._ci, rel=1e-5)
