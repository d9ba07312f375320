"""Training a metric on a test set with human judgements: the verb ``learn train``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.equality import best_first
from mtassay.errors import InputError
from mtassay.execution import Execution, Progress
from mtassay.learn.bootstrap import number
from mtassay.learn.features import chosen
from mtassay.learn.matrix import Resources, human_references
from mtassay.learn.model_file import LearnedModel
from mtassay.learn.models import CLASSIFICATION, COMPARISON, kind_of, require_packages
from mtassay.learn.search import HELD_OUT, rho, scores_of, search, spearman, split
from mtassay.learn.training_data import Material, check_learnable, material
from mtassay.results import Result
from mtassay.stats.resamples import check_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.io.inputs import PathLike
    from mtassay.learn.models import Fitted, ModelKind
    from mtassay.learn.search import Search

SCHEMA = "mtassay.learn.train/1"


@dataclass(frozen=True)
class Gaming:
    """The effect of automatically assessed examples, on the held-out segments.

    Attributes:
        correlation: Spearman's ρ with human scores, trained without these examples and with them.
        fooled: share of outputs that score lower than another segment's reference, trained without these examples and
            with them.
    """

    correlation: tuple[float, float]
    fooled: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class TrainResult(Result):
    """A trained metric.

    Attributes:
        model: the model, trained on all judged segments with the best parameters.
        search: the search for parameters on the held-out segments.
        features: Spearman's ρ of each feature on the held-out segments; NaN without human scores.
        gaming: the effect of automatically assessed examples; None if none were requested.
    """

    verb: ClassVar[str] = "learn_train"

    model: LearnedModel
    search: Search
    features: dict[str, float]
    gaming: Gaming | None

    @property
    def best_feature(self) -> str | None:
        """The feature with the largest correlation on the held-out segments, whatever its sign."""
        known = {name: abs(value) for name, value in self.features.items() if np.isfinite(value)}
        return list(known)[best_first(list(known.values()))[0]] if known else None

    def save(self, path: PathLike) -> str:
        """Write the model to a file; returns the SHA-256 of its content."""
        return self.model.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        about = self.model.about()
        return {
            "schema": SCHEMA,
            "model": {key: value for key, value in about.items() if key not in {"schema", "offset", "spread"}},
            "criterion": self.search.criterion,
            "held_out_segments": self.search.n_held_out,
            "tried": [
                {
                    "parameters": tried.parameters,
                    "correlation": number(tried.correlation),
                    "accuracy": number(tried.accuracy),
                }
                for tried in self.search.tried
            ],
            "features": {name: number(value) for name, value in self.features.items()},
            "gaming": None
            if self.gaming is None
            else {name: [number(value) for value in getattr(self.gaming, name)] for name in ("correlation", "fooled")},
        }

    def __repr__(self) -> str:
        return f"TrainResult({self.model.signature})"


def train(
    testset: TestSet,
    judgements: Judgements | Sequence[Judgements],
    *,
    model: str = "svr",
    features: str | Sequence[str] = "modern",
    resources: Resources | None = None,
    normalise: str = "mean",
    choose_by: str = "",
    strangers: bool = False,
    standardise: bool = True,
    stepwise: bool = False,
    seed: int = 12345,
    threads: int = 1,
    execution: Execution | None = None,
    progress: Progress = iter,
) -> TrainResult:
    """Train a metric on outputs with human judgements.

    Parameters are chosen on a random sixth of the segments, which is held out; the model is then trained on all.

    Args:
        testset: references and outputs.
        judgements: human scores, or for ``logistic``, ``ranksvm`` and ``pairwise`` rankings or preferences, read with
            ``testset=``.
        model: ``svr``, ``ridge``, ``trees``, ``svm`` (human against machine translations; two references),
            ``logistic``, ``ranksvm`` or ``pairwise``.
        features: names of features or of sets: ``small``, ``full``, ``modern``, ``terrorcat``, ``free``.
        resources: annotator, index and language.
        normalise: normalisation of the scores of each judge: ``mean`` (none), ``z`` or ``even``.
        choose_by: criterion by which parameters are chosen: ``correlation`` or ``accuracy``.
        strangers: whether to add automatically assessed examples: other segments' references, with the lowest score.
        standardise: whether features are divided by their standard deviation.
        stepwise: whether ``pairwise`` first selects features by likelihood-ratio tests.
        seed: seed of the choice of held-out segments.
        threads: number of threads.
        execution: a cluster (``mtassay.Cluster``), in place of threads.
        progress: wraps the loop over chunks of the work and over parameters, for a progress bar.
    """
    require_packages()
    kind = kind_of(model)
    if stepwise and kind.framing != COMPARISON:
        raise InputError(f"stepwise selection is for the model pairwise, not for {model}")
    kind = replace(kind, standardise=standardise, stepwise=stepwise)
    check_seed(seed)
    check_learnable(kind, judgements)
    execution = Execution.of(execution, threads=threads, progress=progress)
    made = material(
        testset,
        judgements,
        features,
        resources=resources,
        normalise=normalise,
        likeness=kind.framing == CLASSIFICATION,
        strangers=strangers,
        execution=execution,
    )
    segments = made.judged
    used = (resources or Resources()).with_language_of(testset)
    found = search(
        made,
        kind,
        segments,
        criterion=choose_by,
        seed=seed,
        with_strangers=strangers,
        execution=execution,
    )
    parameters = found.best.parameters
    fitted = made.train(kind, parameters, segments, with_strangers=strangers)
    _, held_out = split(segments, HELD_OUT, seed)
    facts = {
        "name": made.name,
        "sha256": made.digest,
        "systems": list(made.systems if kind.framing == CLASSIFICATION else made.judged_systems),
        "segments": len(segments),
        "examples": len(made.examples(kind, segments, with_strangers=strangers)[0]),
        "n_references": _n_references(testset, kind, made.features),
        "language": used.language or "en",
        "resources": {entry.name: entry.value for entry in used.entries(chosen(made.features))},
        "normalise": normalise,
        "criterion": found.criterion,
        "strangers": strangers,
        "standardise": kind.standardise,
        "stepwise": kind.stepwise,
        "seed": seed,
    }
    model_ = LearnedModel(fitted, made.features, facts)
    gaming = _gaming(made, kind, found, seed) if strangers else None
    return TrainResult(model_, found, _of_features(made, held_out), gaming)


def _n_references(testset: TestSet, kind: ModelKind, features: Sequence[str]) -> int:
    """The number of references with which each output was compared."""
    if not any(feature.reads_references for feature in chosen(features)):
        return 0
    return len(human_references(testset)) - 1 if kind.framing == CLASSIFICATION else testset.n_references


def _of_features(made: Material, segments: Any) -> dict[str, float]:
    if made.human is None:
        return dict.fromkeys(made.features, float("nan"))
    gold = made.human[:, segments]
    return {name: rho(gold, made.x[:, segments, column]) for column, name in enumerate(made.features)}


def _gaming(made: Material, kind: ModelKind, found: Search, seed: int) -> Gaming:
    train_segments, held_out = split(made.judged, HELD_OUT, seed)
    pair = [made.train(kind, found.best.parameters, train_segments, with_strangers=added) for added in (False, True)]
    with_none, with_some = ((spearman(made, fitted, held_out), _fooled(made, fitted, held_out)) for fitted in pair)
    return Gaming((with_none[0], with_some[0]), (with_none[1], with_some[1]))


def _fooled(made: Material, fitted: Fitted, segments: Any) -> float:
    """Share of outputs that score lower than another segment's reference in their place."""
    strangers: Any = made.strangers
    outputs = scores_of(made, fitted, segments)
    return float((outputs < fitted.scores(strangers[:, segments])).mean())
