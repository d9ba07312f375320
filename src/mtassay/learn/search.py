"""Choice of parameters on held-out segments, and correlation of scores with human scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtassay.equality import best_first, equalised
from mtassay.errors import InputError, unknown_name
from mtassay.execution import SERIAL, Execution
from mtassay.learn.comparisons import RECOMPOSITIONS, recomposed, win_probabilities
from mtassay.learn.models import CLASSIFICATION, COMPARISON, REGRESSION
from mtassay.stats.correlations import correlation
from mtassay.stats.resamples import check_seed

if TYPE_CHECKING:
    from mtassay.learn.models import Fitted, ModelKind, Parameters
    from mtassay.learn.training_data import Material
    from mtassay.types import Floats, Ints


#: Criteria by which parameters are chosen, measured on the held-out segments.
CRITERIA = ("correlation", "accuracy")
#: The share of segments that is held out to choose parameters, as in the paper.
HELD_OUT = 1 / 6


@dataclass(frozen=True)
class Tried:
    """Parameters and their results on the held-out segments.

    Attributes:
        parameters: the parameters.
        correlation: Spearman's ρ with human scores; NaN without scores.
        accuracy: share of human and machine translations classified correctly (both classes count half), or of
            preferences; NaN for regression.
    """

    parameters: Parameters
    correlation: float
    accuracy: float


@dataclass(frozen=True)
class Search:
    """The results of a search for parameters.

    Attributes:
        criterion: ``correlation`` or ``accuracy``.
        tried: all parameters with their results, in the order of the grid.
        n_held_out: number of held-out segments.
    """

    criterion: str
    tried: tuple[Tried, ...]
    n_held_out: int

    @property
    def best(self) -> Tried:
        """The best parameters by the criterion, the first in a tie."""
        values = [getattr(tried, self.criterion) for tried in self.tried]
        return self.tried[best_first(values)[0]]


def split(segments: Ints, share: float, seed: int) -> tuple[Ints, Ints]:
    """Split segments at random into those for training and held-out ones, each in ascending order.

    >>> [len(part) for part in split(np.arange(6), 1 / 3, seed=1)]
    [4, 2]
    """
    check_seed(seed)
    if len(segments) < 2:
        raise InputError("at least two judged segments are needed, to train and to choose parameters")
    order = np.random.default_rng(seed).permutation(segments)
    n_held = min(max(1, round(share * len(segments))), len(segments) - 1)
    return np.sort(order[n_held:]), np.sort(order[:n_held])


def search(
    material: Material,
    kind: ModelKind,
    segments: Ints,
    *,
    criterion: str = "",
    seed: int = 12345,
    candidates: list[Parameters] | None = None,
    with_strangers: bool = False,
    execution: Execution = SERIAL,
) -> Search:
    """Try parameters: train on five sixths of the segments, compare on the rest.

    Args:
        material: features and human judgements.
        kind: the kind of model.
        segments: the segments that may be used.
        criterion: ``correlation`` or ``accuracy``; by default correlation if there are human scores.
        seed: seed of the choice of held-out segments.
        candidates: parameters to try; the grid of the kind by default.
        with_strangers: whether to add automatically assessed examples.
        execution: how the work is run.
    """
    criterion = check_criterion(criterion, kind, material)
    train, held_out = split(segments, HELD_OUT, seed)

    # Estimators that use threads themselves are not run in several threads here.
    run = execution.in_one_thread if kind.threaded else execution
    shared = _Attempts(material, kind, train, held_out, with_strangers)
    tried = run.map_chunks(_attempt, candidates or kind.candidates(), shared=shared)
    return Search(criterion, tuple(tried), len(held_out))


class _Attempts(NamedTuple):
    """Data shared by all attempts."""

    material: Material
    kind: ModelKind
    train: Ints
    held_out: Ints
    with_strangers: bool


def _attempt(shared: _Attempts, parameters: Parameters) -> Tried:
    material, kind, train, held_out, with_strangers = shared
    fitted = material.train(kind, parameters, train, with_strangers=with_strangers)
    return Tried(parameters, *measured(material, fitted, held_out))


def check_criterion(criterion: str, kind: ModelKind, material: Material) -> str:
    """The given criterion if it suits the model and the data, or the default if none is given."""
    if not criterion:
        return "correlation" if material.human is not None else "accuracy"
    if criterion not in CRITERIA:
        raise InputError(unknown_name("criterion", criterion, CRITERIA))
    if criterion == "accuracy" and kind.framing == REGRESSION:
        raise InputError(f"{kind.name} is not a classifier and has no accuracy; choose by correlation")
    if criterion == "correlation" and material.human is None:
        raise InputError("preferences have no correlation; choose by accuracy")
    return criterion


def scores_of(material: Material, fitted: Fitted, segments: Ints) -> Floats:
    """Scores of the outputs of some segments, shape (systems, segments)."""
    if fitted.kind.framing == COMPARISON:
        return recomposed(win_probabilities(fitted, material.x[:, segments], material.features), RECOMPOSITIONS[0])
    return fitted.scores(material.conditions(fitted.kind)[:, segments])


def measured(material: Material, fitted: Fitted, segments: Ints) -> tuple[float, float]:
    """Correlation and accuracy on some segments, as defined for ``Tried``."""
    scores = scores_of(material, fitted, segments)
    return _spearman(material, scores, segments), _accuracy(material, fitted, scores, segments)


def spearman(material: Material, fitted: Fitted, segments: Ints) -> float:
    """Spearman's ρ with the human scores of some segments, over all outputs; NaN without scores."""
    return _spearman(material, scores_of(material, fitted, segments), segments)


def _spearman(material: Material, scores: Floats, segments: Ints) -> float:
    return float("nan") if material.human is None else rho(material.human[:, segments], scores)


def rho(gold: Any, scores: Any) -> float:
    """Spearman's ρ over all outputs that have both a human score and a score; NaN if either is constant."""
    one, other = np.asarray(gold, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    there = np.isfinite(one) & np.isfinite(other)
    if there.sum() < 2:
        return float("nan")
    return float(correlation(one[there], other[there], kind="spearman"))


def _accuracy(material: Material, fitted: Fitted, scores: Floats, segments: Ints) -> float:
    """Share of human and machine translations, or of preferences, classified correctly; NaN for regression.

    Both classes of translations count half.
    """
    if fitted.kind.framing == REGRESSION:
        return float("nan")
    if fitted.kind.framing == CLASSIFICATION and material.people is not None:
        people = fitted.scores(material.people[:, segments])
        return float(((people > 0).mean() + (scores <= 0).mean()) / 2)
    if fitted.kind.framing == COMPARISON:
        x, first_is_better = material.examples(fitted.kind, segments)
        log_odds = np.where(first_is_better, 1, -1) * fitted.scores(x)
        return float((log_odds > 0).mean() + (log_odds == 0).mean() / 2)
    x, (better, worse) = material.examples(fitted.kind, segments)
    values = equalised(fitted.scores(x))
    return float((values[better] > values[worse]).mean() + (values[better] == values[worse]).mean() / 2)
