"""k-best batch MIRA (Cherry & Foster 2012, "Batch tuning strategies for statistical machine translation").

Segment by segment, the weights move so that a hope candidate (high model score and good) gets ahead of a fear candidate
(high model score and bad) by as much as it is better. To measure how good a candidate is, its statistics are added to a
background, a decaying sum of the statistics of earlier hopes, so that any corpus metric can be the objective. Weights
are averaged over all steps, and the epoch whose average scores best is the result.

The gain of a candidate is the score of background and candidate together, times their number of segments, so that a
difference of gains is about the contribution of one segment. Gains are divided by their mean standard deviation inside
segments, and features by theirs, so that the largest step (C) means the same for every metric and decoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.stats.resamples import check_seed
from mtassay.tuning.result import Round, TuneResult
from mtassay.tuning.weights import as_array, check_counts, normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.tuning.candidates import Candidates
    from mtassay.types import Floats


def mira(
    candidates: Candidates,
    weights: Mapping[str, float] | None = None,
    *,
    epochs: int = 30,
    largest_step: float = 0.1,
    decay: float = 0.999,
    seed: int = 12345,
    execution: Execution = SERIAL,
) -> TuneResult:
    """Tune weights by k-best batch MIRA.

    Args:
        candidates: the candidates, with the objective.
        weights: weights to start from, by name; all equal by default.
        epochs: number of passes over all segments.
        largest_step: C, the largest step.
        decay: factor of the background after each segment.
        seed: seed of the order of segments.
        execution: shows a progress bar of epochs, which run one after the other in one thread.
    """
    check_options(epochs=epochs, largest_step=largest_step, decay=decay)
    check_seed(seed)
    start = as_array(weights, candidates.names)
    scale = np.where(candidates.spreads > 0, candidates.spreads, np.inf)
    learner = _Learner(candidates, start, scale, largest_step, decay)
    rng = np.random.default_rng(seed)
    best, best_score = normalised(start), candidates.score(start)
    before, history = best_score, []
    for epoch in execution.progress(range(epochs)):
        n_steps = learner.go_through(rng.permutation(candidates.n_segments))
        average = normalised(learner.average / scale)
        score = candidates.score(average) if average.any() else before
        history.append(Round(f"epoch {epoch + 1}", before, score, n_steps))
        if average.any() and candidates.metric.sign * score > candidates.metric.sign * best_score:
            best, best_score = average, score
        before = score
    return TuneResult.build(
        "mira",
        candidates,
        start=start,
        weights=best,
        history=tuple(history),
        options={"epochs": epochs, "largest_step": largest_step, "decay": decay, "seed": seed},
    )


def check_options(*, epochs: int, largest_step: float, decay: float) -> None:
    """Reject invalid options of ``mira``."""
    check_counts(epochs=epochs)
    if not (0 < largest_step < float("inf") and 0 <= decay < 1):
        raise InputError("largest_step must be above 0, and decay from 0 to below 1")


class _Learner:
    """The state of MIRA: weights of features scaled to the same spread, and the background."""

    def __init__(self, candidates: Candidates, start: Floats, scale: Floats, largest_step: float, decay: float) -> None:
        self._candidates = candidates
        self._features = np.ascontiguousarray((candidates.features / scale[:, None]).T)
        self._statistics = candidates.statistics.astype(np.float64)
        self._largest_step, self._decay = largest_step, decay
        finite = np.where(np.isfinite(scale), scale, 0.0)
        self._weights = normalised(start * finite)
        self._sum = np.zeros(len(start))
        self._n_summed = 0
        winners = candidates.winners(candidates.model_scores(start))
        # As if every segment had been seen with its winner, and the background had decayed to its size in the long run.
        self._n_in_background = min(float(candidates.n_segments), decay / (1 - decay)) if decay else 0.0
        self._background = self._statistics[winners].mean(axis=0) * self._n_in_background
        self._unit = self._usual_spread()

    @property
    def average(self) -> Floats:
        """Mean of the weights after every segment so far."""
        return self._sum / max(self._n_summed, 1)

    def go_through(self, segments: NDArray[np.int64]) -> int:
        """Learn from segments in this order; return the number of changes of weights."""
        n_steps = 0
        for segment in segments.tolist():
            n_steps += self._learn(segment)
            self._sum += self._weights
            self._n_summed += 1
        return n_steps

    def _learn(self, segment: int) -> bool:
        rows = slice(int(self._candidates.offsets[segment]), int(self._candidates.offsets[segment + 1]))
        features, statistics = self._features[rows], self._statistics[rows]
        gains = self._gains(statistics) / self._unit
        scores = features @ self._weights
        hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
        difference = features[hope] - features[fear]
        loss = (gains[hope] - gains[fear]) - float(difference @ self._weights)
        size = float(difference @ difference)
        moves = bool(loss > 0 and size > 0)
        if moves:
            self._weights = self._weights + min(self._largest_step, loss / size) * difference
        self._background = self._decay * (self._background + statistics[hope])
        self._n_in_background = self._decay * (self._n_in_background + 1)
        return moves

    def _gains(self, statistics: Floats) -> Floats:
        gains = self._candidates.gain(self._background + statistics) * (self._n_in_background + 1)
        lowest = gains[np.isfinite(gains)].min(initial=0.0)
        return np.where(np.isfinite(gains), gains, lowest)

    def _usual_spread(self) -> float:
        offsets = self._candidates.offsets
        spreads = [
            float(self._gains(self._statistics[first:end]).std())
            for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        ]
        return float(np.mean(spreads)) or 1.0
