"""Error spans, which judges mark by choosing tokens.

A span is a half-open range of code points in the text of an output. Judges choose tokens, and offsets are computed
here, so it does not matter that browsers count in UTF-16. An omission has no place in the output: it is marked with an
extra token after the text, and is an empty range at the end.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mtassay.collect.degrading import has_blanks

_MOST_SPANS = 200
#: Matches a token in a string of character classes (`_class_of`).
_WORDS = re.compile(r"[wn][wnmj]*(?:q[wn][wnmj]*|dn[wnmj]*)*|[pqd](?:m|j[pwn])*|[mj]")
_CHARACTERS = re.compile(r"[wnpqd](?:m|j[pwn])*|[mj]")


@dataclass(frozen=True)
class Token:
    """A piece of text that can be chosen, from `start` to `end` in code points; `text` is empty for "missing"."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, order=True)
class MarkedSpan:
    """A marked error."""

    start: int
    end: int
    severity: str
    category: str = ""
    missing: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The span as in files; ``missing`` only if it is true."""
        found = {"start": self.start, "end": self.end, "severity": self.severity, "category": self.category}
        return {**found, "missing": True} if self.missing else found


def tokens_of(text: str) -> list[Token]:
    """Words and punctuation, or characters in scripts without spaces; the last token stands for "missing".

    Combining marks stay with the letter before them, and characters that are joined to one emoji stay together.

    >>> [(token.text, token.start) for token in tokens_of("Hi, 0.7")]
    [('Hi', 0), (',', 2), ('0.7', 4), ('', 7)]
    """
    pattern = _WORDS if has_blanks(text) else _CHARACTERS
    found = pattern.finditer("".join(map(_class_of, text)))
    tokens = [Token(match.start(), match.end(), text[match.start() : match.end()]) for match in found]
    return [*tokens, Token(len(text), len(text), "")]


def _class_of(char: str) -> str:
    """The class of a character, one letter each.

    ``w`` letter, ``n`` digit, ``m`` mark, ``j`` joiner, ``q`` inside words, ``d`` inside numbers, ``p`` other; a space
    for white space.
    """
    if char.isspace():
        return " "
    if char == "\u200d":
        return "j"
    if char in "'’-":
        return "q"
    if char in ".,:":
        return "d"
    category = unicodedata.category(char)
    if category.startswith("M") or category in ("Cf", "Sk"):
        return "m"
    return "n" if category.startswith("N") else "w" if category.startswith("L") or char == "_" else "p"


def mark(tokens: Sequence[Token], chosen: Sequence[int], *, severity: str, category: str = "") -> list[MarkedSpan]:
    """One span for each run of neighbouring tokens; invalid token numbers are ignored.

    >>> mark(tokens_of("a b c"), [0, 1], severity="minor")
    [MarkedSpan(start=0, end=3, severity='minor', category='', missing=False)]
    """
    spans: list[MarkedSpan] = []
    last = -2
    for place in sorted({place for place in chosen if 0 <= place < len(tokens)}):
        token = tokens[place]
        if not token.text:
            spans.append(MarkedSpan(token.start, token.end, severity, category, missing=True))
        elif place == last + 1:
            spans[-1] = MarkedSpan(spans[-1].start, token.end, severity, category)
        else:
            spans.append(MarkedSpan(token.start, token.end, severity, category))
        last = place
    return spans


def written(spans: Sequence[MarkedSpan]) -> str:
    """Write spans as the value of a form field."""
    return json.dumps([span.to_dict() for span in spans], separators=(",", ":"))


def read_spans(text: str, *, length: int, severities: Sequence[str], categories: Sequence[str]) -> list[MarkedSpan]:
    """Read spans from the value of a form field; ValueError if it was tampered with."""
    found = json.loads(text or "[]")
    if not isinstance(found, list) or len(found) > _MOST_SPANS:
        raise ValueError("not a list of spans")
    spans = []
    for one in found:
        if not isinstance(one, dict):
            raise TypeError("not a span")
        span = MarkedSpan(one["start"], one["end"], one["severity"], one["category"], one.get("missing", False))
        is_range = type(span.start) is int and type(span.end) is int and 0 <= span.start <= span.end <= length
        is_known = span.severity in severities and span.category in {"", *categories}
        if not is_range or not is_known or (span.start == span.end) is not span.missing:
            raise ValueError("not a span of this output")
        spans.append(span)
    return sorted(set(spans))
