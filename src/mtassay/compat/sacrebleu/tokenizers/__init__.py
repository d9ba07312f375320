"""Tokenizers that return a line with its tokens separated by spaces."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer"]
