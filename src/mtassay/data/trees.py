"""Trees over the words of a text: dependencies and constituents."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """The words of a segment and their heads.

    Attributes:
        words: the words in order.
        heads: for each word the position of its head, counted from 1; 0 for a root. Several sentences have several.
        tags: universal parts of speech, ``_`` where unknown.
        relations: relations to the heads, ``_`` where unknown.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    tags: tuple[str, ...]
    relations: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What its nodes are called: the words."""
        return self.words

    @property
    def parents(self) -> tuple[int, ...]:
        """For each node the position of its parent, counted from 0; -1 for a root."""
        return tuple(head - 1 for head in self.heads)


@dataclass(frozen=True, slots=True)
class ConstituentTree:
    """The phrases of a segment and the classes of its words, in the order of their brackets; words are no nodes.

    Attributes:
        labels: what the nodes are called.
        parents: for each node the position of its parent, counted from 0; -1 for a root.
        words: the words that stand in the brackets.
        word_nodes: for each word the node that it stands in.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    words: tuple[str, ...] = field(default=(), compare=False, repr=False)
    word_nodes: tuple[int, ...] = field(default=(), compare=False, repr=False)


Tree = DependencyTree | ConstituentTree
