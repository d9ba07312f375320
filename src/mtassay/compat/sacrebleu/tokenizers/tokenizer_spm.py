"""SentencePiece tokenizers, with the models that sacreBLEU keeps in its cache."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

if TYPE_CHECKING:
    from mtassay.text.tokenizers.sentence_pieces import SentencePieceTokenizer

sacrelogger = logging.getLogger("sacrebleu")


class TokenizerSPM(BaseTokenizer):
    """Splits a line into the pieces of a SentencePiece model.

    Args:
        key: ``spm``, ``flores101``, ``flores200`` or ``spBLEU-1K``.
    """

    def __init__(self, key: str = "spm") -> None:
        from mtassay.text import get_tokenizer

        if key == "spm":
            sacrelogger.warning("The tokenizer 'spm' is now called 'flores101'.")
        self.engine = key  # type: ignore[misc]  # an attribute of the object; in other classes it is one of the class
        self._pieces = cast("SentencePieceTokenizer", get_tokenizer(key))
        self.name = self._pieces.signature

    def signature(self) -> str:
        """The name in signatures."""
        return self.name

    def __call__(self, line: str) -> str:
        """Return the pieces of the line."""
        return " ".join(self._pieces.split(line))


class Flores101Tokenizer(TokenizerSPM):
    """The model of FLORES-101."""

    def __init__(self) -> None:
        super().__init__("flores101")


class Flores200Tokenizer(TokenizerSPM):
    """The model of FLORES-200."""

    def __init__(self) -> None:
        super().__init__("flores200")


class spBLEU1KTokenizer(TokenizerSPM):  # noqa: N801  sacreBLEU's name
    """The model of spBLEU-1K."""

    def __init__(self) -> None:
        super().__init__("spBLEU-1K")
