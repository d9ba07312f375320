"""An example in lines: source, references, and outputs with the words marked that are not in the reference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mtassay.analysis.examples import MOVED, SAME, WRONG
from mtassay.report.render.text import display_width
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from mtassay.analysis.examples import Example, ExampleOutput, Examples

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: What stands around a marked word in plain text, and on a terminal: red for wrong, yellow for moved words.
_PLAIN = {SAME: ("", ""), WRONG: ("[", "]"), MOVED: ("{", "}")}
_COLOURS = {SAME: ("", ""), WRONG: ("\x1b[31m", "\x1b[0m"), MOVED: ("\x1b[33m", "\x1b[0m")}
#: How to read the lines.
GUIDE = (
    "[word]: not in the reference; {word}: in another place there; −: words of the reference that the output lacks.",
)
GUIDE_IN_COLOUR = (
    "red: not in the reference; yellow: in another place there; −: words of the reference that the output lacks.",
)


def example_text(example: Example, examples: Examples, *, colour: bool = False) -> str:
    """An example in lines; `colour` marks words by escape sequences of terminals instead of brackets.

    >>> from mtassay.verbs.diff import diff
    >>> found = diff([["the big cat sat"]], {"x": ["the big cat sat"], "y": ["the big dog"]}, metric="ter").examples
    >>> print(example_text(found.first[0], found))
    segment 1   TER ↓ -50.0
    REF  the big cat sat
    x    the big cat sat    TER ↓ 0.0
    y    the big [dog]   − cat sat    TER ↓ 50.0
    """
    several = len(example.references) > 1
    named = [("SRC", _harmless(example.source))] if example.source is not None else []
    named += [(f"REF{n if several else ''}", _harmless(text)) for n, text in enumerate(example.references, 1)]
    for output in example.outputs:
        compared_with = f"  (REF{output.reference + 1})" if several else ""
        named.append((output.system, _words(output, examples, colour=colour) + compared_with))
    width = max(display_width(name) for name, _ in named)
    of_metric = headings(examples.metrics)[examples.metrics.index(examples.metric)]
    difference = number(example.difference, examples.metric)
    heading = f"segment {example.segment + 1}   {of_metric} {difference if difference[0] == '-' else f'+{difference}'}"
    return "\n".join([heading, *(f"{name}{' ' * (width - display_width(name))}  {text}" for name, text in named)])


def _harmless(text: str) -> str:
    """The text with escapes for control characters, which a terminal would obey."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def _words(output: ExampleOutput, examples: Examples, *, colour: bool) -> str:
    around = _COLOURS if colour else _PLAIN
    words = " ".join(f"{around[word.mark][0]}{_harmless(word.word)}{around[word.mark][1]}" for word in output.words)
    missing = f"   − {_harmless(' '.join(output.missing))}" if output.missing else ""
    scores = [
        f"{heading} {number(value, metric)}"
        for heading, value, metric in zip(headings(examples.metrics), output.scores, examples.metrics, strict=True)
    ]
    return f"{words}{missing}    {'  '.join(scores)}"
