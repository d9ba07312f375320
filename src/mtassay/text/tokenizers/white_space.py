"""No tokenisation: white space separates tokens."""

from __future__ import annotations


class NoneTokenizer:
    """Splits at white space, for text that is already tokenised.

    >>> NoneTokenizer()("Hello , world !")
    ['Hello', ',', 'world', '!']
    """

    name = "none"
    signature = "none"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return line.split()
