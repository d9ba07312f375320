"""CDER, the cover disjoint error rate.

Leusch, Ueffing and Ney 2006, "CDER: efficient MT evaluation using block movements".

    CDER = (substitutions + insertions + deletions + jumps) / reference length

Each reference word is covered exactly once, in order; the position in the hypothesis may jump anywhere for the cost of
one edit, so that hypothesis words may be used several times or never. Reordered blocks cost little, and the optimum is
found exactly.

Options, several references and empty texts: see ``mtassay.metrics.strings.error_rate``.

Statistics: ``edits ref_len``. Against an empty reference one jump over all hypothesis words is enough.

Equal to the Moses scorer for one reference, with ``tok=none``; Moses prints 1 − error (``as=accuracy``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.kernels.edits import cder_edits
from mtassay.metrics.strings.error_rate import WordErrorRate

if TYPE_CHECKING:
    from mtassay.kernels import Pairs
    from mtassay.types import Statistics


@dataclass(frozen=True)
class Cder(WordErrorRate):
    """Word error rate with block movements.

    >>> Cder().corpus_score(["on the mat sat the cat"], [["the cat sat on the mat"]])
    0.6666666666666666
    """

    name: ClassVar[str] = "cder"
    columns: ClassVar[tuple[str, ...]] = ("edits", "ref_len")

    def count(self, pairs: Pairs) -> Statistics:
        """Edits and jumps."""
        return cder_edits(pairs)

    def edits(self, totals: Statistics) -> Any:
        """The first column."""
        return np.asarray(totals)[..., 0]
