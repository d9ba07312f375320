"""An example as lines of text: source, references, and outputs with marks on words that are not in the reference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mtassay.analysis.word_marks import MOVED, SAME, SIMILAR, WRONG
from mtassay.report.render.text import display_width
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from mtassay.analysis.examples import Example, ExampleOutput, Examples

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: The marks around words in plain text, and on a terminal: red for wrong, yellow for moved, cyan for similar.
_PLAIN = {SAME: ("", ""), WRONG: ("[", "]"), MOVED: ("{", "}"), SIMILAR: ("(", ")")}
_COLOURS = {
    SAME: ("", ""),
    WRONG: ("\x1b[31m", "\x1b[0m"),
    MOVED: ("\x1b[33m", "\x1b[0m"),
    SIMILAR: ("\x1b[36m", "\x1b[0m"),
}
_MARKS = {WRONG: ("[word]", "red"), MOVED: ("{word}", "yellow"), SIMILAR: ("(word)", "cyan")}
_MEANINGS = {
    WRONG: "not in the reference",
    MOVED: "elsewhere in the reference",
    SIMILAR: "in the reference as another form, a synonym or a paraphrase",
}


def guide_of(examples: Examples, *, colour: bool = False) -> tuple[str, ...]:
    """How to read the lines of examples."""
    marks = (WRONG, SIMILAR) if examples.alignment.name == "meteor" else (WRONG, MOVED)
    meanings = [f"{_MARKS[mark][colour]}: {_MEANINGS[mark]}" for mark in marks]
    lines = ["; ".join([*meanings, "−: words of the reference that the output lacks."])]
    lines.append("Words of Hjerson's error classes: inflection, order (reord), missing, extra, lexical.")
    return tuple(lines)


def example_text(example: Example, examples: Examples, *, colour: bool = False) -> str:
    """An example as lines of text; `colour` marks words with terminal colours instead of brackets.

    >>> from mtassay.verbs.diff import diff
    >>> found = diff([["the big cat sat"]], {"x": ["the big cat sat"], "y": ["the big dog"]}, metric="ter").examples
    >>> print(example_text(found.first[0], found))
    segment 1   TER ↓ -50.0
    REF  the big cat sat
    x    the big cat sat    TER ↓ 0.0
    y    the big [dog]   − cat sat    TER ↓ 50.0  1 miss, 1 lex
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
    if preferred := preferences_of(example, examples):
        heading += f"   {preferred}"
    return "\n".join([heading, *(f"{name}{' ' * (width - display_width(name))}  {text}" for name, text in named)])


def _harmless(text: str) -> str:
    """The text with control characters escaped, so that they do not control the terminal."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def _words(output: ExampleOutput, examples: Examples, *, colour: bool) -> str:
    around = _COLOURS if colour else _PLAIN
    words = " ".join(f"{around[word.mark][0]}{_harmless(word.word)}{around[word.mark][1]}" for word in output.words)
    missing = f"   − {_harmless(' '.join(output.missing))}" if output.missing else ""
    return f"{words}{missing}    {'  '.join(details(output, examples))}"


def details(output: ExampleOutput, examples: Examples) -> list[str]:
    """What is known about an output: scores, number of words in each error class, the human score."""
    scores = [
        f"{heading} {number(value, metric)}"
        for heading, value, metric in zip(headings(examples.metrics), output.scores, examples.metrics, strict=True)
    ]
    errors = ", ".join(f"{n} {name}" for name, n in (output.errors or {}).items() if n)
    human = "" if output.human is None else f"human {output.human:.4g}"
    return [part for part in (*scores, errors, human) if part]


def preferences_of(example: Example, examples: Examples) -> str:
    """How often judges preferred each output; empty without judgements."""
    if example.preferences is None:
        return ""
    first, second, ties = example.preferences
    return f"preferred by judges: {examples.pair[0]} {first}, {examples.pair[1]} {second}, neither {ties}"
