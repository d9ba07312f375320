"""NIST, n-gram co-occurrence weighted by information.

Doddington 2002, "Automatic evaluation of machine translation quality using n-gram co-occurrence statistics"; as in
mteval-v13a, the program of NIST.

    NIST = LP · Σ_n (information of matched n-grams of length n) / (number of hypothesis n-grams of length n)
    information(w_1 … w_n) = log2(count(w_1 … w_n−1) / count(w_1 … w_n)); for a single word log2(all words / count)
    LP   = exp(−β · ln²(min(1, hypothesis length / reference length))), β = ln 2 / ln² 1.5

Counts are taken over all references of the prepared test set, so the score of a segment depends on the references of
the others; in ``pairwise`` all given references are the test set. Matches are clipped at the largest count in
any one reference. The reference length is the mean over the references of a segment. Segments, documents and systems
are scored by the same rule.

Statistics: ``ref_len``, then ``info_1 … info_n`` (not whole numbers), then ``total_1 … total_n``.

``variant=mteval`` (default) keeps a bug of mteval: the word "0" is false in Perl, so that a pair of words whose first
is "0" gets log2(all words / count). ``variant=formula`` follows the formula.

Empty hypothesis or empty reference: 0 (mteval divides by zero if no reference has a word).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, n_ngrams
from mtassay.kernels.nist import nist_matches, nist_weights
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, tok_option
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.core.token_scorer import TokenScorer
from mtassay.metrics.strings.lengths import ReferenceLengths

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Statistics

#: Halves the score if the hypothesis has two thirds of the reference's words.
_BETA = math.log(2) / math.log(1.5) ** 2


@dataclass(frozen=True)
class Nist(Metric):
    """NIST's information-weighted n-gram precision."""

    name: ClassVar[str] = "nist"
    label: ClassVar[str] = "NIST"
    digits: ClassVar[int] = 4

    tok: str = tok_option()
    case: str = case_option("ascii")
    order: int = option(5, "largest n-gram length", minimum=1, maximum=9, aliases=("max_ngram_order",))
    variant: str = option("mteval", 'weight of bigrams that begin with the word "0"', choices=("mteval", "formula"))

    @property
    def columns(self) -> tuple[str, ...]:
        """Reference length, matched information and numbers of n-grams."""
        return ("ref_len", *(f"{kind}_{n}" for kind in ("info", "total") for n in range(1, self.order + 1)))

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references and weigh their n-grams."""
        return _NistScorer(self, references, execution=execution)

    # Scores

    def score(self, totals: Statistics) -> Floats:
        """Sum over n-gram lengths; the same for systems, documents and segments."""
        result: Floats = self._by_order(totals).sum(axis=-1)
        return result

    def _by_order(self, totals: Statistics) -> Floats:
        """Contribution of every n-gram length to the score, shape (..., order): mteval's individual scores."""
        totals = np.asarray(totals, dtype=np.float64)
        info, total = totals[..., 1 : 1 + self.order], totals[..., 1 + self.order :]
        result: Floats = info / np.maximum(total, 1.0) * self._penalty(totals)[..., None]
        return result

    def _ratio(self, totals: Statistics) -> Floats:
        ref_len = np.asarray(totals[..., 0], dtype=np.float64)
        hyp_len = np.asarray(totals[..., 1 + self.order], dtype=np.float64)
        return np.divide(hyp_len, ref_len, out=np.zeros_like(hyp_len), where=ref_len > 0)

    def _penalty(self, totals: Statistics) -> Floats:
        ratio = np.minimum(self._ratio(totals), 1.0)
        with np.errstate(divide="ignore"):
            penalty: Floats = np.exp(-_BETA * np.log(ratio) ** 2)
        return penalty

    # Reports

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """NIST1 … NISTn, which add up to the score, length ratio LR and length penalty LP."""
        by_order = self._by_order(totals)
        named = {f"NIST{n + 1}": by_order[..., n] for n in range(self.order)}
        return {**named, "LR": self._ratio(totals), "LP": self._penalty(totals)}

    def verbose(self, totals: Statistics) -> str:
        """The score by n-gram length, penalty and lengths."""
        by_order = "/".join(f"{value:.4f}" for value in self._by_order(totals).tolist())
        return (
            f"{by_order} (LP = {float(self._penalty(totals)):.3f} ratio = {float(self._ratio(totals)):.3f} "
            f"hyp_len = {totals[1 + self.order]:.0f} ref_len = {totals[0]:.1f})"
        )

    def signature_entries(self) -> list[Entry]:
        """Tokenizer, case, order and variant."""
        return [
            case_entry(self.case),
            tok_entry(self.tok),
            Entry("order", "o", str(self.order)),
            Entry("variant", "var", self.variant),
        ]


class _NistScorer(TokenScorer):
    metric: Nist

    def __init__(self, metric: Nist, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._ref_lens = ReferenceLengths(self._refs.lengths, self.references)
        self._weights = nist_weights(self._refs, order=metric.order, zero=self._zero())

    def _zero(self) -> int:
        if self.metric.variant == "formula":
            return -1
        # Parity: mteval tests the words before the last one of an n-gram for truth, and "0" is false in Perl.
        return int(self._tokens(Texts(["0"])).ids[0])

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps = self._tokens(texts)
        pairs = Pairs(hyps, self._refs, hyp_index, segment_index, self.references.group_offsets)
        info = nist_matches(pairs, self._weights)
        ref_len = self._ref_lens.averages(segment_index)
        return np.column_stack([ref_len, info, n_ngrams(hyps.lengths[hyp_index], self.metric.order)])
