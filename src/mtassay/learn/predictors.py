"""Scores of rows from what an estimator of scikit-learn learned, kept as plain arrays.

Models are stored as these arrays and predict with them alone, so that a model does not depend on the version of
scikit-learn that made it. Each form names its arrays:

    linear     coef (features,), intercept (1,): the score is x · coef + intercept
    gaussian   vectors (n, features), coef (n,), intercept (1,), gamma (1,): Σ coef_i exp(-gamma |x - vector_i|²) +
               intercept
    trees      roots (trees,), baseline (1,), and for each node of all trees feature, threshold, left, right, value
               (nodes,): a row goes left if its feature is at most the threshold; a node with left = right = itself is
               a leaf. The score is the baseline plus the values of the leaves that a row reaches

A score depends only on its row, not on the other rows; matrix products by BLAS would not guarantee that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtassay.types import Array, Floats

    Arrays = dict[str, Array]

#: Number of rows whose distances to all support vectors are in memory at a time.
_ROWS_AT_A_TIME = 256


@dataclass(frozen=True)
class Form:
    """How a family of estimators predicts.

    Attributes:
        learned: the arrays of a trained estimator.
        predict: arrays and rows (n, features) -> predictions (n,).
    """

    learned: Callable[[Any], Arrays]
    predict: Callable[[Arrays, Floats], Floats]


def _linear_arrays(estimator: Any) -> Arrays:
    return {"coef": np.ravel(estimator.coef_), "intercept": np.ravel(np.float64(estimator.intercept_))}


def _linear(arrays: Arrays, rows: Floats) -> Floats:
    found: Floats = (rows * arrays["coef"]).sum(axis=1) + arrays["intercept"]
    return found


def _gaussian_arrays(estimator: Any) -> Arrays:
    return {
        "vectors": estimator.support_vectors_,
        "coef": np.ravel(estimator.dual_coef_),
        "intercept": np.ravel(estimator.intercept_),
        "gamma": np.array([estimator.gamma], dtype=np.float64),
    }


def _gaussian(arrays: Arrays, rows: Floats) -> Floats:
    from scipy.spatial.distance import cdist  # takes a while to load

    found = np.empty(len(rows))
    for start in range(0, len(rows), _ROWS_AT_A_TIME):
        part = slice(start, start + _ROWS_AT_A_TIME)
        near = cdist(rows[part], arrays["vectors"], "sqeuclidean")
        near *= -arrays["gamma"]
        np.exp(near, out=near)
        near *= arrays["coef"]
        found[part] = near.sum(axis=1)
    found += arrays["intercept"]
    return found


def _tree_arrays(estimator: Any) -> Arrays:
    trees = [tree.nodes for (tree,) in estimator._predictors]
    sizes = [len(nodes) for nodes in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    nodes, first = np.concatenate(trees), np.repeat(roots, sizes)
    itself = np.arange(len(nodes))
    left, right = (np.where(nodes["is_leaf"], itself, nodes[side] + first) for side in ("left", "right"))
    return {
        "roots": roots,
        "baseline": np.ravel(estimator._baseline_prediction),
        "feature": nodes["feature_idx"].astype(np.int64),
        # An infinite threshold, above the largest value seen, must be finite to be stored; all rows still go left.
        "threshold": np.minimum(nodes["num_threshold"], np.finfo(np.float64).max),
        "left": left.astype(np.int64),
        "right": right.astype(np.int64),
        "value": nodes["value"].astype(np.float64),
    }


def _trees(arrays: Arrays, rows: Floats) -> Floats:
    feature, threshold, left, right = (arrays[name] for name in ("feature", "threshold", "left", "right"))
    is_leaf = left == right
    found = np.full(len(rows), arrays["baseline"].item())
    places = np.arange(len(rows))
    for root in arrays["roots"].tolist():
        at = np.full(len(rows), root)
        while not is_leaf[at].all():
            at = np.where(rows[places, feature[at]] <= threshold[at], left[at], right[at])
        found += arrays["value"][at]
    return found


FORMS = {
    "linear": Form(_linear_arrays, _linear),
    "gaussian": Form(_gaussian_arrays, _gaussian),
    "trees": Form(_tree_arrays, _trees),
}
