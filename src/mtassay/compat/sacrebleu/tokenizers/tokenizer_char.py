"""The tokenizer that makes every character a token."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer


class TokenizerChar(BaseTokenizer):
    """Puts a space between any two characters."""

    engine = "char"

    def signature(self) -> str:
        """The name in signatures."""
        return "char"

    def __call__(self, line: str) -> str:
        """Return the characters of the line."""
        # White space between spaces does not become a token: split() drops it.
        return " ".join(line)
