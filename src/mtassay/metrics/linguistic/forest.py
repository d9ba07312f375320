"""Parts of many trees at once: chains from words to their heads, and sub-trees of a given depth.

Each part is represented by a number. Parts are combined step by step by a function of two arrays of numbers:
``Interning``, which gives equal numbers only to equal parts, or a hash, which is the same in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mtassay.data.trees import Tree
    from mtassay.types import Index, Offsets

#: Function from the numbers of two parts to the number of the pair, all of shape (n,).
Combine = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class Forest:
    """Nodes of many trees laid end to end; those of tree *i* are ``offsets[i]`` to ``offsets[i + 1]``.

    Attributes:
        names: the distinct labels.
        labels: for each node the position of its label in `names`, shape (nodes,).
        parents: for each node the number of its parent, -1 for a root, shape (nodes,).
        offsets: where the nodes of each tree begin, shape (trees + 1,).
    """

    names: tuple[str, ...]
    labels: Index
    parents: Index
    offsets: Offsets

    @classmethod
    def of(cls, trees: Sequence[Tree | None], *, fold: Callable[[str], str] = str) -> Forest:
        """Concatenate trees; a missing one has no nodes. `fold` is applied to labels, such as lower-casing.

        >>> from mtassay.data import ConstituentTree
        >>> Forest.of([ConstituentTree(("S", "V"), (-1, 0)), None, ConstituentTree(("S",), (-1,))]).parents.tolist()
        [-1, 0, -1]
        """
        sizes = [0 if tree is None else len(tree.labels) for tree in trees]
        offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        numbers: dict[str, int] = {}
        known: dict[str, int] = {}
        for label in chain.from_iterable(tree.labels for tree in trees if tree is not None):
            if label not in known:
                known[label] = numbers.setdefault(fold(label), len(numbers))
        n_nodes = int(offsets[-1])
        labels = (known[label] for tree in trees if tree is not None for label in tree.labels)
        parents = np.fromiter(
            chain.from_iterable(tree.parents for tree in trees if tree is not None), np.int64, n_nodes
        )
        starts = np.repeat(offsets[:-1], sizes)
        return cls(
            tuple(numbers),
            np.fromiter(labels, np.int64, n_nodes),
            np.where(parents < 0, -1, parents + starts),
            offsets,
        )

    @property
    def n_trees(self) -> int:
        """Number of trees, missing ones included."""
        return len(self.offsets) - 1

    def counts(self, nodes: Index) -> Index:
        """Number of these nodes in each tree, shape (trees,); `nodes` must ascend."""
        edges: Index = np.searchsorted(nodes, self.offsets)
        return np.diff(edges)


class Parts(NamedTuple):
    """Parts of one size: the node of each (the lowest of a chain, the root of a sub-tree) and its number; (parts,)."""

    nodes: Index
    numbers: Any


class Interning:
    """Numbers pairs: equal pairs of one call get equal numbers; every call gives new numbers.

    Args:
        first: the first number to give; smaller numbers are those of labels.
    """

    def __init__(self, first: int) -> None:
        self._next = first

    def __call__(self, left: Any, right: Any) -> Any:
        """Number pairs; arguments and result have shape (n,)."""
        if not len(left):
            return left
        different, numbers = np.unique(left * (int(right.max()) + 1) + right, return_inverse=True)
        numbers = numbers + self._next
        self._next += len(different)
        return numbers


def chains(forest: Forest, labels: Any, *, longest: int, combine: Combine) -> Iterator[Parts]:
    """Chains of 1, 2 … `longest` nodes, each followed by its parent.

    Args:
        forest: the trees.
        labels: the number of each node alone, shape (nodes,).
        longest: the largest number of nodes.
        combine: combines a chain and the node above it.
    """
    nodes = np.arange(len(forest.labels))
    tops, numbers = nodes, labels
    yield Parts(nodes, numbers)
    for _ in range(longest - 1):
        above = forest.parents[tops]
        there = above >= 0
        nodes, tops = nodes[there], above[there]
        numbers = combine(numbers[there], labels[tops])
        yield Parts(nodes, numbers)


def subtrees(forest: Forest, labels: Any, *, deepest: int, combine: Combine) -> Iterator[Parts]:
    """Sub-trees of 1, 2 … `deepest` levels: a node and everything below it, cut off at that level.

    A node has a sub-tree of *d* levels if something is *d* - 1 levels below it. Children count in their order.
    Arguments as for ``chains``.
    """
    n_nodes = len(forest.labels)
    children = np.flatnonzero(forest.parents >= 0)
    children = children[np.argsort(forest.parents[children], kind="stable")]
    parents = forest.parents[children]
    first = np.flatnonzero(np.diff(parents, prepend=-1))
    ranks = np.arange(len(children)) - np.repeat(first, np.diff(np.append(first, len(children))))
    by_rank = [children[ranks == rank] for rank in range(int(ranks.max(initial=-1)) + 1)]
    numbers = labels
    reaches = np.ones(n_nodes, dtype=bool)
    yield Parts(np.arange(n_nodes), numbers)
    for _ in range(deepest - 1):
        deeper = labels.copy()
        for nodes in by_rank:
            above = forest.parents[nodes]
            deeper[above] = combine(deeper[above], numbers[nodes])
        reaching = reaches
        reaches = np.zeros(n_nodes, dtype=bool)
        reaches[forest.parents[children[reaching[children]]]] = True
        numbers = deeper
        yield Parts(np.flatnonzero(reaches), numbers[reaches])
