"""Texts in pages: with a writing direction of their own, their language, and marked words."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from mtassay.analysis.marked_texts import marked_text
from mtassay.analysis.word_marks import MOVED, SIMILAR, WRONG
from mtassay.data.testset import languages_of
from mtassay.report.example_text import details, preferences_of
from mtassay.report.wording import headings, number

if TYPE_CHECKING:
    from mtassay.analysis.examples import Example, ExampleOutput, Examples

#: HTML elements of marked words: wrong, in the wrong place, similar.
_ELEMENTS = {WRONG: "del", MOVED: "mark", SIMILAR: "em"}


def json_script(data: Any, *, name: str) -> str:
    r"""Data for the script of a page; nothing in it can end the element.

    >>> json_script({"a": "</script>"}, name="x")
    '<script type="application/json" id="x">{"a":"\\u003c/script>"}</script>'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def isolated(markup: str, language: str = "") -> str:
    """A text isolated from the writing direction of the text around it."""
    of_language = f' lang="{escape(language)}"' if language else ""
    return f'<bdi dir="auto"{of_language}>{markup}</bdi>'


def example_html(example: Example, examples: Examples, *, pair: str | None = None) -> str:
    """An example: source, references, and outputs with marked words.

    Args:
        example: the example.
        examples: the examples that it belongs to.
        pair: the language pair, if it is known.
    """
    source, target = languages_of(pair)
    several = len(example.references) > 1
    rows = [] if example.source is None else [("source", isolated(escape(example.source), source))]
    for n, text in enumerate(example.references, 1):
        rows.append((f"reference {n}" if several else "reference", isolated(escape(text), target)))
    rows += [(output.system, _output_html(output, examples, target)) for output in example.outputs]
    of_metric = headings(examples.metrics)[examples.metrics.index(examples.metric)]
    difference = number(example.difference, examples.metric)
    signed = difference if difference.startswith("-") else f"+{difference}"
    lines = "".join(f"<dt>{isolated(escape(name))}</dt><dd>{markup}</dd>" for name, markup in rows)
    preferred = f"<span>{escape(said)}</span>" if (said := preferences_of(example, examples)) else ""
    return (
        f'<div class="example"><p><b>segment {example.segment + 1}</b> <span>{escape(of_metric)} {signed}</span>'
        f"{preferred}</p>"
        f"<dl>{lines}</dl></div>"
    )


def _output_html(output: ExampleOutput, examples: Examples, language: str) -> str:
    pieces = []
    for text, mark in marked_text(output.text, output.words):
        element = _ELEMENTS.get(mark)
        pieces.append(escape(text) if element is None else f"<{element}>{escape(text)}</{element}>")
    missing = f" <ins>− {escape(' '.join(output.missing))}</ins>" if output.missing else ""
    known = " · ".join(details(output, examples))
    return f"{isolated(''.join(pieces) + missing, language)} <small>{escape(known)}</small>"
