"""The base of all tokenizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable


class BaseTokenizer:
    """Turns a line into its tokens, separated by spaces.

    Attributes:
        engine: name of the tokenizer of ``mtassay.text`` that does the same; None for tokenizers from elsewhere.
    """

    engine: ClassVar[str | None] = None

    def signature(self) -> str:
        """The name in signatures."""
        raise NotImplementedError

    def __call__(self, line: str) -> str:
        """Return the tokenised line."""
        raise NotImplementedError


class EngineTokenizer(BaseTokenizer):
    """A tokenizer of ``mtassay.text``."""

    engine: ClassVar[str]

    def __init__(self) -> None:
        from mtassay.text import get_tokenizer

        self._tokenizer = get_tokenizer(self.engine)
        # Metrics drop white space at the end of a line, but tokenizers that are called directly get it.
        self._split: Callable[[str], list[str]] = getattr(self._tokenizer, "split", self._tokenizer)

    def signature(self) -> str:
        """The name in signatures."""
        return self._tokenizer.signature

    def __call__(self, line: str) -> str:
        """Return the tokenised line."""
        return " ".join(self._split(line))
