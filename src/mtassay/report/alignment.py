"""Alignments as lines of words, one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.tables import display_width

if TYPE_CHECKING:
    from mtassay.metrics.meteor.alignment import MeteorAlignment
    from mtassay.verbs.align import Alignment

_ABSENT = "@"
_LINE_WIDTH = 100


def text(alignment: Alignment) -> str:
    """The alignment for people.

    >>> from mtassay.verbs.align import align
    >>> print(text(align([["the house that jack built"]], ["the building jack built"])[0]))
    segment 1   TER 40.0
    REF  the  house  that      jack  built
    HYP  the  @      building  jack  built
         =    D      S         =     =
         1 substitution, 1 deletion, 0 insertions, 0 shifts
    """
    columns: list[tuple[str, ...]] = [
        (step.reference or _ABSENT, (step.hypothesis or _ABSENT), step.operation + ("*" if step.shifted else ""))
        for step in alignment.steps
    ]
    blocks = _lines(columns, ("REF", "HYP", "   "))
    head = f"{_head(alignment)}   TER {alignment.score:.1f}"
    which_text = " of the reference" if alignment.shifted_text == "reference" else ""
    shifts = [
        f"     * shift {number}{which_text}: “{' '.join(shift.words)}” "
        f"from position {shift.start + 1} to {shift.target + 1}"
        for number, shift in enumerate(alignment.shifts, start=1)
    ]
    return "\n".join([head, *blocks, f"     {_counts(alignment)}", *shifts])


#: How a stage is marked.
_MARKS = {"exact": "=", "stem": "stem", "synonym": "syn", "paraphrase": "para"}


def meteor_text(alignment: MeteorAlignment) -> str:
    """METEOR's alignment for people: the stage of each match, and the number of its chunk below.

    >>> from mtassay.verbs.align import align
    >>> (aligned,) = align([["the big cat sat"]], ["cat the big dog"], metric="meteor:stages=exact,lang=other")
    >>> print(meteor_text(aligned))
    segment 1   METEOR 0.4524   precision 0.7500   recall 0.7500   penalty 0.3968
    REF  the  big  cat  sat
    HYP  the  big  cat  @
         =    =    =
         1    1    2
         3 matches (3 exact) in 2 chunks; only in the hypothesis: dog
    """
    columns: list[tuple[str, ...]] = []
    starting = {match.reference_start: match for match in alignment.matches}
    position = 0
    while position < len(alignment.reference_words):
        match = starting.get(position)
        if match is None:
            columns.append((alignment.reference_words[position], _ABSENT, "", ""))
            position += 1
        else:
            words = " ".join(match.reference), " ".join(match.hypothesis)
            columns.append((*words, _MARKS[match.stage], str(match.chunk)))
            position = match.reference_end
    parts = "".join(f"   {name} {getattr(alignment, name):.4f}" for name in ("precision", "recall", "penalty"))
    return "\n".join(
        [
            f"{_head(alignment)}   METEOR {alignment.score:.4f}{parts}",
            *_lines(columns, ("REF", "HYP", "   ", "   ")),
            f"     {_matched(alignment)}",
        ]
    )


def _matched(alignment: MeteorAlignment) -> str:
    n_matches = len(alignment.matches)
    plural = "match" if n_matches == 1 else "matches"
    stages = ", ".join(f"{alignment.count(stage)} {stage}" for stage in _MARKS if alignment.count(stage))
    found = f"{n_matches} {plural} ({stages}) in {counted(alignment.n_chunks, 'chunk')}" if n_matches else "no matches"
    left = f"; only in the hypothesis: {' '.join(alignment.unmatched)}" if alignment.unmatched else ""
    return found + left


def _head(alignment: Alignment | MeteorAlignment) -> str:
    which = f"   reference {alignment.reference}" if alignment.n_references > 1 else ""
    return f"segment {alignment.segment}{which}"


def _lines(columns: list[tuple[str, ...]], names: tuple[str, ...]) -> list[str]:
    """Columns as lines, each with its name in front; nothing of those that would be blank."""
    lines: list[str] = []
    for chunk in _wrapped(columns):
        widths = [max(map(display_width, column)) for column in chunk]
        for row, name in enumerate(names):
            cells = [
                column[row] + " " * (w - display_width(column[row])) for column, w in zip(chunk, widths, strict=True)
            ]
            lines.append(f"{name}  {'  '.join(cells)}".rstrip())
    return [line for line in lines if line]


def _wrapped(columns: list[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """Columns cut into lines that fit a screen."""
    lines: list[list[tuple[str, ...]]] = []
    used = _LINE_WIDTH
    for column in columns:
        width = max(map(display_width, column)) + 2
        if used + width > _LINE_WIDTH:
            lines.append([])
            used = 0
        lines[-1].append(column)
        used += width
    return lines


def _counts(alignment: Alignment) -> str:
    counts = [
        (alignment.count("S"), "substitution"),
        (alignment.count("D"), "deletion"),
        (alignment.count("I"), "insertion"),
        (len(alignment.shifts), "shift"),
    ]
    return ", ".join(counted(n, noun) for n, noun in counts)
