"""CoNLL-U: words, lemmas, parts of speech and heads, one segment after the other.

A sentence is a segment. If segments have several sentences, each segment begins with the comment ``# newpar``
(Universal Dependencies' mark of a paragraph); either all segments of a file have this mark or none. Words with a range
(``3-4``) or a decimal number (``3.1``) are not nodes and are skipped. The comment ``# text = …`` has the annotated
text. A missing parse is a sentence without words and with the comment ``# parse = missing``; ``# parse = partial``
marks a sentence in which some words are not in the tree. A file whose heads are all ``_`` has only lemmas and parts of
speech. Named entities are in the last column, ``NER=PERSON`` or ``ner=B-PERSON`` (as Stanza writes them); other words
are in none.

The package conllu takes four times as long (3200 sentences: 1.03 s against 0.26 s), and accepts heads that do not
exist, cycles, wrong word numbers and lines with too few columns.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.data.annotations import (
    DEPENDENCIES,
    ENTITIES,
    FULL,
    LEMMAS,
    MISSING,
    NO_ENTITY,
    PARTIAL,
    UPOS,
    XPOS,
    Annotations,
)
from mtassay.data.formats.lines import lines_of
from mtassay.errors import InputError, at, counted
from mtassay.io.inputs import PathLike, read_text, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.trees import DependencyTree

MISSING_CONLLU = "# parse = missing"
_UNKNOWN = "_"
_N_COLUMNS = 10
_FORM, _LEMMA, _UPOS, _XPOS, _HEAD, _RELATION, _MISC = 1, 2, 3, 4, 6, 7, 9
_RANGE = re.compile(r"[0-9]{1,9}-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
#: A named entity in the last column, after its place in the entity (beginning, inside, end, single, outside).
_ENTITY = re.compile(r"(?:^|\|)ner=(?:[BIES]-)?([^|]+)", re.IGNORECASE)
_PARAGRAPH = re.compile(r"#\s*newpar\b")
_TEXT = re.compile(r"#\s*text\s*=(.*)")
_PARSE = re.compile(r"#\s*parse\s*=\s*(missing|partial)\s*")


class Segment(NamedTuple):
    """A segment: its text and its annotations.

    Attributes:
        text: the annotated text, from the comment; None without one.
        surface: the words as they are written, without white space.
        line: number of the first line.
        annotations: its words and their annotations.
    """

    text: str | None
    surface: str
    line: int
    annotations: Annotations


def read_conllu(path: PathLike) -> list[DependencyTree | None]:
    """Dependency trees of a file (compressed or not), one per segment; None if a parse is missing."""
    return conllu_trees(lines_of(read_text(path)), path)


def conllu_trees(lines: Sequence[str], path: PathLike) -> list[DependencyTree | None]:
    r"""Dependency trees from the lines of a file; `path` names it in messages.

    >>> lines = ["1\tI\t_\tPRON\t_\t_\t2\tnsubj\t_\t_", "2\tsee\t_\tVERB\t_\t_\t0\troot\t_\t_", "", "# parse = missing"]
    >>> conllu_trees(lines, "a.conllu")
    [DependencyTree(words=('I', 'see'), heads=(2, 0), tags=('PRON', 'VERB'), relations=('nsubj', 'root')), None]
    """
    segments = conllu_segments(lines, path)
    for segment in segments:
        if segment.annotations.heads is None and segment.annotations.state != MISSING:
            raise InputError(f"{at(shown(path), segment.line)}: a sentence without heads, but trees are needed")
    return [segment.annotations.dependencies for segment in segments]


def conllu_segments(lines: Sequence[str], path: PathLike) -> list[Segment]:
    """Annotations from the lines of a file; `path` names it in messages."""
    in_paragraphs = any(_PARAGRAPH.match(line) for line in lines)
    found: list[list[Segment]] = []
    for first, block in blocks(lines):
        begins = any(_PARAGRAPH.match(line) for line in block)
        if in_paragraphs and not begins and not found:
            raise InputError(f"{at(shown(path), first)}: other sentences follow '# newpar', but this one does not")
        if begins or not in_paragraphs:
            found.append([])
        found[-1].append(_sentence(block, first, path))
    sentences = [sentence for segment in found for sentence in segment if sentence.annotations.state != MISSING]
    headless = next((one for one in sentences if one.annotations.heads is None), None)
    if headless is not None and any(one.annotations.heads is not None for one in sentences):
        raise InputError(f"{at(shown(path), headless.line)}: a sentence without heads, but other sentences have them")
    return _with_layers([_joined(segment) for segment in found], has_heads=headless is None)


def _with_layers(segments: list[Segment], *, has_heads: bool) -> list[Segment]:
    """Set the layers of all segments: a column that is empty in the whole file is not a layer."""
    layers = {DEPENDENCIES} if has_heads else set()
    empty: dict[str, Any] = {}
    for layer in (LEMMAS, UPOS, XPOS):
        columns = (getattr(segment.annotations, layer) or () for segment in segments)
        if any(cell != _UNKNOWN for cell in chain.from_iterable(columns)):
            layers.add(layer)
        else:
            empty[layer] = None
    entities = (segment.annotations.entities or () for segment in segments)
    if any(cell != NO_ENTITY for cell in chain.from_iterable(entities)):
        layers.add(ENTITIES)
    else:
        empty[ENTITIES] = None
    known = frozenset(layers)
    return [segment._replace(annotations=replace(segment.annotations, layers=known, **empty)) for segment in segments]


def blocks(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
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


def _sentence(block: list[str], first: int, path: PathLike) -> Segment:
    rows: list[list[str]] = []
    numbers: list[int] = []
    surface: list[str] = []
    covered = 0  # by ranges
    state, text = FULL, None
    for number, line in enumerate(block, first):
        if line.startswith("#"):
            if mark := _PARSE.fullmatch(line):
                state = mark[1]
            elif comment := _TEXT.fullmatch(line):
                text = comment[1].strip()
            continue
        cells = line.split("\t")
        if len(cells) != _N_COLUMNS:
            raise InputError(f"{at(shown(path), number)}: {counted(len(cells), 'column')}; a word of CoNLL-U has 10")
        if span := _RANGE.fullmatch(cells[0]):
            surface.append(cells[_FORM])
            covered = int(span[1])
            continue
        if _EMPTY_NODE.fullmatch(cells[0]):
            continue
        if cells[0] != str(len(rows) + 1):
            raise InputError(f"{at(shown(path), number)}: word {cells[0][:20]!r} where {len(rows) + 1} is expected")
        rows.append(cells)
        numbers.append(number)
        if len(rows) > covered:
            surface.append(cells[_FORM])
    if not rows:
        if state == MISSING:
            return Segment(text, "", first, Annotations(state=MISSING))
        raise InputError(
            f"{at(shown(path), first)}: a sentence without words; '{MISSING_CONLLU}' marks a missing parse"
        )
    if state == MISSING:
        raise InputError(f"{at(shown(path), first)}: a sentence that is marked as missing has words")
    words, lemmas, upos, xpos, relations = (
        tuple([intern(row[column]) for row in rows]) for column in (_FORM, _LEMMA, _UPOS, _XPOS, _RELATION)
    )
    heads = heads_of([row[_HEAD] for row in rows], numbers, path)
    annotations = Annotations(
        words=words,
        lemmas=lemmas,
        upos=upos,
        xpos=xpos,
        heads=heads,
        relations=None if heads is None else relations,
        entities=tuple([_entity(row[_MISC]) for row in rows]),
        state=state,
    )
    return Segment(text, "".join("".join(surface).split()), first, annotations)


def _entity(cell: str) -> str:
    """The kind of entity in the last column.

    >>> _entity("SpaceAfter=No|ner=B-ORG"), _entity("_")
    ('ORG', 'O')
    """
    found = _ENTITY.search(cell) if "=" in cell else None
    return NO_ENTITY if found is None else intern(found[1])


def heads_of(cells: list[str], numbers: list[int], path: PathLike) -> tuple[int, ...] | None:
    """Positions of heads; None if none is given."""
    if all(cell == _UNKNOWN for cell in cells):
        return None
    for cell, number in zip(cells, numbers, strict=True):
        if not (cell.isascii() and cell.isdigit() and len(cell) <= 9 and int(cell) <= len(cells)):
            raise InputError(
                f"{at(shown(path), number)}: the head {cell[:20]!r} is not a number from 0 to {len(cells)}"
            )
    heads = tuple(map(int, cells))
    _check_roots(heads, numbers, path)
    return heads


def _check_roots(heads: tuple[int, ...], numbers: list[int], path: PathLike) -> None:
    """Reject words whose heads form a cycle."""
    good = {0}
    for word in range(1, len(heads) + 1):
        way: set[int] = set()
        while word not in good:
            if word in way:
                raise InputError(f"{at(shown(path), numbers[word - 1])}: the heads of word {word} lead back to itself")
            way.add(word)
            word = heads[word - 1]
        good |= way


def _joined(sentences: list[Segment]) -> Segment:
    """Join the sentences of a segment; missing if one of them is."""
    if len(sentences) == 1:
        return sentences[0]
    all_texts = [sentence.text for sentence in sentences]
    texts = [text for text in all_texts if text is not None]
    text = " ".join(texts) if len(texts) == len(all_texts) else None
    surface, line = "".join(sentence.surface for sentence in sentences), sentences[0].line
    parts = [sentence.annotations for sentence in sentences]
    states = {part.state for part in parts}
    if MISSING in states:
        return Segment(text, surface, line, Annotations(state=MISSING))
    heads: list[int] | None = [] if parts[0].heads is not None else None
    before = 0
    for part in parts:
        if heads is not None:
            heads += [head + before if head else 0 for head in part.heads or ()]
        before += len(part.words)
    columns: dict[str, Any] = {
        name: tuple(chain.from_iterable(getattr(part, name) or () for part in parts))
        for name in ("words", "lemmas", "upos", "xpos", "entities")
    }
    relations = None if heads is None else tuple(chain.from_iterable(part.relations or () for part in parts))
    joined = Annotations(
        heads=None if heads is None else tuple(heads),
        relations=relations,
        state=PARTIAL if PARTIAL in states else FULL,
        **columns,
    )
    return Segment(text, surface, line, joined)


def format_conllu(annotations: Annotations, text: str | None = None) -> str:
    r"""Write a segment in CoNLL-U, with the blank line at the end.

    Args:
        annotations: annotations of the segment; without words it is missing.
        text: the annotated text; white space becomes single spaces.

    >>> yes = Annotations(words=("Yes",), upos=("INTJ",), heads=(0,), relations=("root",))
    >>> print(format_conllu(yes, "Yes"), end="")
    # text = Yes
    1	Yes	_	INTJ	_	_	0	root	_	_
    <BLANKLINE>
    """
    lines = [] if text is None else [f"# text = {' '.join(text.split())}"]
    if not annotations.words:
        return "\n".join([*lines, MISSING_CONLLU, "", ""])
    if annotations.state != FULL:
        lines.append(f"# parse = {annotations.state}")
    unknown = (_UNKNOWN,) * len(annotations.words)
    columns = zip(
        annotations.words,
        annotations.lemmas or unknown,
        annotations.upos or unknown,
        annotations.xpos or unknown,
        annotations.heads or unknown,
        annotations.relations or unknown,
        [_UNKNOWN if kind in {NO_ENTITY, _UNKNOWN} else f"NER={kind}" for kind in annotations.entities or unknown],
        strict=True,
    )
    lines += [
        f"{number}\t{word}\t{lemma}\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t{entity}"
        for number, (word, lemma, upos, xpos, head, relation, entity) in enumerate(columns, 1)
    ]
    return "\n".join([*lines, "", ""])
