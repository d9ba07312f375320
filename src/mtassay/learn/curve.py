"""Learning curves: correlation by number of training examples (Figure 2 of Albrecht & Hwa 2007).

Segments are split into folds, each of which is the test fold once. A sixth of the other segments is held out to choose
parameters; from the rest, random segments are taken until they have the wanted number of examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mtassay.equality import best_first
from mtassay.errors import InputError, counted
from mtassay.execution import SERIAL, Execution
from mtassay.learn.bootstrap import number
from mtassay.learn.features import chosen
from mtassay.learn.models import CLASSIFICATION, kind_of
from mtassay.learn.nested import folds_of
from mtassay.learn.search import HELD_OUT, Tried, measured, rho, spearman, split
from mtassay.learn.stored_parts import cached
from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.learn.models import ModelKind, Parameters
    from mtassay.learn.training_data import Material
    from mtassay.types import Ints


SCHEMA = "mtassay.learn.curve/1"
SIZES = (50, 100, 250, 500, 1000, 2000, 4000)
FOLDS = 3


@dataclass(frozen=True)
class Point:
    """One point of a learning curve.

    Attributes:
        examples: number of training examples, mean over folds, rounded.
        correlation: Spearman's ρ on the test fold, mean over folds.
        deviation: standard deviation of ρ over folds.
        accuracy: share of human and machine translations of the test fold that are classified correctly, mean over
            folds; NaN for regression.
    """

    examples: int
    correlation: float
    deviation: float
    accuracy: float


@dataclass(frozen=True, eq=False, repr=False)
class CurveResult(Result):
    """Learning curves.

    Attributes:
        name: name of the test set.
        n_folds: number of folds.
        curves: points by set of features and kind of model.
        baselines: Spearman's ρ of standard metrics on the same segments, mean over folds.
    """

    verb: ClassVar[str] = "learn_curve"

    name: str
    n_folds: int
    curves: dict[tuple[str, str], tuple[Point, ...]]
    baselines: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "testset": self.name,
            "folds": self.n_folds,
            "curves": [
                {
                    "features": features,
                    "model": model,
                    "points": [_described(point) for point in points],
                }
                for (features, model), points in self.curves.items()
            ],
            "baselines": self.baselines,
        }

    def __repr__(self) -> str:
        return f"CurveResult({self.name}, {len(self.curves)} curves)"


def curve(
    material: Material,
    sets: Sequence[str],
    *,
    models: Sequence[str] = ("svr", "svm"),
    sizes: Sequence[int] = SIZES,
    n_folds: int = FOLDS,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> CurveResult:
    """Compute learning curves.

    Args:
        material: training data with the features of all sets, baselines and, for ``svm``, human translations.
        sets: names of sets of features, one curve each.
        models: kinds of model, one curve each; ``svm`` is left out if there are fewer than two references.
        sizes: numbers of examples; those for which a fold has too few examples are left out, an error if all are.
        n_folds: number of folds.
        seed: seed of the folds and of the choice of segments.
        execution: how the work is run.
    """
    kinds = [kind_of(name) for name in models]
    if material.people is None:
        kinds = [kind for kind in kinds if kind.framing != CLASSIFICATION]
    if not kinds or not sets or not sizes:
        raise InputError("a learning curve needs a model, a set of features and a number of examples")
    sizes = sorted(set(sizes))
    folds = folds_of(material.judged, n_folds, seed)
    parts = {name: material.with_features([feature.name for feature in chosen(name)]) for name in sets}
    work = [(name, kind, fold) for name in sets for kind in kinds for fold in range(n_folds)]
    found: dict[tuple[str, str], list[list[list[float]]]] = {(name, kind.name): [] for name, kind, _ in work}
    for name, kind, fold in execution.progress(work):
        key = {
            "study": SCHEMA,
            "data": parts[name].digest,
            "kind": kind.name,
            "grid": kind.candidates(),
            "sizes": list(sizes),
            "fold": folds[fold].tolist(),
            "seed": seed,
        }
        found[name, kind.name].append(
            cached(key, partial(_points, parts[name], kind, folds[fold], sizes, seed, execution.quiet.unkept))
        )
    return CurveResult(
        material.name,
        n_folds,
        {place: _means(of_folds) for place, of_folds in found.items()},
        {
            name: float(np.mean([rho(material.gold[:, fold], scores[:, fold]) for fold in folds]))
            for name, scores in material.baselines.items()
        },
    )


def _described(point: Point) -> dict[str, Any]:
    return {name: number(value) if name != "examples" else value for name, value in point.__dict__.items()}


def _points(
    material: Material, kind: ModelKind, fold: Ints, sizes: Sequence[int], seed: int, execution: Execution
) -> list[list[float]]:
    """For each size: number of examples, correlation and accuracy on the fold."""
    training, held_out = split(np.setdiff1d(material.judged, fold), HELD_OUT, seed)
    order = np.random.default_rng(seed + 1).permutation(training)
    n_all = len(material.examples(kind, order)[0])
    per_segment = n_all / len(order)
    if max(2, round(sizes[0] / per_segment)) > len(order):
        raise InputError(f"a fold has {counted(n_all, 'example')} to train {kind.name} on: give a number below that")
    points = []
    for size in sizes:
        n = max(2, round(size / per_segment))
        if n > len(order):
            break
        segments = np.sort(order[:n])

        shared = _Attempts(material, kind, segments, held_out)
        tried = list(execution.map_chunks(_attempt, kind.candidates(), shared=shared))
        best = tried[best_first([one.correlation for one in tried])[0]]
        fitted = material.train(kind, best.parameters, segments)
        n_examples = len(material.examples(kind, segments)[0])
        points.append([float(n_examples), *measured(material, fitted, fold)])
    return points


class _Attempts(NamedTuple):
    """Data shared by all attempts."""

    material: Material
    kind: ModelKind
    segments: Ints
    held_out: Ints


def _attempt(shared: _Attempts, parameters: Parameters) -> Tried:
    fitted = shared.material.train(shared.kind, parameters, shared.segments)
    return Tried(parameters, spearman(shared.material, fitted, shared.held_out), float("nan"))


def _means(of_folds: list[list[list[float]]]) -> tuple[Point, ...]:
    n = min(map(len, of_folds))
    values = np.array([points[:n] for points in of_folds], dtype=np.float64).reshape(len(of_folds), n, 3)
    mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1)
    return tuple(Point(round(mean[i, 0]), mean[i, 1], deviation[i, 1], mean[i, 2]) for i in range(n))
