"""What parsers give: trees of one text, and how complete they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.trees import DependencyTree

FULL, PARTIAL, MISSING = "full", "partial", "missing"


class Parse(NamedTuple):
    """The trees of a text: dependencies, constituents in brackets (None where there are none), and their state."""

    dependencies: DependencyTree | None
    brackets: str | None
    state: str


class Parser(Protocol):
    """Turns texts into trees."""

    @property
    def name(self) -> str:
        """The parser, its version and whatever else changes its trees."""
        ...

    @property
    def is_parallel(self) -> bool:
        """Whether ``parse`` may be called in several threads at a time."""
        ...

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """One parse per text, none of which is empty; there may be no text."""
        ...
