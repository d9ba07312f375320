"""Annotations of the words of a text by an annotator."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mtassay.data.frames import Frame, Role, Span
from mtassay.data.trees import ConstituentTree, DependencyTree
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: How much of a text was annotated: everything; everything, but some words are not in the tree; nothing.
FULL, PARTIAL, MISSING = "full", "partial", "missing"
#: Layers that annotators may give.
LEMMAS, UPOS, XPOS, ENTITIES = "lemmas", "upos", "xpos", "entities"
DEPENDENCIES, CONSTITUENTS, FRAMES = "dependencies", "constituents", "frames"
LAYERS = (LEMMAS, UPOS, XPOS, ENTITIES, DEPENDENCIES, CONSTITUENTS, FRAMES)
#: The entity of words that are in no entity.
NO_ENTITY = "O"
_EMPTY_COLUMNS = ("lemmas", "upos", "xpos", "heads", "relations", "entities", "frames")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """Annotations of one text; a column has one value per word, or is None.

    Attributes:
        words: the words as the annotator has them, in order.
        lemmas: base forms.
        upos: universal parts of speech.
        xpos: parts of speech of the annotator's own tag set.
        heads: for each word the position of its head, counted from 1; 0 for a root.
        relations: relations to the heads.
        entities: kind of the named entity that each word is in, ``O`` for none.
        constituents: the constituent tree.
        frames: semantic frames, in the order of their predicates.
        layers: layers that the annotator tried to find. A layer listed here without values is missing.
        state: ``full``, ``partial`` (some words are not in the tree) or ``missing``.
    """

    words: tuple[str, ...] = ()
    lemmas: tuple[str, ...] | None = None
    upos: tuple[str, ...] | None = None
    xpos: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    relations: tuple[str, ...] | None = None
    entities: tuple[str, ...] | None = None
    constituents: ConstituentTree | None = None
    frames: tuple[Frame, ...] | None = None
    layers: frozenset[str] = frozenset()
    state: str = FULL

    def __post_init__(self) -> None:
        n_words = len(self.words)
        for column in (self.lemmas, self.upos, self.xpos, self.heads, self.relations, self.entities):
            if column is not None and len(column) != n_words:
                raise InputError(f"annotations have {len(column)} values for {n_words} words: {' '.join(self.words)!r}")
        for frame in self.frames or ():
            for start, end in (frame.predicate, *(role.span for role in frame.roles)):
                if not 0 <= start < end <= n_words:
                    raise InputError(f"a frame has words {start} to {end}, but there are only {n_words} words")

    @classmethod
    def missing(cls, layers: Iterable[str]) -> Annotations:
        """Annotations of a text for which nothing was found."""
        return cls(layers=frozenset(layers), state=MISSING)

    @classmethod
    def empty(cls, layers: Iterable[str]) -> Annotations:
        """Annotations of a text without words; no layer is missing."""
        tree = ConstituentTree((), ())
        columns: dict[str, Any] = dict.fromkeys(_EMPTY_COLUMNS, ())
        return cls(constituents=tree, layers=frozenset(layers), state=FULL, **columns)

    @classmethod
    def of_trees(cls, tree: DependencyTree, constituents: ConstituentTree | None, *, state: str = FULL) -> Annotations:
        """Annotations from trees, by an annotator that finds both kinds of trees."""
        return cls(
            words=tree.words,
            upos=tree.tags,
            heads=tree.heads,
            relations=tree.relations,
            constituents=constituents,
            layers=frozenset({UPOS, DEPENDENCIES, CONSTITUENTS}),
            state=state,
        )

    @property
    def dependencies(self) -> DependencyTree | None:
        """The dependency tree; None if there is none."""
        if self.heads is None:
            return None
        unknown = ("_",) * len(self.words)
        return DependencyTree(self.words, self.heads, self.upos or unknown, self.relations or unknown)

    def pack(self) -> bytes:
        """Pack into bytes with a checksum.

        >>> found = Annotations(words=("I", "see"), heads=(2, 0), layers=frozenset({DEPENDENCIES}))
        >>> Annotations.unpack(found.pack()) == found
        True
        """
        tree = self.constituents
        columns: tuple[Any, ...] = (self.words, self.lemmas, self.upos, self.xpos, self.heads, self.relations)
        if self.entities is not None:  # rows of older versions have six columns
            columns = (*columns, self.entities)
        brackets = None if tree is None else (tree.labels, tree.parents, tree.words, tree.word_nodes)
        packed: list[Any] = [self.state, sorted(self.layers), columns, brackets]
        if self.frames is not None:  # most texts have none, and rows of older versions have four parts
            packed.append(self.frames)
        return zlib.compress(json.dumps(packed).encode(), 1)

    @classmethod
    def unpack(cls, data: bytes) -> Annotations:
        """Restore the result of ``pack``; damaged data raises ValueError."""
        try:
            state, layers, columns, brackets, *frames = json.loads(zlib.decompress(data))
            words, lemmas, upos, xpos, heads, relations, *entities = (
                None if cells is None else tuple(cells) for cells in columns
            )
            tree = None if brackets is None else ConstituentTree(*map(tuple, brackets))
            framed = _frames(frames[0]) if frames else None
        except (zlib.error, TypeError) as error:
            raise ValueError("damaged annotations") from error
        return cls(
            words=words or (),
            lemmas=lemmas,
            upos=upos,
            xpos=xpos,
            heads=heads,
            relations=relations,
            entities=entities[0] if entities else None,
            constituents=tree,
            frames=framed,
            layers=frozenset(layers),
            state=state,
        )


def _frames(packed: Sequence[Sequence[Any]]) -> tuple[Frame, ...]:
    """Restore frames from JSON."""
    return tuple(
        Frame(Span(*predicate), sense, tuple(Role(label, Span(*span)) for label, span in roles))
        for predicate, sense, roles in packed
    )
