"""The part of 13a that the Chinese tokenizer shares."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer


class TokenizerRegexp(BaseTokenizer):
    """Separates ASCII punctuation."""

    def signature(self) -> str:
        """The name in signatures."""
        return "re"

    def __call__(self, line: str) -> str:
        """Return the tokenised line."""
        from mtassay.text.tokenizers.mteval_13a import split_western

        return " ".join(split_western(line))
