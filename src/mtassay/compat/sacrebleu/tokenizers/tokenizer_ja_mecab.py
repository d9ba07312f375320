"""The tokenizer for Japanese."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import EngineTokenizer


class TokenizerJaMecab(EngineTokenizer):
    """MeCab with the IPA dictionary."""

    engine = "ja-mecab"
