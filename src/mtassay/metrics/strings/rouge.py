"""ROUGE-N, ROUGE-L, ROUGE-W, ROUGE-S and ROUGE-SU.

Lin 2004, "ROUGE: a package for automatic evaluation of summaries".

    P = hits / total of the hypothesis,   R = hits / total of the reference,   F = P·R / ((1 − α)·P + α·R)

    N    clipped matches of n-grams; n-grams
    L    longest common subsequence; words
    W    weighted longest common subsequence, k consecutive words count k^weight; length^weight; P and R are raised to
         the power of 1/weight
    S    clipped matches of skip-bigrams, two words with at most ``gap`` words between them; skip-bigrams
    SU   like S, but single words count as well as skip-bigrams

``variant=rouge_score`` (default) follows Google's rouge-score, which has N and L (and Lsum, see
``mtassay.metrics.strings.rouge_summary``): of several references, the one with the best F counts. W, S and SU, which
rouge-score lacks, follow the paper under the same rules. ``variant=rouge155`` follows ROUGE-1.5.5: hits and totals are
summed over several references (its ``-f A``); P and R are rounded to five digits before F is computed, and F is rounded
after that; ROUGE-W weights reference lengths twice and counts consecutive words only in the reference; ROUGE-SU leaves
out the last word of each text. In both variants the score of a corpus is the mean over segments.

Statistics: ``precision recall f segments``; the first three are fractions, not counts, and the last is 1 for every
segment.

Empty hypothesis or empty reference, or one without a single n-gram or skip-bigram: 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.kernels.ngrams import ngram_matches
from mtassay.kernels.rouge import lcs_lengths, skip_bigram_matches, wlcs_sizes
from mtassay.metrics.core.options import option, show
from mtassay.metrics.strings.rouge_base import Rouge

if TYPE_CHECKING:
    from mtassay.kernels import Pairs
    from mtassay.types import Index


@dataclass(frozen=True)
class RougeN(Rouge):
    """ROUGE-N, n-grams in common."""

    name: ClassVar[str] = "rouge1"
    _NAMES: ClassVar[dict[str, int]] = {f"rouge{n}": n for n in range(1, 5)}

    n: int = option(1, "length of n-grams", minimum=1, maximum=99)

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """``rouge2`` has n = 2."""
        return {"n": cls._NAMES[name]}

    @property
    def spec_name(self) -> str:
        """``rouge1`` to ``rouge4``; longer n-grams are written ``rouge1:n=5``."""
        return f"rouge{self.n}" if self.n in self._NAMES.values() else self.name

    @property
    def kind(self) -> str:
        """The number n."""
        return str(self.n)

    def count(self, pairs: Pairs) -> tuple[Any, Any, Any]:
        """N-grams of one length."""
        matches = ngram_matches(pairs, order=self.n)[:, self.n - 1]
        hyp_total, ref_total = (np.maximum(length - self.n + 1, 0) for length in pairs.lengths)
        return matches, hyp_total, ref_total


@dataclass(frozen=True)
class RougeL(Rouge):
    """ROUGE-L, the longest common subsequence."""

    name: ClassVar[str] = "rougeL"
    kind: ClassVar[str] = "L"

    def count(self, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Words."""
        return (lcs_lengths(pairs), *pairs.lengths)


@dataclass(frozen=True)
class RougeW(Rouge):
    """ROUGE-W, a common subsequence in which consecutive words count more."""

    name: ClassVar[str] = "rougeW"

    # ROUGE-1.5.5 raises lengths to the power of its square, which must stay finite.
    weight: float = option(1.2, "exponent for consecutive words", minimum=1, maximum=5)

    @property
    def kind(self) -> str:
        """``W-1.2``, as ROUGE writes it."""
        return f"W-{show(self.weight)}"

    def count(self, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Words to the power of `weight`."""
        sizes = wlcs_sizes(pairs, weight=self.weight)
        hyp_total, ref_total = map(self._weighted, pairs.lengths)
        if self.variant == "rouge155":
            # Parity: ROUGE-1.5.5 weights the length of the reference twice, when it is computed and when it is summed.
            return sizes[:, 1], hyp_total, self._weighted(ref_total)
        return sizes[:, 0], hyp_total, ref_total

    def _weighted(self, lengths: Any) -> Any:
        different, which = np.unique(lengths, return_inverse=True)
        return np.array([float(length) ** self.weight for length in different.tolist()])[which]

    def ratio(self, hits: Any, total: Any) -> Any:
        """Precision or recall, with the weighting of lengths undone by the inverse power."""
        return super().ratio(hits, total) ** (1 / self.weight)


@dataclass(frozen=True, kw_only=True)
class RougeS(Rouge):
    """ROUGE-S, skip-bigrams in common; ROUGE-SU with single words."""

    name: ClassVar[str] = "rougeS"

    gap: int = option(4, "largest number of words between two; -1 for any", minimum=-1, maximum=10**9)
    unigrams: bool = option(False, "also count single words")

    @classmethod
    def preset(cls, name: str) -> dict[str, Any]:
        """``rougeSU`` counts single words."""
        return {"unigrams": name == "rougeSU"}

    @property
    def spec_name(self) -> str:
        """``rougeS`` or ``rougeSU``."""
        return "rougeSU" if self.unigrams else "rougeS"

    @property
    def kind(self) -> str:
        """``S4``, ``SU4``, ``S*``, as ROUGE writes it."""
        return f"{'SU' if self.unigrams else 'S'}{'*' if self.gap < 0 else self.gap}"

    def count(self, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Skip-bigrams, and single words if requested."""
        # Parity: in ROUGE-1.5.5 the loop over first words ends before the last word, so that word does not count as a
        # single word.
        unigrams = ("all but last" if self.variant == "rouge155" else "all") if self.unigrams else "none"
        matches = skip_bigram_matches(pairs, gap=self.gap, unigrams=unigrams)
        hyp_total, ref_total = (self._total(length, unigrams) for length in pairs.lengths)
        return matches, hyp_total, ref_total

    def _total(self, length: Index, unigrams: str) -> Index:
        others = np.maximum(length - 1, 0)
        reach = others if self.gap < 0 else np.minimum(others, self.gap + 1)
        total: Index = reach * length - reach * (reach + 1) // 2
        if unigrams != "none":
            total += length if unigrams == "all" else others
        return total
