"""The tokenizer of Moses for English, by the package sacremoses, without its escapes for XML."""

from __future__ import annotations

from importlib import import_module


class MosesTokenizer:
    """Splits as Moses' tokenizer.perl does for English (extra ``moses``)."""

    name = "moses"

    def __init__(self) -> None:
        package = import_module("sacremoses")
        self._tokenizer = package.MosesTokenizer(lang="en")
        self.signature = f"moses-{package.__version__}-en"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        tokens: list[str] = self._tokenizer.tokenize(line.rstrip(), escape=False)
        return tokens
