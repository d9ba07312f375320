"""RIBES, the rank-based intuitive bilingual evaluation score.

Isozaki et al. 2010, "Automatic evaluation of translation quality for distant language pairs"; Hirao et al. 2014,
"Evaluating translation quality with word order correlations".

    RIBES = NKT · P^alpha · BP^beta
    NKT   = share of pairs of aligned words that have the same order in both texts (Kendall's τ, from 0 to 1)
    P     = aligned words / words of the hypothesis
    BP    = min(1, exp(1 − reference length / hypothesis length))

A word that occurs once in each text is aligned directly; any other word is aligned by its shortest context that occurs
once in each text. Scores are between 0 and 1; the score of a corpus is the mean over segments. Several references: the
one with the best score.

Variants: ``script`` (default) is RIBES.py 1.03 of the authors, which lower-cases, looks at left contexts first, and
gives a single aligned word an NKT of 1 if the reference has only one word. ``nltk`` is ``nltk.translate.ribes_score``,
which keeps case, looks at right contexts first, and gives a single aligned word an NKT of 0.

Statistics: ``sum n``; for one segment, its score and 1.

Equal to both originals, with ``tok=none``. Empty hypothesis or empty reference: 0, even if both are empty, for which
the script gives 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mtassay.kernels.ribes import VARIANTS, ascending_pairs
from mtassay.metrics.core.options import case_option, option, show, tok_option
from mtassay.metrics.core.signature import Entry, case_entry, tok_entry
from mtassay.metrics.strings.best_reference import BestReferenceMean

if TYPE_CHECKING:
    from mtassay.kernels import Pairs, Tokens
    from mtassay.metrics.core.references import References, Texts
    from mtassay.types import Floats


@dataclass(frozen=True)
class Ribes(BestReferenceMean):
    """Correlation of word orders.

    >>> round(Ribes().corpus_score(["Bob hit John yesterday"], [["John hit Bob yesterday"]]), 4)
    0.5
    """

    name: ClassVar[str] = "ribes"
    label: ClassVar[str] = "RIBES"

    variant: str = option("script", "rules of the authors' script or of NLTK", choices=VARIANTS)
    alpha: float = option(0.25, "exponent of the unigram precision", minimum=0, maximum=1e3)
    beta: float = option(0.1, "exponent of the brevity penalty", minimum=0, maximum=1e3)
    tok: str = tok_option()
    case: str | None = case_option(None, "letter case; by default lower, mixed for nltk")

    @property
    def letter_case(self) -> str:
        """The given case, or the variant's."""
        return self.case or ("lower" if self.variant == "script" else "mixed")

    def encode(self, references: References, texts: Texts) -> Tokens:
        """Words."""
        return references.encode(texts, tokenizer=self.tok, case=self.letter_case)

    def pair_scores(self, references: References, pairs: Pairs) -> Floats:
        """The product of the three parts."""
        del references
        aligned, ascending = ascending_pairs(pairs, variant=self.variant).T
        hyp_len, ref_len = (np.maximum(lengths, 1) for lengths in pairs.lengths)
        order = ascending / np.maximum(aligned * (aligned - 1) // 2, 1)
        if self.variant == "script":  # Parity: RIBES.py, a reference of one word has no pairs
            order = np.where((aligned == 1) & (ref_len == 1), 1.0, order)
        # Parity: both originals, no precision without order, so that 0^0 does not count 1.
        precision = np.where(order > 0, aligned / hyp_len, 0.0)
        penalty = np.minimum(1.0, np.exp(1.0 - ref_len / hyp_len))
        scores: Floats = order * precision**self.alpha * penalty**self.beta
        return scores

    def signature_entries(self) -> list[Entry]:
        """Variant and exponents, then case and tokenizer."""
        return [
            Entry("variant", "var", self.variant),
            Entry("alpha", "a", show(self.alpha)),
            Entry("beta", "b", show(self.beta)),
            case_entry(self.letter_case),
            tok_entry(self.tok),
        ]
