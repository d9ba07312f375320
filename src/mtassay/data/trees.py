"""Trees over the words of a text: dependencies and constituents."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """The words of a segment and their heads.

    Attributes:
        words: the words in order.
        heads: for each word the position of its head, counted from 1; 0 for a root. Each sentence has a root.
        tags: universal parts of speech, ``_`` where unknown.
        relations: relations to the heads, ``_`` where unknown.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    tags: tuple[str, ...]
    relations: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its nodes: the words."""
        return self.words

    @property
    def parents(self) -> tuple[int, ...]:
        """For each node the position of its parent, counted from 0; -1 for a root."""
        return tuple(head - 1 for head in self.heads)


@dataclass(frozen=True, slots=True)
class ConstituentTree:
    """The phrases of a segment and the parts of speech of its words, in the order of brackets; words are not nodes.

    Attributes:
        labels: labels of the nodes.
        parents: for each node the position of its parent, counted from 0; -1 for a root.
        words: the words in the brackets.
        word_nodes: for each word the node that contains it.
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    words: tuple[str, ...] = field(default=(), compare=False, repr=False)
    word_nodes: tuple[int, ...] = field(default=(), compare=False, repr=False)


Tree = DependencyTree | ConstituentTree
