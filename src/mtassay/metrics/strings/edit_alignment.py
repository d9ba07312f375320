"""Alignments of words by edits: those of TER, with shifts, and those of WER, MER, WIL and WIP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.kernels.edits import word_trace
from mtassay.kernels.ter import ter_trace
from mtassay.metrics.core.segment_alignment import SegmentAlignment

if TYPE_CHECKING:
    from mtassay.metrics.core.references import Texts
    from mtassay.metrics.strings.error_rate import ErrorRateScorer
    from mtassay.metrics.strings.ter import TerScorer
    from mtassay.types import Ids

    #: Letters of the operations, shifts, and the original position of each word of the shifted text.
    Trace = tuple[str, list[tuple[int, int, int]], list[int]]

#: Displayed operations by letter of a trace.
OPERATIONS = {" ": "=", "S": "S", "I": "I", "D": "D"}


@dataclass(frozen=True)
class Shift:
    """A block of words that was moved.

    Attributes:
        words: the block.
        start: position of its first word before the shift (0-based, after all earlier shifts).
        target: position of its first word after the shift (0-based).
    """

    words: tuple[str, ...]
    start: int
    target: int


@dataclass(frozen=True)
class Step:
    """One column of an alignment.

    Attributes:
        operation: ``=`` match, ``S`` substitution, ``I`` insertion (hypothesis only), ``D`` deletion (reference only).
        reference: the reference word, or None.
        hypothesis: the hypothesis word, or None.
        position: original position (0-based) of the word of the shifted text, or None.
        shifted: whether that word was moved.
    """

    operation: str
    reference: str | None
    hypothesis: str | None
    position: int | None
    shifted: bool


@dataclass(frozen=True, kw_only=True)
class Alignment(SegmentAlignment):
    """Edits of one segment.

    Attributes:
        steps: the columns, in the word order of the unshifted text.
        shifts: the shifts, in the order they were made.
        label: name of the score.
        digits: decimals of the score.
        shifted_text: which text is shifted, ``hypothesis`` or (``ter:variant=moses``) ``reference``.
    """

    kind: ClassVar[str] = "edits"

    steps: tuple[Step, ...]
    shifts: tuple[Shift, ...]
    label: str
    digits: int
    shifted_text: str = "hypothesis"

    def count(self, operation: str) -> int:
        """Number of columns with this operation."""
        return sum(step.operation == operation for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            **self.heading(),
            "matches": self.count("="),
            "substitutions": self.count("S"),
            "insertions": self.count("I"),
            "deletions": self.count("D"),
            "shifted_text": self.shifted_text,
            "shifts": [{"words": list(s.words), "start": s.start, "target": s.target} for s in self.shifts],
            "steps": [vars(step) for step in self.steps],
        }


def align_segment(scorer: Any, texts: Texts, segment: int, numbers: list[int]) -> Alignment:
    """Align one segment; `numbers` are the numbers of its references among the streams."""
    hypothesis = scorer.tokens(texts).text(segment)
    first, last = scorer.references.group_offsets[segment : segment + 2].tolist()
    references = [scorer.reference_tokens.text(index) for index in range(first, last)]
    trace_best = _best_of_ter if scorer.metric.name == "ter" else _best_of_words
    best, (operations, shifts, order) = trace_best(scorer, texts, segment, references)
    words = [[scorer.word(int(token)) for token in tokens] for tokens in (references[best], hypothesis)]
    shifted = 0 if getattr(scorer.metric, "shifts_reference", False) else 1
    row = scorer.statistics(texts, [segment], hypothesis_index=[segment])
    return Alignment(
        segment=segment + 1,
        reference=numbers[best],
        n_references=len(numbers),
        steps=_steps(operations, words, shifted, order, _moved(len(order), shifts)),
        shifts=_shifts(words[shifted], shifts),
        score=float(scorer.metric.segment_score(row)[0]),
        metric=scorer.metric.spec_name,
        label=scorer.metric.label,
        digits=scorer.metric.digits,
        shifted_text=("reference", "hypothesis")[shifted],
    )


def _best_of_ter(scorer: TerScorer, texts: Texts, segment: int, references: list[Ids]) -> tuple[int, Trace]:
    """The reference with the fewest edits, and the trace of its alignment."""
    hypothesis = scorer.tokens(texts).text(segment)
    traces = [ter_trace(hypothesis, reference, variant=scorer.metric.variant) for reference in references]
    best = int(np.argmin([len(ops) - ops.count(" ") + len(shifts) for ops, shifts, _ in traces]))
    return best, traces[best]


def _best_of_words(scorer: ErrorRateScorer, texts: Texts, segment: int, references: list[Ids]) -> tuple[int, Trace]:
    """The reference with the lowest error, and the trace of its alignment."""
    hypothesis = scorer.tokens(texts).text(segment)
    refs = scorer.references.group_offsets[segment] + np.arange(len(references))
    errors = scorer.metric.error(scorer.of_references(texts, np.full(len(refs), segment), refs))
    best = int(np.argmin(errors))
    operations = word_trace(hypothesis, references[best], ties=scorer.metric.ties)
    return best, (operations, [], list(range(len(hypothesis))))


def _steps(
    operations: str, words: list[list[str]], shifted: int, order: list[int], moved: set[int]
) -> tuple[Step, ...]:
    """Columns of an alignment.

    Args:
        operations: letters of ``ter_trace``.
        words: words of reference and hypothesis.
        shifted: which of the two is shifted.
        order: original position of each word of the shifted text.
        moved: original positions that were moved.
    """
    orders = [list(range(len(side))) for side in words]
    orders[shifted] = order
    rest = [iter(positions) for positions in orders]
    steps = []
    for letter in operations:
        r = None if letter == "I" else next(rest[0])
        h = None if letter == "D" else next(rest[1])
        position = (r, h)[shifted]
        ref_word = None if r is None else words[0][r]
        hyp_word = None if h is None else words[1][h]
        steps.append(Step(OPERATIONS[letter], ref_word, hyp_word, position, position in moved))
    return tuple(steps)


def _replay(n_words: int, shifts: list[tuple[int, int, int]]) -> list[tuple[list[int], tuple[int, int, int]]]:
    """The order of words (original positions) before each shift."""
    order = list(range(n_words))
    states = []
    for start, end, target in shifts:
        states.append((order, (start, end, target)))
        block = order[start : end + 1]
        rest = order[:start] + order[end + 1 :]
        order = rest[:target] + block + rest[target:]
    return states


def _moved(n_words: int, shifts: list[tuple[int, int, int]]) -> set[int]:
    return {position for order, (start, end, _) in _replay(n_words, shifts) for position in order[start : end + 1]}


def _shifts(words: list[str], shifts: list[tuple[int, int, int]]) -> tuple[Shift, ...]:
    return tuple(
        Shift(tuple(words[position] for position in order[start : end + 1]), start, target)
        for order, (start, end, target) in _replay(len(words), shifts)
    )
