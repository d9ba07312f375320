"""BLEU and its family.

Papineni et al. 2002, "BLEU: a method for automatic evaluation of machine translation"; Song, Cohn and Specia 2013,
"BLEU deconstructed: designing a better MT evaluation metric", whose codes name the members of the family:
``{P|R|F}{A|G}{B?}{C?}{n}``, with ``^u`` (counts not smoothed) and ``^b`` (brevity penalty smoothed).

    score = 100 · BP · mean(x_1 … x_n)
    x_k   = precision (P), recall (R) or F = 10·P·R / (R + 9·P) of the n-grams of length k
    mean  = geometric (G) or arithmetic (A); weighted by ``weights``, which are divided by their sum
    BP    = exp(1 − r/c) if c < r, else 1; left out without B

With C a match is clipped at the reference count; without it, every occurrence of a common n-gram counts.
With several references, precision clips at the largest count in any one of them; recall is computed against the
reference that sets the length r.

Statistics: ``hyp_len ref_len``, then for P and F ``correct_1 … correct_n total_1 … total_n``, then for R and F
``recalled_1 … recalled_n ref_total_1 … ref_total_n``. The rules ``nltk5`` and ``nltk7`` count one order more.

Segment scores differ from corpus scores in their smoothing: ``bleu`` uses the effective order (as sacreBLEU's
``sentence_bleu``); codes add ``k`` to every count of a segment (as in the paper), but do not smooth corpus scores.

Deliberate differences from originals: in a tie, the closest reference length is the shorter one (as in mteval,
multi-bleu and sacreBLEU); with ``ref_len=average``, recall is computed against the closest reference, since no
reference may have the average length. Empty hypothesis or empty reference: 0, even if adding to empty counts would
make every ratio 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, n_ngrams, ngram_matches
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import case_option, option, parse_weights, tok_option
from mtassay.metrics.core.references import REF_LENGTHS, References, Texts
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from mtassay.metrics.strings.lengths import ReferenceLengths
    from mtassay.types import Counts, Floats, Index, Statistics

#: Default values of k: sacreBLEU's for its own rules, add-one for the paper's and Moses', NLTK's for its.
_DEFAULT_K = {"floor": 0.1, "add-k": 1.0, "add": 1.0, "nltk4": 5.0, "nltk6": 5.0, "nltk7": 5.0}
#: Smoothing rules; `mtassay.metrics.strings.bleu_smoothing` explains them.
SMOOTHINGS = ("exp", "floor", "add-k", "none", "add", "mteval", "moses", "nltk4", "nltk5", "nltk6", "nltk7")
#: Rules that smooth even if nothing matches; under all others such a text scores 0.
_ALWAYS_SMOOTHED = frozenset({"add", "mteval", "moses"})
#: Rules that do not change orders with matches.
_FOR_ZEROS_ONLY = frozenset({"exp", "floor", "none", "mteval", "nltk4"})
#: Rules that divide by k.
_NEED_K = frozenset({"nltk4", "nltk7"})
#: Rules that need n-grams one longer than the longest.
_NEED_NEXT_ORDER = frozenset({"nltk5", "nltk7"})
CODE = re.compile(r"(?P<base>[PRF])(?P<mean>[AG])(?P<bp>B?)(?P<clip>C?)(?P<order>[1-9]\d?)(?:\^(?P<marks>u|b|ub|bu))?")


@dataclass(frozen=True, kw_only=True)
class Bleu(Metric):
    """BLEU, and every combination of its components."""

    name: ClassVar[str] = "bleu"
    by_segment: ClassVar[bool] = True

    tok: str = tok_option()
    case: str = case_option()
    order: int = option(4, "largest n-gram length", minimum=1, maximum=99, aliases=("max_ngram_order",))
    base: str = option("P", "precision, recall or F-measure", choices=("P", "R", "F"))
    mean: str = option("G", "geometric or arithmetic mean over n-gram lengths", choices=("G", "A"))
    bp: str = option(
        "yes",
        "brevity penalty; smooth adds k to both lengths of a segment, moses to the reference length",
        choices=("yes", "no", "smooth", "moses"),
    )
    clip: bool = option(True, "clip matches at the count of the other side")
    ref_len: str = option("closest", "reference length", choices=REF_LENGTHS)
    smooth: str = option("exp", "smoothing of corpus scores", choices=SMOOTHINGS, aliases=("smooth_method",))
    segment_smooth: str = option("same", "smoothing of segment scores", choices=("same", *SMOOTHINGS))
    k: float | None = option(
        None,
        "value for floor (0.1), add-k (1), add (1), nltk4, nltk6 and nltk7 (5)",
        kind=float,
        minimum=0,
        maximum=1e9,
        aliases=("smooth_value", "alpha"),
    )
    eff: str = option(
        "segment",
        "stop at the longest n-gram that occurs",
        choices=("segment", "yes", "no"),
        aliases=("effective_order",),
    )
    weights: str = option("", "weights of the n-gram lengths in the mean, such as 4/3/2/1; by default all equal")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights and len(parse_weights(self.name, self.weights)) != self.order:
            raise SpecError(f"bleu: weights must be {self.order} numbers, as order is {self.order}, not {self.weights}")
        if self.k == 0 and _NEED_K & {self.smooth, self.segment_smooth}:
            raise SpecError("bleu: nltk4 and nltk7 need a k above 0")
        if self.segment_smooth == self.smooth:
            object.__setattr__(self, "segment_smooth", "same")

    # Codes

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """Option values of a code.

        >>> Bleu.preset("RAC1")["base"], Bleu.preset("RAC1")["order"]
        ('R', 1)
        """
        code = CODE.fullmatch(name)
        if code is None:
            return {}
        marks = code["marks"] or ""
        return {
            "base": code["base"],
            "mean": code["mean"],
            "bp": ("smooth" if "b" in marks else "yes") if code["bp"] else "no",
            "clip": bool(code["clip"]),
            "order": int(code["order"]),
            "smooth": "none",
            "segment_smooth": "none" if "u" in marks else "add",
            "eff": "no",
        }

    @classmethod
    def _complete(cls, options: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        if options.get("weights"):
            options.setdefault("order", options["weights"].count("/") + 1)
        # "smooth=" sets the rule at both levels, even for a code.
        if "smooth" in given and "segment_smooth" not in given:
            options["segment_smooth"] = "same"
        if options.get("segment_smooth") == options.get("smooth"):
            options["segment_smooth"] = "same"
        return options

    @property
    def spec_name(self) -> str:
        """``bleu``, or the code if the options are those of one."""
        unsmoothed = {("none", "add", "no"): "", ("none", "same", "no"): "u"}
        mark = unsmoothed.get((self.smooth, self.segment_smooth, self.eff))
        return self.name if mark is None else self._code(mark)

    def _code(self, mark: str) -> str:
        marks = mark + ("b" if self.bp == "smooth" else "")
        penalty, clipping = "" if self.bp == "no" else "B", "C" if self.clip else ""
        return f"{self.base}{self.mean}{penalty}{clipping}{self.order}{'^' + marks if marks else ''}"

    @property
    def label(self) -> str:
        """``BLEU`` if the components are BLEU's, whatever their smoothing; otherwise the code."""
        return "BLEU" if self.spec_name == self.name and self._shown_code == f"PGBC{self.order}" else self._shown_code

    @property
    def _shown_code(self) -> str:
        """The code, or that of the components if no code has this smoothing."""
        return self._code("") if self.spec_name == self.name else self.spec_name

    # Statistics

    @property
    def columns(self) -> tuple[str, ...]:
        """Lengths, then n-gram counts."""
        sides = {"P": ("correct", "total"), "R": ("recalled", "ref_total")}
        kinds = [kind for side in ("PR" if self.base == "F" else self.base) for kind in sides[side]]
        return ("hyp_len", "ref_len", *(f"{kind}_{n}" for kind in kinds for n in range(1, self._counted + 1)))

    @property
    def _counted(self) -> int:
        """The longest n-grams that are counted."""
        return self.order + bool(_NEED_NEXT_ORDER & {self.smooth, self.segment_smooth})

    @property
    def statistics_key(self) -> Hashable:
        """All smoothing rules, means and penalties share the same counts."""
        return ("bleu", self.tok, self.case, self._counted, self.base, self.clip, self.ref_len)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Tokenise the references."""
        return _BleuScorer(self, references, execution=execution)

    # Scores

    def score(self, totals: Statistics) -> Floats:
        """Corpus scores, under the rule ``smooth``."""
        return self._score(totals, self.smooth, effective=self.eff == "yes", k=0.0)

    def segment_score(self, rows: Statistics) -> Floats:
        """Segment scores: with the effective order for ``bleu``, with add-k smoothing for codes."""
        smoothed = self.bp in {"smooth", "moses"}
        return self._score(rows, self._segment_rule, effective=self.eff != "no", k=self._segment_k if smoothed else 0.0)

    @property
    def _segment_rule(self) -> str:
        return self.smooth if self.segment_smooth == "same" else self.segment_smooth

    @property
    def _segment_k(self) -> float:
        return self._k(self._segment_rule)

    def _score(self, totals: Statistics, rule: str, *, effective: bool, k: float) -> Floats:
        """Scores under a smoothing rule; `k` smooths the brevity penalty."""
        # Matches imply n-grams; with two sides (F), either may have none.
        counted = slice(2, None if self.base == "F" else 2 + self.order)
        if rule in _FOR_ZEROS_ONLY and (np.asarray(totals)[..., counted] > 0).all():
            # Fast path without smoothing: whole corpora, resampled thousands of times.
            return self._combined(self._plain_values(totals), self.order, totals, k)
        values, n_orders, any_match = self._values(totals, rule, effective=effective)
        used = np.arange(self.order) < n_orders[..., None]
        neutral = np.where(used, values, 0.0 if self.mean == "A" else 1.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            orders = [neutral[..., n] for n in range(self.order)]
            combined = self._combined(orders, np.maximum(n_orders, 1), totals, k)
        result: Floats = np.where(self._is_scored(totals, rule, any_match) & (n_orders > 0), combined, 0.0)
        return result

    def _plain_values(self, totals: Statistics) -> list[Any]:
        """Unsmoothed shares of matches, order by order, if every order has matches."""
        values = []
        for n in range(2, 2 + self.order):
            sides = [
                np.true_divide(totals[..., start], totals[..., start + self._counted])
                for start in (n, n + 2 * self._counted)[: 2 if self.base == "F" else 1]
            ]
            values.append(_f_value(*sides) if self.base == "F" else sides[0])
        return values

    def _combined(self, values: list[Any], n_orders: Any, totals: Statistics, k: float) -> Floats:
        """The mean over orders times the penalty, in per cent.

        A score has the same bits whatever other totals are scored with it.
        """
        if self.weights:
            mean = self._weighted_mean(values, n_orders)
        elif self.mean == "A":
            mean = sum(values[1:], values[0]) / n_orders
        else:
            product = prod(values[1:], start=values[0])
            mean = _root(product, self.order)
            if not isinstance(n_orders, int):  # each text has its own number of orders
                mean = np.where(n_orders == self.order, mean, np.exp(np.log(product) / n_orders))
        score: Floats = 100.0 * self._penalty(totals, k) * mean
        return score

    def _weighted_mean(self, values: list[Any], n_orders: Any) -> Any:
        """The mean under the given weights; shares of orders that do not count are neutral."""
        weights = np.array(parse_weights(self.name, self.weights))
        terms = [
            weight * (value if self.mean == "A" else np.log(value))
            for weight, value in zip(weights.tolist(), values, strict=True)
            if weight > 0
        ]
        used = np.cumsum(weights)[np.asarray(n_orders) - 1]
        mean = sum(terms[1:], terms[0]) / np.where(used > 0, used, 1.0)
        return np.where(used > 0, mean if self.mean == "A" else np.exp(mean), 0.0)

    def _is_scored(self, totals: Statistics, rule: str, any_match: Any) -> Any:
        """Whether a smoothing rule applies; if not, all shares and the score are 0.

        The hypothesis must have words, and so must every side whose share is used: adding to empty counts would give a
        perfect score. If nothing matches, the rule must smooth that case, and there must be a reference.
        """
        n_sides = 2 if self.base == "F" else 1
        firsts = [2 + (2 * side + 1) * self._counted for side in range(n_sides)]
        has_words = (np.asarray(totals)[..., [0, *firsts]] > 0).all(axis=-1)
        smoothed = (np.asarray(totals)[..., 1] > 0) & (rule in _ALWAYS_SMOOTHED)
        return has_words & (any_match | smoothed)

    def _values(
        self, totals: Statistics, rule: str, *, effective: bool, whole: float = 1.0
    ) -> tuple[Floats, Index, Any]:
        """Shares x_1 … x_n times `whole`, shape (..., n), number of orders that count, and whether anything matched."""
        from mtassay.metrics.strings.bleu_smoothing import smoothed_ratios  # seldom needed for a whole corpus

        sides = []
        n_orders: Any = None
        any_match: Any = False
        for side in range(2 if self.base == "F" else 1):
            start, n_counted = 2 + 2 * side * self._counted, self._counted
            matched = np.asarray(totals[..., start : start + n_counted], dtype=np.float64)
            total = np.asarray(totals[..., start + n_counted : start + 2 * n_counted], dtype=np.float64)
            hyp_len = np.asarray(totals[..., 0], dtype=np.float64)
            values, present = smoothed_ratios(
                matched, total, rule, k=self._k(rule), hyp_len=hyp_len, order=self.order, whole=whole
            )
            sides.append(values)
            count = np.cumprod(present, axis=-1).sum(axis=-1) if effective else np.full(present.shape[:-1], self.order)
            n_orders = count if n_orders is None else np.minimum(n_orders, count)
            any_match = any_match | (matched > 0).any(axis=-1)
        if self.base == "F":
            sides = [_f_value(*sides)]
        return sides[0], n_orders, any_match

    def _k(self, rule: str) -> float:
        return _DEFAULT_K.get(rule, 1.0) if self.k is None else self.k

    def _penalty(self, totals: Statistics, k: float) -> Any:
        hyp_len, ref_len = (np.asarray(totals[..., i], dtype=np.float64) for i in (0, 1))
        hyp_len = hyp_len if self.bp == "moses" else hyp_len + k
        ref_len = ref_len + k
        shorter = hyp_len < ref_len
        if self.bp == "no" or not shorter.any():
            # Exponentials are expensive: compute them only where needed.
            return np.ones(shorter.shape)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(shorter, np.exp(1.0 - ref_len / hyp_len), 1.0)

    # Reports

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """P1 … Pn (R1 …, F1 …), length ratio LR and brevity penalty BP, as in Table 8 of the paper."""
        # Computed in percent, since 100 times a share is rounded twice: 63.75 might be shown as 63.7.
        values, _, any_match = self._values(totals, self.smooth, effective=False, whole=100.0)
        # Parity: sacreBLEU, without any match no precision is smoothed.
        values = np.where(self._is_scored(totals, self.smooth, any_match)[..., None], values, 0.0)
        named: dict[str, Floats] = {f"{self.base}{n + 1}": values[..., n] for n in range(self.order)}
        hyp_len, ref_len = (np.asarray(totals[..., i], dtype=np.float64) for i in (0, 1))
        named["LR"] = np.divide(hyp_len, ref_len, out=np.zeros_like(hyp_len), where=ref_len > 0)
        if self.bp != "no":
            named["BP"] = self._penalty(totals, 0.0)
        return named

    def verbose(self, totals: Statistics) -> str:
        """Percentages, penalty and lengths in sacreBLEU's words."""
        parts = self.components(totals)
        penalty = float(self._penalty(totals, 0.0))
        percentages = "/".join(f"{float(parts[f'{self.base}{n}']):.1f}" for n in range(1, self.order + 1))
        return (
            f"{percentages} (BP = {penalty:.3f} ratio = {float(parts['LR']):.3f} "
            f"hyp_len = {totals[0]:.0f} ref_len = {totals[1]:.0f})"
        )

    def signature_entries(self) -> list[Entry]:
        """SacreBLEU's entries, then whatever differs from plain BLEU."""
        eff = {"segment": "no", "yes": "yes", "no": "no"}[self.eff]
        entries = [
            case_entry(self.case),
            Entry("eff", "e", eff),
            tok_entry(self.tok),
            Entry("smooth", "s", self._rule_signature(self.smooth)),
        ]
        if self.segment_smooth != "same":
            entries.append(Entry("segment_smooth", "ss", self._rule_signature(self.segment_smooth)))
        if self.bp in {"smooth", "moses"}:
            entries.append(Entry("bp", "bp", f"{self.bp}[{self._segment_k:.2f}]"))
        if self.weights:
            entries.append(Entry("weights", "w", self.weights))
        if self.ref_len != "closest":
            entries.append(Entry("reflen", "rl", self.ref_len))
        code = self._shown_code
        return entries if code == "PGBC4" and self.spec_name == self.name else [*entries, Entry("code", "code", code)]

    def _rule_signature(self, rule: str) -> str:
        return f"{rule}[{self._k(rule):.2f}]" if rule in _DEFAULT_K else rule


def _root(values: Any, n: int) -> Any:
    """The n-th root; by square roots if possible, which are cheaper than a logarithm and an exponential."""
    if n & (n - 1):
        return np.exp(np.log(values) / n)
    while n > 1:
        values, n = np.sqrt(values), n // 2
    return values


def _f_value(precision: Any, recall: Any) -> Any:
    """The F-measure of the paper, in which recall has weight nine."""
    below = recall + 9.0 * precision
    return np.where(below > 0, 10.0 * precision * recall / np.where(below > 0, below, 1.0), 0.0)


class _BleuScorer(Scorer):
    metric: Bleu

    def __init__(self, metric: Bleu, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references, execution=execution)
        self._refs = self.references.encode(self.references.texts, tokenizer=metric.tok, case=metric.case)
        self._ref_lens: ReferenceLengths | None = None
        if self.references.n_references != "1":
            from mtassay.metrics.strings.lengths import ReferenceLengths

            self._ref_lens = ReferenceLengths(self._refs.lengths, self.references)

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        metric = self.metric
        hyps = self.references.encode(texts, tokenizer=metric.tok, case=metric.case)
        hyp_len = hyps.lengths[hyp_index]
        reference, ref_len = self._chosen_reference(hyp_len, segment_index)
        columns: list[Any] = [hyp_len, ref_len]
        n_counted = (len(metric.columns) - 2) // (4 if metric.base == "F" else 2)
        if metric.base in "PF":
            counting = "clipped" if metric.clip else "hypothesis"
            pairs = Pairs(hyps, self._refs, hyp_index, segment_index, self.references.group_offsets)
            matches = ngram_matches(pairs, order=n_counted, counting=counting)
            columns += [matches, n_ngrams(hyp_len, n_counted)]
        if metric.base in "RF":
            counting = "clipped" if metric.clip else "reference"
            pairs = Pairs(hyps, self._refs, hyp_index, reference)
            matches = ngram_matches(pairs, order=n_counted, counting=counting)
            columns += [matches, n_ngrams(self._refs.lengths[reference], n_counted)]
        return np.column_stack(columns)

    def _chosen_reference(self, hyp_len: Counts, segment_index: Index) -> tuple[Index, Any]:
        """For each pair the reference against which recall is computed, and the reference length."""
        if self._ref_lens is None:  # one reference per segment
            return segment_index, self._refs.lengths[segment_index]
        reference = self._ref_lens.chosen(hyp_len, segment_index, rule=self.metric.ref_len)
        if self.metric.ref_len == "average":
            return reference, self._ref_lens.averages(segment_index)
        return reference, self._refs.lengths[reference]

    def expected_statistics(self, texts: Texts, weights: Floats) -> Statistics:
        """Clipped matches against expected counts, and the expected length."""
        from mtassay.kernels.ngrams import expected_matches

        metric = self.metric
        if metric.base != "P" or not metric.clip:
            raise SpecError(f"{metric} cannot aggregate references; BLEU with base=P and clip=yes can")
        hyps = self.references.encode(texts, tokenizer=metric.tok, case=metric.case)
        n_counted = (len(metric.columns) - 2) // 2
        matches = expected_matches(hyps, self._refs, weights=weights, order=n_counted)
        ref_len = np.full(len(texts), (weights * self._refs.lengths).sum())
        return np.column_stack([hyps.lengths, ref_len, matches, n_ngrams(hyps.lengths, n_counted)])
