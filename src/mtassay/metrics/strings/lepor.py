"""LEPOR, nLEPOR and hLEPOR.

Han, Wong and Chao 2012, "LEPOR: a robust evaluation metric for machine translation with augmented factors" (LEPOR);
Han et al. 2013, "Language-independent model for machine translation evaluation with reinforced factors" (hLEPOR) and "A
description of tunable machine translation evaluation systems in WMT13 metrics task" (nLEPOR).

    LP     = exp(1 - r/c) if c < r, exp(1 - c/r) if c > r, else 1          c, r: lengths of hypothesis and reference
    NPP    = exp(-NPD), NPD = sum of |i/c - j/r| over aligned words i, j, divided by c
    HPR    = (α + β) / (α/R + β/P)                                         P, R: aligned words / c, / r
    LEPOR  = LP · NPP · HPR
    hLEPOR = (w_lp + w_npp + w_hpr) / (w_lp/LP + w_npp/NPP + w_hpr/HPR)
    nLEPOR = LP · NPP · exp(sum of w_n · ln HPR_n)                         HPR_n: of the n-grams of length n

Words are aligned one to one; if a word occurs several times, its neighbours decide which occurrence it is aligned with,
then the distance (see ``mtassay.kernels.lepor``). The score of a corpus is the mean over its segments (the paper's
LEPOR-A); ``average=parts`` applies the formula to the means of LP, NPP and HPR (LEPOR-B). Several references: the one
with the highest segment score.

Statistics: ``score LP NPP HPR segments``; the first four are sums of segment values, not counts.

Empty hypothesis or empty reference: LP, HPR and the score are 0, even if both are empty, as in BLEU and chrF: no
word is matched. nLEPOR leaves out n-grams that are longer than both texts.

``hlepor:variant=hlepor-py`` aligns like the package hLepor 0.0.4 on PyPI. The authors' Perl scripts differ from the
papers; docs/metrics/lepor.md lists the differences.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs
from mtassay.kernels.lepor import VARIANTS, lepor_matches
from mtassay.kernels.ngrams import ngram_matches
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import LARGEST_WEIGHT, case_option, option, parse_weights, show, tok_option
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.core.token_scorer import TokenScorer

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mtassay.types import Floats, Index, Statistics


@dataclass(frozen=True)
class Lepor(Metric):
    """Product of length penalty, position penalty and the mean of precision and recall."""

    name: ClassVar[str] = "lepor"
    by_segment: ClassVar[bool] = True
    label: ClassVar[str] = "LEPOR"
    digits: ClassVar[int] = 4
    columns: ClassVar[tuple[str, ...]] = ("score", "LP", "NPP", "HPR", "segments")

    tok: str = tok_option()
    case: str = case_option()
    alpha: float = option(9.0, "weight of recall", minimum=0, maximum=LARGEST_WEIGHT)
    beta: float = option(1.0, "weight of precision", minimum=0, maximum=LARGEST_WEIGHT)
    context: int = option(2, "words on either side that are neighbours", minimum=0, maximum=99, aliases=("n",))
    average: str = option(
        "scores", "what is averaged over segments: scores (LEPOR-A) or parts (LEPOR-B)", choices=("scores", "parts")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha + self.beta == 0:
            raise SpecError(f"{self.name}: alpha and beta cannot both be 0")

    # How the three metrics differ

    def combine(self, length: Any, position: Any, words: Any) -> Any:
        """The score from LP, NPP and HPR, each of shape (...)."""
        return length * position * words

    @property
    def ngram_weights(self) -> tuple[float, ...]:
        """Weights of the n-grams of length 1, 2, … in HPR; they sum to 1."""
        return (1.0,)

    @property
    def alignment(self) -> str:
        """The rule by which words are aligned."""
        return "paper"

    @property
    def own_entries(self) -> list[Entry]:
        """Signature entries of the options that not all three metrics have."""
        return []

    # What they share

    @property
    def statistics_key(self) -> Hashable:
        """Both ways of averaging share the same statistics."""
        return dataclasses.replace(self, average="scores")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return _LeporScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Mean of the segment scores, or the score of the mean parts."""
        means = _means(totals)
        result: Floats = means[0] if self.average == "scores" else self.combine(*means[1:])
        return result

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Means of LP, NPP and HPR."""
        return dict(zip(self.columns[1:4], _means(totals)[1:], strict=True))

    def verbose(self, totals: Statistics) -> str:
        """The means of the parts."""
        parts = (f"{name} = {float(value):.4f}" for name, value in self.components(totals).items())
        return f"({' '.join(parts)})"

    def signature_entries(self) -> list[Entry]:
        """All options."""
        return [
            case_entry(self.case),
            tok_entry(self.tok),
            Entry("alpha", "a", show(self.alpha)),
            Entry("beta", "b", show(self.beta)),
            Entry("context", "n", show(self.context)),
            *self.own_entries,
            Entry("average", "avg", self.average),
        ]


@dataclass(frozen=True, kw_only=True)
class Hlepor(Lepor):
    """Weighted harmonic mean of length penalty, position penalty and the mean of precision and recall."""

    name: ClassVar[str] = "hlepor"
    label: ClassVar[str] = "hLEPOR"

    w_lp: float = option(
        2.0, "weight of the length penalty", minimum=0, maximum=LARGEST_WEIGHT, aliases=("weight_elp",)
    )
    w_npp: float = option(
        1.0, "weight of the position penalty", minimum=0, maximum=LARGEST_WEIGHT, aliases=("weight_pos",)
    )
    w_hpr: float = option(
        7.0, "weight of precision and recall", minimum=0, maximum=LARGEST_WEIGHT, aliases=("weight_pr",)
    )
    variant: str = option("paper", "rules of the alignment", choices=VARIANTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(self._weights) == 0:
            raise SpecError("hlepor: w_lp, w_npp and w_hpr cannot all be 0")

    @property
    def _weights(self) -> tuple[float, float, float]:
        return self.w_lp, self.w_npp, self.w_hpr

    def combine(self, length: Any, position: Any, words: Any) -> Any:
        """Weighted harmonic mean; 0 if a part with a weight is 0."""
        # If a tiny part makes the division overflow, the score is correctly 0.
        with np.errstate(divide="ignore", over="ignore"):
            below = sum(w / part for w, part in zip(self._weights, (length, position, words), strict=True) if w > 0)
        return sum(self._weights) / below

    @property
    def alignment(self) -> str:
        """The rule of the variant."""
        return self.variant

    @property
    def own_entries(self) -> list[Entry]:
        """The weights and the variant."""
        return [
            Entry("weights", "w", "/".join(map(show, self._weights))),
            Entry("variant", "var", self.variant),
        ]


@dataclass(frozen=True, kw_only=True)
class Nlepor(Lepor):
    """LEPOR with the precision and recall of n-grams."""

    name: ClassVar[str] = "nlepor"
    label: ClassVar[str] = "nLEPOR"

    weights: str = option("1/1", "weights of unigrams, bigrams, …; there are as many lengths as weights")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", "/".join(map(show, parse_weights(self.name, self.weights))))

    @property
    def ngram_weights(self) -> tuple[float, ...]:
        """The option as numbers that sum to 1."""
        numbers = parse_weights(self.name, self.weights)
        return tuple(number / sum(numbers) for number in numbers)

    @property
    def own_entries(self) -> list[Entry]:
        """The weights."""
        return [Entry("weights", "w", self.weights)]


def _means(totals: Statistics) -> tuple[Floats, ...]:
    """Means of score, LP, NPP and HPR over segments, 0 without segments; each of shape (...)."""
    totals = np.asarray(totals, dtype=np.float64)
    n_segments = np.maximum(totals[..., 4], 1)
    return tuple(totals[..., i] / n_segments for i in range(4))


class _LeporScorer(TokenScorer):
    metric: Lepor

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        pairs = Pairs(self._tokens(texts), self._refs, hyps, refs)
        matches = lepor_matches(pairs, context=self.metric.context, variant=self.metric.alignment)
        hyp_len, ref_len = (lengths.astype(np.float64) for lengths in pairs.lengths)
        length = _length_penalty(hyp_len, ref_len)
        position = _position_penalty(matches[:, 1].astype(np.float64), hyp_len, ref_len)
        words = self._words(pairs, matches[:, 0])
        score = self.metric.combine(length, position, words)
        statistics: Statistics = np.column_stack([score, length, position, words, np.ones(len(hyps))])
        return statistics if len(rows) == len(hyp_index) else statistics[first_best(score, rows)]

    def _words(self, pairs: Pairs, aligned: Any) -> Any:
        """HPR of every pair, shape (n,): the geometric mean over n-gram lengths."""
        weights = self.metric.ngram_weights
        matches = aligned[:, None]
        if len(weights) > 1:
            matches = ngram_matches(pairs, order=len(weights))
        hyp_len, ref_len = pairs.lengths
        logs, present = np.zeros(len(hyp_len)), np.zeros(len(hyp_len))
        for k, weight in enumerate(weights):
            n_hyp, n_ref = np.maximum(hyp_len - k, 0), np.maximum(ref_len - k, 0)
            counts = ((n_hyp > 0) | (n_ref > 0)) & (weight > 0)
            value = self._harmonic(matches[:, k], n_hyp, n_ref)
            with np.errstate(divide="ignore"):
                logs += weight * np.log(value, out=np.zeros(len(hyp_len)), where=counts)
            present += weight * counts
        if len(weights) == 1:
            return value
        return np.where(present > 0, np.exp(logs / np.where(present > 0, present, 1.0)), 0.0)

    def _harmonic(self, matched: Any, n_hyp: Any, n_ref: Any) -> Any:
        """(α + β) / (α/R + β/P) with P = matched / n_hyp, R = matched / n_ref; 0 if nothing is matched."""
        alpha, beta = self.metric.alpha, self.metric.beta
        below = alpha * n_ref + beta * n_hyp
        return np.divide((alpha + beta) * matched, below, out=np.zeros(len(matched)), where=matched > 0)


def _length_penalty(hyp_len: Any, ref_len: Any) -> Any:
    shorter, longer = np.minimum(hyp_len, ref_len), np.maximum(hyp_len, ref_len)
    ratio = np.divide(longer, shorter, out=np.full(len(shorter), np.inf), where=shorter > 0)
    return np.exp(1.0 - ratio)


def _position_penalty(distance: Any, hyp_len: Any, ref_len: Any) -> Any:
    """NPP from the sums of ``|i·r - j·c|``; 1 if no word is aligned."""
    below = hyp_len * hyp_len * ref_len
    return np.exp(-np.divide(distance, below, out=np.zeros(len(below)), where=below > 0))
