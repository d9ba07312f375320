"""ChrF and chrF++ with sacreBLEU's arguments."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.compat.sacrebleu.metrics.base import Metric, Score, Signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.compat.sacrebleu.metrics.base import Streams
    from mtassay.metrics.core.metric import Metric as Engine
    from mtassay.types import Array


class CHRFSignature(Signature):
    """The signature of chrF."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"case": "c", "eff": "e", "nc": "nc", "nw": "nw", "space": "s"}
        self.info |= {
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "no" if args["eps_smoothing"] else "yes",
            "nc": args["char_order"],
            "nw": args["word_order"],
            "space": "yes" if args["whitespace"] else "no",
        }


class CHRFScore(Score):
    """A chrF score.

    Args:
        score: the value.
        char_order: largest length of character n-grams.
        word_order: largest length of word n-grams.
        beta: weight of recall.
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order


class CHRF(Metric[CHRFScore]):
    """ChrF.

    Args:
        char_order: largest length of character n-grams.
        word_order: largest length of word n-grams; 2 is chrF++.
        beta: weight of recall.
        lowercase: ignore case.
        whitespace: keep white space in character n-grams.
        eps_smoothing: smooth by epsilon, not by the effective order.
        references: reference streams, prepared once for many systems.
    """

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2
    _SIGNATURE_TYPE = CHRFSignature

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _engine(self) -> Engine:
        case = "lower" if self.lowercase else "mixed"
        return _engine(self.char_order, self.word_order, self.beta, case, self.whitespace, self.eps_smoothing)

    def _values_from_stats(self, stats: Array) -> list[float]:
        return list(self._engine().score(stats).ravel().tolist())

    def _compute_score_from_stats(self, stats: Any) -> CHRFScore:
        import numpy as np

        (value,) = self._values_from_stats(np.asarray(stats))
        return CHRFScore(value, self.char_order, self.word_order, self.beta)


@cache
def _engine(char_order: int, word_order: int, beta: float, case: str, whitespace: bool, eps: bool) -> Engine:
    """The metric that computes the statistics; cached, since it may be needed for every segment."""
    from mtassay.metrics.strings.chrf import Chrf

    return Chrf(char_order=char_order, word_order=word_order, beta=beta, case=case, whitespace=whitespace, eps=eps)
