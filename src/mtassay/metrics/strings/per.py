"""PER, the position-independent word error rate.

Tillmann et al. 1997, "Accelerated DP based search for statistical translation".

    correct = Σ over distinct words of min(count in hypothesis, count in reference)
    PER     = (max(hypothesis length, reference length) − correct) / reference length
            = max(missing, extra) / reference length

Options, several references and empty texts: see ``mtassay.metrics.strings.error_rate``.

Statistics: ``correct hyp_len ref_len``. Components also give ``missing`` (reference words that the hypothesis lacks)
and ``extra`` (hypothesis words that the reference lacks). For documents and systems, the maximum is computed from the
sums over segments, so a segment that is too long compensates for one that is too short.

Equal to the Moses scorer, with ``tok=none``; Moses prints 1 − error (``as=accuracy``) and takes only one reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.kernels.ngrams import ngram_matches
from mtassay.metrics.strings.error_rate import WordErrorRate

if TYPE_CHECKING:
    from mtassay.kernels import Pairs
    from mtassay.types import Floats, Statistics


@dataclass(frozen=True)
class Per(WordErrorRate):
    """Word error rate that ignores word order.

    >>> Per().corpus_score(["on mat the sat cat"], [["the cat sat on the mat"]])
    0.16666666666666666
    """

    name: ClassVar[str] = "per"
    columns: ClassVar[tuple[str, ...]] = ("correct", "hyp_len", "ref_len")

    def count(self, pairs: Pairs) -> Statistics:
        """Words in common, and the hypothesis length."""
        hyp_len, _ = pairs.lengths
        return np.column_stack([ngram_matches(pairs, order=1), hyp_len])

    def edits(self, totals: Statistics) -> Any:
        """The number of missing or of extra words, whichever is larger."""
        totals = np.asarray(totals)
        return np.maximum(totals[..., 1], totals[..., 2]) - totals[..., 0]

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The statistics, and the numbers of missing and extra words."""
        parts = super().components(totals)
        return {
            **parts,
            "missing": parts["ref_len"] - parts["correct"],
            "extra": parts["hyp_len"] - parts["correct"],
        }
