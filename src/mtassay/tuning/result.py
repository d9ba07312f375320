"""The result of an optimiser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.metrics.core.metric import Metric
    from mtassay.tuning.candidates import Candidates

SCHEMA = "mtassay.tuning/1"


def search_dict(optimiser: str, metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    """How weights were searched, and the objective, as plain values."""
    return {"optimiser": optimiser, "options": dict(options), "metric": str(metric), "name": metric.label}


@dataclass(frozen=True)
class Round:
    """One part of a search: a climb of MERT, or the continuation of one; an epoch of MIRA; the regression of PRO.

    Attributes:
        name: name of the part, such as ``start 1``, ``finish 1``, ``epoch 1``, ``regression``.
        before: the score where it began.
        after: the score where it ended.
        steps: number of changes of weights; for PRO, number of pairs.
    """

    name: str
    before: float
    after: float
    steps: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TuneResult(Result):
    """Tuned weights.

    Attributes:
        optimiser: ``mert``, ``pro`` or ``mira``.
        metric: the objective.
        weights: the weights, by name of the feature.
        before: score of the candidates that the weights at the start choose.
        after: score of the candidates that the tuned weights choose.
        history: the parts of the search, in order.
        options: options of the optimiser, including the seed.
        n_segments: number of segments.
        n_candidates: number of candidates.
    """

    verb: ClassVar[str] = "tune"

    optimiser: str
    metric: Metric
    weights: Mapping[str, float]
    before: float
    after: float
    history: tuple[Round, ...]
    options: Mapping[str, Any]
    n_segments: int
    n_candidates: int

    @classmethod
    def build(
        cls,
        optimiser: str,
        candidates: Candidates,
        *,
        start: Any,
        weights: Any,
        history: tuple[Round, ...],
        options: Mapping[str, Any],
    ) -> TuneResult:
        """The result of a search from the weights `start` to `weights`, arrays of shape (K,)."""
        return cls(
            optimiser=optimiser,
            metric=candidates.metric,
            weights=dict(zip(candidates.names, np.asarray(weights).tolist(), strict=True)),
            before=candidates.score(np.asarray(start)),
            after=candidates.score(np.asarray(weights)),
            history=history,
            options=options,
            n_segments=candidates.n_segments,
            n_candidates=len(candidates),
        )

    def __repr__(self) -> str:
        return f"TuneResult({self.optimiser}, {self.metric}: {self.before:g} → {self.after:g})"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": SCHEMA,
            **search_dict(self.optimiser, self.metric, self.options),
            "segments": self.n_segments,
            "candidates": self.n_candidates,
            "before": self.before,
            "after": self.after,
            "weights": dict(self.weights),
            "history": [
                {"name": part.name, "before": part.before, "after": part.after, "steps": part.steps}
                for part in self.history
            ],
        }
