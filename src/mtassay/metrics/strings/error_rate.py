"""Base classes of WER, CER, PER, CDER, MER and WIL: errors per reference token, or another share of errors.

    error = edits / reference length        accuracy = 1 − error        (``as=error``, the default, or ``as=accuracy``)

Several references: the one with the lowest error of the segment (the first one in a tie), with its own length. Moses'
scorer truncates accuracies to whole numbers before it compares them, so that the first reference wins unless another
is matched perfectly; this is not imitated.

Without reference words the error is 1 if the hypothesis has words, else 0. An error rate has no upper bound: there can
be more errors than reference words, and the accuracy is then negative.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mtassay.kernels import Tokens
    from mtassay.types import Floats, Index, Statistics


@dataclass(frozen=True)
class ErrorRate(Metric):
    """Edits over reference length; the last column of the statistics is that length."""

    digits: ClassVar[int] = 4
    by_segment: ClassVar[bool] = True

    case: str = case_option()
    as_: str = option("error", "share of errors, or 1 minus that", choices=("error", "accuracy"))

    # What a metric of this kind defines

    @abstractmethod
    def encode(self, references: References, texts: Texts) -> Tokens:
        """The tokens that are compared."""

    @abstractmethod
    def count(self, pairs: Pairs) -> Statistics:
        """Statistics of pairs of a hypothesis and a reference without the last column, shape (n, K - 1)."""

    @abstractmethod
    def edits(self, totals: Statistics) -> Any:
        """Number of edits, shape (..., K) -> (...)."""

    # What follows from these

    @property
    def higher_is_better(self) -> bool:
        """True for accuracies."""
        return self.as_ == "accuracy"

    @property
    def label(self) -> str:
        """The name in capitals, after ``1-`` for accuracies."""
        return ("1-" if self.as_ == "accuracy" else "") + self.name.upper()

    @property
    def statistics_key(self) -> Hashable:
        """Error and accuracy have the same statistics."""
        return replace(self, as_="error")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return ErrorRateScorer(self, references, execution=execution)

    def error(self, totals: Statistics) -> Floats:
        """Edits over reference length, shape (..., K) -> (...)."""
        edits, length = np.asarray(self.edits(totals), dtype=np.float64), np.asarray(totals)[..., -1]
        rate: Floats = np.where(length > 0, edits / np.where(length > 0, length, 1), edits > 0)
        return rate

    def score(self, totals: Statistics) -> Floats:
        """The error, or 1 minus the error."""
        return 1.0 - self.error(totals) if self.as_ == "accuracy" else self.error(totals)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The statistics."""
        return {name: np.asarray(totals[..., i], dtype=np.float64) for i, name in enumerate(self.columns)}

    def signature_entries(self) -> list[Entry]:
        """Letter case, and whether the score is an error or an accuracy."""
        return [case_entry(self.case), Entry("as", "as", self.as_)]


@dataclass(frozen=True)
class _Tokenised:
    """The option for a tokenizer."""

    tok: str = tok_option()


@dataclass(frozen=True)
class WordErrorRate(ErrorRate, _Tokenised):
    """An error rate of words."""

    def encode(self, references: References, texts: Texts) -> Tokens:
        """Words."""
        return references.encode(texts, tokenizer=self.tok, case=self.case)

    def signature_entries(self) -> list[Entry]:
        """Letter case, tokenizer, and whether the score is an error or an accuracy."""
        case, as_ = super().signature_entries()
        return [case, tok_entry(self.tok), as_]


class ErrorRateScorer(Scorer):
    """An error rate against prepared references; also gives the words that ``mtassay align`` shows."""

    metric: Any

    def __init__(self, metric: ErrorRate, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        #: The tokens of the references.
        self.reference_tokens = self.tokens(self.references.texts)

    def tokens(self, texts: Texts) -> Tokens:
        """The tokens that are compared."""
        tokens: Tokens = self.metric.encode(self.references, texts)
        return tokens

    def word(self, token: int) -> str:
        """The word behind an id, for error rates of words."""
        return self.references.word(token, tokenizer=self.metric.tok, case=self.metric.case)

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        statistics = self.of_references(texts, hyps, refs)
        if len(rows) == len(hyp_index):
            return statistics
        return statistics[first_best(-self.metric.error(statistics), rows)]

    def of_references(self, texts: Texts, hyps: Index, refs: Index) -> Statistics:
        """Statistics of pairs of a hypothesis and a single reference, shape (n, K)."""
        counts = self.metric.count(Pairs(self.tokens(texts), self.reference_tokens, hyps, refs))
        return np.column_stack([counts, self.reference_tokens.lengths[refs]])
