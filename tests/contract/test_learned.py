"""What every metric must hold, for one that was learned; rows do not depend on the rows beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mtassay.data import TestSet
from mtassay.data.judgements import Scores
from mtassay.execution import Execution
from mtassay.learn.training import train
from mtassay.metrics import Metric, References, build_tables, parse

if TYPE_CHECKING:
    from pathlib import Path

HYPOTHESES = ("the cat sat on the mat .", "a dog barked", "", "Nobody , nobody came .", "yes")
STREAMS = (
    ("the cat sat on a mat .", "the dog barked loudly", "it rained", "Nobody came .", "yes"),
    ("a cat was on the mat .", None, "", "No one came , nobody .", "no"),
)
MODELS = ("ridge", "svr", "trees")


@pytest.fixture(scope="module", params=MODELS)
def metric(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Metric:
    rng = np.random.default_rng(2)
    words = np.array(["the", "a", "cat", "dog", "sat", "mat", ".", "barked"])
    references = [" ".join(rng.choice(words, 6)) for _ in range(40)]
    systems = {name: [" ".join(rng.choice(words, 6)) for _ in range(40)] for name in ("x", "y")}
    n = np.arange(40)
    judged = Scores(
        ("x", "y"),
        tuple(map(str, n + 1)),
        ("",),
        np.tile(n, 2),
        np.zeros(80, np.int64),
        system=np.repeat([0, 1], 40),
        score=rng.normal(size=80),
        aspect="da",
        item=np.full(80, ""),
    )
    path: Path = tmp_path_factory.mktemp("learned") / "m.model"
    features = ["bleu", "chrf", "wer", "rougeL", "precision_1"]
    train(TestSet([references], systems), judged, model=request.param, features=features).save(path)
    return parse(f"learned:{path}")


def test_specification(metric: Metric) -> None:
    assert parse(str(metric)) == metric
    assert metric.columns == ("sum", "n")
    assert metric.higher_is_better


def test_rows_do_not_depend_on_each_other(metric: Metric) -> None:
    scorer = metric.prepare(References(STREAMS))
    together = scorer.statistics(HYPOTHESES)
    assert together.shape == (5, 2)
    for i, hypothesis in enumerate(HYPOTHESES):
        np.testing.assert_array_equal(scorer.statistics([hypothesis], [i]), together[i : i + 1])


def test_tables_threads_and_order(metric: Metric) -> None:
    systems = {"x": HYPOTHESES, "y": HYPOTHESES[::-1]}
    tables = [
        build_tables(References(STREAMS), systems, [metric], execution=Execution(n))[0].statistics for n in (1, 2)
    ]
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(tables[0][0], metric.prepare(References(STREAMS)).statistics(HYPOTHESES))
    order = [3, 0, 4, 2, 1]
    shuffled = metric.prepare(References([[stream[i] for i in order] for stream in STREAMS]))
    np.testing.assert_array_equal(shuffled.statistics([HYPOTHESES[i] for i in order]), tables[0][0][order])


def test_scores_are_vectorised(metric: Metric) -> None:
    rows = metric.prepare(References(STREAMS)).statistics(HYPOTHESES)
    weights = np.random.default_rng(3).integers(0, 4, size=(2, 3, 5))
    scores = metric.score(weights @ rows)
    assert scores.shape == (2, 3)
    assert scores[1, 2] == pytest.approx((weights[1, 2] * rows[:, 0]).sum() / weights[1, 2].sum())
    assert metric.prepare(References(STREAMS)).statistics([], [], hypothesis_index=[]).shape == (0, 2)
