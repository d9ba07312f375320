"""Annotations that are sent with texts to another process, which need not have the annotator or its files.

Inside a block ``with at_hand(...)``, ``get_annotator`` returns an annotator that looks texts up in them.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from mtassay.data.annotations import Annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


@dataclass(frozen=True)
class SentAnnotations:
    """Annotations of some texts by one annotator.

    Attributes:
        name: name of the annotator.
        version: its version.
        layers: the layers that it gives, sorted.
        packed: annotations by text, as bytes, which are equal in all processes.
    """

    name: str
    version: str
    layers: tuple[str, ...]
    packed: dict[str, bytes]

    def of_texts(self, texts: Iterable[str]) -> SentAnnotations:
        """The annotations of some texts; texts that were not annotated are left out."""
        wanted = dict.fromkeys(text.strip() for text in texts)
        return replace(self, packed={text: self.packed[text] for text in wanted if text in self.packed})


#: By specification of an annotator: the annotations that were sent, in the order in which they are searched.
_at_hand: ContextVar[Mapping[str, Sequence[SentAnnotations]]] = ContextVar("_at_hand", default={})  # noqa: B039


@contextmanager
def at_hand(*sent: Mapping[str, SentAnnotations]) -> Iterator[None]:
    """Make ``get_annotator`` look texts up in these annotations, by specification of an annotator."""
    specs = dict.fromkeys(spec for some in sent for spec in some)
    token = _at_hand.set({spec: [some[spec] for some in sent if spec in some] for spec in specs})
    try:
        yield
    finally:
        _at_hand.reset(token)


def annotator_at_hand(spec: str) -> SentAnnotator | None:
    """The annotator that looks texts up in annotations that were sent; None if there are none."""
    found = _at_hand.get().get(spec)
    return None if found is None else SentAnnotator(spec, found[0])


class SentAnnotator:
    """Looks texts up in the annotations of the current block: scorers keep their annotator from chunk to chunk."""

    is_parallel: ClassVar[bool] = True
    is_kept: ClassVar[bool] = False

    def __init__(self, spec: str, sent: SentAnnotations) -> None:
        self._spec = spec
        self.name, self.version, self.provides = sent.name, sent.version, frozenset(sent.layers)

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Annotations of the texts, all of which were sent."""
        sent = _at_hand.get()[self._spec]
        return [Annotations.unpack(next(some.packed[text] for some in sent if text in some.packed)) for text in texts]
