"""Weights of MEANT's roles, tuned on human preferences: the verb ``learn meant``.

Lo & Wu tune the weights by a grid search for agreement with human rankings. The full grid has millions of points; here
the search starts from equal weights, and one weight after the other takes the value of the grid that agrees best, until
no weight changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.equality import equalised
from mtassay.errors import InputError
from mtassay.execution import Execution, Progress
from mtassay.judging.learning_targets import human_pairs
from mtassay.metrics.core.metric import Metric
from mtassay.metrics.core.references import Texts, references_of
from mtassay.metrics.core.spec import parse
from mtassay.metrics.linguistic.meant import Meant
from mtassay.metrics.linguistic.roles import GROUPS
from mtassay.results import Result

if TYPE_CHECKING:
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet

SCHEMA = "mtassay.learn.meant/1"
#: Values that a weight may take.
GRID = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_MOST_ROUNDS = 5


@dataclass(frozen=True)
class RoleWeights(Result):
    """Weights of the groups of roles.

    Attributes:
        metric: specification of the metric.
        weights: weights by group of roles.
        tau: Kendall's τ of these weights on the preferences used for tuning.
        tau_before: Kendall's τ of equal weights.
        n_preferences: number of preferences.
    """

    verb: ClassVar[str] = "learn_meant"

    metric: str
    weights: dict[str, float]
    tau: float
    tau_before: float
    n_preferences: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {"schema": SCHEMA, **{name: getattr(self, name) for name in self.__dataclass_fields__}}


def tune_role_weights(
    testset: TestSet,
    judged: Judgements | Sequence[Judgements],
    metric: str | Metric,
    *,
    grid: Sequence[float] = GRID,
    threads: int = 1,
    progress: Progress = iter,
) -> RoleWeights:
    """Find weights under which MEANT agrees best with human preferences.

    Kendall's τ is (agreeing - disagreeing) / all strict preferences; if the two outputs have equal scores, a preference
    counts as neither.

    Args:
        testset: references and outputs.
        judged: rankings or preferences, read with ``testset=``.
        metric: ``meant`` with its annotator: ``"meant:annotator=link-grammar,roles=dependencies"``.
        grid: values that a weight may take.
        threads: number of threads.
        progress: wraps the loop over groups of each round.
    """
    chosen = parse(metric) if isinstance(metric, str) else metric
    if not isinstance(chosen, Meant) or chosen.weights is not None:
        raise InputError(f"only weights of meant without weights= can be tuned, not those of {chosen}")
    several = judged if isinstance(judged, Sequence) else [judged]
    found = [human_pairs(testset, one) for one in several]
    better, worse, segment = (np.concatenate(part) for part in zip(*found, strict=True))
    n = testset.n_segments
    cells, places = np.unique([better * n + segment, worse * n + segment], return_inverse=True)
    winners, losers = places.reshape(2, -1)
    systems = list(testset.systems.values())
    texts = Texts.of_checked(tuple(systems[cell // n][cell % n] for cell in cells.tolist()))
    scorer = chosen.prepare(references_of(testset), execution=Execution(threads))

    def agreement(weights: dict[str, float]) -> float:
        rows = scorer.with_weights(weights).statistics(texts, cells % n)
        scores = equalised(np.nan_to_num(chosen.segment_score(rows), nan=-1.0))
        return float(np.sign(scores[winners] - scores[losers]).mean())

    weights = dict.fromkeys(GROUPS, 1.0)
    tau = tau_before = agreement(weights)
    for _ in range(_MOST_ROUNDS):
        before = dict(weights)
        for group in progress(GROUPS):
            others = [{**weights, group: value} for value in grid if value != weights[group]]
            for candidate in others:
                if any(candidate.values()) and (value := agreement(candidate)) > tau:
                    weights, tau = candidate, value
        if weights == before:
            break
    return RoleWeights(str(chosen), weights, tau, tau_before, len(winners))
