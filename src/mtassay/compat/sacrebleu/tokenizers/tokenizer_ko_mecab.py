"""The tokenizer for Korean."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import EngineTokenizer


class TokenizerKoMecab(EngineTokenizer):
    """MeCab with the Korean dictionary."""

    engine = "ko-mecab"
