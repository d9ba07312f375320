"""Base class of metrics whose score is the mean over segments, each against the best of its references.

Statistics: ``sum n``; for one segment, its score and 1.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.metrics.core.mean import MeanMetric
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.references import References, Texts, first_best

if TYPE_CHECKING:
    from mtassay.kernels import Tokens
    from mtassay.types import Floats, Index, Statistics


@dataclass(frozen=True)
class BestReferenceMean(MeanMetric):
    """Mean of segment scores, each against the best of its references (the first one in a tie)."""

    by_segment: ClassVar[bool] = True

    @abstractmethod
    def encode(self, references: References, texts: Texts) -> Tokens:
        """The tokens that are compared."""

    @abstractmethod
    def pair_scores(self, references: References, pairs: Pairs) -> Floats:
        """Scores of pairs of a hypothesis and a reference, shape (n,)."""

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Encode the references."""
        return _BestReferenceScorer(self, references, execution=execution)


class _BestReferenceScorer(Scorer):
    metric: BestReferenceMean

    def __init__(self, metric: BestReferenceMean, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._refs = metric.encode(self.references, self.references.texts)

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        metric = self.metric
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        scores = metric.pair_scores(
            self.references, Pairs(metric.encode(self.references, texts), self._refs, hyps, refs)
        )
        if len(rows) > len(hyp_index):
            scores = scores[first_best(metric.sign * scores, rows)]
        return np.column_stack([scores, np.ones(len(scores))])
