"""Models whose arrays were changed, and saved with the right sum, as somebody who means harm would."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.learn.model_file import LearnedModel, load_model
from mtassay.learn.models import CLASSIFICATION, COMPARISON, KINDS, PREFERENCE, Fitted, fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FACTS = {"name": "made", "sha256": "0" * 64, "n_references": 2}
FEATURES = ("bleu", "chrf", "ter")
#: Their comparisons have three columns, too.
COMPARED = ("source_words", "words")
X = np.random.default_rng(1).normal(size=(80, 3))


def _fitted(name: str, x: np.ndarray = X, wanted: np.ndarray | None = None) -> Fitted:
    kind = KINDS[name]
    target = X[:, 0] - X[:, 1] if wanted is None else wanted
    if kind.framing in {CLASSIFICATION, COMPARISON}:
        target = (target > 0).astype(int)
    elif kind.framing == PREFERENCE:
        order = np.argsort(-target)
        target = np.stack([order[:-1], order[1:]])
    return fit(kind, kind.candidates()[0], x, target)


def _loaded(fitted: Fitted, path: Path) -> LearnedModel:
    features = COMPARED if fitted.kind.framing == COMPARISON else FEATURES
    LearnedModel(fitted, features, FACTS).save(path)
    return load_model(path)


def _attribute(name: str, change: Callable[[Any], Any]) -> Callable[[Any], None]:
    def changed(estimator: Any) -> None:
        setattr(estimator, name, change(getattr(estimator, name)))

    return changed


def _half(array: Any) -> Any:
    return array[..., : array.shape[-1] // 2].copy()


def _with(place: Any, value: Any) -> Callable[[Any], Any]:
    def changed(array: Any) -> Any:
        copy = array.copy()
        copy[place] = value
        return copy

    return changed


def _wider(array: Any) -> Any:
    return np.concatenate([array, array[:, :2]], axis=1)


def _node(field: str, value: Any, node: int = 0) -> Callable[[Any], None]:
    def changed(estimator: Any) -> None:
        tree = estimator._predictors[3][0]
        tree.nodes = tree.nodes.copy()
        tree.nodes[field][node] = value

    return changed


def _bins(name: str, change: Callable[[Any], Any]) -> Callable[[Any], None]:
    return lambda estimator: _attribute(name, change)(estimator._bin_mapper)


def _moved(counts: Any) -> Any:
    """The same sum, and places outside the arrays."""
    return counts + np.array([10**6, -(10**6)], dtype=counts.dtype)


SUPPORT = [
    (_attribute("dual_coef_", _half), "dual_coef_ has the shape"),
    (_attribute("_dual_coef_", _half), "_dual_coef_ has the shape"),
    (_attribute("_dual_coef_", np.negative), "dual_coef_ and _dual_coef_ are not the same"),
    (_attribute("_dual_coef_", _with((0, 0), np.nan)), "_dual_coef_ has numbers that are not finite"),
    (_attribute("support_", _half), "support_vectors_ has the shape"),
    (_attribute("support_", _with(-1, 10**6)), "support_ points to examples"),
    (_attribute("support_", _with(0, -1)), "support_ points to examples"),
    (_attribute("support_", lambda array: array.astype(np.int64)), "support_ is an array of another type"),
    (_attribute("support_vectors_", _wider), r"support_vectors_ has the shape \([0-9]+, 5\) instead of \([0-9]+, 3\)"),
    (_attribute("support_vectors_", lambda array: array[:-1].copy()), "support_vectors_ has the shape"),
    (_attribute("support_vectors_", np.ravel), "support_vectors_ is an array of another type"),
    (_attribute("support_vectors_", _with((0, 0), np.inf)), "support_vectors_ has numbers that are not finite"),
    (_attribute("_n_support", _with(0, 3)), "_n_support is not the number of support vectors"),
    (_attribute("_n_support", lambda array: array[:1].copy()), "_n_support has the shape"),
    (_attribute("_probA", lambda array: np.ones(1)), "_probA has the shape"),
    (_attribute("_intercept_", lambda array: np.ones(4)), "_intercept_ has the shape"),
    (_attribute("_intercept_", lambda array: array + 1), "intercept_ and _intercept_ are not the same"),
    (_attribute("shape_fit_", lambda shape: (shape[0], 9)), "shape_fit_ is"),
    (_attribute("_gamma", lambda gamma: 7.0), "_gamma is not the one of the parameters"),
    (_attribute("kernel", lambda kernel: "precomputed"), "kernel is 'precomputed' instead of 'rbf'"),
    (_attribute("coef0", lambda coef0: 5.0), "coef0 is not the one of the parameters"),
    (_attribute("_sparse", lambda sparse: True), "_sparse is True instead of False"),
    (lambda estimator: setattr(estimator, "_impl", "nu_svr"), "the estimator has other attributes"),
    (_attribute("n_features_in_", lambda n: 2), "another number of features"),
]
CLASSIFIER = [
    (
        _attribute("_n_support", _moved),
        "_n_support is not",
    ),
    (_attribute("classes_", lambda classes: classes[::-1].copy()), "classes_ are not 0 and 1"),
]
LINEAR = [
    (_attribute("coef_", _half), "coef_ has the shape"),
    (_attribute("coef_", lambda array: array * np.nan), "coef_ has numbers that are not finite"),
    (_attribute("coef_", lambda array: array.astype(complex)), "coef_ is an array of another type"),
    (_attribute("intercept_", lambda value: np.zeros((2, 2))), "intercept_ is"),
]
TREES = [
    (_node("left", 10**6), "the nodes of tree 4 do not make a tree"),
    (_node("left", 0), "the nodes of tree 4 do not make a tree"),
    (_node("is_leaf", 0, node=-1), "the nodes of tree 4 do not make a tree"),
    (_node("feature_idx", 3), "tree 4 has a feature that there is not"),
    (_node("feature_idx", -1), "tree 4 has a feature that there is not"),
    (_node("is_categorical", 1), "tree 4 splits by categories"),
    (_node("value", np.nan, node=-1), "tree 4 has numbers that are not finite"),
    (_node("num_threshold", np.nan), "tree 4 has numbers that are not finite"),
    (lambda estimator: estimator._predictors.pop(), "_predictors lack trees"),
    (lambda estimator: estimator._predictors[5].append(estimator._predictors[6][0]), "_predictors lack trees"),
    (_attribute("n_trees_per_iteration_", lambda n: 2), "n_trees_per_iteration_ is not 1"),
    (_attribute("_n_features", lambda n: 2), "_n_features is not"),
    (_attribute("_baseline_prediction", lambda array: np.ones((1, 2))), "_baseline_prediction has the shape"),
    (lambda estimator: setattr(estimator, "_in_fit", True), "the estimator has other attributes"),
    (_bins("is_categorical_", _with(0, 1)), "is_categorical_ says"),
    (_bins("is_categorical_", _half), "is_categorical_ has the shape"),
    (_bins("bin_thresholds_", lambda found: found[:-1]), "bin_thresholds_ lack numbers"),
    (_bins("bin_thresholds_", lambda found: [one[::-1].copy() for one in found]), "bin_thresholds_ do not rise"),
    (_bins("missing_values_bin_idx_", lambda n: 3), "missing_values_bin_idx_ is 3"),
]
CASES = [
    *(("svr", *case) for case in SUPPORT),
    *(("svm", *case) for case in SUPPORT + CLASSIFIER),
    *((name, *case) for name in ("ridge", "logistic", "pairwise") for case in LINEAR),
    *(("trees", *case) for case in TREES),
]


@pytest.mark.parametrize(
    ("name", "change", "message"), CASES, ids=[f"{number}-{case[0]}" for number, case in enumerate(CASES)]
)
def test_changed_estimators_are_refused(
    name: str, change: Callable[[Any], None], message: str, tmp_path: Path, fitted_models: dict[str, Fitted]
) -> None:
    fitted = replace(fitted_models[name], estimator=deepcopy(fitted_models[name].estimator))
    change(fitted.estimator)
    with pytest.raises(InputError, match=rf"m\.skops is not loaded: it is damaged: .*{message}"):
        _loaded(fitted, tmp_path / "m.skops")


@pytest.fixture(scope="module")
def fitted_models() -> dict[str, Fitted]:
    return {name: _fitted(name) for name in KINDS}


@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.parametrize(
    ("what", "value", "message"),
    [
        ("mean", np.full(3, np.nan), "mean has numbers that are not finite"),
        ("mean", np.zeros(4), "mean has the shape"),
        ("scale", np.array([1.0, np.inf, 1.0]), "scale has numbers that are not finite"),
        ("scale", np.array([1.0, 0.0, 1.0]), "scale is not positive"),
        ("scale", np.ones(1), "scale has the shape"),
        ("mean", np.zeros(3, dtype=np.float32), "mean is an array of another type"),
        ("parameters", {"max_iter": 5}, "it has other parameters than its kind of model"),
    ],
)
def test_changed_moments_and_parameters_are_refused(
    name: str, what: str, value: Any, message: str, tmp_path: Path, fitted_models: dict[str, Fitted]
) -> None:
    with pytest.raises(InputError, match=message):
        _loaded(replace(fitted_models[name], **{what: value}), tmp_path / "m.skops")


@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.parametrize("what", ["usual", "constant feature", "few examples", "large numbers"])
def test_whole_models_are_loaded(name: str, what: str, tmp_path: Path) -> None:
    x = {
        "usual": X,
        "constant feature": X * [1, 0, 1],
        "few examples": np.vstack([X[:3]] * 27)[:80],
        "large numbers": X * 1e9 + 1e12,
    }[what]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = _fitted(name, x)
    np.testing.assert_array_equal(_loaded(fitted, tmp_path / "m.skops").fitted.scores(x), fitted.scores(x))


@pytest.mark.parametrize("name", ["svr", "ridge", "trees"])
def test_models_that_learned_nothing_are_loaded(name: str, tmp_path: Path) -> None:
    """Of human scores that are all the same, a model has no support vectors or trees of one node."""
    fitted = _fitted(name, X, np.full(80, 7.0))
    assert set(_loaded(fitted, tmp_path / "m.skops").fitted.scores(X).round(9)) == {7.0}
