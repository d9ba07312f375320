"""The pairwise model: its columns, its probabilities, recomposition and stepwise selection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.data import TestSet
from mtassay.errors import InputError, SpecError
from mtassay.learn import load_model, train
from mtassay.learn.comparisons import columns, n_columns, recomposed, win_probabilities
from mtassay.learn.matrix import feature_matrix
from mtassay.learn.models import MODELS, fit
from mtassay.learn.search import rho
from mtassay.learn.stepwise import selected
from mtassay.learn.training_data import material

if TYPE_CHECKING:
    from pathlib import Path

    from mtassay.learn.models import Fitted

FEATURES = ("words", "source_words", "cross:chrf", "source_ratio")


@pytest.fixture(scope="module")
def with_sources(testset: TestSet) -> TestSet:
    sources = [" ".join(["s"] * (3 + number % 5)) for number in range(testset.n_segments)]
    return TestSet(testset.references, testset.systems, sources=sources, name="made")


def examples() -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(3, 30, 4))
    first, second = (x[rng.integers(0, 3, 50), rng.integers(0, 30, 50)] for _ in range(2))
    # Not mirrored, so that nothing is symmetric by itself.
    y = (first[:, 2] - second[:, 2] + 0.5 * first[:, 1] + rng.normal(size=50) > 0).astype(int)
    return columns(first, second, FEATURES), y


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return fit(MODELS["pairwise"], {"C": 1.0}, *examples(), n_source=1)


def test_columns() -> None:
    first, second = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 2.0, 6.0, 7.0])
    assert columns(first, second, FEATURES).tolist() == [2.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    assert n_columns(MODELS["pairwise"], FEATURES) == 7
    assert n_columns(MODELS["logistic"], FEATURES) == 4


def test_probabilities_are_those_of_scikit_learn(fitted: Fitted) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scaled = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000)).fit(*examples())
    x = np.random.default_rng(5).normal(size=(3, 4, 4))
    x[1, 2, 0] = np.nan  # counts as the mean
    wins = win_probabilities(fitted, x, FEATURES)

    def direct(a: int, b: int, segment: int) -> float:
        row = columns(x[a, segment], x[b, segment], FEATURES)
        known = np.where(np.isnan(row), examples()[0].mean(axis=0), row)
        return float(scaled.predict_proba(known[None])[0, 1])

    for a in range(3):
        for b in range(3):
            for segment in range(4):
                expected = (direct(a, b, segment) + 1 - direct(b, a, segment)) / 2
                assert wins[a, b, segment] == pytest.approx(expected)
    np.testing.assert_array_equal(wins + wins.swapaxes(0, 1), 1.0)
    # Equal outputs: neither is better, to the last bit.
    assert (win_probabilities(fitted, x[[0, 0]], FEATURES) == 0.5).all()


def test_recomposition_by_brute_force() -> None:
    rng = np.random.default_rng(6)
    half = rng.choice([0.1, 0.3, 0.5, 0.8], size=(5, 5, 7))
    wins = np.where(np.triu(np.ones((5, 5)), 1)[..., None] > 0, half, 1 - half.swapaxes(0, 1))
    wins[np.arange(5), np.arange(5)] = 0.5
    for segment in range(7):
        for a in range(5):
            others = [wins[a, b, segment] for b in range(5) if b != a]
            hard = sum(1 if p > 0.5 else -1 if p < 0.5 else 0 for p in others)
            assert recomposed(wins, "hard")[a, segment] == hard
            assert recomposed(wins, "soft")[a, segment] == pytest.approx(sum(others))


def test_stepwise_selection_by_brute_force() -> None:
    """Two features that matter stay, three of chance go, unless chance makes their p small."""
    from scipy.optimize import minimize
    from scipy.stats import chi2

    rng = np.random.default_rng(9)
    x = rng.normal(size=(400, 5))
    x[:, 1] += x[:, 0]
    odds = 1 / (1 + np.exp(-(1.5 * x[:, 0] - x[:, 3])))
    differences = np.where(rng.random(400) < odds, 1, -1)[:, None] * x
    kept = selected(differences)
    assert {0, 3} <= set(kept)

    def likelihood(used: list[int]) -> float:
        if not used:
            return -400 * float(np.log(2))
        part = differences[:, used]
        return -float(minimize(lambda w: np.logaddexp(0, -(part @ w)).sum(), np.zeros(len(used))).fun)

    whole = likelihood(kept)
    for feature in range(5):
        if feature in kept:
            p = chi2.sf(2 * (whole - likelihood([one for one in kept if one != feature])), 1)
            assert p <= 0.3
        else:
            assert chi2.sf(2 * (likelihood([*kept, feature]) - whole), 1) >= 0.2
    assert selected(rng.normal(size=(50, 1)) * 0) == []


@pytest.mark.parametrize("options", [{}, {"stepwise": True}, {"standardise": False}])
def test_a_model_is_trained_saved_and_scores(
    options: dict[str, Any], with_sources: TestSet, preferences: Any, quality: Any, tmp_path: Path
) -> None:
    result = train(with_sources, preferences, model="pairwise", features=FEATURES, **options)
    assert result.search.criterion == "accuracy"
    assert result.search.best.accuracy > 0.75
    facts = result.model.trained_on
    assert facts["n_references"] == 0
    assert (facts["stepwise"], facts["standardise"]) == (
        bool(options.get("stepwise")),
        not options or "stepwise" in options,
    )
    assert facts["examples"] == 2 * int((preferences.outcome != 0).sum())
    path = tmp_path / "m.model"
    result.save(path)
    loaded = load_model(path)
    assert loaded.fitted.arrays["coef"].shape == (n_columns(MODELS["pairwise"], FEATURES),)
    x = feature_matrix(with_sources, FEATURES)
    wins = win_probabilities(loaded.fitted, x, FEATURES)
    np.testing.assert_array_equal(wins, win_probabilities(result.model.fitted, x, FEATURES))
    assert rho(quality, recomposed(wins, "soft")) > 0.6
    for how in ("soft", "hard"):
        metric = f"learned:{path},recompose={how}"
        scored = mtassay.score(with_sources, metrics=[metric])
        np.testing.assert_array_equal(scored.segment_scores()[..., 0], recomposed(wins, how))
        assert str(scored.signatures[0]).startswith("nrefs:0|")
        assert f"|recompose:{how}|" in str(scored.signatures[0])
        assert scored["good", metric] > scored["middling", metric] > scored["bad", metric]


def test_a_model_of_several_systems_scores_no_texts(
    with_sources: TestSet, preferences: Any, scores: Any, tmp_path: Path
) -> None:
    train(with_sources, preferences, model="pairwise", features=["words", "bleu"]).save(tmp_path / "p.model")
    train(with_sources, scores, model="ridge", features=["cross:chrf"]).save(tmp_path / "r.model")
    for name in ("p", "r"):
        metric = mtassay.metric(f"learned:{tmp_path / name}.model")
        with pytest.raises(SpecError, match="has scores of the systems of a test set, not of texts"):
            metric.corpus_score(["a"], [["a"]])
        with pytest.raises(InputError, match="give at least two systems"):
            mtassay.score([["a"]], {"x": ["a"]}, metrics=[metric])
    # It reads references, and says so.
    signature = mtassay.metric(f"learned:{tmp_path / 'p'}.model").signature(with_sources.references)
    assert str(signature).startswith("nrefs:2|")
    ridge = mtassay.score(with_sources, metrics=[f"learned:{tmp_path / 'r'}.model"])
    made = material(with_sources, scores, ["cross:chrf"])
    expected = load_model(tmp_path / "r.model").fitted.scores(made.x)
    np.testing.assert_array_equal(ridge.segment_scores()[..., 0], expected)


def test_what_cannot_be_learned(with_sources: TestSet, preferences: Any, scores: Any) -> None:
    with pytest.raises(InputError, match="pairwise learns from rankings or preferences"):
        train(with_sources, scores, model="pairwise", features=FEATURES)
    with pytest.raises(InputError, match="stepwise selection is for the model pairwise, not for ridge"):
        train(with_sources, scores, model="ridge", features=FEATURES, stepwise=True)
    with pytest.raises(InputError, match="stepwise selection keeps no feature"):
        train(with_sources, preferences, model="pairwise", features=["source_words"], stepwise=True)
    with pytest.raises(InputError, match="needs source texts"):
        train(replace(with_sources, sources=None), preferences, model="pairwise", features=FEATURES)
