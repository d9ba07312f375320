"""Parses of texts: dependency trees in CoNLL-U (``.conllu``), constituent trees in brackets (``.ptb``).

A file has the parses of one text file, one per segment, in order.

- CoNLL-U: a sentence is a segment. Where segments have several sentences, each segment begins with the comment
  ``# newpar`` (Universal Dependencies' mark of a paragraph); a file has such marks everywhere or nowhere. Words with a
  range (``3-4``) or a decimal number (``3.1``) are not nodes and are passed over.
- Brackets: a segment is what stands on one line, or on several until all brackets are closed; several trees on a line
  are the sentences of one segment. An outermost bracket without a label, as in the Penn Treebank, is no node.

A missing parse is marked: by a sentence without words and with the comment ``# parse = missing``, or by ``()``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING

from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONLLU, BRACKETS = ".conllu", ".ptb"
#: Beside the parses: what made them.
PARSER_FILE = "parser.json"
MISSING_CONLLU, MISSING_BRACKETS = "# parse = missing", "()"

_N_COLUMNS = 10
_NOT_A_NODE = re.compile(r"[0-9]+[-.][0-9]+")
_PARAGRAPH = re.compile(r"#\s*newpar\b")
_MISSING = re.compile(r"#\s*parse\s*=\s*missing\s*")
_BRACKET_TOKENS = re.compile(r"[()]|[^\s()]+")


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
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    words: tuple[str, ...] = field(default=(), compare=False, repr=False)


Tree = DependencyTree | ConstituentTree


def read_conllu(path: PathLike) -> list[DependencyTree | None]:
    """Dependency trees of a file (compressed or not), one per segment; None where a parse is missing."""
    return conllu_trees(lines_of(read_text(path)), path)


def read_brackets(path: PathLike) -> list[ConstituentTree | None]:
    """Constituent trees of a file (compressed or not), one per segment; None where a parse is missing."""
    return bracket_trees(lines_of(read_text(path)), path)


# CoNLL-U


def conllu_trees(lines: Sequence[str], path: PathLike) -> list[DependencyTree | None]:
    r"""Dependency trees from the lines of a file; `path` names it in messages.

    >>> lines = ["1\tI\t_\tPRON\t_\t_\t2\tnsubj\t_\t_", "2\tsee\t_\tVERB\t_\t_\t0\troot\t_\t_", "", "# parse = missing"]
    >>> conllu_trees(lines, "a.conllu")
    [DependencyTree(words=('I', 'see'), heads=(2, 0), tags=('PRON', 'VERB'), relations=('nsubj', 'root')), None]
    """
    in_paragraphs = any(_PARAGRAPH.match(line) for line in lines)
    segments: list[list[DependencyTree | None]] = []
    for first, block in _blocks(lines):
        begins = any(_PARAGRAPH.match(line) for line in block)
        if in_paragraphs and not begins and not segments:
            raise InputError(f"{at(shown(path), first)}: other sentences follow '# newpar', and this one does not")
        if begins or not in_paragraphs:
            segments.append([])
        segments[-1].append(_sentence(block, first, path))
    return [_joined(sentences) for sentences in segments]


def _blocks(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Runs of lines that are not blank, each with the number of its first line."""
    blocks: list[tuple[int, list[str]]] = []
    fresh = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            fresh = True
            continue
        if fresh:
            blocks.append((number, []))
        blocks[-1][1].append(line)
        fresh = False
    return blocks


def _sentence(block: list[str], first: int, path: PathLike) -> DependencyTree | None:
    rows: list[list[str]] = []
    numbers: list[int] = []
    missing = False
    for number, line in enumerate(block, first):
        if line.startswith("#"):
            missing = missing or _MISSING.fullmatch(line) is not None
            continue
        cells = line.split("\t")
        if len(cells) != _N_COLUMNS:
            raise InputError(f"{at(shown(path), number)}: {counted(len(cells), 'column')}; a word of CoNLL-U has 10")
        if _NOT_A_NODE.fullmatch(cells[0]):
            continue
        if cells[0] != str(len(rows) + 1):
            raise InputError(f"{at(shown(path), number)}: word {cells[0][:20]!r} stands where {len(rows) + 1} should")
        rows.append(cells)
        numbers.append(number)
    if not rows:
        if missing:
            return None
        raise InputError(
            f"{at(shown(path), first)}: a sentence without words; '{MISSING_CONLLU}' marks a missing parse"
        )
    if missing:
        raise InputError(f"{at(shown(path), first)}: a sentence that is marked as missing has words")
    heads = tuple(_head(row[6], len(rows), number, path) for row, number in zip(rows, numbers, strict=True))
    _check_roots(heads, numbers, path)
    words, tags, relations = (tuple(intern(row[column]) for row in rows) for column in (1, 3, 7))
    return DependencyTree(words, heads, tags, relations)


def _head(cell: str, n_words: int, number: int, path: PathLike) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 9 and int(cell) <= n_words):
        raise InputError(f"{at(shown(path), number)}: the head {cell[:20]!r} is no number from 0 to {n_words}")
    return int(cell)


def _check_roots(heads: tuple[int, ...], numbers: list[int], path: PathLike) -> None:
    """Refuse words whose heads lead in a circle."""
    good = {0}
    for word in range(1, len(heads) + 1):
        way: set[int] = set()
        while word not in good:
            if word in way:
                raise InputError(f"{at(shown(path), numbers[word - 1])}: the heads of word {word} lead back to itself")
            way.add(word)
            word = heads[word - 1]
        good |= way


def _joined(sentences: list[DependencyTree | None]) -> DependencyTree | None:
    """The sentences of a segment as one tree; missing where one of them is."""
    if len(sentences) == 1:
        return sentences[0]
    words: list[str] = []
    heads: list[int] = []
    tags: list[str] = []
    relations: list[str] = []
    for sentence in sentences:
        if sentence is None:
            return None
        heads += [head + len(words) if head else 0 for head in sentence.heads]
        words += sentence.words
        tags += sentence.tags
        relations += sentence.relations
    return DependencyTree(tuple(words), tuple(heads), tuple(tags), tuple(relations))


def format_conllu(tree: DependencyTree | None) -> str:
    r"""A segment as this module reads it, with the blank line that ends it.

    >>> conllu_trees(format_conllu(DependencyTree(("a", "b"), (0, 0), ("X", "X"), ("root", "root"))).split("\n"), "x")
    [DependencyTree(words=('a', 'b'), heads=(0, 0), tags=('X', 'X'), relations=('root', 'root'))]
    """
    if tree is None:
        return f"{MISSING_CONLLU}\n\n"
    rows = zip(tree.words, tree.tags, tree.heads, tree.relations, strict=True)
    return (
        "".join(
            f"{number}\t{word}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for number, (word, tag, head, relation) in enumerate(rows, 1)
        )
        + "\n"
    )


# Brackets


def bracket_trees(lines: Sequence[str], path: PathLike) -> list[ConstituentTree | None]:
    """Constituent trees from the lines of a file; `path` names it in messages.

    >>> bracket_trees(["(S (NP (PRON I))", "   (VP (V see)))", "()"], "a.ptb")[0]
    ConstituentTree(labels=('S', 'NP', 'PRON', 'VP', 'V'), parents=(-1, 0, 1, 0, 3))
    """
    trees: list[ConstituentTree | None] = []
    segment = _Segment()
    for number, line in enumerate(lines, 1):
        try:
            segment.read(_BRACKET_TOKENS.findall(line))
        except InputError as error:
            raise InputError(f"{at(shown(path), number)}: {error}") from None
        if segment.is_whole:
            trees.append(segment.tree())
            segment = _Segment()
    if segment.is_open:
        raise InputError(f"{at(shown(path), len(lines))}: the file ends, and a bracket is open")
    return trees


class _Segment:
    """Reads the trees of one segment."""

    def __init__(self) -> None:
        self._labels: list[str | None] = []
        self._parents: list[int] = []
        self._open: list[int] = []
        self._words: list[str] = []
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
                raise InputError(f"{token[:20]!r} stands outside of any bracket")
            if token == ")":
                self._open.pop()
            elif self._begun:
                self._labels[self._open[-1]] = intern(token)
            else:
                self._words.append(intern(token))
            self._begun = False

    def tree(self) -> ConstituentTree | None:
        """The nodes that have a label; None where there are none."""
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
        return ConstituentTree(tuple(labels), tuple(parents), tuple(self._words)) if labels else None
