"""TerrorCat, a metric of pairs: ``terrorcat:model.model``.

Fishel, Sennrich, Popović and Bojar 2012, "TerrorCat: a translation error categorization-based MT quality metric".

    score of output a = Σ over other outputs b of (P(a is better than b) - 1/2)

of the same segment; the first reference counts as one of the outputs. P is the probability given by a ``ranksvm`` model
on the features ``terrorcat`` (``mtassay learn train --model ranksvm --features terrorcat``). The score of a system is
the mean over segments, so statistics (``sum n``) are additive. Scores depend on which systems are compared: another
system changes all scores, and single texts have none (``learned:model.model`` gives them the model's own score).

The original rescales the scores that it prints to .1 … 1 by their minimum and maximum. That is not additive: a sum of
rescaled scores is not a rescaled sum, and resampling would change the scale. Here scores are not rescaled; ``rescaled``
does it for a whole table. The order of systems, and so correlations of ranks, are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.learn.matrix import feature_values
from mtassay.learn.metric import Learned
from mtassay.metrics.core.metric import no_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.metrics.core.metric import Scorer
    from mtassay.metrics.core.references import References
    from mtassay.types import Floats

#: Name of the reference among the systems.
_REFERENCE = "the reference"


@dataclass(frozen=True)
class TerrorCat(Learned):
    """Confidence that an output is better than the others, by its errors: terrorcat:model.model."""

    name: ClassVar[str] = "terrorcat"
    scores_texts: ClassVar[bool] = False
    needs_references: ClassVar[bool] = True  # the reference is one of the outputs

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:  # type: ignore[override]
        """Raise an error: texts have no score without the other systems."""
        raise no_texts(self)

    def statistics_of_systems(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> Any:
        """Scores of all systems against each other and the first reference, shape (systems, segments, 2)."""
        if not self.model.fitted.kind.by_majority:
            raise InputError(
                f"{self.path} is a model of the kind {self.model.fitted.kind.name}; TerrorCat needs ranksvm"
            )
        first = references.group_offsets[:-1]
        reference = tuple(references.texts.strings[number] for number in first.tolist())
        texts = {**systems, _REFERENCE: reference}
        features = feature_values(references, texts, self.model.features, self.resources, execution=execution.quiet)
        scores = pairwise_scores(self.model.fitted.scores(features))[: len(systems)]
        return np.stack([scores, np.ones(scores.shape)], axis=-1)


def pairwise_scores(log_odds: Floats) -> Floats:
    """Sums over all other systems of the probability of being better, minus one half.

    Args:
        log_odds: scores whose differences are log-odds, shape (systems, segments).

    >>> pairwise_scores(np.log([[3.0], [1.0]])).round(4).tolist()
    [[0.25], [-0.25]]
    """
    # The hyperbolic tangent does not overflow: 1 / (1 + exp(-x)) - 1/2 = tanh(x / 2) / 2.
    scores: Floats = (np.tanh((log_odds[:, None] - log_odds[None]) / 2) / 2).sum(axis=1)
    return scores


def rescaled(scores: Floats) -> Floats:
    """Scores as the original prints them: .1 for the lowest of all, 1 for the highest; all 1 if they are equal.

    >>> rescaled(np.array([-2.0, 0.0, 2.0])).tolist()
    [0.1, 0.55, 1.0]
    """
    low, high = np.min(scores), np.max(scores)
    shown: Floats = 0.1 + 0.9 * (scores - low) / (high - low) if high > low else np.ones_like(scores)
    return shown
