"""Several real references: the best one of each segment, found by scoring against every reference alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mtassay
from mtassay.metrics import References, parse


@pytest.fixture(scope="module", params=["cs-en", "en-de"])
def testset(request: pytest.FixtureRequest, data_dir: Path) -> mtassay.TestSet:
    return mtassay.load(data_dir / "wmt21" / request.param)


@pytest.mark.parametrize("name", ["wer", "per", "cder"])
def test_error_rates_take_the_reference_of_lowest_error(testset: mtassay.TestSet, name: str) -> None:
    metric, accuracy = parse(name), parse(f"{name}:as=accuracy")
    together = metric.prepare(References(testset.references))
    alone = [metric.prepare(References([stream])) for stream in testset.references]
    assert len(alone) > 1
    for hypotheses in testset.systems.values():
        rows = together.statistics(hypotheses)
        single = np.array([scorer.statistics(hypotheses) for scorer in alone])
        errors = metric.segment_score(single)
        np.testing.assert_array_equal(metric.segment_score(rows), errors.min(axis=0))
        np.testing.assert_array_equal(rows, single[errors.argmin(axis=0), np.arange(len(rows))])
        np.testing.assert_array_equal(accuracy.segment_score(rows), 1 - errors.min(axis=0))
        # References differ, so that the choice matters.
        assert len(set(errors.argmin(axis=0).tolist())) == len(alone)


def test_ter_of_moses_takes_the_fewest_edits_over_the_mean_length(testset: mtassay.TestSet) -> None:
    metric = parse("ter:variant=moses")
    alone = [metric.prepare(References([stream])) for stream in testset.references]
    together = metric.prepare(References(testset.references))
    for hypotheses in list(testset.systems.values())[:4]:
        rows = together.statistics(hypotheses)
        single = np.array([scorer.statistics(hypotheses) for scorer in alone])
        np.testing.assert_array_equal(rows[:, :4].sum(axis=1), single[:, :, :4].sum(axis=2).min(axis=0))
        np.testing.assert_allclose(rows[:, 4], single[:, :, 4].mean(axis=0), rtol=1e-15)


@pytest.mark.parametrize("system", ["Online-A", "CUNI-Transformer2018"])
def test_word_edits_equal_a_plain_dynamic_programme(data_dir: Path, system: str) -> None:
    testset = mtassay.load(data_dir / "wmt21" / "cs-en")
    hypotheses, reference = testset.systems[system][:100], testset.references[0][:100]
    rows = parse("wer:tok=none").prepare(References([reference])).statistics(hypotheses)
    for row, hypothesis, text in zip(rows, hypotheses, reference, strict=True):
        hyp, ref = hypothesis.split(), (text or "").split()
        costs = list(range(len(ref) + 1))
        for i, word in enumerate(hyp, start=1):
            above, costs[0] = costs[0], i
            for j, ref_word in enumerate(ref, start=1):
                above, costs[j] = costs[j], min(above + (word != ref_word), costs[j] + 1, costs[j - 1] + 1)
        assert row[:3].sum() == costs[-1]
        assert (row[1] - row[2], row[3]) == (len(hyp) - len(ref), len(ref))
