"""No tokenisation."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer


class NoneTokenizer(BaseTokenizer):
    """Returns lines unchanged."""

    engine = "none"

    def signature(self) -> str:
        """The name in signatures."""
        return "none"

    def __call__(self, line: str) -> str:
        """Return the line."""
        return line
