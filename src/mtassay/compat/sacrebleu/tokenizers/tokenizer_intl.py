"""The international tokenizer of mteval-v14."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import EngineTokenizer


class TokenizerV14International(EngineTokenizer):
    """International tokenizer of mteval-v14."""

    engine = "intl"
