"""How well a learned metric generalises to other test sets and systems (Tables 1 and 2 of Albrecht & Hwa 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.equality import best_first, magnitude
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.judging.assessments import system_scores
from mtassay.learn.bootstrap import PAPER_LEVEL, TRIALS, Trials, number, trials
from mtassay.learn.models import CLASSIFICATION, kind_of
from mtassay.learn.search import scores_of, search
from mtassay.learn.stored_parts import cached
from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.learn.training_data import Material
    from mtassay.types import Floats


SCHEMA = "mtassay.learn.generalise/1"
#: Names of the models in the table of systems: trained on all systems, without the best one, without the worst one.
ALL, WITHOUT_BEST, WITHOUT_WORST = "all", "without best", "without worst"


@dataclass(frozen=True, eq=False, repr=False)
class CrossResult(Result):
    """Correlations of trained and standard metrics.

    Attributes:
        trained_on: name of the training set.
        title: title of the rows: ``test set`` or ``system``.
        rows: test sets, or systems from best to worst and then all together.
        columns: names of the metrics.
        trials: correlations of the metrics, for each row.
    """

    verb: ClassVar[str] = "learn_generalise"

    trained_on: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    trials: tuple[Trials, ...]

    def comparable(self, row: int) -> list[bool]:
        """For each metric, whether the paper's test finds no significant difference from the best one of the row.

        False for a metric without a correlation.
        """
        found = self.trials[row]
        best = best_first(found.values)[0]
        return [metric == best or found.difference(best, metric).p > PAPER_LEVEL for metric in range(len(self.columns))]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            "trained_on": self.trained_on,
            "by": self.title,
            "metrics": list(self.columns),
            "rows": [
                {
                    "name": row,
                    "correlation": [number(value) for value in found.values.tolist()],
                    "interval": [
                        [number(end) for end in found.interval(metric)] for metric in range(len(self.columns))
                    ],
                    "mean_of_trials": [number(found.in_paper(metric)) for metric in range(len(self.columns))],
                    "comparable_to_best": self.comparable(place),
                }
                for place, (row, found) in enumerate(zip(self.rows, self.trials, strict=True))
            ],
        }

    def __repr__(self) -> str:
        return f"CrossResult({self.trained_on}; {', '.join(self.rows)})"


def sets(
    training: Material,
    tested: Sequence[Material],
    *,
    models: Sequence[str] = ("svr", "svm"),
    n_trials: int = TRIALS,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> CrossResult:
    """Train on one test set and score others: Table 1.

    Args:
        training: features and human scores, with human translations for ``svm``.
        tested: other test sets, with the same features and with baselines.
        models: kinds of model; ``svm`` is left out if the training set has fewer than two references.
        n_trials: number of resamples of the bootstrap.
        seed: seed of the held-out segments and of the resamples.
        execution: how the work is run.
    """
    _check(training, tested)
    kinds = [kind_of(name) for name in models]
    if training.people is None:
        kinds = [kind for kind in kinds if kind.framing != CLASSIFICATION]
    of_models = [
        _applied(training, kind.name, tested, seed=seed, execution=execution.quiet)
        for kind in execution.progress(kinds)
    ]
    names = (*(kind.title for kind in kinds), *tested[0].baselines)
    found = tuple(
        trials(
            other.gold,
            [*(scores[place] for scores in of_models), *other.baselines.values()],
            n_trials=n_trials,
            seed=seed,
        )
        for place, other in enumerate(tested)
    )
    return CrossResult(training.name, "test set", tuple(other.name for other in tested), names, found)


def systems(
    training: Material,
    tested: Material,
    *,
    model: str = "svr",
    n_trials: int = TRIALS,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> CrossResult:
    """Train with and without the best and the worst system, and score each system of another test set: Table 2.

    Arguments as for ``sets``; `tested` is one test set.
    """
    _check(training, [tested])
    means = system_scores(training.gold)
    judged = [place for place in best_first(means, scale=magnitude(means)) if np.isfinite(means[place])]
    if len(judged) < 3:
        raise InputError("leaving out the best and the worst system needs three judged systems to train on")
    ranked = [training.systems[place] for place in judged]
    parts = {ALL: ranked, WITHOUT_BEST: ranked[1:], WITHOUT_WORST: ranked[:-1]}
    columns = [
        _applied(training.with_systems(names), model, [tested], seed=seed, execution=execution.quiet)[0]
        for names in execution.progress(list(parts.values()))
    ]
    scores = np.stack([*columns, *tested.baselines.values()])
    names = (*(f"{kind_of(model).title} {part}" for part in parts), *tested.baselines)
    human = system_scores(tested.gold)
    order = [place for place in best_first(human, scale=magnitude(human)) if np.isfinite(human[place])]
    found = [trials(tested.gold[[place]], scores[:, [place]], n_trials=n_trials, seed=seed) for place in order]
    found.append(trials(tested.gold, scores, n_trials=n_trials, seed=seed))
    return CrossResult(training.name, "system", (*(tested.systems[place] for place in order), ALL), names, tuple(found))


def _applied(
    training: Material, model: str, tested: Sequence[Material], *, seed: int, execution: Execution
) -> list[Floats]:
    """Train on all judged segments of one set, with parameters chosen there, and score others."""
    kind = kind_of(model)

    def compute() -> list[Any]:
        best = search(
            training, kind, training.judged, criterion="correlation", seed=seed, execution=execution.quiet
        ).best
        fitted = training.train(kind, best.parameters, training.judged)
        return [scores_of(other, fitted, np.arange(other.n_segments)).tolist() for other in tested]

    key = {
        "study": SCHEMA,
        "training": training.digest,
        "tested": [other.digest for other in tested],
        "kind": [kind.name, kind.candidates()],
        "seed": seed,
    }
    return [np.array(scores) for scores in cached(key, compute)]


def _check(training: Material, tested: Sequence[Material]) -> None:
    if not tested:
        raise InputError("no test set to score is given; name one")
    for other in tested:
        if other.features != training.features:
            raise InputError(f"{other.name} has other features than {training.name}")
        if list(other.baselines) != list(tested[0].baselines):
            raise InputError(f"{other.name} has other standard metrics than {tested[0].name}")
