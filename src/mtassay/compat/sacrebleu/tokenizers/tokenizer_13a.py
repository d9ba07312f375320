"""The tokenizer of mteval-v13a."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import EngineTokenizer


class Tokenizer13a(EngineTokenizer):
    """Tokenizer of mteval-v13a."""

    engine = "13a"
