"""Length ratio: length of the output relative to the reference.

    length ratio = Σ hypothesis words / Σ reference words

The metric has no direction. Several references: the one closest in length to the hypothesis (the shorter one in a tie),
or ``ref_len=shortest|longest|average``, as for BLEU.

Statistics: ``hyp_len ref_len``.

If the reference has no words, the ratio is 1 if the hypothesis has none either, else the number of its words (as if the
reference had one word).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import option, tok_option
from mtassay.metrics.core.references import REF_LENGTHS, References, Texts
from mtassay.metrics.core.signature import Entry, tok_entry
from mtassay.metrics.strings.lengths import ReferenceLengths

if TYPE_CHECKING:
    from mtassay.types import Counts, Floats, Index, Statistics


@dataclass(frozen=True)
class LengthRatio(Metric):
    """Hypothesis words per reference word."""

    name: ClassVar[str] = "length_ratio"
    by_segment: ClassVar[bool] = True
    higher_is_better: ClassVar[None] = None
    label: ClassVar[str] = "length ratio"
    columns: ClassVar[tuple[str, ...]] = ("hyp_len", "ref_len")
    digits: ClassVar[int] = 3

    tok: str = tok_option()
    ref_len: str = option("closest", "reference length", choices=REF_LENGTHS)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return _LengthRatioScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Hypothesis words per reference word; the same rule for systems, documents and segments."""
        totals = np.asarray(totals, dtype=np.float64)
        hyp_len, ref_len = totals[..., 0], totals[..., 1]
        without = np.where(hyp_len > 0, hyp_len, 1.0)
        result: Floats = np.where(ref_len > 0, hyp_len / np.where(ref_len > 0, ref_len, 1.0), without)
        return result

    def verbose(self, totals: Statistics) -> str:
        """The two lengths, as BLEU shows them."""
        return f"(hyp_len = {totals[0]:.0f} ref_len = {totals[1]:.0f})"

    def signature_entries(self) -> list[Entry]:
        """Tokenizer, and the rule for several references; letter case does not affect lengths."""
        entries = [tok_entry(self.tok)]
        return entries if self.ref_len == "closest" else [*entries, Entry("reflen", "rl", self.ref_len)]


class _LengthRatioScorer(Scorer):
    metric: LengthRatio

    def __init__(self, metric: LengthRatio, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._ref_lens = ReferenceLengths(self._lengths(self.references.texts), self.references)

    def _lengths(self, texts: Texts) -> Counts:
        # BLEU's default case, so that tokens are shared.
        return self.references.encode(texts, tokenizer=self.metric.tok, case="mixed").lengths

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyp_len = self._lengths(texts)[hyp_index]
        return np.column_stack([hyp_len, self._ref_lens.effective(hyp_len, segment_index, rule=self.metric.ref_len)])
