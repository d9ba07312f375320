"""Arrays predict what scikit-learn predicts."""

from __future__ import annotations

import numpy as np
import pytest

from mtassay.learn.predictors import FORMS

RNG = np.random.default_rng(7)
X = RNG.normal(size=(300, 5)).round(1)
Y = X[:, 0] * X[:, 1] - X[:, 2] + RNG.normal(size=300) / 4
UNSEEN = np.vstack([RNG.normal(size=(1000, 5)).round(1), X, np.zeros((1, 5)), np.full((1, 5), 1e9)])


@pytest.mark.parametrize("n", [0, 1, 257, len(UNSEEN)])
def test_linear_models(n: int) -> None:
    from sklearn.linear_model import LogisticRegression, Ridge

    for estimator, target in ((Ridge(), Y), (LogisticRegression(), Y > 0)):
        estimator.fit(X, target)
        form = FORMS["linear"]
        predict = getattr(estimator, "decision_function", estimator.predict)
        expected = predict(UNSEEN[:n]) if n else np.zeros(0)
        np.testing.assert_allclose(form.predict(form.learned(estimator), UNSEEN[:n]), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 257, len(UNSEEN)])
def test_support_vector_machines(n: int) -> None:
    from sklearn.svm import SVC, SVR

    for estimator, target in ((SVR(gamma=0.1), Y), (SVC(gamma=0.1), Y > 0)):
        estimator.fit(X, target)
        form = FORMS["gaussian"]
        predict = getattr(estimator, "decision_function", estimator.predict)
        expected = predict(UNSEEN[:n]) if n else np.zeros(0)
        np.testing.assert_allclose(form.predict(form.learned(estimator), UNSEEN[:n]), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_leaves", [2, 7, 31])
def test_boosted_trees(n_leaves: int) -> None:
    from sklearn.ensemble import HistGradientBoostingRegressor

    estimator = HistGradientBoostingRegressor(max_leaf_nodes=n_leaves, max_iter=30, early_stopping=False).fit(X, Y)
    form = FORMS["trees"]
    np.testing.assert_array_equal(form.predict(form.learned(estimator), UNSEEN), estimator.predict(UNSEEN))


def test_trees_by_hand() -> None:
    """One tree of three nodes, and one of a leaf only."""
    arrays = {
        "roots": np.array([0, 3]),
        "baseline": np.array([10.0]),
        "feature": np.array([1, 0, 0, 0]),
        "threshold": np.array([0.5, 0, 0, 0]),
        "left": np.array([1, 1, 2, 3]),
        "right": np.array([2, 1, 2, 3]),
        "value": np.array([9.0, 1.0, 2.0, 100.0]),
    }
    rows = np.array([[7.0, 0.5], [7.0, 0.6]])
    assert FORMS["trees"].predict(arrays, rows).tolist() == [111.0, 112.0]
