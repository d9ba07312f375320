"""The tokenizer of mteval-v13a, used by WMT, and sacreBLEU's default."""

from __future__ import annotations

import re

# The first pass separates all ASCII punctuation except four marks: the apostrophe stays with its word; comma, hyphen
# and full stop have separate passes. Passes run one after the other, each from left to right without overlap.
_PASSES = (
    (re.compile(r"([ -&(-+/:-@\[-`{-~])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def split_western(line: str) -> list[str]:
    """Separate the punctuation of `line` and return its tokens.

    Full stops and commas inside numbers are not separated; at the very start or end of `line` they have only one
    neighbour to decide this.

    >>> split_western("a,b 1,2 3-4 .5")
    ['a', ',', 'b', '1,2', '3', '-', '4', '.', '5']
    """
    for pattern, replacement in _PASSES:
        line = pattern.sub(replacement, line)
    return line.split()


class Mteval13aTokenizer:
    """Separates ASCII punctuation, after decoding SGML entities.

    >>> Mteval13aTokenizer()('He said: &quot;3.5 %&quot;.')
    ['He', 'said', ':', '"', '3.5', '%', '"', '.']
    """

    name = "13a"
    signature = "13a"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of `line`."""
        return self.split(line.rstrip())

    def split(self, line: str) -> list[str]:
        """Return the tokens of `line`, whose line break at the end matters."""
        line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in line:
            # Parity: in sacreBLEU, "&amp;lt;" becomes "<" because the entities are replaced one after the other.
            for entity, character in _ENTITIES:
                line = line.replace(entity, character)
        return split_western(f" {line} ")
