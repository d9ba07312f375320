"""GTM, the General Text Matcher.

Turian, Shen and Melamed 2003, "Evaluation of machine translation and its evaluation"; Melamed, Green and Turian 2003,
"Precision and recall of machine translation".

    size = (Σ run^e)^(1/e),   P = size / hypothesis length,   R = size / reference length,   F = 2·P·R / (P + R)

over runs of words that hypothesis and reference have in common, chosen greedily, longest first, with no word in two
runs. With ``e=1`` (default) the size is the number of words in common; larger exponents reward long runs, and so word
order. Several references are concatenated, but runs do not cross from one to the next. The reference length is then the
mean, and the number of matching words is at most that mean, so a copy of one reference may score less than 1. Scores
are between 0 and 1; the score of a corpus uses the summed sizes and lengths of its segments.

Statistics: ``size hyp_len ref_len``; sizes are roots, so they are not counts unless e = 1.

Equal to GTM 1.4, which expects tokenised text (``tok=none``). Empty hypothesis or empty reference: 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.kernels.gtm import gtm_sizes
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, show, tok_option
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.core.token_scorer import TokenScorer

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mtassay.types import Floats, Index, Statistics

_RESULTS = {"f": "F", "p": "P", "r": "R"}


@dataclass(frozen=True)
class Gtm(Metric):
    """General Text Matcher."""

    name: ClassVar[str] = "gtm"
    by_segment: ClassVar[bool] = True
    digits: ClassVar[int] = 4
    columns: ClassVar[tuple[str, ...]] = ("size", "hyp_len", "ref_len")

    # Runs of millions of words to the power of 20 are still finite.
    e: float = option(1.0, "exponent of run lengths", minimum=1, maximum=20, aliases=("exponent",))
    result: str = option("f", "F-measure, precision or recall", choices=tuple(_RESULTS))
    tok: str = tok_option()
    case: str = case_option()

    @property
    def label(self) -> str:
        """``GTM-1``, ``GTM-1.5``, and ``GTM-1 R`` for recall."""
        return f"GTM-{show(self.e)}{'' if self.result == 'f' else ' ' + _RESULTS[self.result]}"

    @property
    def statistics_key(self) -> Hashable:
        """Precision, recall and F share the same sizes."""
        return ("gtm", self.tok, self.case, self.e)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return _GtmScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """The F-measure, precision or recall."""
        return self.components(totals)[_RESULTS[self.result]]

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Precision, recall and F-measure."""
        size, hyp_len, ref_len = (np.asarray(totals[..., i], dtype=np.float64) for i in range(3))
        precision = size / np.where(hyp_len > 0, hyp_len, 1.0)
        recall = size / np.where(ref_len > 0, ref_len, 1.0)
        both = precision + recall
        return {"P": precision, "R": recall, "F": 2 * precision * recall / np.where(both > 0, both, 1.0)}

    def signature_entries(self) -> list[Entry]:
        """Exponent and result, then case and tokenizer."""
        return [
            Entry("e", "e", show(self.e)),
            Entry("result", "r", self.result),
            case_entry(self.case),
            tok_entry(self.tok),
        ]


class _GtmScorer(TokenScorer):
    metric: Gtm

    def __init__(self, metric: Gtm, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        sums = np.add.reduceat(self._refs.lengths, self.references.group_offsets[:-1])
        self._ref_lens = sums / self.references.counts

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps = self._tokens(texts)
        pairs = Pairs(hyps, self._refs, hyp_index, segment_index, self.references.group_offsets)
        sizes = gtm_sizes(pairs, exponent=self.metric.e)
        return np.column_stack([sizes, hyps.lengths[hyp_index], self._ref_lens[segment_index]])
