"""TER with sacreBLEU's arguments."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from mtassay.compat.sacrebleu.metrics.base import Metric, Score, Signature
from mtassay.compat.sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtassay.compat.sacrebleu.metrics.base import Streams
    from mtassay.metrics.core.metric import Metric as Engine
    from mtassay.types import Array


class TERSignature(Signature):
    """The signature of TER."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"case": "c", "tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}
        self.info |= {
            "case": "mixed" if args["case_sensitive"] else "lc",
            "tok": args["tokenizer_signature"],
            "norm": args["normalized"],
            "punct": not args["no_punct"],
            "asian": args["asian_support"],
        }


class TERScore(Score):
    """A TER score.

    Args:
        score: the value.
        num_edits: number of edits.
        ref_length: mean length of the references, summed over segments.
    """

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class TER(Metric[TERScore]):
    """TER.

    Args:
        normalized: normalise and tokenise as tercom does.
        no_punct: remove punctuation.
        asian_support: split Chinese and Japanese characters.
        case_sensitive: keep case.
        references: reference streams, prepared once for many systems.
    """

    _SIGNATURE_TYPE = TERSignature

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        super().__init__()
        self.no_punct = no_punct
        self.normalized = normalized
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.tokenizer = TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
        self.tokenizer_signature = self.tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _engine(self) -> Engine:
        case = "mixed" if self.case_sensitive else "lower"
        return _engine(case, self.normalized, not self.no_punct, self.asian_support)

    def _columns(self, statistics: Array) -> Array:
        """Edits of all kinds together, and the reference length."""
        import numpy as np

        return np.column_stack([statistics[:, :4].sum(axis=1), statistics[:, 4].astype(np.float64)])

    def _values_from_stats(self, stats: Array) -> list[float]:
        import numpy as np

        totals = np.zeros((*stats.shape[:-1], len(self._engine().columns)))
        totals[..., 0], totals[..., -1] = stats[..., 0], stats[..., 1]
        return list(self._engine().score(totals).ravel().tolist())

    def _compute_score_from_stats(self, stats: Any) -> TERScore:
        import numpy as np

        (value,) = self._values_from_stats(np.asarray(stats))
        return TERScore(value, *stats)


@cache
def _engine(case: str, norm: bool, punct: bool, asian: bool) -> Engine:
    """The metric that computes the statistics; cached, since it may be needed for every segment."""
    from mtassay.metrics.strings.ter import Ter

    return Ter(case=case, norm=norm, punct=punct, asian=asian)
