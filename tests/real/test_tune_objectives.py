"""Every kind of objective on Moses' lists of 100 sentences (their first 100 references)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mtassay.data.formats.lines import read_lines
from mtassay.data.formats.nbest_reading import read_nbest
from mtassay.verbs.tune_objectives import tune_objectives

OBJECTIVES = ["bleu:tok=none", "RAC1:tok=none", "PABC4:tok=none", "ter", "chrf", "0.5*bleu:tok=none-0.5*ter"]


@pytest.mark.parametrize("with_meteor", [False, True], ids=["without METEOR", "with METEOR"])
def test_objectives_from_each_others_optima(data_dir: Path, with_meteor: bool) -> None:
    folder = data_dir / "nbest" / "test_scorer_data"
    if with_meteor:
        pytest.importorskip("pycocoevalcap")
        pytest.importorskip("Stemmer")
    nbest = read_nbest(folder / "nbest.out")
    assert (nbest.n_sentences, len(nbest.features)) == (100, 15)
    references = read_lines(folder / "reference.txt")[:100]
    objectives = ["meteor", "bleu:tok=none"] if with_meteor else OBJECTIVES
    result = tune_objectives(nbest, [references], objectives, options={"restarts": 2}, resamples=200)
    signs = np.array([metric.sign for metric in result.objectives])
    gains = signs[:, None] * result.cross
    assert (np.diag(gains)[:, None] >= gains).all()
    for tuned in result.tuned:
        assert tuned.metric.sign * (tuned.after - tuned.before) > 0
