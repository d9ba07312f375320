"""TerrorCat: features of five outputs, and what its classifier makes of them, as the original has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.learn.models import MODELS, fit
from mtassay.learn.terrorcat import pairwise_scores, rescaled
from mtassay.learn.training_data import majorities
from mtassay.metrics import References
from mtassay.metrics.core.references import Texts
from mtassay.metrics.linguistic.terrorcat_features import FEATURE_NAMES, TerrorCatFeatures
from mtassay.stats.correlations import correlation

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = ("_ref", "jhu", "onlineB", "shef", "uedin")


def _numbers(recorded: Any, system: str) -> Any:
    rows = recorded.rows("terrorcat-features", system=system)
    return np.array([[float(value) for value in row["values"].split()] for row in rows])


@pytest.fixture(scope="module")
def features(oracle_dir: Path, oracle_annotator: Any) -> dict[str, Any]:
    texts, sources = oracle_annotator.read_terrorcat(oracle_dir, SYSTEMS)
    metric = TerrorCatFeatures(annotator="oracle", tok="none")
    scorer = metric.prepare(References([texts["_ref"]], sources=sources))
    return {name: scorer.statistics(Texts(of))[:, :-1] for name, of in texts.items()}


def _classes(values: Any, tool: str) -> Any:
    """Values by class of tags, shape (classes, segments, kinds of errors)."""
    kept = [i for i, name in enumerate(FEATURE_NAMES) if name.startswith(tool) and name != "a_punct"]
    return values[:, kept].reshape(len(values), -1, 20).transpose(2, 0, 1)


@pytest.mark.parametrize("system", SYSTEMS)
def test_features(recorded: Any, features: dict[str, Any], system: str) -> None:
    """The original's classes of tags have another order in every file: each of ours must be one of its classes."""
    expected = _numbers(recorded, system)
    ours = features[system]
    punct = FEATURE_NAMES.index("a_punct")
    np.testing.assert_array_equal(ours[:, punct], expected[:, punct])
    for tool in ("a_", "h_"):
        left = list(_classes(expected, tool))
        for values in _classes(ours, tool):
            same = [(values == other).all(axis=1) for other in left]
            best = int(np.argmax([rows.sum() for rows in same]))
            np.testing.assert_array_equal(values, left[best])
            del left[best]


def _majorities(recorded: Any, numbers: dict[str, int]) -> Any:
    """Better system, worse system, segment of every preference."""
    pairs = []
    for row in recorded.rows("terrorcat-preferences"):
        first, rank, second, other = (row[c] for c in ("first", "first_rank", "second", "second_rank"))
        if rank != other:
            better, worse = (first, second) if int(rank) < int(other) else (second, first)
            pairs.append((numbers[better], numbers[worse], int(row["segment"]) - 1))
    return majorities(np.array(pairs).T)


def test_the_classifier_has_the_winners_of_weka(recorded: Any) -> None:
    """Trained on the original's own features: libsvm's and Weka's solvers part in 4 of 1200 pairs."""
    pytest.importorskip("sklearn")
    x = np.stack([_numbers(recorded, system) for system in SYSTEMS])
    numbers = {system: number for number, system in enumerate(SYSTEMS)}
    better, worse, segment = _majorities(recorded, numbers)
    fitted = fit(MODELS["ranksvm"], {"C": 3.0}, x.reshape(-1, 261), np.stack([better, worse]) * 120 + segment)
    scores = fitted.scores(x)
    rows = recorded.rows("terrorcat-pairs")
    pairs = [(int(row["segment"]) - 1, numbers[row["first"]], numbers[row["second"]]) for row in rows]
    margins = np.array([scores[a, s] - scores[b, s] for s, a, b in pairs])
    theirs = np.array(
        [(1 if row["first_is_better"] == "yes" else -1) * (float(row["confidence"]) - 0.5) for row in rows]
    )
    assert ((margins > 0) == (theirs > 0)).mean() > 0.99
    np.testing.assert_allclose(np.tanh(margins / 2) / 2, theirs, atol=0.004)
    expected = np.array([recorded.numbers("terrorcat-scores", "score", system=system) for system in SYSTEMS])
    ours = rescaled(pairwise_scores(scores))
    np.testing.assert_allclose(ours, expected, atol=0.004)
    assert correlation(ours.ravel(), expected.ravel(), kind="spearman") > 0.999
