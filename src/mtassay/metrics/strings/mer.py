"""MER, WIL and WIP: shares of errors that are at most 1.

Morris, Maier and Green 2004, "From WER and RIL to MER and WIL: improved evaluation measures for connected speech
recognition".

    MER = (S + I + D) / (H + S + I + D)                      match error rate
    WIP = (H / reference length) · (H / hypothesis length)   word information preserved
    WIL = 1 − WIP                                            word information lost

with hits H, substitutions S, insertions I and deletions D. ``wip`` is ``wil:as=accuracy``.

Options and several references: see ``mtassay.metrics.strings.error_rate``. Empty hypothesis or empty reference: MER
and WIL are 1, both empty: 0.

Statistics: ``substitutions insertions deletions ref_len``; hits and the hypothesis length follow from them. Alignments
with the same number of edits may differ in their number of hits; the one used here is jiwer's, not WER's (see
``mtassay.kernels.edits``).

Equal to jiwer, with ``tok=none``. For texts of more than about 2000 words, RapidFuzz, which jiwer calls, splits the
texts before it aligns them, and may find another alignment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.metrics.strings.error_rate import WordErrorRate
from mtassay.metrics.strings.wer import EditRate

if TYPE_CHECKING:
    from mtassay.types import Floats, Statistics


@dataclass(frozen=True)
class Mer(EditRate, WordErrorRate):
    """Match error rate.

    >>> Mer().corpus_score(["the cat sat on mat"], [["the cat is on the mat"]])
    0.3333333333333333
    """

    name: ClassVar[str] = "mer"
    aligner: ClassVar[str] = "mtassay.metrics.strings.edit_alignment"
    ties: ClassVar[str] = "gaps"

    def error(self, totals: Statistics) -> Floats:
        """Edits divided by the number of steps of the alignment."""
        edits = np.asarray(self.edits(totals), dtype=np.float64)
        steps = np.asarray(totals)[..., 3] + np.asarray(totals)[..., 1]
        rate: Floats = edits / np.where(steps > 0, steps, 1.0)
        return rate


@dataclass(frozen=True)
class Wil(EditRate, WordErrorRate):
    """Word information lost, or preserved.

    >>> Wil().corpus_score(["the cat sat on mat"], [["the cat is on the mat"]])
    0.4666666666666667
    """

    name: ClassVar[str] = "wil"
    aligner: ClassVar[str] = "mtassay.metrics.strings.edit_alignment"
    ties: ClassVar[str] = "gaps"

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """``wip`` is 1 minus ``wil``."""
        return {"as_": "accuracy"} if name == "wip" else {}

    @property
    def spec_name(self) -> str:
        """``wil`` or ``wip``."""
        return "wip" if self.as_ == "accuracy" else "wil"

    @property
    def label(self) -> str:
        """``WIL`` or ``WIP``."""
        return self.spec_name.upper()

    def score(self, totals: Statistics) -> Floats:
        """Information lost or preserved."""
        preserved = self._preserved(totals)
        return preserved if self.as_ == "accuracy" else 1.0 - preserved

    def error(self, totals: Statistics) -> Floats:
        """Information lost."""
        return 1.0 - self._preserved(totals)

    def _preserved(self, totals: Statistics) -> Floats:
        substitutions, insertions, deletions, ref_len = (np.asarray(totals)[..., i] for i in range(4))
        hits = ref_len - substitutions - deletions
        hyp_len = ref_len - deletions + insertions
        shares = [hits / np.where(length > 0, length, 1) for length in (ref_len, hyp_len)]
        preserved: Floats = np.where(ref_len + hyp_len > 0, shares[0] * shares[1], 1.0)
        return preserved
