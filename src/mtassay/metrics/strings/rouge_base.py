"""Base class of the ROUGE family: from hits and totals of pairs to scores.

The formulas, the variants and the statistics are described in ``mtassay.metrics.strings.rouge``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, show, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.core.token_scorer import TokenScorer

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mtassay.kernels import Tokens
    from mtassay.types import Floats, Index, Statistics

_RESULTS = {"p": "P", "r": "R", "f": "F"}
#: Lower-casing by variant: Python's as in rouge-score, or A-Z only as in ROUGE-1.5.5.
_CASES = {"rouge_score": "lower", "rouge155": "ascii"}


@dataclass(frozen=True)
class Rouge(Metric):
    """Base class of the ROUGE family."""

    digits: ClassVar[int] = 4
    by_segment: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("precision", "recall", "f", "segments")

    variant: str = option("rouge_score", "rules of rouge-score or of ROUGE-1.5.5", choices=tuple(_CASES))
    result: str = option("f", "F-measure, precision or recall", choices=tuple(_RESULTS))
    alpha: float = option(0.5, "weight of precision in the F-measure", minimum=0, maximum=1)
    tok: str = tok_option("rouge", "tokenizer; rouge-stem for stems")
    case: str | None = case_option(None, "letter case; by default lower, ascii for rouge155")

    @property
    @abstractmethod
    def kind(self) -> str:
        """The letters and numbers after ``ROUGE-``."""

    @abstractmethod
    def count(self, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Hits, total of the hypothesis and total of the reference of every pair, each of shape (m,)."""

    def ratio(self, hits: Any, total: Any) -> Any:
        """Precision or recall."""
        return np.divide(hits, total, out=np.zeros(len(hits)), where=total > 0)

    @property
    def letter_case(self) -> str:
        """The given case, or the variant's."""
        return self.case or _CASES[self.variant]

    @property
    def label(self) -> str:
        """``ROUGE-2``, and ``ROUGE-2 R`` for recall."""
        return f"ROUGE-{self.kind}{'' if self.result == 'f' else ' ' + _RESULTS[self.result]}"

    @property
    def statistics_key(self) -> Hashable:
        """Precision, recall and F are computed together."""
        return replace(self, result="f")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return RougeScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Mean over segments."""
        return self.components(totals)[_RESULTS[self.result]]

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Means of precision, recall and F-measure."""
        n_segments = np.maximum(totals[..., 3], 1)
        return {
            name: np.asarray(totals[..., i] / n_segments, dtype=np.float64) for i, name in enumerate(_RESULTS.values())
        }

    def signature_entries(self) -> list[Entry]:
        """Variant and result, then case and tokenizer."""
        return [
            Entry("rouge", "rg", self.kind),
            Entry("variant", "var", self.variant),
            Entry("result", "r", self.result),
            Entry("alpha", "a", show(self.alpha)),
            case_entry(self.letter_case),
            tok_entry(self.tok),
        ]


class RougeScorer(TokenScorer):
    """ROUGE against prepared references."""

    metric: Rouge

    def _tokens(self, texts: Texts) -> Tokens:
        return self.references.encode(texts, tokenizer=self.metric.tok, case=self.metric.letter_case)

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        counts = [*self._counts(texts, hyps, refs)]
        several = len(rows) > len(hyp_index)
        if self.metric.variant == "rouge155":
            if several:
                starts = np.flatnonzero(np.diff(rows, prepend=-1))
                counts = [np.add.reduceat(part, starts) for part in counts]
            return self._scores(*counts, digits=5)
        scores = self._scores(*counts, digits=None)
        return scores[first_best(scores[:, 2], rows)] if several else scores

    def _counts(self, texts: Texts, hyps: Index, refs: Index) -> tuple[Any, Any, Any]:
        """Hits and totals of pairs of a hypothesis and a single reference."""
        return self.metric.count(Pairs(self._tokens(texts), self._refs, hyps, refs))

    def _scores(self, hits: Any, hyp_total: Any, ref_total: Any, *, digits: int | None) -> Statistics:
        """Precision, recall, F-measure and 1, shape (n, 4); rounded as they are computed if `digits` is given."""

        def rounded(values: Any) -> Any:
            # Python rounds as printing does; NumPy does not.
            return values if digits is None else np.array([round(value, digits) for value in values.tolist()])

        alpha = self.metric.alpha
        precision, recall = (rounded(self.metric.ratio(hits, total)) for total in (hyp_total, ref_total))
        below = (1 - alpha) * precision + alpha * recall
        f_measure = rounded(np.divide(precision * recall, below, out=np.zeros(len(below)), where=below > 0))
        return np.column_stack([precision, recall, f_measure, np.ones(len(below))])
