"""Alignments as three lines of words, with the shifts below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtassay.errors import counted
from mtassay.report.tables import display_width

if TYPE_CHECKING:
    from mtassay.metrics.alignment import Alignment

_ABSENT = "@"
_LINE_WIDTH = 100


def text(alignment: Alignment) -> str:
    """The alignment for people.

    >>> from mtassay.metrics.alignment import align
    >>> print(text(align([["the house that jack built"]], ["the building jack built"])[0]))
    segment 1   TER 40.0
    REF  the  house  that      jack  built
    HYP  the  @      building  jack  built
         =    D      S         =     =
         1 substitution, 1 deletion, 0 insertions, 0 shifts
    """
    columns = [
        (step.reference or _ABSENT, (step.hypothesis or _ABSENT), step.operation + ("*" if step.shifted else ""))
        for step in alignment.steps
    ]
    blocks: list[str] = []
    for chunk in _wrapped(columns):
        widths = [max(map(display_width, column)) for column in chunk]
        for row, name in enumerate(("REF", "HYP", "   ")):
            cells = [
                column[row] + " " * (w - display_width(column[row])) for column, w in zip(chunk, widths, strict=True)
            ]
            blocks.append(f"{name}  {'  '.join(cells)}".rstrip())
    which = f"   reference {alignment.reference}" if alignment.n_references > 1 else ""
    head = f"segment {alignment.segment}{which}   TER {alignment.score:.1f}"
    which_text = " of the reference" if alignment.shifted_text == "reference" else ""
    shifts = [
        f"     * shift {number}{which_text}: “{' '.join(shift.words)}” "
        f"from position {shift.start + 1} to {shift.target + 1}"
        for number, shift in enumerate(alignment.shifts, start=1)
    ]
    return "\n".join([head, *blocks, f"     {_counts(alignment)}", *shifts])


def _wrapped(columns: list[tuple[str, str, str]]) -> list[list[tuple[str, str, str]]]:
    """Columns cut into lines that fit a screen."""
    lines: list[list[tuple[str, str, str]]] = []
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
