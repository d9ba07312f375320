"""How a hypothesis corresponds to its reference: edits, matches or errors of a metric, the verb ``align``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.testset import TestSet, as_testset
from mtassay.errors import InputError, SpecError
from mtassay.kernels.ter import ter_trace
from mtassay.metrics.core.references import Texts, references_of
from mtassay.metrics.core.spec import parse_all
from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.linguistic.addicter_alignment import AddicterAlignment
    from mtassay.metrics.linguistic.hjerson_alignment import HjersonAlignment
    from mtassay.metrics.meteor.alignment import MeteorAlignment
    from mtassay.metrics.strings.ter import TerScorer

SCHEMA = "mtassay.align/2"
#: Name of a system given without a name.
UNNAMED = "hyp"
#: Displayed operations by letter of ``ter_trace``.
OPERATIONS = {" ": "=", "S": "S", "I": "I", "D": "D"}
#: Metrics that give alignments, and the module with their ``align_segment``.
_ALIGNERS = {
    "ter": "mtassay.verbs.align",
    "meteor": "mtassay.metrics.meteor.alignment",
    "hjerson": "mtassay.metrics.linguistic.hjerson_alignment",
    "addicter": "mtassay.metrics.linguistic.addicter_alignment",
}


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
class Alignment:
    """Edits of one segment.

    Attributes:
        segment: number of the segment, from 1.
        reference: number of the reference that was used, from 1.
        n_references: number of references of the segment.
        steps: the columns, in the word order of the unshifted text.
        shifts: the shifts, in the order they were made.
        score: TER of the segment.
        shifted_text: which text is shifted, ``hypothesis`` or (``variant=moses``) ``reference``.
    """

    segment: int
    reference: int
    n_references: int
    steps: tuple[Step, ...]
    shifts: tuple[Shift, ...]
    score: float
    shifted_text: str = "hypothesis"

    def count(self, operation: str) -> int:
        """Number of columns with this operation."""
        return sum(step.operation == operation for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "metric": "ter",
            "segment": self.segment,
            "reference": self.reference,
            "n_references": self.n_references,
            "score": self.score,
            "matches": self.count("="),
            "substitutions": self.count("S"),
            "insertions": self.count("I"),
            "deletions": self.count("D"),
            "shifted_text": self.shifted_text,
            "shifts": [{"words": list(s.words), "start": s.start, "target": s.target} for s in self.shifts],
            "steps": [vars(step) for step in self.steps],
        }


if TYPE_CHECKING:
    AnyAlignment = Alignment | MeteorAlignment | HjersonAlignment | AddicterAlignment


@dataclass(frozen=True, eq=False, repr=False)
class AlignResult(Result):
    """Alignments of systems with their references.

    Attributes:
        metric: TER, METEOR, Hjerson or Addicter.
        alignments: by system, those of the chosen segments in the order of the choice.
    """

    verb: ClassVar[str] = "align"

    metric: Metric
    alignments: Mapping[str, tuple[AnyAlignment, ...]]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return tuple(self.alignments)

    def by_segment(self) -> Iterator[tuple[str, AnyAlignment]]:
        """Names of systems and their alignments, segment by segment."""
        for of_segment in zip(*self.alignments.values(), strict=True):
            yield from zip(self.systems, of_segment, strict=True)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; alignments segment by segment."""
        return {
            "schema": SCHEMA,
            "metric": str(self.metric),
            "name": self.metric.label,
            "alignments": [{"system": system, **alignment.to_dict()} for system, alignment in self.by_segment()],
        }

    def __repr__(self) -> str:
        return f"AlignResult({', '.join(self.systems)}; {self.metric})"


def align(
    references: TestSet | Sequence[Sequence[str | None]],
    systems: Mapping[str, Sequence[str]] | Sequence[str] | None = None,
    *,
    metric: str | Metric = "ter",
    segment: Iterable[int] | None = None,
) -> AlignResult:
    """Align hypotheses with their references by TER's edits, METEOR's matches, or errors of Hjerson or Addicter.

    Args:
        references: a test set, or one or more reference streams; of several, the one that gives the score is shown.
        systems: one text per segment, by system name; or the texts of one system, which is then named ``hyp``; only
            without a test set.
        metric: a specification of ``ter``, ``meteor``, ``hjerson`` or ``addicter``.
        segment: the segments to align (0-based); by default all.

    >>> (alignment,) = align([["the house that jack built"]], ["the building jack built"]).alignments["hyp"]
    >>> "".join(step.operation for step in alignment.steps)
    '=DS=='
    >>> found = align([["a big cat"]], {"x": ["cat a big"]}, metric="meteor:stages=exact,lang=other")
    >>> [(match.stage, match.chunk, *match.hypothesis) for match in found.alignments["x"][0].matches]
    [('exact', 1, 'a'), ('exact', 1, 'big'), ('exact', 2, 'cat')]
    """
    testset = _testset(references, systems)
    (chosen_metric,) = parse_all([metric], testset.language_pair)
    if chosen_metric.name not in _ALIGNERS:
        raise SpecError(f"only {', '.join(_ALIGNERS)} give alignments, not {chosen_metric}")
    chosen = _chosen(segment, testset.n_segments)
    prepared = references_of(testset)
    scorer: Any = chosen_metric.prepare(prepared)
    numbers = [
        [r for r, text in enumerate(of_segment, 1) if text is not None]
        for of_segment in zip(*testset.references, strict=True)
    ]
    align_one: Callable[..., AnyAlignment] = import_module(_ALIGNERS[chosen_metric.name]).align_segment
    alignments: dict[str, tuple[AnyAlignment, ...]] = {}
    for name, hypotheses in testset.systems.items():
        texts = Texts(hypotheses)
        alignments[name] = tuple(align_one(scorer, texts, place, numbers[place]) for place in chosen)
    return AlignResult(chosen_metric, alignments)


def _testset(references: Any, systems: Any) -> TestSet:
    testset = as_testset(references, systems if isinstance(systems, Mapping | None) else {UNNAMED: systems})
    if not testset.systems:
        raise InputError("there is no system to align")
    return testset


def _chosen(segments: Iterable[int] | None, n_segments: int) -> list[int]:
    chosen = []
    for segment in range(n_segments) if segments is None else segments:
        if not isinstance(segment, int):
            raise InputError(f"segments must be whole numbers from 0, not {segment!r}")
        if not 0 <= segment < n_segments:
            raise InputError(f"there is no segment {segment + 1}: the segments are 1 to {n_segments}")
        chosen.append(segment)
    return chosen


def align_segment(scorer: TerScorer, texts: Texts, segment: int, numbers: list[int]) -> Alignment:
    """Align one segment; `numbers` are the numbers of its references among the streams."""
    hypothesis = scorer.tokens(texts).text(segment)
    first, last = scorer.references.group_offsets[segment : segment + 2].tolist()
    candidates = [scorer.reference_tokens.text(index) for index in range(first, last)]
    traces = [ter_trace(hypothesis, reference, variant=scorer.metric.variant) for reference in candidates]
    n_edits = [len(ops) - ops.count(" ") + len(shifts) for ops, shifts, _ in traces]
    best = int(np.argmin(n_edits))
    row = scorer.statistics(texts, [segment], hypothesis_index=[segment])
    operations, shifts, order = traces[best]
    words = [[scorer.word(int(token)) for token in tokens] for tokens in (candidates[best], hypothesis)]
    shifted = 0 if scorer.metric.shifts_reference else 1
    return Alignment(
        segment=segment + 1,
        reference=numbers[best],
        n_references=len(numbers),
        steps=_steps(operations, words, shifted, order, _moved(len(order), shifts)),
        shifts=_shifts(words[shifted], shifts),
        score=float(scorer.metric.segment_score(row)[0]),
        shifted_text=("reference", "hypothesis")[shifted],
    )


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
