"""Models that turn features into scores.

    svr       support vector regression with a Gaussian kernel on human scores (Albrecht & Hwa 2007)
    ridge     linear regression with a quadratic penalty on human scores
    trees     gradient-boosted regression trees on human scores
    svm       support vector classification with a Gaussian kernel of human and machine translations (Kulesza & Shieber
              2004); the score is the distance to the hyperplane, in units of the margin
    logistic  logistic regression on differences of features, on preferences between outputs; the score is the linear
              form, whose differences are log-odds
    ranksvm   linear support vector classification of differences of features, on the preference of the majority, as in
              TerrorCat (Fishel et al. 2012); the score is the linear form, scaled so that differences are log-odds
    pairwise  logistic regression on features of the source and of two outputs, on preferences between them (Avramidis
              & Popović 2013); the score is computed from comparisons with all other systems
              (``mtassay.learn.comparisons``)

Features are standardised by the mean and standard deviation of the training examples; a missing value counts as the
mean. For ranksvm, features are instead divided by the range of their differences, so that differences span a range of 1
and 0 stays 0.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.equality import TOLERANCE
from mtassay.errors import InputError, MissingExtraError, unknown_name
from mtassay.learn.predictors import FORMS
from mtassay.learn.stepwise import selected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.learn.predictors import Arrays
    from mtassay.types import Floats, Ints

    Parameters = dict[str, float]

#: Number of training examples whose scores are kept with a model.
_PROBES = 16
REGRESSION, CLASSIFICATION, PREFERENCE, COMPARISON = "regression", "classification", "preference", "comparison"


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """A kind of model.

    Attributes:
        name: unique name.
        framing: what it learns from: human scores (regression), whether a person wrote a text (classification),
            preferences by differences of features (preference), or by the features of both outputs (comparison).
        estimator: ``module:Class`` of scikit-learn.
        fixed: parameters that do not vary.
        grid: by parameter, the values that a search tries.
        title: title in tables.
        form: how it predicts, a key of ``predictors.FORMS``.
        threaded: whether scikit-learn would use several threads for it.
        by_majority: whether all preferences between two outputs count once, as that of the majority, and features are
            divided by the range of their differences; otherwise each counts, and features are standardised.
        standardise: whether features are divided by their standard deviation, or by that range.
        stepwise: whether features are selected first; only for ``comparison``.
    """

    name: str
    framing: str
    estimator: str
    title: str
    form: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    threaded: bool = False
    by_majority: bool = False
    standardise: bool = True
    stepwise: bool = False

    def candidates(self) -> list[Parameters]:
        """All combinations of values of the grid.

        >>> MODELS["ridge"].candidates()[:2]
        [{'alpha': 0.1}, {'alpha': 1.0}]
        """
        return [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]


MODELS = {
    kind.name: kind
    for kind in (
        ModelKind(
            name="svr",
            framing=REGRESSION,
            estimator="sklearn.svm:SVR",
            title="SVR",
            form="gaussian",
            fixed={"kernel": "rbf", "epsilon": 0.1, "cache_size": 500},
            grid={"C": (1.0, 10.0), "gamma": (0.003, 0.01, 0.03)},
        ),
        ModelKind(
            name="ridge",
            framing=REGRESSION,
            estimator="sklearn.linear_model:Ridge",
            title="ridge",
            form="linear",
            fixed={},
            grid={"alpha": (0.1, 1.0, 10.0, 100.0, 1000.0)},
        ),
        ModelKind(
            name="trees",
            framing=REGRESSION,
            estimator="sklearn.ensemble:HistGradientBoostingRegressor",
            title="trees",
            form="trees",
            fixed={"early_stopping": False, "max_iter": 100, "random_state": 0},
            grid={"learning_rate": (0.03, 0.1), "max_leaf_nodes": (7, 31)},
            threaded=True,
        ),
        ModelKind(
            name="svm",
            framing=CLASSIFICATION,
            estimator="sklearn.svm:SVC",
            title="SVM",
            form="gaussian",
            fixed={"kernel": "rbf", "class_weight": "balanced", "cache_size": 500},
            grid={"C": (1.0, 10.0), "gamma": (0.003, 0.01, 0.03)},
        ),
        ModelKind(
            name="logistic",
            framing=PREFERENCE,
            estimator="sklearn.linear_model:LogisticRegression",
            title="logistic",
            form="linear",
            fixed={"fit_intercept": False, "max_iter": 1000},
            grid={"C": (0.001, 0.01, 0.1, 1.0)},
        ),
        ModelKind(
            name="ranksvm",
            framing=PREFERENCE,
            estimator="sklearn.svm:LinearSVC",
            title="rank SVM",
            form="linear",
            fixed={"loss": "hinge", "fit_intercept": False, "max_iter": 1_000_000, "tol": 1e-6, "random_state": 0},
            grid={"C": (3.0,)},
            by_majority=True,
        ),
        ModelKind(
            name="pairwise",
            framing=COMPARISON,
            estimator="sklearn.linear_model:LogisticRegression",
            title="pairwise logistic",
            form="linear",
            fixed={"max_iter": 1000},
            grid={"C": (0.001, 0.01, 0.1, 1.0)},
        ),
    )
}
#: Kinds of models that learn from human scores.
REGRESSIONS = tuple(name for name, kind in MODELS.items() if kind.framing == REGRESSION)


def kind_of(name: str) -> ModelKind:
    """A kind of model by its name."""
    if name not in MODELS:
        raise InputError(unknown_name("model", name, MODELS))
    return MODELS[name]


def require_packages() -> None:
    """Raise an error if scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise MissingExtraError("learning a metric", "learn")


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """A trained model.

    Attributes:
        kind: the kind of model.
        parameters: its parameters.
        mean: mean of each feature over the training examples, shape (features,).
        scale: standard deviation of each feature, 1 if it does not vary, shape (features,).
        offset: mean of the human scores, which is subtracted before the estimator sees them; 0 without human scores.
        spread: standard deviation of the human scores, by which they are divided, so that parameters mean the same on
            every scale; for ranksvm the factor that turns differences of scores into log-odds; otherwise 1.
        arrays: what scikit-learn's estimator learned, in the form of the kind.
        probes: features of some training examples, shape (probes, features).
        probe_scores: scores of the probes as scikit-learn predicts them, shape (probes,); any other prediction must
            agree with them.
    """

    kind: ModelKind
    parameters: Parameters
    mean: Floats
    scale: Floats
    offset: float
    spread: float
    arrays: Arrays
    probes: Floats
    probe_scores: Floats

    def scores(self, x: Any) -> Floats:
        """Scores of outputs, higher is better: features of shape (..., features) -> (...).

        For a model of comparisons, `x` has their columns, and a score is the log-odds that the first output is better.
        """
        features = np.asarray(x, dtype=np.float64)
        rows = standardised(features.reshape(-1, features.shape[-1]), self.mean, self.scale)
        if not len(rows):
            return np.zeros(features.shape[:-1])
        scores: Floats = self.offset + self.spread * FORMS[self.kind.form].predict(self.arrays, rows)
        return scores.reshape(features.shape[:-1])


def fit(kind: ModelKind, parameters: Parameters, x: Any, y: Any, *, n_source: int = 0) -> Fitted:
    """Train a model.

    Args:
        kind: the kind of model.
        parameters: values of the parameters of its grid.
        x: features of the examples, shape (n, features).
        y: for regression, human scores; for classification, 1 for human and 0 for machine translations; for
            preferences, the rows of the better and the worse example of each pair, shape (2, pairs); for comparisons,
            1 in the first half of the examples, where the better output is first, and 0 in the second half, where it
            is second.
        n_source: for comparisons, the number of columns of the source, which come first.
    """
    require_packages()
    features = np.asarray(x, dtype=np.float64)
    if not len(features):
        raise InputError("there are no examples to learn from")
    target = np.asarray(y)
    mean, scale = _ranges(features, target) if kind.by_majority else _moments(features)
    if not kind.standardise:
        scale = np.ones(len(scale))
    rows = standardised(features, mean, scale)
    offset, spread = 0.0, 1.0
    if kind.framing == REGRESSION:
        offset, spread = float(target.mean()), float(target.std()) or 1.0
        target = (target - offset) / spread
    if kind.framing == PREFERENCE:
        differences = rows[target[0]] - rows[target[1]]
        if kind.by_majority:
            differences = differences[differences.any(axis=1)]
        # In both orders, so that neither is favoured.
        rows = np.concatenate([differences, -differences])
        target = np.repeat([1, 0], len(differences))
    if kind.framing != REGRESSION and len(np.unique(target)) < 2:
        raise InputError(
            "there is only one class among the examples; a classifier needs human and machine translations"
        )
    module, _, name = kind.estimator.partition(":")
    estimator = getattr(import_module(module), name)(**kind.fixed, **parameters)
    used = _columns_kept(rows, n_source) if kind.stepwise else np.arange(rows.shape[1])
    probes = features[np.linspace(0, len(features) - 1, _PROBES).astype(int)]
    with _one_thread(kind):
        estimator.fit(rows[:, used], target)
        if kind.by_majority:
            spread = _slope((rows * np.ravel(estimator.coef_)).sum(axis=1), target)
        predict = estimator.predict if kind.framing == REGRESSION else estimator.decision_function
        found = np.asarray(predict(standardised(probes, mean, scale)[:, used]), dtype=np.float64)
    arrays = FORMS[kind.form].learned(estimator)
    if kind.stepwise:
        # Features that were not selected have weights of 0: models predict from all columns.
        arrays["coef"] = np.bincount(used, weights=arrays["coef"], minlength=rows.shape[1])
    return Fitted(
        kind=kind,
        parameters=dict(parameters),
        mean=mean,
        scale=scale,
        offset=offset,
        spread=spread,
        arrays=arrays,
        probes=probes,
        probe_scores=offset + spread * found,
    )


def _columns_kept(rows: Floats, n_source: int) -> Ints:
    """Columns of comparisons that stepwise selection keeps; those of the source are dropped: they do not differ."""
    first, second = np.split(rows[: len(rows) // 2, n_source:], 2, axis=1)
    kept = selected(first - second)
    if not kept:
        raise InputError("stepwise selection keeps no feature: none is related to the preferences")
    return np.array([n_source + side * first.shape[1] + feature for side in (0, 1) for feature in kept])


def _one_thread(kind: ModelKind) -> Any:
    """Limit trees to one thread: threads of OpenMP wait for each other busily, for minutes if cores are shared."""
    if not kind.threaded:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def standardised(x: Floats, mean: Floats, scale: Floats) -> Floats:
    """(x - mean) / scale, 0 if x is missing."""
    return np.nan_to_num((x - mean) / scale, nan=0.0)


def _ranges(x: Floats, pairs: Any) -> tuple[Floats, Floats]:
    """Zeros as means, and the range of the differences of pairs in both orders; 1 if all differences are 0."""
    largest = np.nan_to_num(np.abs(x[pairs[0]] - x[pairs[1]])).max(axis=0, initial=0.0)
    return np.zeros(x.shape[1]), np.where(largest > 0, 2 * largest, 1.0)


def _slope(values: Floats, target: Any) -> float:
    """The log-odds of one unit of a classifier's values, by logistic regression (Platt 1999)."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e8, fit_intercept=False).fit(values[:, None], target)
    return float(max(fitted.coef_[0, 0], TOLERANCE))


def _moments(x: Floats) -> tuple[Floats, Floats]:
    # StandardScaler of scikit-learn gives the same bits, but rejects infinite values and has no mean of missing ones.
    there = np.isfinite(x)
    n = np.maximum(there.sum(axis=0), 1)
    values = np.where(there, x, 0.0)
    mean = values.sum(axis=0) / n
    scale = np.sqrt((np.where(there, x - mean, 0.0) ** 2).sum(axis=0) / n)
    return mean, np.where(scale > TOLERANCE * np.maximum(np.abs(mean), 1.0), scale, 1.0)
