"""Base class of HWCM and STM: the share of the parts of a hypothesis's tree that its references' trees have.

    score = mean over sizes n of  Σ matched parts of size n / Σ parts of size n

Matches of a part are clipped at its largest count in the tree of any one reference. Sizes that no hypothesis has are
left out of the mean. The option ``annotator`` names the annotator that parses the texts.

Statistics: ``correct_1 … correct_n total_1 … total_n segments``. ``segments`` is 0 if the hypothesis or all of its
references lack a parse, else 1; a segment with 0 does not count and has no score. An empty text needs no parse and has
no parts. If no hypothesis has parts of any size, the score is 0.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.execution import SERIAL, Execution
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ngrams import ngram_matches
from mtassay.metrics.core.metric import Scorer
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.linguistic.annotated import AnnotatedMetric, annotator_with, trees_of
from mtassay.metrics.linguistic.forest import Forest, Interning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtassay.data.trees import Tree
    from mtassay.metrics.linguistic.forest import Combine, Parts
    from mtassay.types import Floats, Index, Offsets, Statistics


@dataclass(frozen=True)
class TreeMetric(AnnotatedMetric):
    """The share of the parts of trees that are in the references' trees."""

    digits: ClassVar[int] = 4

    # What a metric of this kind defines

    @property
    @abstractmethod
    def largest(self) -> int:
        """The largest size of a part."""

    @property
    @abstractmethod
    def fold(self) -> Callable[[str], str]:
        """Function applied to labels before they are compared."""

    @abstractmethod
    def parts_of(self, forest: Forest, combine: Combine) -> Iterator[Parts]:
        """The parts of trees, size by size."""

    # What follows from these

    @property
    def columns(self) -> tuple[str, ...]:
        """Matched parts and all parts of each size, and whether there is a parse."""
        sizes = range(1, self.largest + 1)
        return (*(f"correct_{n}" for n in sizes), *(f"total_{n}" for n in sizes), "segments")

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> TreeScorer:
        """Find the annotator; references are annotated when hypotheses are compared with them."""
        return TreeScorer(self, references, execution=execution)

    def statistics_of_trees(
        self,
        hypotheses: Sequence[Tree | None],
        references: Sequence[Tree | None],
        *,
        group_offsets: Offsets,
        hyp_index: Index,
        group_index: Index,
    ) -> Statistics:
        """Statistics of pairs of a hypothesis and a group of references, shape (n, K).

        Args:
            hypotheses: trees; None if a parse is missing.
            references: trees, group by group; None if a parse is missing.
            group_offsets: group *i* has the references ``group_offsets[i]`` to ``group_offsets[i + 1]``.
            hyp_index: for each pair the hypothesis, shape (n,).
            group_index: for each pair the group, shape (n,).
        """
        forest = Forest.of([*references, *hypotheses], fold=self.fold)
        correct, totals = [], []
        for parts in self.parts_of(forest, Interning(len(forest.names))):
            refs, hyps = _bags(forest.counts(parts.nodes), parts.numbers, len(references))
            matches = ngram_matches(Pairs(hyps, refs, hyp_index, group_index, group_offsets), order=1)
            correct.append(matches[:, 0])
            totals.append(hyps.lengths[hyp_index])
        parsed = np.array([tree is not None for tree in references], dtype=bool)
        judged = np.logical_or.reduceat(parsed, group_offsets[:-1])[group_index]
        judged &= np.array([tree is not None for tree in hypotheses], dtype=bool)[hyp_index]
        rows: Statistics = np.column_stack([*correct, *totals, judged]) * judged[:, None]
        return rows

    def score(self, totals: Statistics) -> Floats:
        """Mean of the shares; NaN if nothing was parsed."""
        totals = np.asarray(totals, dtype=np.float64)
        correct, possible = totals[..., : self.largest], totals[..., self.largest : -1]
        there = possible > 0
        shares = np.where(there, correct / np.where(there, possible, 1.0), 0.0)
        mean = shares.sum(axis=-1) / np.maximum(there.sum(axis=-1), 1)
        result: Floats = np.where(totals[..., -1] > 0, mean, np.nan)
        return result

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The share of matched parts of each size, 0 if there are no parts of that size."""
        totals = np.asarray(totals, dtype=np.float64)
        possible = np.maximum(totals[..., self.largest : -1], 1.0)
        return {f"P{n + 1}": totals[..., n] / possible[..., n] for n in range(self.largest)}

    def verbose(self, totals: Statistics) -> str:
        """The number of segments with a parse."""
        return f"(parsed = {totals[-1]:.0f})"


class TreeScorer(Scorer):
    """Trees of texts; those of references are parsed once."""

    metric: TreeMetric

    def __init__(self, metric: TreeMetric, references: References, *, execution: Execution = SERIAL) -> None:
        super().__init__(metric, references, execution=execution)
        self._annotator = annotator_with(metric.layer, metric.annotator, wanted_by=metric.name)
        self._of_references: dict[int, Tree | None] = {}

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        used, hyp_index = np.unique(hyp_index, return_inverse=True)
        segments, group_index = np.unique(segment_index, return_inverse=True)
        trees = self._trees(texts)
        offsets = self.references.group_offsets
        numbers = [n for segment in segments for n in range(offsets[segment], offsets[segment + 1])]
        return self.metric.statistics_of_trees(
            [trees[number] for number in used],
            self._reference_trees(numbers),
            group_offsets=np.concatenate([[0], np.cumsum(self.references.counts[segments])]),
            hyp_index=hyp_index,
            group_index=group_index,
        )

    def _reference_trees(self, numbers: list[int]) -> list[Tree | None]:
        # One chunk of segments at a time: chunks run in several threads, and annotating takes most of the time.
        new = [number for number in numbers if number not in self._of_references]
        strings = self.references.texts.strings
        self._of_references.update(
            zip(new, self._trees(Texts.of_checked(tuple(strings[number] for number in new))), strict=True)
        )
        return [self._of_references[number] for number in numbers]

    def _trees(self, texts: Texts) -> list[Tree | None]:
        return trees_of(self.references, texts, self._annotator, layer=self.metric.layer, execution=self.execution)


def _bags(counts: Any, numbers: Any, n_refs: int) -> tuple[Tokens, Tokens]:
    """Parts of references and of hypotheses, in the form of words, as kernels take them."""
    ids = numbers.astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    split = offsets[n_refs]
    return Tokens(ids[:split], offsets[: n_refs + 1]), Tokens(ids[split:], offsets[n_refs:] - split)
