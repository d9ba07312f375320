"""Checks that the arrays of a model that was read from a file make up a complete model.

Arrays must have the types and sizes of their form (``predictors``), fit each other and the number of features, and be
finite; numbers of nodes and features must be in range. Then the model must give its stored probes the scores that
scikit-learn gave them when the model was trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mtassay.learn.models import Fitted
    from mtassay.learn.predictors import Arrays

#: Largest relative difference between the scores of probes and the stored ones: that of rounding.
_TOLERANCE = 1e-9
#: Shapes of the arrays of each form: 1 or a letter for each axis; equal letters mean equal lengths.
_SHAPES = {
    "linear": {"coef": "f", "intercept": "1"},
    "gaussian": {"vectors": "nf", "coef": "n", "intercept": "1", "gamma": "1"},
    "trees": {
        "roots": "t",
        "baseline": "1",
        **dict.fromkeys(("feature", "threshold", "left", "right", "value"), "n"),
    },
}
_PLACES = ("roots", "feature", "left", "right")


class DamagedError(ValueError):
    """The error for a damaged model; its message says what is wrong."""


def check_model(fitted: Fitted, n_features: int) -> None:
    """Raise `DamagedError` unless a model with `n_features` features is complete and scores its probes as stored."""
    _need(fitted.parameters.keys() == fitted.kind.grid.keys(), "it has other parameters than its kind of model")
    form, sizes = fitted.kind.form, {"1": 1, "f": n_features}
    _need(fitted.arrays.keys() == _SHAPES[form].keys(), "it has other arrays than its kind of model")
    outer = {"mean": fitted.mean, "scale": fitted.scale, "probe_scores": fitted.probe_scores}
    _check_arrays(outer, {"mean": "f", "scale": "f", "probe_scores": "p"}, sizes)
    _need(bool((fitted.scale > 0).all()), "scale is not positive")
    # Features of probes may be missing.
    _check_arrays({"probes": np.nan_to_num(fitted.probes)}, {"probes": "pf"}, sizes)
    _check_arrays(fitted.arrays, _SHAPES[form], sizes)
    if form == "trees":
        _check_trees(fitted.arrays, n_features)
    _check_probes(fitted)


def _check_arrays(arrays: Arrays, shapes: dict[str, str], sizes: dict[str, int]) -> None:
    """Check types, sizes and numbers; `sizes` has the length of each letter, and lengths of new letters are added."""
    for name, letters in shapes.items():
        array = arrays[name]
        wanted = np.int64 if name in _PLACES else np.float64
        _need(array.dtype == wanted and array.ndim == len(letters), f"{name} is an array of another type")
        shape = tuple(sizes.setdefault(letter, n) for letter, n in zip(letters, array.shape, strict=True))
        _need(array.shape == shape, f"{name} has the shape {array.shape} instead of {shape}")
        _need(bool(np.isfinite(array).all()), f"{name} has numbers that are not finite")


def _check_trees(arrays: Arrays, n_features: int) -> None:
    """Check that every node is a leaf or has two children with higher numbers in the same tree."""
    roots, feature, left, right = (arrays[name] for name in ("roots", "feature", "left", "right"))
    n = len(feature)
    _need(
        len(roots) > 0 and roots[0] == 0 and bool((np.diff(roots, append=n) > 0).all()), "roots are not those of trees"
    )
    _need(bool(((feature >= 0) & (feature < n_features)).all()), "feature has a number that no feature has")
    places = np.arange(n)
    is_leaf = (left == places) & (right == places)
    inner = ~is_leaf
    children = np.concatenate([left[inner], right[inner]])
    # Each node except the roots is the child of exactly one node before it, so there are no cycles.
    whole = np.array_equal(np.sort(children), np.setdiff1d(places, roots))
    onward = bool(((left > places) & (right > places))[inner].all())
    _need(whole and onward, "left and right do not make trees")
    tree = np.searchsorted(roots, places, side="right")
    _need(bool((tree[left] == tree).all() and (tree[right] == tree).all()), "left and right do not make trees")


def _check_probes(fitted: Fitted) -> None:
    stored = fitted.probe_scores
    with np.errstate(all="ignore"):  # numbers may be finite but meaningless
        found = fitted.scores(fitted.probes)
    apart = ~(np.abs(found - stored) <= _TOLERANCE * (np.abs(stored) + fitted.spread))
    if apart.any():
        place = int(np.flatnonzero(apart)[0])
        raise DamagedError(f"it scores a stored probe {found[place]:.6g} instead of {stored[place]:.6g}")


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise DamagedError(what)
