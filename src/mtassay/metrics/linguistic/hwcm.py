"""HWCM, the head-word chain metric.

Liu & Gildea 2005, "Syntactic features for evaluation of machine translation".

    HWCM = (1/D) Σ_{n = 1…D} Σ_chains clipped count / Σ_chains count        of the chains of n words in the hypothesis

A chain of n words is a word, its head, the head of its head and so on; D is the option ``n``. Annotations, several
references, statistics and missing parses: see ``mtassay.metrics.linguistic.tree_metric``.

Differences from the paper: at segment level, lengths of chains that the tree does not have are left out of the mean, so
that a short text can reach 1; words are compared in lower case unless ``case=mixed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.annotations import DEPENDENCIES
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.metrics.linguistic.forest import Forest, chains
from mtassay.metrics.linguistic.tree_metric import TreeMetric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mtassay.metrics.linguistic.forest import Combine, Parts


@dataclass(frozen=True)
class Hwcm(TreeMetric):
    """HWCM, chains of head words in common; needs dependency trees."""

    name: ClassVar[str] = "hwcm"
    layer: ClassVar[str] = DEPENDENCIES

    n: int = option(4, "length of the longest chains", minimum=1, maximum=20)
    case: str = option("lower", "letter case", choices=("mixed", "lower"), aliases=("lowercase",))

    @property
    def label(self) -> str:
        """``HWCM-4``."""
        return f"HWCM-{self.n}"

    @property
    def largest(self) -> int:
        """The length of the longest chains."""
        return self.n

    @property
    def fold(self) -> Callable[[str], str]:
        """Lower-casing, unless ``case=mixed``."""
        return str.lower if self.case == "lower" else str

    def parts_of(self, forest: Forest, combine: Combine) -> Iterator[Parts]:
        """Chains, length by length."""
        return chains(forest, forest.labels, longest=self.n, combine=combine)

    def signature_entries(self) -> list[Entry]:
        """Length, letter case and annotator."""
        return [Entry("n", "n", str(self.n)), case_entry(self.case), self.annotator_entry()]
