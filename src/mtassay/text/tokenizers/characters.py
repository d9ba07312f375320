"""Tokenizer that makes every character a token."""

from __future__ import annotations


class CharacterTokenizer:
    """Makes a token of every code point that is not white space.

    >>> CharacterTokenizer()("ab c")
    ['a', 'b', 'c']
    """

    name = "char"
    signature = "char"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return list("".join(line.split()))
