"""Spans of errors, chosen by tokens.

A span is a half-open range of code points in the text of an output. Judges choose tokens, and offsets are computed
here, so the browser's counting in UTF-16 never matters. Something that is missing has no place in the output: it is
chosen by a token of its own after the text, and is an empty range at the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mtassay.collect.degrading import has_blanks

_MOST_SPANS = 200


@dataclass(frozen=True)
class Token:
    """A piece of text that can be chosen, from `start` to `end` in code points; `text` is empty for "missing"."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, order=True)
class Span:
    """A marked error."""

    start: int
    end: int
    severity: str
    category: str = ""
    missing: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As in files; ``missing`` is there only where it is true."""
        found = {"start": self.start, "end": self.end, "severity": self.severity, "category": self.category}
        return {**found, "missing": True} if self.missing else found


def tokens_of(text: str) -> list[Token]:
    """Words with their punctuation apart, or characters where a script has no blanks; at the end "missing".

    >>> [(token.text, token.start) for token in tokens_of("Hi, you")]
    [('Hi', 0), (',', 2), ('you', 4), ('', 7)]
    """
    pattern = r"\w+(?:['’-]\w+)*|[^\w\s]" if has_blanks(text) else r"\S"
    found = [Token(match.start(), match.end(), match[0]) for match in re.finditer(pattern, text)]
    return [*found, Token(len(text), len(text), "")]


def mark(tokens: Sequence[Token], chosen: Sequence[int], *, severity: str, category: str = "") -> list[Span]:
    """One span for each run of neighbouring tokens; numbers that are none of a token are ignored.

    >>> mark(tokens_of("a b c"), [0, 1], severity="minor")
    [Span(start=0, end=3, severity='minor', category='', missing=False)]
    """
    spans: list[Span] = []
    last = -2
    for place in sorted({place for place in chosen if 0 <= place < len(tokens)}):
        token = tokens[place]
        if not token.text:
            spans.append(Span(token.start, token.end, severity, category, missing=True))
        elif place == last + 1:
            spans[-1] = Span(spans[-1].start, token.end, severity, category)
        else:
            spans.append(Span(token.start, token.end, severity, category))
        last = place
    return spans


def written(spans: Sequence[Span]) -> str:
    """The spans in a field of a form."""
    return json.dumps([span.to_dict() for span in spans], separators=(",", ":"))


def read_spans(text: str, *, length: int, severities: Sequence[str], categories: Sequence[str]) -> list[Span]:
    """The spans in a field of a form; ValueError if it was tampered with."""
    found = json.loads(text or "[]")
    if not isinstance(found, list) or len(found) > _MOST_SPANS:
        raise ValueError("not a list of spans")
    spans = []
    for one in found:
        if not isinstance(one, dict):
            raise TypeError("not a span")
        span = Span(one["start"], one["end"], one["severity"], one["category"], one.get("missing", False))
        is_range = type(span.start) is int and type(span.end) is int and 0 <= span.start <= span.end <= length
        is_known = span.severity in severities and span.category in {"", *categories}
        if not is_range or not is_known or (span.start == span.end) is not span.missing:
            raise ValueError("not a span of this output")
        spans.append(span)
    return sorted(set(spans))
