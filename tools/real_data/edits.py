r"""Texts that are stored as edits of public ones.

Some of the texts that the original tools were given were made from public texts: words were changed, tokens separated,
lemmas put in place of words. The repository holds no texts of test sets, only what differs from them. A file of edits
has a line for each line of the result: the number of a line of the base, from 1, and after it pieces, separated by
tabs. ``=START:END`` copies characters of that line, ``~START:END`` copies them in lower case, and ``+TEXT`` adds text,
in which ``\t`` and ``\\`` stand for a tab and a backslash.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ESCAPED = re.compile(r"\\(.)")
_SEGMENT = re.compile(r"<seg[^>]*>(.*?)</seg>", re.DOTALL)


def base_lines(sources: Sequence[tuple[str, bytes]]) -> list[str]:
    """Lines to copy from: line i of every source, one after the other.

    Args:
        sources: path and contents of each; of ``.sgm`` files the segments are taken.
    """
    texts = [_lines(path, contents.decode("utf-8")) for path, contents in sources]
    return ["\n".join(lines) for lines in zip(*texts, strict=True)]


def _lines(path: str, text: str) -> list[str]:
    if path.endswith(".sgm"):
        return [unescape(segment.strip()) for segment in _SEGMENT.findall(text)]
    return text.removesuffix("\n").split("\n")


def apply(edits: str, base: Sequence[str]) -> str:
    """The text that edits make of the lines of a base."""
    made = []
    for line in edits.split("\n")[:-1]:
        number, *pieces = line.split("\t")
        made.append("".join(_piece(piece, base[int(number) - 1]) for piece in pieces))
    return "".join(f"{line}\n" for line in made)


def _piece(piece: str, base: str) -> str:
    if piece.startswith("+"):
        return _ESCAPED.sub(lambda found: "\t" if found[1] == "t" else found[1], piece[1:])
    start, end = piece[1:].split(":")
    return (base if piece.startswith("=") else base.lower())[int(start) : int(end)]
