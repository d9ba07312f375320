"""The tokenizer for Chinese."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import EngineTokenizer


class TokenizerZh(EngineTokenizer):
    """Separates Chinese characters."""

    engine = "zh"
