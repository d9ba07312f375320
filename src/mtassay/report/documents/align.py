"""Alignments of hypotheses with their references: words under words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mtassay.errors import counted
from mtassay.kernels.hjerson import CLASSES
from mtassay.metrics.linguistic.addicter_errors import KINDS
from mtassay.report.document import Document, Preformatted, Records
from mtassay.report.render.text import display_width

if TYPE_CHECKING:
    from mtassay.metrics.linguistic.addicter_alignment import AddicterAlignment, AddicterError
    from mtassay.metrics.linguistic.hjerson_alignment import HjersonAlignment
    from mtassay.metrics.meteor.alignment import MeteorAlignment
    from mtassay.metrics.strings.edit_alignment import Alignment
    from mtassay.verbs.align import AlignResult

_ABSENT = "@"
_LINE_WIDTH = 100
#: Marks of METEOR's stages.
_MARKS = {"exact": "=", "stem": "stem", "synonym": "syn", "paraphrase": "para"}
_EDITS = ("matches", "substitutions", "insertions", "deletions")
_OPERATIONS = {"S": "substitution", "D": "deletion", "I": "insertion"}


def document(result: AlignResult) -> Document:
    """A block per segment and system; records have the score and counts."""
    several = len(result.systems) > 1
    blocks = tuple(
        Preformatted(_text(alignment, system if several else "", _LINES[alignment.kind](alignment)))
        for system, alignment in result.by_segment()
    )
    return Document("alignments", blocks, lambda: _records(result), result.to_dict)


def _text(alignment: Any, system: str, lines: list[str]) -> str:
    place = [f"segment {alignment.segment}", *([system] if system else [])]
    if alignment.n_references > 1:
        place.append(f"reference {alignment.reference}")
    return "   ".join([*place, "\n".join(lines)])


def _edits(alignment: Alignment) -> list[str]:
    """TER, WER and their like: the score, the words with their operations, and TER's shifts.

    >>> from mtassay.verbs.align import align
    >>> print(align([["the house that jack built"]], ["the building jack built"]))
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
    counts = [counted(alignment.count(operation), noun) for operation, noun in _OPERATIONS.items()]
    if alignment.metric == "ter":
        counts.append(counted(len(alignment.shifts), "shift"))
    which_text = " of the reference" if alignment.shifted_text == "reference" else ""
    shifts = [
        f"     * shift {number}{which_text}: “{' '.join(shift.words)}” "
        f"from position {shift.start + 1} to {shift.target + 1}"
        for number, shift in enumerate(alignment.shifts, start=1)
    ]
    return [
        f"{alignment.label} {alignment.score:.{alignment.digits}f}",
        *_lines(columns, ("REF", "HYP", "   ")),
        f"     {', '.join(counts)}",
        *shifts,
    ]


def _matches(alignment: MeteorAlignment) -> list[str]:
    """METEOR: the score, the words with the stage of each match, and the number of its chunk below.

    >>> from mtassay.verbs.align import align
    >>> print(align([["the big cat sat"]], ["cat the big dog"], metric="meteor:stages=exact,lang=other"))
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
    return [
        f"METEOR {alignment.score:.4f}{parts}",
        *_lines(columns, ("REF", "HYP", "   ", "   ")),
        f"     {_matched(alignment)}",
    ]


def _matched(alignment: MeteorAlignment) -> str:
    n_matches = len(alignment.matches)
    plural = "match" if n_matches == 1 else "matches"
    stages = ", ".join(f"{alignment.count(stage)} {stage}" for stage in _MARKS if alignment.count(stage))
    found = f"{n_matches} {plural} ({stages}) in {counted(alignment.n_chunks, 'chunk')}" if n_matches else "no matches"
    left = f"; only in the hypothesis: {' '.join(alignment.unmatched)}" if alignment.unmatched else ""
    return found + left


def _classes(alignment: HjersonAlignment) -> list[str]:
    """Hjerson: the score, and the class of every wrong word below it.

    >>> from mtassay.verbs.align import align
    >>> print(align([["he walks a dog"]], ["he walked a big dog"], metric="hjerson"))
    segment 1   errors 40.00
    REF  he  walks  a  dog
             infl
    HYP  he  walked  a  big  dog
             infl       ext
         1 infl, 0 reord, 0 miss, 1 ext, 0 lex
    """
    sides = (
        ("REF", alignment.reference_words, alignment.reference_classes),
        ("HYP", alignment.hypothesis_words, alignment.hypothesis_classes),
    )
    lines = [
        line
        for name, words, classes in sides
        for line in _lines(
            [(word, "" if class_ == CLASSES[0] else class_) for word, class_ in zip(words, classes, strict=True)],
            (name, "   "),
        )
    ]
    counts = ", ".join(f"{alignment.count(name)} {name}" for name in CLASSES[1:])
    return [f"errors {alignment.score:.2f}", *lines, f"     {counts}"]


def _listed(alignment: AddicterAlignment) -> list[str]:
    """Addicter: the score, each hypothesis word over its reference word, and all errors."""
    aligned = [_ABSENT if place is None else alignment.reference_words[place] for place in alignment.links]
    columns: list[tuple[str, ...]] = list(zip(alignment.hypothesis_words, aligned, strict=True))
    return [
        f"errors {alignment.score:.2f}",
        *_lines(columns, ("HYP", "REF")),
        *(f"     {_error(alignment, error)}" for error in alignment.errors),
    ]


def _error(alignment: AddicterAlignment, error: AddicterError) -> str:
    hyp, ref, other = (
        None if place is None else f"{words[place]} ({place + 1})"
        for words, place in (
            (alignment.hypothesis_words, error.hypothesis),
            (alignment.reference_words, error.reference),
            (alignment.hypothesis_words, error.other),
        )
    )
    if error.kind == "ord-l":
        return f"ord-l: {hyp} to the place of {other}"
    return f"{error.kind}: " + " / ".join(part for part in (hyp, ref, other) if part is not None)


def _lines(columns: list[tuple[str, ...]], names: tuple[str, ...]) -> list[str]:
    """Turn columns into named lines; blank lines are left out."""
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
    """Split columns into lines that fit a screen."""
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


def _records(result: AlignResult) -> Records:
    """A row per segment and system: the score and counts."""
    kinds = {alignment.kind for _, alignment in result.by_segment()}
    names = [name for kind in sorted(kinds) for name in _COUNTED[kind]]
    if result.metric.name == "ter":
        names.append("shifts")
    common = ("segment", "system", "reference", "score")
    rows = [
        [len(one[name]) if isinstance(one[name], list) else one[name] for name in (*common, *names)]
        for one in result.to_dict()["alignments"]
    ]
    return Records((*common, *names), rows)


_LINES: dict[str, Callable[[Any], list[str]]] = {
    "edits": _edits,
    "matches": _matches,
    "classes": _classes,
    "errors": _listed,
}
#: Fields of an alignment's record, by kind.
_COUNTED = {
    "edits": _EDITS,
    "matches": ("precision", "recall", "penalty", "matches", "chunks"),
    "classes": CLASSES[1:],
    "errors": KINDS,
}
