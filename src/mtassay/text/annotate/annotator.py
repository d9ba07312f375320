"""The protocol of annotators."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.data.annotations import Annotations


class Argument(Enum):
    """What follows the name of an annotator and a colon; the default of both kinds of languages is English."""

    #: The code of a language, which must be that of the texts.
    LANGUAGE_CODE = "language code"
    #: A name for a language or several, which may differ from the code of the texts.
    LANGUAGE = "language"
    #: A model, or a path.
    OTHER = "other"


class Annotator(Protocol):
    """Turns texts into annotations. Classes in ``ANNOTATORS`` also have ``argument``, an `Argument`."""

    #: Whether ``annotate`` may be called in several threads at a time.
    is_parallel: ClassVar[bool]
    #: Whether its annotations are worth keeping on disk.
    is_kept: ClassVar[bool]

    @property
    def name(self) -> str:
        """The name in specifications, without model or language."""
        ...

    @property
    def version(self) -> str:
        """The version of the program, its model, and all other settings that affect annotations."""
        ...

    @property
    def provides(self) -> frozenset[str]:
        """Names of the layers that it gives, from ``mtassay.data.annotations.LAYERS``."""
        ...

    def annotate(self, texts: Sequence[str]) -> list[Annotations]:
        """Annotations of each text; no text is empty, but the list may be."""
        ...
