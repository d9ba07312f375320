"""Base class of the Japanese and Korean tokenizers: a MeCab tagger with one fixed dictionary."""

from __future__ import annotations

import re
from importlib import import_module

from mtassay.errors import InputError

_LONE_SURROGATE = re.compile("([\ud800-\udfff])")


class Mecab:
    """Splits a line into the words of a dictionary.

    Args:
        tagger: the package that has MeCab's ``Tagger``.
        dictionary: the package that has the dictionary's ``MECAB_ARGS``.
        n_entries: the size of the dictionary; with another dictionary, scores would not be comparable.
    """

    def __init__(self, tagger: str, dictionary: str, *, n_entries: int) -> None:
        arguments = import_module(dictionary).MECAB_ARGS
        self._tagger = import_module(tagger).Tagger(f"{arguments} -Owakati")
        loaded = self._tagger.dictionary_info()
        if loaded.size != n_entries or loaded.next is not None:
            raise InputError(
                f"MeCab loaded a different dictionary from that of the package {dictionary} ({loaded.size} entries, "
                "not "
                f"{n_entries}, or a user dictionary too): scores would not be comparable"
            )
        self.version: str = self._tagger.version()

    def __call__(self, line: str) -> list[str]:
        """Return the words of `line`; a lone surrogate, which MeCab cannot read, is a separate word."""
        # Parity: in sacreBLEU, MeCab reads a line only up to the first NUL.
        line = line.partition("\0")[0]
        words: list[str] = []
        for piece in _LONE_SURROGATE.split(line):
            words += [piece] if _LONE_SURROGATE.match(piece) else self._parse(piece.strip())
        return words

    def _parse(self, text: str) -> list[str]:
        parsed: str | None = self._tagger.parse(text)
        if parsed is None:
            raise InputError(f"MeCab cannot split a segment of {len(text)} characters; split the segment")
        return parsed.split()
