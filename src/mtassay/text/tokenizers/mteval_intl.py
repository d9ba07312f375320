"""The international tokenizer of mteval-v14, which covers the punctuation and symbols of all scripts."""

from __future__ import annotations

import re

from mtassay.text.unicode_classes import NUMBER, PUNCTUATION, SYMBOL, character_set


class InternationalTokenizer:
    """Separates punctuation, unless there are digits on both sides, and every symbol.

    >>> InternationalTokenizer()("Dit-il « 1,5 € » ?")
    ['Dit', '-', 'il', '«', '1,5', '€', '»', '?']
    """

    name = "intl"
    signature = "intl"

    def __init__(self) -> None:
        number, punctuation, symbol = (character_set(which) for which in (NUMBER, PUNCTUATION, SYMBOL))
        self._passes = (
            (re.compile(f"([^{number}])([{punctuation}])"), r"\1 \2 "),
            (re.compile(f"([{punctuation}])([^{number}])"), r" \1 \2"),
            (re.compile(f"([{symbol}])"), r" \1 "),
        )

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        # Parity: mteval-v14 and sacreBLEU add no spaces around the line: "1999." at the end stays one token, and so
        # does ".5" at the start, unless white space precedes it.
        return self.split(line.rstrip())

    def split(self, line: str) -> list[str]:
        """Return the tokens of `line`, whose white space at the end matters."""
        for pattern, replacement in self._passes:
            line = pattern.sub(replacement, line)
        return line.split()
