"""Models whose arrays were changed, and saved with the right sum, as somebody who means harm would."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mtassay.errors import InputError
from mtassay.learn.model_file import LearnedModel, load_model
from mtassay.learn.models import CLASSIFICATION, COMPARISON, MODELS, PREFERENCE, Fitted, fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FACTS = {"name": "made", "sha256": "0" * 64, "n_references": 2}
FEATURES = ("bleu", "chrf", "ter")
#: Their comparisons have three columns, too.
COMPARED = ("source_words", "words")
X = np.random.default_rng(1).normal(size=(80, 3))


def _fitted(name: str, x: np.ndarray = X, wanted: np.ndarray | None = None) -> Fitted:
    kind = MODELS[name]
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


def _half(array: Any) -> Any:
    return array[..., : array.shape[-1] // 2].copy()


def _with(place: Any, value: Any) -> Callable[[Any], Any]:
    def changed(array: Any) -> Any:
        copy = array.copy()
        copy[place] = value
        return copy

    return changed


def _shuffled(array: Any) -> Any:
    return array[::-1].copy()


COMMON = [
    ("probe_scores", _half, "probes has the shape"),
    ("probe_scores", _with(0, np.nan), "probe_scores has numbers that are not finite"),
    ("probe_scores", _with(3, 1e6), "it scores a stored probe .* instead of 1e\\+06"),
    ("probes", _shuffled, "it scores a stored probe"),
]
SUPPORT = [
    ("coef", _half, "coef has the shape"),
    ("coef", np.negative, "it scores a stored probe"),
    ("coef", _with(0, np.nan), "coef has numbers that are not finite"),
    ("coef", lambda array: array.astype(np.int64), "coef is an array of another type"),
    ("vectors", _half, r"vectors has the shape \([0-9]+, 1\) instead of \([0-9]+, 3\)"),
    ("vectors", np.ravel, "vectors is an array of another type"),
    ("vectors", _with((0, 0), np.inf), "vectors has numbers that are not finite"),
    ("intercept", lambda array: np.ones(4), "intercept has the shape"),
    ("intercept", lambda array: array + 1, "it scores a stored probe"),
    ("gamma", lambda array: array * 2, "it scores a stored probe"),
    ("gamma", lambda array: array * -1e9, "it scores a stored probe"),
]
LINEAR = [
    ("coef", _half, "coef has the shape"),
    ("coef", lambda array: array * np.nan, "coef has numbers that are not finite"),
    ("coef", lambda array: array.astype(np.int64), "coef is an array of another type"),
    ("coef", lambda array: array * (1 + 1e-7), "it scores a stored probe"),
    ("intercept", lambda array: np.zeros((2, 2)), "intercept is an array of another type"),
]
TREES = [
    ("left", _with(0, 10**6), "left and right do not make trees"),
    ("left", _with(0, 0), "left and right do not make trees"),
    ("left", _with(0, -1), "left and right do not make trees"),
    ("right", _shuffled, "left and right do not make trees"),
    ("feature", _with(0, 3), "feature has a number that no feature has"),
    ("feature", _with(0, -1), "feature has a number that no feature has"),
    ("value", _with(-1, np.nan), "value has numbers that are not finite"),
    ("value", lambda array: array * 2, "it scores a stored probe"),
    ("threshold", _with(0, np.nan), "threshold has numbers that are not finite"),
    ("threshold", _half, "threshold has the shape"),
    ("roots", _shuffled, "roots are not those of trees"),
    ("roots", lambda array: array[:-1], "left and right do not make trees"),
    ("roots", lambda array: array[:0], "roots are not those of trees"),
    ("baseline", lambda array: array + 1, "it scores a stored probe"),
]
CASES = [
    *((name, *case) for name in MODELS for case in COMMON),
    *((name, *case) for name in ("svr", "svm") for case in SUPPORT),
    *((name, *case) for name in ("ridge", "logistic", "pairwise") for case in LINEAR),
    *(("trees", *case) for case in TREES),
]


@pytest.mark.parametrize(
    ("name", "what", "change", "message"),
    CASES,
    ids=[f"{number}-{case[0]}-{case[1]}" for number, case in enumerate(CASES)],
)
def test_changed_arrays_are_refused(
    name: str, what: str, change: Callable[[Any], Any], message: str, tmp_path: Path, fitted_models: dict[str, Fitted]
) -> None:
    fitted = fitted_models[name]
    if what in fitted.arrays:
        fitted = replace(fitted, arrays={**fitted.arrays, what: change(fitted.arrays[what])})
    else:
        fitted = replace(fitted, **{what: change(getattr(fitted, what))})
    with pytest.raises(InputError, match=rf"m\.model is not loaded: it is damaged: .*{message}") as raised:
        _loaded(fitted, tmp_path / "m.model")
    assert "\n" not in str(raised.value)


@pytest.fixture(scope="module")
def fitted_models() -> dict[str, Fitted]:
    return {name: _fitted(name) for name in MODELS}


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize(
    ("what", "value", "message"),
    [
        ("mean", np.full(3, np.nan), "mean has numbers that are not finite"),
        ("mean", np.zeros(4), "mean has the shape"),
        ("scale", np.array([1.0, np.inf, 1.0]), "scale has numbers that are not finite"),
        ("scale", np.array([1.0, 0.0, 1.0]), "scale is not positive"),
        ("scale", np.ones(1), "scale has the shape"),
        ("mean", np.zeros(3, dtype=np.float32), "an array is of another type"),
        ("parameters", {"max_iter": 5}, "it has other parameters than its kind of model"),
    ],
)
def test_changed_moments_and_parameters_are_refused(
    name: str, what: str, value: Any, message: str, tmp_path: Path, fitted_models: dict[str, Fitted]
) -> None:
    with pytest.raises(InputError, match=message):
        _loaded(replace(fitted_models[name], **{what: value}), tmp_path / "m.model")


@pytest.mark.parametrize("name", sorted(MODELS))
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
    np.testing.assert_array_equal(_loaded(fitted, tmp_path / "m.model").fitted.scores(x), fitted.scores(x))


@pytest.mark.parametrize("name", ["svr", "ridge", "trees"])
def test_models_that_learned_nothing_are_loaded(name: str, tmp_path: Path) -> None:
    """Of human scores that are all the same, a model has no support vectors or trees of one node."""
    fitted = _fitted(name, X, np.full(80, 7.0))
    assert set(_loaded(fitted, tmp_path / "m.model").fitted.scores(X).round(9)) == {7.0}
