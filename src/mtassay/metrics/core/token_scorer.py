"""A scorer that compares the tokens of outputs and references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtassay.metrics.core.metric import Scorer

if TYPE_CHECKING:
    from mtassay.execution import Execution
    from mtassay.kernels import Tokens
    from mtassay.metrics.core.references import References, Texts


class TokenScorer(Scorer):
    """The scorer of a metric with the options ``tok`` and ``case``; `_refs` are the tokens of all references."""

    metric: Any

    def __init__(self, metric: Any, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._refs = self._tokens(self.references.texts)

    def _tokens(self, texts: Texts) -> Tokens:
        return self.references.encode(texts, tokenizer=self.metric.tok, case=self.metric.case)
