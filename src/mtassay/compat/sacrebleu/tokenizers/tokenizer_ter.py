"""The text normalisation of tercom, as sacreBLEU does it."""

from __future__ import annotations

from mtassay.compat.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer


class TercomTokenizer(BaseTokenizer):
    """Prepares a text for TER; arguments as for ``TER``."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self._normalized = normalized
        self._no_punct = no_punct
        self._asian_support = asian_support
        self._case_sensitive = case_sensitive

    def signature(self) -> str:
        """The name in signatures."""
        return "tercom"

    def __call__(self, sent: str) -> str:
        """Return the words of a text, separated by spaces."""
        from mtassay.text.tokenizers.tercom import normalise

        return normalise(
            sent if self._case_sensitive else sent.lower(),
            normalised=self._normalized,
            punctuation=not self._no_punct,
            asian=self._asian_support,
        )
