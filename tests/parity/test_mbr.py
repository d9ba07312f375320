"""Expected utilities against the recorded output of fastChrF 0.2.1 and mbrs 0.1.8.

Recorded with ``fastchrf.pairwise_chrf([TEXTS], [TEXTS])`` (means of rows), ``fastchrf.aggregate_chrf([TEXTS],
[TEXTS])``, and ``expected_scores`` and ``expected_scores_reference_aggregation(TEXTS, TEXTS, reference_lprobs=SCORES)``
of ``MetricChrF`` and ``MetricBLEU`` of mbrs, which computes in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mtassay
from mtassay.data import CandidateList

TEXTS = (
    "the small cat sat on the mat",
    "a small cat sat on a mat",
    "the cat sat on the mat today",
    "small cats sit on mats",
    "the dog",
    "the small cat sat on the mat",
)
SCORES = (-1.0, -2.0, -3.0, -1.5, -4.0, -2.5)
RECORDED: dict[str, tuple[dict[str, Any], list[float]]] = {
    "fastChrF, pairwise_chrf": (
        {"metric": "chrf"},
        [66.2641318980871, 52.0904927883401, 50.7406001515919, 43.9137839568203, 20.7343783697185, 66.2641318980871],
    ),
    "fastChrF, aggregate_chrf": (
        {"metric": "chrf", "aggregate": True},
        [74.9808117629918, 58.1613332654999, 57.9334540584503, 48.3459847614259, 10.9597070915947, 74.9808117629918],
    ),
    "mbrs, chrF++ aggregated": (
        {"metric": "chrf++", "aggregate": True},
        [73.666824, 57.342762, 58.61684, 42.479763, 11.622156, 73.666824],
    ),
    "mbrs, chrF aggregated, reference_lprobs": (
        {"metric": "chrf", "aggregate": True, "weights": "scores"},
        [81.838989, 62.489296, 52.979816, 56.340866, 7.4148703, 81.838989],
    ),
    "mbrs, BLEU aggregated": (
        {"metric": "bleu", "aggregate": True},
        [53.287804, 36.498978, 43.337288, 17.559784, 4.5865383, 53.287804],
    ),
    "mbrs, BLEU aggregated, reference_lprobs": (
        {"metric": "bleu", "aggregate": True, "weights": "scores"},
        [63.848434, 40.999081, 43.219009, 23.206345, 1.1521462, 63.848434],
    ),
    "mbrs, BLEU, reference_lprobs": (
        {"metric": "bleu", "weights": "scores"},
        [63.826763, 41.236225, 44.576595, 31.548756, 4.4295769, 63.826763],
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_utilities(name: str) -> None:
    options, expected = RECORDED[name]
    result = mtassay.mbr([CandidateList(texts=TEXTS, scores=SCORES)], n_best=9, **options)
    utilities = {one.text: one.utility for one in result.segments[0].best}
    tolerance = 1e-12 if "fastChrF" in name else 1e-6
    np.testing.assert_allclose([utilities[text] for text in TEXTS], expected, rtol=tolerance)
