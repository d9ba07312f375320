"""WER, the word error rate.

Nießen et al. 2000, "An evaluation tool for machine translation: fast evaluation for MT research"; the edit distance is
Levenshtein's (1966).

    WER = (substitutions + insertions + deletions) / reference length

Options, several references and empty texts: see ``mtassay.metrics.strings.error_rate``.

Statistics: ``substitutions insertions deletions ref_len``; the number of edits is minimal. If several alignments are
minimal, the one used is traced from the end and prefers a match or substitution, then an insertion (a hypothesis word),
then a deletion (a reference word).

Equal to the Moses scorer for one reference, with ``tok=none``; Moses prints 1 − error (``as=accuracy``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.kernels.edits import word_edits
from mtassay.metrics.strings.error_rate import ErrorRate, WordErrorRate

if TYPE_CHECKING:
    from mtassay.kernels import Pairs
    from mtassay.types import Statistics


@dataclass(frozen=True)
class EditRate(ErrorRate):
    """Substitutions, insertions and deletions, counted along one alignment."""

    columns: ClassVar[tuple[str, ...]] = ("substitutions", "insertions", "deletions", "ref_len")
    #: Rule that chooses between minimal alignments, one of ``mtassay.kernels.edits.TIES``.
    ties: ClassVar[str] = "substitutions"

    def count(self, pairs: Pairs) -> Statistics:
        """Substitutions, insertions, deletions."""
        return word_edits(pairs, ties=self.ties)

    def edits(self, totals: Statistics) -> Any:
        """Sum of all three kinds."""
        return np.asarray(totals)[..., :3].sum(axis=-1)


@dataclass(frozen=True)
class Wer(EditRate, WordErrorRate):
    """Word error rate.

    >>> Wer().corpus_score(["the cat sat on mat"], [["the cat is on the mat"]])
    0.3333333333333333
    """

    name: ClassVar[str] = "wer"
    aligner: ClassVar[str] = "mtassay.metrics.strings.edit_alignment"
