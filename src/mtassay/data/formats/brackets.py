"""Constituent trees in brackets (``.ptb``), one per segment, in order.

A segment is one line, or several until all brackets are closed; several trees on a line are the
sentences of one segment. An outermost bracket without a label, as in the Penn Treebank, is not a node. ``()`` marks a
missing parse.
"""

from __future__ import annotations

import re
from sys import intern
from typing import TYPE_CHECKING

from mtassay.data.formats.lines import lines_of
from mtassay.data.trees import ConstituentTree
from mtassay.errors import InputError, at
from mtassay.io.inputs import PathLike, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MISSING_BRACKETS = "()"
_TOKENS = re.compile(r"[()]|[^\s()]+")


def read_brackets(path: PathLike) -> list[ConstituentTree | None]:
    """Constituent trees of a file (compressed or not), one per segment; None if a parse is missing."""
    return bracket_trees(lines_of(read_text(path)), path)


def bracket_trees(lines: Sequence[str], path: PathLike) -> list[ConstituentTree | None]:
    """Constituent trees from the lines of a file; `path` names it in messages.

    >>> bracket_trees(["(S (NP (PRON I))", "   (VP (V see)))", "()"], "a.ptb")[0]
    ConstituentTree(labels=('S', 'NP', 'PRON', 'VP', 'V'), parents=(-1, 0, 1, 0, 3))
    """
    trees: list[ConstituentTree | None] = []
    segment = _Segment()
    for number, line in enumerate(lines, 1):
        try:
            segment.read(_TOKENS.findall(line))
        except InputError as error:
            raise InputError(f"{at(shown(path), number)}: {error}") from None
        if segment.is_whole:
            trees.append(segment.tree())
            segment = _Segment()
    if segment.is_open:
        raise InputError(f"{at(shown(path), len(lines))}: the file ends before a bracket is closed")
    return trees


class _Segment:
    """Reads the trees of one segment."""

    def __init__(self) -> None:
        self._labels: list[str | None] = []
        self._parents: list[int] = []
        self._open: list[int] = []
        self._words: list[tuple[str, int]] = []
        self._begun = False

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    @property
    def is_whole(self) -> bool:
        return bool(self._labels) and not self._open

    def read(self, tokens: Iterable[str]) -> None:
        for token in tokens:
            if token == "(":
                self._parents.append(self._open[-1] if self._open else -1)
                self._open.append(len(self._labels))
                self._labels.append(None)
                self._begun = True
                continue
            if not self._open:
                raise InputError(f"{token[:20]!r} is outside of any bracket")
            if token == ")":
                self._open.pop()
            elif self._begun:
                self._labels[self._open[-1]] = intern(token)
            else:
                self._words.append((intern(token), self._open[-1]))
            self._begun = False

    def tree(self) -> ConstituentTree | None:
        """The nodes that have a label; None if there are none."""
        kept: dict[int, int] = {-1: -1}
        labels: list[str] = []
        parents: list[int] = []
        for node, (label, parent) in enumerate(zip(self._labels, self._parents, strict=True)):
            if label is None:
                kept[node] = kept[parent]
            else:
                kept[node] = len(labels)
                labels.append(label)
                parents.append(kept[parent])
        words = tuple(word for word, _ in self._words)
        nodes = tuple(kept[node] for _, node in self._words)
        return ConstituentTree(tuple(labels), tuple(parents), words, nodes) if labels else None


def format_brackets(tree: ConstituentTree | None) -> str:
    """Write a segment on one line, in the format of this module.

    >>> format_brackets(bracket_trees(["(S (NP I) (VP see (NP it)) .) (X)"], "a.ptb")[0])
    '(S (NP I) (VP see (NP it)) .) (X)'
    """
    if tree is None or not tree.labels:
        return MISSING_BRACKETS
    pieces: list[str] = []
    open_nodes: list[int] = []
    waiting = list(range(len(tree.labels)))[::-1]

    def begin() -> None:
        node = waiting.pop()
        pieces.append(f"({tree.labels[node]}")
        open_nodes.append(node)

    def close_to(node: int) -> None:
        while open_nodes and open_nodes[-1] != node:
            if waiting and tree.parents[waiting[-1]] == open_nodes[-1]:
                begin()  # nodes without words
            else:
                open_nodes.pop()
                pieces.append(")")

    def begin_all(last: int) -> None:
        while waiting and waiting[-1] <= last:
            close_to(tree.parents[waiting[-1]])
            begin()

    for word, node in zip(tree.words, tree.word_nodes, strict=True):
        begin_all(max(node, 0))
        close_to(node)
        pieces.append(word)
    begin_all(len(tree.labels) - 1)
    close_to(-1)
    line = " ".join(pieces).replace(" )", ")")
    # A word outside of all nodes is put in an outermost bracket without a label.
    return f"({line})" if -1 in tree.word_nodes else line
