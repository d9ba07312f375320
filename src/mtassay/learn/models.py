"""Models that turn features into scores.

    svr       support vector regression with a Gaussian kernel on human scores (Albrecht & Hwa 2007)
    ridge     linear regression with a quadratic penalty on human scores
    trees     gradient-boosted regression trees on human scores
    svm       support vector classification with a Gaussian kernel of people's translations and machines' (Kulesza &
              Shieber 2004); the score is the distance to the hyperplane, in units of the margin
    logistic  logistic regression on differences of features, on preferences between outputs; the score is the linear
              form, whose differences are log-odds
    pairwise  logistic regression on features of the source and of two outputs, on preferences between them (Avramidis
              & Popović 2013); the score is put together from comparisons with all other systems
              (``mtassay.learn.comparisons``)

Features are standardised by the mean and deviation of the training examples; a missing one counts as their mean.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, MissingExtraError, did_you_mean
from mtassay.learn.stepwise import selected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.types import Floats

    Parameters = dict[str, float]

REGRESSION, CLASSIFICATION, PREFERENCE, COMPARISON = "regression", "classification", "preference", "comparison"


@dataclass(frozen=True)
class Kind:
    """A kind of model.

    Attributes:
        name: unique.
        framing: what it learns from: human scores, who wrote a text, preferences by the differences of features, or
            preferences by the features of both outputs.
        estimator: ``module:Class`` of scikit-learn.
        fixed: parameters that do not vary.
        grid: by parameter, the values that a search tries.
        title: for tables.
        linear: whether the score is a linear form of the features.
        threaded: whether scikit-learn would use several threads for it.
        standardise: whether features are divided by their deviation.
        stepwise: whether features are selected first; of ``comparison`` only.
    """

    name: str
    framing: str
    estimator: str
    title: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    linear: bool = False
    threaded: bool = False
    standardise: bool = True
    stepwise: bool = False

    def candidates(self) -> list[Parameters]:
        """All combinations of values of the grid.

        >>> KINDS["ridge"].candidates()[:2]
        [{'alpha': 0.1}, {'alpha': 1.0}]
        """
        found: list[Parameters] = [{}]
        for name, values in self.grid.items():
            found = [{**one, name: value} for one in found for value in values]
        return found


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "svr",
            REGRESSION,
            "sklearn.svm:SVR",
            "SVR",
            {"kernel": "rbf", "epsilon": 0.1, "cache_size": 500},
            {"C": (1.0, 10.0), "gamma": (0.003, 0.01, 0.03)},
        ),
        Kind(
            "ridge",
            REGRESSION,
            "sklearn.linear_model:Ridge",
            "ridge",
            {},
            {"alpha": (0.1, 1.0, 10.0, 100.0, 1000.0)},
            linear=True,
        ),
        Kind(
            "trees",
            REGRESSION,
            "sklearn.ensemble:HistGradientBoostingRegressor",
            "trees",
            {"early_stopping": False, "max_iter": 100, "random_state": 0},
            {"learning_rate": (0.03, 0.1), "max_leaf_nodes": (7, 31)},
            threaded=True,
        ),
        Kind(
            "svm",
            CLASSIFICATION,
            "sklearn.svm:SVC",
            "SVM",
            {"kernel": "rbf", "class_weight": "balanced", "cache_size": 500},
            {"C": (1.0, 10.0), "gamma": (0.003, 0.01, 0.03)},
        ),
        Kind(
            "logistic",
            PREFERENCE,
            "sklearn.linear_model:LogisticRegression",
            "logistic",
            {"fit_intercept": False, "max_iter": 1000},
            {"C": (0.001, 0.01, 0.1, 1.0)},
            linear=True,
        ),
        Kind(
            "pairwise",
            COMPARISON,
            "sklearn.linear_model:LogisticRegression",
            "pairwise logistic",
            {"max_iter": 1000},
            {"C": (0.001, 0.01, 0.1, 1.0)},
            linear=True,
        ),
    )
}


def kind_of(name: str) -> Kind:
    """A kind of model by its name."""
    if name not in KINDS:
        raise InputError(f"no model named '{name}'{did_you_mean(name, KINDS)} (choose from {', '.join(KINDS)})")
    return KINDS[name]


def require_packages() -> None:
    """Refuse to go on without scikit-learn and skops."""
    if find_spec("sklearn") is None or find_spec("skops") is None:
        raise MissingExtraError("learning a metric", "learn")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model with what it learned.

    Attributes:
        kind: the kind.
        parameters: its parameters.
        mean: of each feature over the training examples, shape (features,).
        scale: deviation of each feature, 1 where it does not vary, shape (features,).
        offset: mean of the human scores, which the estimator does not see; 0 where it learns from none.
        spread: their deviation, so that parameters mean the same on every scale; 1 where it learns from none.
        estimator: scikit-learn's.
    """

    kind: Kind
    parameters: Parameters
    mean: Floats
    scale: Floats
    offset: float
    spread: float
    estimator: Any

    def scores(self, x: Any) -> Floats:
        """Scores of outputs, higher is better: features of shape (..., features) -> (...).

        Of comparisons it is the log-odds that the first output is the better one, from their columns.
        """
        features = np.asarray(x, dtype=np.float64)
        rows = standardised(features.reshape(-1, features.shape[-1]), self.mean, self.scale)
        if not len(rows):
            return np.zeros(features.shape[:-1])
        if self.kind.linear:
            # Row by row, so that a score does not depend on the rows beside it, as BLAS would have it.
            found = (rows * np.ravel(self.estimator.coef_)).sum(axis=1) + np.ravel(self.estimator.intercept_)[0]
        elif self.kind.framing == CLASSIFICATION:
            found = self.estimator.decision_function(rows)
        else:
            with _one_thread(self.kind):
                found = self.estimator.predict(rows)
        scores: Floats = self.offset + self.spread * np.asarray(found, dtype=np.float64)
        return scores.reshape(features.shape[:-1])


def fit(kind: Kind, parameters: Parameters, x: Any, y: Any, *, n_source: int = 0) -> Fitted:
    """Train a model.

    Args:
        kind: the kind.
        parameters: values of the parameters of its grid.
        x: features of the examples, shape (n, features).
        y: human scores; 1 for people and 0 for machines; or, for preferences, better and worse example of each pair
            as numbers of rows, shape (2, pairs); or, for comparisons, better and worse example of each pair, 1 in the
            first half, where the better one is first, and 0 in the second half, where it is the other way round.
        n_source: of comparisons, the number of columns of the source, which come first.
    """
    require_packages()
    features = np.asarray(x, dtype=np.float64)
    if not len(features):
        raise InputError("there are no examples to learn from")
    mean, scale = _moments(features)
    if not kind.standardise:
        scale = np.ones(len(scale))
    rows = standardised(features, mean, scale)
    target = np.asarray(y)
    offset, spread = 0.0, 1.0
    if kind.framing == REGRESSION:
        offset, spread = float(target.mean()), float(target.std()) or 1.0
        target = (target - offset) / spread
    if kind.framing == PREFERENCE:
        differences = rows[target[0]] - rows[target[1]]
        # Both ways round, so that neither order is the usual one.
        rows = np.concatenate([differences, -differences])
        target = np.repeat([1, 0], len(differences))
    if kind.framing != REGRESSION and len(np.unique(target)) < 2:
        raise InputError(
            "there is only one class among the examples; a classifier needs human and machine translations"
        )
    module, _, name = kind.estimator.partition(":")
    estimator = getattr(import_module(module), name)(**kind.fixed, **parameters)
    used = _columns_kept(rows, n_source) if kind.stepwise else slice(None)
    with _one_thread(kind):
        estimator.fit(rows[:, used], target)
    if kind.stepwise:
        weights = np.zeros((1, rows.shape[1]))
        weights[:, used] = estimator.coef_
        estimator.coef_, estimator.n_features_in_ = weights, rows.shape[1]
    return Fitted(kind, dict(parameters), mean, scale, offset, spread, estimator)


def _columns_kept(rows: Floats, n_source: int) -> list[int]:
    """Columns of comparisons that stepwise selection keeps; those of the source have no differences."""
    first, second = np.split(rows[: len(rows) // 2, n_source:], 2, axis=1)
    kept = selected(first - second)
    if not kept:
        raise InputError("stepwise selection keeps no feature: none is related to the preferences")
    return [n_source + side * first.shape[1] + feature for side in (0, 1) for feature in kept]


def _one_thread(kind: Kind) -> Any:
    """Threads of OpenMP, which trees use, wait for each other busily: minutes where cores are shared."""
    if not kind.threaded:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def standardised(x: Floats, mean: Floats, scale: Floats) -> Floats:
    """(x - mean) / scale, 0 where x is missing."""
    return np.nan_to_num((x - mean) / scale, nan=0.0)


def _moments(x: Floats) -> tuple[Floats, Floats]:
    there = np.isfinite(x)
    n = np.maximum(there.sum(axis=0), 1)
    values = np.where(there, x, 0.0)
    mean = values.sum(axis=0) / n
    scale = np.sqrt((np.where(there, x - mean, 0.0) ** 2).sum(axis=0) / n)
    return mean, np.where(scale > TOLERANCE * np.maximum(np.abs(mean), 1.0), scale, 1.0)
