"""BLEU with sacreBLEU's arguments and rounding."""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.compat.sacrebleu.metrics.base import Metric, Score, Signature, sacrelogger
from mtassay.compat.sacrebleu.utils import my_log

if TYPE_CHECKING:
    from collections.abc import KeysView, Mapping, Sequence

    from mtassay.compat.sacrebleu.metrics.base import Streams
    from mtassay.compat.sacrebleu.tokenizers import BaseTokenizer
    from mtassay.metrics.core.metric import Metric as Engine
    from mtassay.types import Array

MAX_NGRAM_ORDER = 4

_TOKENIZERS = {
    "none": "tokenizer_none.NoneTokenizer",
    "zh": "tokenizer_zh.TokenizerZh",
    "13a": "tokenizer_13a.Tokenizer13a",
    "intl": "tokenizer_intl.TokenizerV14International",
    "char": "tokenizer_char.TokenizerChar",
    "ja-mecab": "tokenizer_ja_mecab.TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab.TokenizerKoMecab",
    "spm": "tokenizer_spm.TokenizerSPM",
    "flores101": "tokenizer_spm.Flores101Tokenizer",
    "flores200": "tokenizer_spm.Flores200Tokenizer",
    "spBLEU-1K": "tokenizer_spm.spBLEU1KTokenizer",
}


def _get_tokenizer(name: str) -> Any:
    """The class of a tokenizer; users of sacreBLEU call this, although its name is private."""
    module, _, attribute = _TOKENIZERS[name].partition(".")
    return getattr(import_module(f"mtassay.compat.sacrebleu.tokenizers.{module}"), attribute)


class BLEUSignature(Signature):
    """The signature of BLEU."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"case": "c", "eff": "e", "tok": "tok", "smooth": "s"}
        smooth = args["smooth_method"]
        default = BLEU.SMOOTH_DEFAULTS[smooth]
        if default is not None:
            value = default if args["smooth_value"] is None else args["smooth_value"]
            smooth += f"[{value:.2f}]"
        self.info |= {
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "yes" if args["effective_order"] else "no",
            "tok": args["tokenizer_signature"],
            "smooth": smooth,
        }


class BLEUScore(Score):
    """A BLEU score with its counts.

    Args:
        score: the value.
        counts: number of matching n-grams, by length.
        totals: number of n-grams in the hypotheses, by length.
        precisions: precisions in percent, by length.
        bp: the brevity penalty.
        sys_len: number of words in the hypotheses.
        ref_len: number of words in the references.
    """

    def __init__(
        self,
        score: float,
        counts: Sequence[float],
        totals: Sequence[float],
        precisions: Sequence[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        self._verbose = (
            f"{self.prec_str} (BP = {bp:.3f} ratio = {self.ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d})"
        )


class BLEU(Metric[BLEUScore]):
    """BLEU.

    Args:
        lowercase: ignore case.
        force: do not warn about texts that look tokenised.
        tokenize: name of a tokenizer; None for the one that suits `trg_lang`.
        smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``.
        smooth_value: value for ``floor`` and ``add-k``; None is the default.
        max_ngram_order: largest n-gram length.
        effective_order: leave out n-gram lengths that do not occur, for single segments.
        trg_lang: the target language.
        references: reference streams, prepared once for many systems.
    """

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZERS: ClassVar[KeysView[str]] = _TOKENIZERS.keys()
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"
    _TOKENIZER_MAP: ClassVar[dict[str, str]] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    _SIGNATURE_TYPE = BLEUSignature

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        super().__init__()
        _check_smoothing(smooth_method)
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        suitable = self._TOKENIZER_MAP.get(trg_lang)
        if tokenize is None:
            tokenize = suitable or self.TOKENIZER_DEFAULT
        elif suitable is not None and tokenize != suitable:
            sacrelogger.warning("Use the tokenizer '%s' or 'spm' for the language '%s'.", suitable, trg_lang)
        self.tokenizer: BaseTokenizer = _get_tokenizer(tokenize)()
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _engine(self) -> Engine:
        case = "lower" if self.lowercase else "mixed"
        return _engine(getattr(self.tokenizer, "engine", None) or "none", case, self.max_ngram_order)

    def _prepared(self, texts: list[str]) -> list[str]:
        if getattr(self.tokenizer, "engine", None) is not None:
            return texts
        # The caller has replaced our tokenizer by another.
        return [self.tokenizer((text.lower() if self.lowercase else text).rstrip()) for text in texts]

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        n = self.max_ngram_order
        return self.compute_bleu(stats[2 : 2 + n], stats[2 + n :], int(stats[0]), int(stats[1]), **self._rule)

    def _values_from_stats(self, stats: Array) -> list[float]:
        n = self.max_ngram_order
        rows = stats.reshape(-1, stats.shape[-1])
        # Parity: sacreBLEU, single precision in NumPy's types, which round differently from Python's.
        return [
            _bleu(row[2 : 2 + n], row[2 + n :], int(row[0]), int(row[1]), **self._rule)[0]
            for row in (rows if rows.dtype.itemsize < 8 else rows.tolist())
        ]

    @property
    def _rule(self) -> dict[str, Any]:
        return {
            "smooth_method": self.smooth_method,
            "smooth_value": self.smooth_value,
            "effective_order": self.effective_order,
            "max_ngram_order": self.max_ngram_order,
        }

    @staticmethod
    def compute_bleu(
        correct: Any,
        total: Any,
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """BLEU of counts.

        Args:
            correct: number of matching n-grams, by length; ``add-k`` changes it in place.
            total: number of n-grams in the hypotheses, by length; ``add-k`` changes it in place.
            sys_len: number of words in the hypotheses.
            ref_len: number of words in the references.
            smooth_method: as for ``BLEU``.
            smooth_value: as for ``BLEU``.
            effective_order: as for ``BLEU``.
            max_ngram_order: as for ``BLEU``.
        """
        _check_smoothing(smooth_method)
        score, precisions, penalty = _bleu(
            correct,
            total,
            sys_len,
            ref_len,
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
            max_ngram_order=max_ngram_order,
        )
        return BLEUScore(score, correct, total, precisions, penalty, sys_len, ref_len)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        """Score one segment; `effective_order` is recommended."""
        if not self.effective_order:
            sacrelogger.warning("BLEU of single segments should be computed with `effective_order`.")
        return super().sentence_score(hypothesis, references)


def _bleu(
    correct: Any,
    total: Any,
    sys_len: int,
    ref_len: int,
    *,
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
    max_ngram_order: int,
) -> tuple[float, list[float], float]:
    """Score, precisions and brevity penalty; arguments as for ``compute_bleu``.

    Numbers keep the given type, and are rounded as in sacreBLEU: a perfect score is 100.00000000000004.
    ``mtassay.metrics`` rounds differently, so the formula has to be here, too.
    """
    added = BLEU.SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
    penalty = 1.0
    if sys_len < ref_len:
        penalty = math.exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
    precisions = [0.0] * max_ngram_order
    if not any(correct):
        return 0.0, precisions, penalty
    n_orders, divisor = max_ngram_order, 1.0
    for n in range(max_ngram_order):
        if smooth_method == "add-k" and n > 0:
            correct[n] += added
            total[n] += added
        if total[n] == 0:
            break
        if effective_order:
            n_orders = n + 1
        if correct[n] != 0:
            precisions[n] = 100.0 * correct[n] / total[n]
        elif smooth_method == "exp":
            divisor *= 2
            precisions[n] = 100.0 / (divisor * total[n])
        elif smooth_method == "floor":
            precisions[n] = 100.0 * (added or 0.0) / total[n]
    mean_log = sum([my_log(precision) for precision in precisions[:n_orders]]) / n_orders
    return penalty * math.exp(mean_log), precisions, penalty


@cache
def _engine(tok: str, case: str, order: int) -> Engine:
    """The metric that computes the statistics; cached, since it may be needed for every segment."""
    from mtassay.metrics.strings.bleu import Bleu

    return Bleu(tok=tok, case=case, order=order)


def _check_smoothing(smooth_method: str) -> None:
    if smooth_method not in BLEU.SMOOTH_DEFAULTS:
        # Parity: sacreBLEU, the type of the error.
        raise AssertionError(f"Unknown smooth_method {smooth_method!r}")
