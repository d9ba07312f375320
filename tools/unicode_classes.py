"""Rewrite the tables in src/mtassay/text/unicode_classes.py from the package `regex`, whose classes sacreBLEU uses.

Usage: python tools/unicode_classes.py
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from itertools import pairwise
from pathlib import Path
from re import search
from textwrap import wrap

import regex

TARGET = Path(__file__).resolve().parents[1] / "src/mtassay/text/unicode_classes.py"
BEGIN, END = "# Begin of the generated part.\n", "# End of the generated part.\n"


def ranges(letter: str) -> str:
    """Return the code points of the general category `letter` as hexadecimal ranges, separated by spaces."""
    member = regex.compile(rf"\p{{{letter}}}").match
    inside = [False, *(member(chr(code)) is not None for code in range(sys.maxunicode + 1)), False]
    edges = [code for code, (before, here) in enumerate(pairwise(inside)) if before != here]
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return " ".join(f"{first:x}-{end - 1:x}" if end > first + 1 else f"{first:x}" for first, end in pairs)


def generated() -> str:
    """Return the generated part of the module."""
    version = search(r"supports Unicode ([\d.]+)", distribution("regex").read_text("METADATA") or "")
    if version is None:
        raise SystemExit("the description of the package regex does not name its Unicode version any more")
    lines = [f"# Unicode {version[1].rstrip('.')}"]
    for name, letter in (("PUNCTUATION", "P"), ("SYMBOL", "S"), ("NUMBER", "N")):
        lines += [f'{name} = """', *wrap(ranges(letter), 109), '"""']
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = TARGET.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    TARGET.write_text(head + BEGIN + generated() + END + tail, encoding="utf-8")
