"""Segments in which two systems differ, word by word."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.analysis_records import example_records
from mtassay.report.document import Document, Heading, Notes, Preformatted, Sentence
from mtassay.report.example_text import example_text, guide_of
from mtassay.report.page.texts import example_html

if TYPE_CHECKING:
    from mtassay.report.document import Block
    from mtassay.verbs.diff import DiffResult


def document(result: DiffResult, *, colour: bool = False, guide: bool = True) -> Document:
    """Examples in which the first system is better, and those in which the second is.

    Args:
        result: the differences.
        colour: mark words with terminal colours instead of brackets.
        guide: say how to read the marks.
    """
    examples = result.examples
    blocks: list[Block] = []
    for name, found in zip(examples.pair, (examples.first, examples.second), strict=True):
        if result.better not in {None, name}:
            continue
        blocks.append(Heading(f"segments in which {name} is better by {examples.metric.label}"))
        blocks += [
            Preformatted(example_text(example, examples, colour=colour), partial(example_html, example, examples))
            for example in found
        ]
        if not found:
            blocks.append(Sentence(f"none of {counted(result.n_segments, 'segment')}"))
    if guide:
        blocks.append(Notes(guide_of(examples, colour=colour)))
    return Document("differences", tuple(blocks), lambda: example_records(result.to_dict()), result.to_dict)
