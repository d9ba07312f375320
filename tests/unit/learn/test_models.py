from __future__ import annotations

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.learn.models import CLASSIFICATION, COMPARISON, MODELS, PREFERENCE, REGRESSION, fit, kind_of
from mtassay.stats.correlations import correlation

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4)) * [1, 10, 100, 1] + [0, 5, -50, 3]
#: What is to be learned: two features count, one is noise, one does not vary.
X[:, 3] = 3.0
TRUTH = X[:, 0] - X[:, 1] / 5
UNSEEN = RNG.normal(size=(100, 4)) * [1, 10, 100, 1] + [0, 5, -50, 3]
UNSEEN[:, 3] = 3.0
UNSEEN_TRUTH = UNSEEN[:, 0] - UNSEEN[:, 1] / 5


def _target(framing: str) -> np.ndarray:
    if framing == REGRESSION:
        return 1000 + 7 * TRUTH
    if framing in {CLASSIFICATION, COMPARISON}:
        return (TRUTH > 0).astype(int)
    pairs = RNG.integers(0, len(X), (2, 2000))
    pairs = pairs[:, TRUTH[pairs[0]] != TRUTH[pairs[1]]]
    ahead = TRUTH[pairs[0]] > TRUTH[pairs[1]]
    return np.where(ahead, pairs, pairs[::-1])


@pytest.mark.parametrize("name", sorted(MODELS))
def test_finds_what_is_there(name: str) -> None:
    kind = MODELS[name]
    fitted = fit(kind, kind.candidates()[-1], X, _target(kind.framing))
    scores = fitted.scores(UNSEEN)
    assert float(correlation(UNSEEN_TRUTH, scores, kind="spearman")) > 0.9
    if kind.framing == REGRESSION:  # on the scale of the human scores
        assert abs(np.mean(scores) - np.mean(1000 + 7 * UNSEEN_TRUTH)) < 4


@pytest.mark.parametrize("name", sorted(MODELS))
def test_shapes_and_missing_features(name: str) -> None:
    kind = MODELS[name]
    fitted = fit(kind, kind.candidates()[0], X, _target(kind.framing))
    grid = UNSEEN[:24].reshape(2, 12, 4)
    np.testing.assert_array_equal(fitted.scores(grid), fitted.scores(UNSEEN[:24]).reshape(2, 12))
    assert fitted.scores(UNSEEN[:0]).shape == (0,)
    missing, usual = UNSEEN[:5].copy(), UNSEEN[:5].copy()
    missing[:, 1] = np.nan
    usual[:, 1] = fitted.mean[1]
    np.testing.assert_array_equal(fitted.scores(missing), fitted.scores(usual))


@pytest.mark.parametrize("name", ["ranksvm", "logistic"])
def test_differences_of_scores_are_log_odds(name: str) -> None:
    """At the most likely scale, the derivative of the likelihood of the preferences is 0."""
    rng = np.random.default_rng(7)
    pairs = rng.integers(0, len(X), (2, 2000))
    ahead = rng.random(2000) < 1 / (1 + np.exp(TRUTH[pairs[1]] - TRUTH[pairs[0]]))
    fitted = fit(MODELS[name], MODELS[name].candidates()[-1], X, np.where(ahead, pairs, pairs[::-1]))
    better, worse = fitted.scores(X)[np.where(ahead, pairs, pairs[::-1])]
    gains = (better - worse) / (1 + np.exp(better - worse))
    assert abs(gains.sum()) < 0.01 * np.abs(gains).sum()


def test_a_linear_form_by_hand() -> None:
    kind = MODELS["ridge"]
    fitted = fit(kind, {"alpha": 0.1}, X, _target(REGRESSION))
    rows = (UNSEEN - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    target = _target(REGRESSION)
    z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    weights = np.linalg.solve(z.T @ z + 0.1 * np.eye(4), z.T @ (target - target.mean()))
    np.testing.assert_allclose(fitted.scores(UNSEEN), target.mean() + rows @ weights, rtol=1e-9)


def test_preferences_do_not_depend_on_the_side() -> None:
    kind = MODELS["logistic"]
    assert kind.framing == PREFERENCE
    pairs = _target(PREFERENCE)
    fitted = fit(kind, {"C": 1.0}, X, pairs)
    assert fitted.arrays["intercept"].tolist() == [0]
    np.testing.assert_allclose(fitted.scores(fitted.mean[None]), [0], atol=1e-12)


def test_refusals() -> None:
    with pytest.raises(InputError, match="no model named 'svrr'; did you mean 'svr'"):
        kind_of("svrr")
    with pytest.raises(InputError, match="only one class"):
        fit(MODELS["svm"], {"C": 1.0, "gamma": 0.1}, X, np.ones(len(X)))
    with pytest.raises(InputError, match="no examples"):
        fit(MODELS["svr"], {"C": 1.0, "gamma": 0.1}, X[:0], np.zeros(0))
