"""What HWCM and STM have in common: the share of the parts of a hypothesis's tree that its references' trees have.

    score = mean over sizes n of  Σ matched parts of size n / Σ parts of size n

A part of the hypothesis is matched as often as the tree of one reference has it, the one that has it most often. Sizes
that no hypothesis has are left out of the mean.

Trees lie in the folder that the option ``trees`` names: a file per system and per reference, of that name.

Statistics: ``correct_1 … correct_n total_1 … total_n segments``, the last one 1 for a segment with a parse and 0 where
the hypothesis, or every one of its references, has none. Such a segment counts for nothing and has no score of its
own. An empty text needs no parse; it has no parts. Where nothing has parts of any size, the score is 0.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.formats.parses import parser_of, parses_digest, read_parses
from mtassay.data.trees import ConstituentTree
from mtassay.errors import SpecError
from mtassay.kernels import Pairs, Tokens
from mtassay.kernels.ngrams import ngram_matches
from mtassay.metrics.core.metric import Metric, no_texts
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import References
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.linguistic.forest import Forest, Interning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mtassay.data.trees import Tree
    from mtassay.io.inputs import PathLike
    from mtassay.metrics.core.metric import Scorer
    from mtassay.metrics.linguistic.forest import Combine, Parts
    from mtassay.types import Floats, Statistics

#: The tree of an empty text.
_EMPTY = ConstituentTree((), ())


@dataclass(frozen=True)
class TreeMetric(Metric):
    """The share of the parts of trees that are in the references' trees."""

    digits: ClassVar[int] = 4
    scores_texts: ClassVar[bool] = False

    trees: str = option("", "folder of the parses, with a file per system and reference")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.trees:
            raise SpecError(
                f"{self.name} needs the folder of the parses: {self.name}:trees=FOLDER (with SYSTEM{self.suffix})"
            )

    # What a metric of this kind defines

    @property
    @abstractmethod
    def suffix(self) -> str:
        """How the names of its files end."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """The largest size of a part."""

    @property
    @abstractmethod
    def fold(self) -> Callable[[str], str]:
        """What is done to labels before they are compared."""

    @abstractmethod
    def parts_of(self, forest: Forest, combine: Combine) -> Iterator[Parts]:
        """The parts of trees, size by size."""

    # What follows from it

    @property
    def columns(self) -> tuple[str, ...]:
        """Matched and all parts of each size, and whether there is a parse."""
        sizes = range(1, self.largest + 1)
        return (*(f"correct_{n}" for n in sizes), *(f"total_{n}" for n in sizes), "segments")

    def prepare(self, references: References, *, threads: int = 1) -> Scorer:
        """Refuse: the trees belong to the systems of a test set."""
        raise no_texts(self)

    def statistics_of_systems(self, references: References, systems: Mapping[str, tuple[str, ...]]) -> Any:
        """Read the parses of all systems and references, and compare them."""
        of_streams = [
            self._read(name, f"reference '{name}'", texts)
            for name, texts in zip(references.names, references.streams, strict=True)
        ]
        of_systems = [self._read(name, f"system '{name}'", texts) for name, texts in systems.items()]
        rows = self.statistics_of_trees(
            [tree for trees in of_systems for tree in trees], references.flat(of_streams), references
        )
        return rows.reshape(len(systems), references.n_segments, -1)

    def _read(self, name: str, whose: str, texts: Sequence[str | None]) -> list[Tree | None]:
        """The trees of a text; an empty one's has no nodes, whatever the file says."""
        trees = read_parses(self.trees, name, suffix=self.suffix, texts=texts, whose=whose)
        return [
            _EMPTY if text is not None and not text.strip() else tree for text, tree in zip(texts, trees, strict=True)
        ]

    def statistics_of_trees(
        self, hypotheses: Sequence[Tree | None], references: Sequence[Tree | None], prepared: References
    ) -> Statistics:
        """Statistics of trees, shape (n, K).

        Args:
            hypotheses: one tree per segment, of one system after the other.
            references: one tree per reference text, in the order of ``prepared.texts``.
            prepared: to which segments the references belong.
        """
        forest = Forest.of([*references, *hypotheses], fold=self.fold)
        n_refs, n_hyps = len(references), len(hypotheses)
        segments = np.tile(np.arange(prepared.n_segments), n_hyps // prepared.n_segments)
        correct, totals = [], []
        for parts in self.parts_of(forest, Interning(len(forest.names))):
            refs, hyps = _bags(forest.counts(parts.nodes), parts.numbers, n_refs)
            pairs = Pairs(hyps, refs, np.arange(n_hyps), segments, prepared.group_offsets)
            matches = ngram_matches(pairs, order=1)
            correct.append(matches[:, 0])
            totals.append(hyps.lengths)
        parsed = np.array([tree is not None for tree in references])
        judged = np.logical_or.reduceat(parsed, prepared.group_offsets[:-1])[segments]
        judged &= np.array([tree is not None for tree in hypotheses])
        rows: Statistics = np.column_stack([*correct, *totals, judged]) * judged[:, None]
        return rows

    def score(self, totals: Statistics) -> Floats:
        """Mean of the shares; NaN where nothing was parsed."""
        totals = np.asarray(totals, dtype=np.float64)
        correct, possible = totals[..., : self.largest], totals[..., self.largest : -1]
        there = possible > 0
        shares = np.where(there, correct / np.where(there, possible, 1.0), 0.0)
        mean = shares.sum(axis=-1) / np.maximum(there.sum(axis=-1), 1)
        result: Floats = np.where(totals[..., -1] > 0, mean, np.nan)
        return result

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The share of each size, 0 where there are none of it."""
        totals = np.asarray(totals, dtype=np.float64)
        possible = np.maximum(totals[..., self.largest : -1], 1.0)
        return {f"P{n + 1}": totals[..., n] / possible[..., n] for n in range(self.largest)}

    def verbose(self, totals: Statistics) -> str:
        """How many segments have a parse."""
        return f"(parsed = {totals[-1]:.0f})"

    @property
    def public_spec(self) -> str:
        """The specification without the folders above the last one."""
        return str(replace(self, trees=PurePath(self.trees).name or self.trees))


def trees_entries(folder: PathLike, *suffixes: str) -> list[Entry]:
    """What made the parses of a folder, as the file beside them says, and the content of all files of these formats."""
    return [Entry("parser", "p", parser_of(folder)), Entry("trees", "t", parses_digest(folder, *suffixes))]


def _bags(counts: Any, numbers: Any, n_refs: int) -> tuple[Tokens, Tokens]:
    """Parts of references and of hypotheses as the kernels take words."""
    ids = numbers.astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    split = offsets[n_refs]
    return Tokens(ids[:split], offsets[: n_refs + 1]), Tokens(ids[split:], offsets[n_refs:] - split)
