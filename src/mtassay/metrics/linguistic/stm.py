"""STM, the sub-tree metric.

Liu & Gildea 2005, "Syntactic features for evaluation of machine translation".

    STM = (1/D) Σ_{d = 1…D} Σ_sub-trees clipped count / Σ_sub-trees count  of the sub-trees of depth d in the hypothesis

A sub-tree of depth d is a node with everything below it, cut off after d levels; nodes with fewer levels have none. D
is the option ``depth``. In constituent trees the nodes are phrases and parts of speech, not words; in dependency trees
they are words. Trees, several references, statistics and missing parses: see
``mtassay.metrics.linguistic.tree_metric``.

Differences from the paper: at segment level, depths that the tree does not have are left out of the mean; words of
dependency trees are compared in lower case unless ``case=mixed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.annotations import CONSTITUENTS, DEPENDENCIES
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry, case_entry
from mtassay.metrics.linguistic.forest import Forest, subtrees
from mtassay.metrics.linguistic.tree_metric import TreeMetric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mtassay.metrics.linguistic.forest import Combine, Parts


@dataclass(frozen=True)
class Stm(TreeMetric):
    """STM, sub-trees in common; needs constituent or dependency trees."""

    name: ClassVar[str] = "stm"

    depth: int = option(4, "levels of the deepest sub-trees", minimum=1, maximum=20)
    over: str = option("constituents", "kind of the trees", choices=("constituents", "dependencies"))
    case: str = option("lower", "letter case of words", choices=("mixed", "lower"), aliases=("lowercase",))

    @property
    def label(self) -> str:
        """``STM-4``, or ``DSTM-4`` for dependency trees."""
        return f"{'STM' if self.over == 'constituents' else 'DSTM'}-{self.depth}"

    @property
    def layer(self) -> str:
        """Constituents or dependencies."""
        return CONSTITUENTS if self.over == "constituents" else DEPENDENCIES

    @property
    def largest(self) -> int:
        """The depth of the deepest sub-trees."""
        return self.depth

    @property
    def fold(self) -> Callable[[str], str]:
        """Words are compared in lower case, labels of phrases unchanged."""
        return str.lower if self.over == "dependencies" and self.case == "lower" else str

    def parts_of(self, forest: Forest, combine: Combine) -> Iterator[Parts]:
        """Sub-trees, depth by depth."""
        return subtrees(forest, forest.labels, deepest=self.depth, combine=combine)

    def signature_entries(self) -> list[Entry]:
        """Depth, kind of trees, letter case and annotator."""
        words = [case_entry(self.case)] if self.over == "dependencies" else []
        depth, over = Entry("depth", "d", str(self.depth)), Entry("over", "o", self.over)
        return [depth, over, *words, self.annotator_entry()]
