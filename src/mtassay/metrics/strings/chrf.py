"""chrF, chrF+ and chrF++.

Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"; Popović 2017, "chrF++: words helping
character n-grams".

    P, R = means over character n-grams of length min_order … char_order and word n-grams of length 1 … word_order
    chrF = 100 · (1 + β²)·P·R / (β²·P + R)

Orders without n-grams in hypothesis or reference do not count (effective order); with ``eps`` every order counts and
the mean is taken over F-scores, as in the original chrF++ script. Several references: the one with the highest segment
score.

Statistics, for every order: ``hyp_k ref_k match_k`` (number of n-grams of the hypothesis, 0 if the reference has none
of that length; number of n-grams of the reference; clipped matches), with ``k`` = c1, c2 … for characters and w1, w2 …
for words.

Equal to sacreBLEU. Empty hypothesis or empty reference: 0; with ``eps`` almost 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.encoding import codepoints
from mtassay.kernels.ngrams import expected_matches, ngram_matches
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, show
from mtassay.metrics.core.references import References, Texts, first_best
from mtassay.metrics.core.signature import Entry, case_entry

if TYPE_CHECKING:
    from mtassay.types import Counts, Floats, Index, Statistics

_EPSILON = 1e-16


@dataclass(frozen=True, kw_only=True)
class Chrf(Metric):
    """Character n-gram F-score, with word n-grams for chrF+ and chrF++."""

    name: ClassVar[str] = "chrf"
    by_segment: ClassVar[bool] = True

    char_order: int = option(6, "largest length of character n-grams", minimum=0, maximum=99)
    word_order: int = option(0, "largest length of word n-grams (chrF+: 1, chrF++: 2)", minimum=0, maximum=99)
    beta: float = option(2.0, "how many times more weight recall has than precision", minimum=0, maximum=1e9)
    case: str = case_option()
    whitespace: bool = option(False, "keep white space in character n-grams")
    eps: bool = option(False, "epsilon smoothing as in the original chrF++", aliases=("eps_smoothing",))
    min_order: int = option(1, "smallest length of character n-grams", minimum=1, maximum=99, aliases=("min_len",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.char_order + self.word_order == 0:
            raise SpecError("chrf: char_order and word_order cannot both be 0")
        if self.min_order > max(self.char_order, 1):
            raise SpecError(f"chrf: min_order is {self.min_order}, but char_order is {self.char_order}")

    @property
    def n_orders(self) -> int:
        """Number of n-gram lengths, of characters and words together."""
        return self.char_order - self.min_order + 1 + self.word_order if self.char_order else self.word_order

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """``chrf+`` and ``chrf++`` add word n-grams.

        >>> Chrf.preset("chrf++")
        {'word_order': 2}
        """
        n_plus = len(name) - len(name.rstrip("+"))
        return {"word_order": n_plus} if n_plus else {}

    @property
    def label(self) -> str:
        """As sacreBLEU writes it: ``chrF2``, ``chrF2++``."""
        return f"chrF{show(self.beta)}{'+' * self.word_order}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Three counts for every order."""
        orders = [f"c{n}" for n in range(self.min_order, self.char_order + 1)] + [
            f"w{n + 1}" for n in range(self.word_order)
        ]
        return tuple(f"{kind}_{order}" for order in orders for kind in ("hyp", "ref", "match"))

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Read the references as code points, and as words if needed."""
        return _ChrfScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """F-score of the mean precision and recall."""
        precision, recall, f_scores = self._means(totals)
        if self.eps:
            eps_score: Floats = 100.0 * f_scores / self.n_orders
            return eps_score
        score: Floats = 100.0 * _f_score(precision, recall, self.beta, nothing=0.0)
        return score

    def _means(self, totals: Statistics) -> tuple[Floats, Floats, Floats]:
        """Mean precision and recall over the orders that count, and (with `eps`) the sum of F-scores of all orders."""
        shape = np.shape(totals)[:-1]
        precisions, recalls, f_scores, counted = (np.zeros(shape) for _ in range(4))
        # Summed order by order, not with np.sum, to get the same rounding as sacreBLEU.
        for order in range(self.n_orders):
            hyp, ref, match = (np.asarray(totals[..., 3 * order + i], dtype=np.float64) for i in range(3))
            both = (hyp > 0) & (ref > 0)
            if both.all():  # in almost all resamples; division under a mask takes several times as long
                precision, recall = match / hyp, match / ref
            else:
                precision = np.divide(match, hyp, out=np.full(shape, _EPSILON), where=hyp > 0)
                recall = np.divide(match, ref, out=np.full(shape, _EPSILON), where=ref > 0)
            if self.eps:
                f_scores = f_scores + _f_score(precision, recall, self.beta, nothing=_EPSILON)
            precisions += precision * both
            recalls += recall * both
            counted += both
        n_counted = np.maximum(counted, 1)
        return precisions / n_counted, recalls / n_counted, f_scores

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """Mean precision and recall in per cent."""
        precision, recall, _ = self._means(totals)
        return {"chrP": 100.0 * precision, "chrR": 100.0 * recall}

    def signature_entries(self) -> list[Entry]:
        """SacreBLEU's entries."""
        return [
            case_entry(self.case),
            Entry("eff", "e", "no" if self.eps else "yes"),
            Entry("nc", "nc", f"{self.min_order}-{self.char_order}" if self.min_order > 1 else str(self.char_order)),
            Entry("nw", "nw", str(self.word_order)),
            Entry("space", "s", "yes" if self.whitespace else "no"),
        ]


def _f_score(precision: Any, recall: Any, beta: float, *, nothing: Any) -> Any:
    factor = beta**2
    below = factor * precision + recall
    return np.where(below > 0, (1 + factor) * precision * recall / np.where(below > 0, below, 1.0), nothing)


class _ChrfScorer(Scorer):
    metric: Chrf

    def __init__(self, metric: Chrf, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._refs = self._views(self.references.texts)

    def _views(self, texts: Texts) -> list[tuple[Tokens, range]]:
        """The texts as characters and as words, each with the lengths of its n-grams."""
        metric = self.metric
        views = []
        if metric.char_order:
            key = ("codepoints", metric.case, metric.whitespace)
            chars = texts.remember(
                key,
                lambda: Tokens(*codepoints(texts.strings, case=metric.case, keep_whitespace=metric.whitespace)),
            )
            views.append((chars, range(metric.min_order, metric.char_order + 1)))
        if metric.word_order:
            words = self.references.encode(texts, tokenizer="chrf", case=metric.case)
            views.append((words, range(1, metric.word_order + 1)))
        return views

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        hyps, refs, rows = self.references.each_reference(hyp_index, segment_index)
        n_orders = self.metric.n_orders
        statistics: Statistics = np.empty((len(hyps), 3 * n_orders), dtype=np.int64)
        counts = statistics.reshape(len(hyps), n_orders, 3)
        first = 0
        for (hyp_view, orders), (ref_view, _) in zip(self._views(texts), self._refs, strict=True):
            self._count(Pairs(hyp_view, ref_view, hyps, refs), counts[:, first : first + len(orders)], orders)
            first += len(orders)
        if len(rows) == len(hyp_index):
            return statistics
        return statistics[first_best(self.metric.score(statistics), rows)]

    def _count(self, pairs: Pairs, counts: Counts, orders: range) -> None:
        """Fill in the counts of one view against single references, shape (n, number of orders, 3)."""
        counts[..., 2] = ngram_matches(pairs, order=orders[-1])[:, orders[0] - 1 :]
        hyp_lens, ref_lens = pairs.lengths
        # Column by column, since NumPy is slow if the last axis is short.
        for column, order in enumerate(orders):
            n_ref = np.maximum(ref_lens - (order - 1), 0)
            # Parity: sacreBLEU, n-grams of a length that the reference lacks are not counted against the hypothesis.
            np.multiply(np.maximum(hyp_lens - (order - 1), 0), n_ref > 0, out=counts[:, column, 0])
            counts[:, column, 1] = n_ref

    def expected_statistics(self, texts: Texts, weights: Floats) -> Statistics:
        """Clipped matches against expected counts, and expected numbers of n-grams."""
        columns: list[Any] = []
        for (hyps, orders), (refs, _) in zip(self._views(texts), self._refs, strict=True):
            matches = expected_matches(hyps, refs, weights=weights, order=orders[-1])
            for order in orders:
                n_ref = (weights * np.maximum(refs.lengths - (order - 1), 0)).sum()
                n_hyp = np.maximum(hyps.lengths - (order - 1), 0) * float(n_ref > 0)
                columns += [n_hyp, np.full(len(texts), n_ref), matches[:, order - 1]]
        return np.column_stack(columns)
