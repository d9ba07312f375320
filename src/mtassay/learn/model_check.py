"""Whether a model that was read from a file can be what training makes: libraries in C trust its arrays blindly.

A model of the same kind and parameters is trained on two made examples. The one from the file must have the same
attributes, of the same types and with the same settings, and no numbers that are not finite; then the sizes of its
arrays must fit each other and the number of features, and what points to places must stay inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mtassay.learn.models import PREFERENCE, fit

if TYPE_CHECKING:
    from mtassay.learn.models import Fitted, Kind, Parameters


class DamagedError(ValueError):
    """What is wrong with a model."""


def check_model(fitted: Fitted, n_features: int) -> None:
    """Raise `DamagedError` unless a model with so many features is whole."""
    made = _made(fitted.kind, fitted.parameters, n_features)
    _check_like(fitted.mean, made.mean, "mean")
    _check_like(fitted.scale, made.scale, "scale")
    _check_like(fitted.estimator, made.estimator, "the estimator")
    _need(fitted.estimator.n_features_in_ == n_features, "its estimator has another number of features than it says")
    _check_shapes(fitted, {"mean": (n_features,), "scale": (n_features,)})
    _need(bool((fitted.scale > 0).all()), "scale is not positive")
    _CHECKS[fitted.kind.name](fitted.estimator, made.estimator, n_features)


def _made(kind: Kind, parameters: Parameters, n_features: int) -> Fitted:
    _need(parameters.keys() == kind.grid.keys(), "it has other parameters than its kind of model")
    examples = np.repeat([[0.0], [1.0]], n_features, axis=1)
    return fit(kind, parameters, examples, [[1], [0]] if kind.framing == PREFERENCE else [0, 1])


def _check_like(value: Any, like: Any, where: str) -> None:
    """Whether a value has the form of another, which training made; names, switches and settings must be equal."""
    _need(type(value) is type(like), f"{where} is of another type")
    if isinstance(like, np.ndarray):
        _need(value.dtype == like.dtype and value.ndim == like.ndim, f"{where} is an array of another type")
        _need(value.dtype.kind != "f" or bool(np.isfinite(value).all()), f"{where} has numbers that are not finite")
    elif isinstance(like, float | np.floating):
        _need(bool(value == like or np.isfinite(value)), f"{where} is not finite")
    elif isinstance(like, tuple):
        _need(len(value) == len(like), f"{where} has another length")
        for part, like_part in zip(value, like, strict=True):
            _check_like(part, like_part, where)
    elif isinstance(like, list):
        for part in value:
            _check_like(part, like[0], where)
    elif like is None or isinstance(like, str | bool):
        _need(value == like, f"{where} is {value!r} instead of {like!r}")
    elif hasattr(like, "__dict__"):
        _need(vars(value).keys() == vars(like).keys(), f"{where} has other attributes than a model of its kind")
        settings = like.get_params(deep=False) if hasattr(like, "get_params") else {}
        for name, part in vars(like).items():
            _check_like(vars(value)[name], part, name)
            # A learned number may differ, a setting may not.
            _need(name not in settings or vars(value)[name] == part, f"{name} is not the one of the parameters")


def _check_shapes(owner: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        found = getattr(owner, name).shape
        _need(found == shape, f"{name} has the shape {found} instead of {shape}")


def _check_support(estimator: Any, made: Any, n_features: int) -> None:
    """Support vector machines: libsvm reads as many vectors and coefficients as it is told there are."""
    n = len(estimator.support_)
    _check_shapes(
        estimator,
        {
            "support_": (n,),
            "support_vectors_": (n, n_features),
            **dict.fromkeys(("dual_coef_", "_dual_coef_"), (1, n)),
            **dict.fromkeys(("intercept_", "_intercept_"), (1,)),
            **{name: getattr(made, name).shape for name in ("_n_support", "_probA", "_probB", "_num_iter")},
        },
    )
    n_examples, width = estimator.shape_fit_
    _need(width == n_features and n_examples >= n, f"shape_fit_ is {estimator.shape_fit_}")
    places = np.unique(estimator.support_)
    inside = len(places) == n and (n == 0 or (places[0] >= 0 and places[-1] < n_examples))
    _need(inside, "support_ points to examples that there cannot be")
    is_classifier = hasattr(made, "classes_")
    counts = estimator._n_support
    right = counts.sum() == n and (counts >= 0).all() if is_classifier else (counts == n).all()
    _need(bool(right), "_n_support is not the number of support vectors")
    # Of two classes, scikit-learn shows the second one's side, and libsvm has the first one's.
    sign = -1 if is_classifier else 1
    for name in ("dual_coef_", "intercept_"):
        same = np.array_equal(getattr(estimator, name), sign * getattr(estimator, f"_{name}"))
        _need(same, f"{name} and _{name} are not the same")
    _need(estimator._gamma == estimator.gamma, "_gamma is not the one of the parameters")
    if is_classifier:
        _check_classes(estimator, made)
        _check_shapes(estimator, {"class_weight_": made.class_weight_.shape})


def _check_linear(estimator: Any, made: Any, n_features: int) -> None:
    _check_shapes(estimator, {"coef_": made.coef_.shape, "intercept_": np.shape(made.intercept_)})
    if hasattr(made, "classes_"):
        _check_classes(estimator, made)


def _check_classes(estimator: Any, made: Any) -> None:
    _need(np.array_equal(estimator.classes_, made.classes_), "classes_ are not 0 and 1")


def _check_trees(estimator: Any, made: Any, n_features: int) -> None:
    """Gradient-boosted trees: the walk down a tree follows the numbers of its nodes, whatever they are."""
    _check_shapes(estimator, {"_baseline_prediction": made._baseline_prediction.shape})
    _need(estimator._n_features == n_features, "_n_features is not the number of features")
    _need(estimator.n_trees_per_iteration_ == 1, "n_trees_per_iteration_ is not 1")
    rounds = estimator._predictors
    _need(len(rounds) == estimator.max_iter and all(len(trees) == 1 for trees in rounds), "_predictors lack trees")
    for number, (tree,) in enumerate(rounds, 1):
        _check_tree(tree, f"tree {number}", n_features)
    bins, like = estimator._bin_mapper, made._bin_mapper
    for name in ("n_bins", "missing_values_bin_idx_"):
        _need(getattr(bins, name) == getattr(like, name), f"{name} is {getattr(bins, name)}")
    _check_shapes(bins, {"is_categorical_": (n_features,), "n_bins_non_missing_": (n_features,)})
    _need(not bins.is_categorical_.any(), "is_categorical_ says that a feature is no number")
    thresholds = bins.bin_thresholds_
    _need([len(one) + 1 for one in thresholds] == bins.n_bins_non_missing_.tolist(), "bin_thresholds_ lack numbers")
    _need(all(len(one) < bins.n_bins and (np.diff(one) > 0).all() for one in thresholds), "bin_thresholds_ do not rise")


def _check_tree(tree: Any, where: str, n_features: int) -> None:
    nodes = tree.nodes
    _check_shapes(tree, dict.fromkeys(("raw_left_cat_bitsets", "binned_left_cat_bitsets"), (0, 8)))
    _need(len(nodes) > 0, f"{where} has no nodes")
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    children = np.stack([nodes[side][inner] for side in ("left", "right")]).astype(np.int64)
    # Each node but the root is the child of one before it: there is no way round or out.
    whole = np.array_equal(np.sort(children, axis=None), np.arange(1, len(nodes))) and bool((children > inner).all())
    _need(whole, f"the nodes of {where} do not make a tree")
    features = nodes["feature_idx"]
    _need(bool(((features >= 0) & (features < n_features)).all()), f"{where} has a feature that there is not")
    _need(not nodes["is_categorical"].any(), f"{where} splits by categories")
    # Above the last threshold there is none.
    numbers = np.isfinite(nodes["value"]).all() and not np.isnan(nodes["num_threshold"]).any()
    _need(bool(numbers), f"{where} has numbers that are not finite")


_CHECKS = {
    "svr": _check_support,
    "svm": _check_support,
    "ridge": _check_linear,
    "logistic": _check_linear,
    "pairwise": _check_linear,
    "trees": _check_trees,
}


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise DamagedError(what)
