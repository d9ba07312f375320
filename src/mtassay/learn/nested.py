"""The gain of a learned metric over its best single feature, by nested cross-validation over segments.

Segments are split into five folds. For each fold, everything is chosen on the other four: kind of model, features and
parameters on a held-out sixth of their segments, the single feature on all of them. The fold itself plays no part in
these choices; it is only scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.equality import best_first
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.learn.bootstrap import TRIALS, Difference, Trials, number, trials
from mtassay.learn.models import CLASSIFICATION, REGRESSION, kind_of
from mtassay.learn.search import rho, scores_of, search
from mtassay.learn.stored_parts import cached
from mtassay.results import Result
from mtassay.stats.correlations import averaged
from mtassay.stats.resamples import check_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.learn.models import Fitted
    from mtassay.learn.training_data import Material
    from mtassay.types import Floats, Ints


SCHEMA = "mtassay.learn.nested/1"
FOLDS = 5
#: This many features, those with the largest correlation on the training folds, are tried as an alternative to all.
FEWER = 8
REGRESSORS, CLASSIFIERS = ("svr", "ridge", "trees"), ("svm",)
BEST_FEATURE = "best feature"


@dataclass(frozen=True)
class Choice:
    """What was chosen for one fold.

    Attributes:
        model: the kind of model.
        parameters: its parameters.
        features: names of the features.
        held_out: Spearman's ρ on the held-out sixth of the training folds.
    """

    model: str
    parameters: dict[str, float]
    features: tuple[str, ...]
    held_out: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NestedResult(Result):
    """Correlations of learned metrics and of features on segments that played no part in choosing them.

    Attributes:
        name: name of the test set.
        n_outputs: number of outputs with a human score.
        n_segments: number of segments with a human score.
        rows: names of the metrics that are compared: ``regression``, ``classification`` if there are two references,
            the best feature, and every feature.
        trials: correlations of the rows, in this order.
        choices: by ``regression`` and ``classification``, the choices for each fold.
        best_features: for each fold, the single feature that was best on the training folds.
        folds: Spearman's ρ within each fold, shape (rows, folds).
        within: mean over segments of Spearman's ρ over the outputs of a segment, shape (rows,): how well a metric ranks
            translations of the same source, independently of differences between segments.
    """

    verb: ClassVar[str] = "learn_nested"

    name: str
    n_outputs: int
    n_segments: int
    rows: tuple[str, ...]
    trials: Trials
    choices: dict[str, tuple[Choice, ...]]
    best_features: tuple[str, ...]
    folds: Floats
    within: Floats

    def gain(self, row: str = "regression") -> Difference:
        """The gain of a learned metric over the best feature of the training folds."""
        return self.trials.difference(self.rows.index(row), self.rows.index(BEST_FEATURE))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        learned = list(self.choices)
        return {
            "schema": SCHEMA,
            "testset": self.name,
            "outputs": self.n_outputs,
            "segments": self.n_segments,
            "metrics": [
                {
                    "name": row,
                    "correlation": number(self.trials.values[place]),
                    "interval": [number(end) for end in self.trials.interval(place)],
                    "mean_of_trials": number(self.trials.in_paper(place)),
                    "within_segments": number(self.within[place]),
                    "folds": [number(value) for value in self.folds[place].tolist()],
                }
                for place, row in enumerate(self.rows)
            ],
            "gains": {row: {name: number(value) for name, value in vars(self.gain(row)).items()} for row in learned},
            "choices": {
                row: [
                    {**vars(choice), "features": list(choice.features), "held_out": number(choice.held_out)}
                    for choice in self.choices[row]
                ]
                for row in learned
            },
            "best_features": list(self.best_features),
        }

    def __repr__(self) -> str:
        return f"NestedResult({self.name}, {self.n_segments} segments)"


def folds_of(segments: Ints, n_folds: int, seed: int) -> list[Ints]:
    """Split segments at random into folds of about the same size, each in ascending order.

    >>> [len(fold) for fold in folds_of(np.arange(5), 2, seed=0)]
    [3, 2]
    """
    if not 2 <= n_folds <= len(segments) // 2:
        raise InputError(f"{len(segments)} judged segments cannot be split into {n_folds} folds of two or more")
    # KFold of scikit-learn splits as evenly, but gives other folds for a seed: published numbers would change.
    order = np.random.default_rng(check_seed(seed)).permutation(segments)
    return [np.sort(order[fold::n_folds]) for fold in range(n_folds)]


def nested(
    material: Material,
    *,
    regressors: Sequence[str] = REGRESSORS,
    n_folds: int = FOLDS,
    n_trials: int = TRIALS,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> NestedResult:
    """Compare learned metrics with single features by nested cross-validation.

    Args:
        material: features and human scores; if it has human translations, a classifier is compared, too.
        regressors: kinds of model from which regression may choose.
        n_folds: number of outer folds.
        n_trials: number of resamples of the bootstrap.
        seed: seed of the folds, the held-out segments and the resamples.
        execution: how the work is run.
    """
    if not regressors:
        raise InputError("there is no kind of model to choose from")
    segments, gold = material.judged, material.gold
    folds = folds_of(segments, n_folds, seed)
    framings: dict[str, Sequence[str]] = {REGRESSION: regressors}
    if material.people is not None:
        framings[CLASSIFICATION] = CLASSIFIERS
    learned = {framing: np.full(gold.shape, np.nan) for framing in framings}
    choices: dict[str, list[Choice]] = {framing: [] for framing in framings}
    for place, framing in execution.progress([(place, framing) for framing in framings for place in range(n_folds)]):
        fold = folds[place]
        training = np.setdiff1d(segments, fold)
        key = {
            "study": SCHEMA,
            "data": material.digest,
            "training": training.tolist(),
            "kinds": [[name, kind_of(name).candidates()] for name in framings[framing]],
            "seed": seed,
        }
        found = cached(key, partial(_fold, material, framings[framing], training, fold, seed, execution.quiet.unkept))
        learned[framing][:, fold] = found["scores"]
        choices[framing].append(
            Choice(found["model"], found["parameters"], tuple(found["features"]), found["held_out"])
        )
    single, names = _best_feature(material, folds)
    rows = (*framings, BEST_FEATURE, *material.features)
    scores = np.concatenate([[*learned.values(), single], np.moveaxis(material.x, 2, 0)])
    return NestedResult(
        name=material.name,
        n_outputs=int(np.isfinite(gold).sum()),
        n_segments=len(segments),
        rows=rows,
        trials=trials(gold, scores, n_trials=n_trials, seed=seed),
        choices={framing: tuple(found) for framing, found in choices.items()},
        best_features=names,
        folds=np.array([[rho(gold[:, fold], row[:, fold]) for fold in folds] for row in scores]),
        within=averaged(gold, _complete(scores), kind="spearman", average="segment").values,
    )


def _complete(scores: Floats) -> Floats:
    """Scores with missing ones replaced by a value below the lowest of their metric, as in resamples."""
    lowest = np.nanmin(scores, axis=(1, 2), keepdims=True)
    return np.where(np.isfinite(scores), scores, lowest - 1.0)


def _fold(
    material: Material, kinds: Sequence[str], training: Ints, fold: Ints, seed: int, execution: Execution
) -> dict[str, Any]:
    """Choose the kind of model, then whether to use fewer features; train on all training segments, score the fold."""
    options: dict[str, Any] = {"criterion": "correlation", "seed": seed, "execution": execution}
    tried = {name: search(material, kind_of(name), training, **options).best for name in kinds}
    name = list(tried)[best_first([one.correlation for one in tried.values()])[0]]
    kind, best, part = kind_of(name), tried[name], material
    if len(material.features) > FEWER:
        sizes = [abs(_feature_rho(material, feature, training)) for feature in material.features]
        fewer = material.with_features([material.features[place] for place in best_first(sizes)[:FEWER]])
        of_fewer = search(fewer, kind, training, **options).best
        if best_first([best.correlation, of_fewer.correlation])[0] == 1:
            best, part = of_fewer, fewer
    fitted = part.train(kind, best.parameters, training)
    return {
        "model": kind.name,
        "parameters": best.parameters,
        "features": list(part.features),
        "held_out": best.correlation,
        "scores": _standardised(part, fitted, training, fold).tolist(),
    }


def _standardised(part: Material, fitted: Fitted, training: Ints, fold: Ints) -> Floats:
    """Scores of a fold, standardised by the mean and standard deviation of the scores of the training segments.

    Folds may have models of different kinds, whose scores have different levels: SVR follows the median of human scores
    and ridge their mean, which are far apart if most outputs have no error.
    """
    known = scores_of(part, fitted, training)[np.isfinite(part.gold[:, training])]
    scores: Floats = (scores_of(part, fitted, fold) - known.mean()) / (known.std() or 1.0)
    return scores


def _feature_rho(material: Material, name: str, segments: Ints) -> float:
    found = rho(material.gold[:, segments], material.x[:, segments, material.features.index(name)])
    return found if np.isfinite(found) else 0.0


def _best_feature(material: Material, folds: list[Ints]) -> tuple[Floats, tuple[str, ...]]:
    """For each fold the feature that was best on the others, standardised, with its sign so that higher is better.

    Returns:
        scores, shape (systems, segments), and the name of the feature for each fold.
    """
    segments = material.judged
    scores = np.full(material.gold.shape, np.nan)
    names = []
    for fold in folds:
        training = np.setdiff1d(segments, fold)
        correlations = {name: _feature_rho(material, name, training) for name in material.features}
        best = material.features[best_first(np.abs(list(correlations.values())))[0]]
        values = material.x[..., material.features.index(best)]
        mean, deviation = float(np.nanmean(values[:, training])), float(np.nanstd(values[:, training])) or 1.0
        scores[:, fold] = np.sign(correlations[best]) * (np.nan_to_num(values[:, fold], nan=mean) - mean) / deviation
        names.append(best)
    return scores, tuple(names)
