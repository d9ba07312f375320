"""The tokenizer of Moses, by the package sacremoses, without its escapes for XML."""

from __future__ import annotations

from importlib import import_module

from mtassay.errors import SpecError, did_you_mean


class MosesTokenizer:
    """Splits as Moses' tokenizer.perl does for a language (extra ``moses``)."""

    def __init__(self, name: str = "moses") -> None:
        package = import_module("sacremoses")
        language = name.partition("-")[2] or "en"
        known = sorted(set(import_module("sacremoses.corpus").NonbreakingPrefixes().available_langs.values()))
        if language not in known:  # sacremoses would take English
            raise SpecError(
                f"the tokenizer of Moses has no language '{language}'{did_you_mean(language, known)} "
                f"(known: {', '.join(known)})"
            )
        self.name = name
        self._tokenizer = package.MosesTokenizer(lang=language)
        self.signature = f"moses-{package.__version__}-{language}"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        tokens: list[str] = self._tokenizer.tokenize(line.rstrip(), escape=False)
        return tokens
