"""Words of outputs that are in the reference, and those that are not, by the alignment of TER or METEOR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mtassay.analysis.example_details import part_of
from mtassay.errors import SpecError
from mtassay.kernels.ter import ter_trace
from mtassay.metrics.core.references import Texts, references_of
from mtassay.metrics.core.spec import parse_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.analysis.views import TokenisedTexts
    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric

#: Marks of the words of an output: in the reference, elsewhere in the reference, there in another form, or not there.
SAME, MOVED, SIMILAR, WRONG = "same", "moved", "similar", "wrong"
#: Metrics whose alignments mark words.
ALIGNMENTS = ("ter", "meteor")


@dataclass(frozen=True)
class MarkedWord:
    """A word of an output, and whether it is in the reference: ``same``, ``moved``, ``similar`` or ``wrong``."""

    word: str
    mark: str


class MarkedText(NamedTuple):
    """Marked words of an output.

    Attributes:
        reference: number of the segment's reference that it was aligned with, from 0.
        words: words of the output.
        missing: words of the reference that the output lacks.
    """

    reference: int
    words: tuple[MarkedWord, ...]
    missing: tuple[str, ...]


def alignment_metric(spec: str | Metric, language_pair: str | None) -> Metric:
    """The metric whose alignment marks words."""
    (metric,) = parse_all([spec], language_pair)
    if metric.name not in ALIGNMENTS:
        raise SpecError(f"words are marked by the alignment of {' or '.join(ALIGNMENTS)}, not of {metric}")
    return metric


def marker(
    metric: Metric, texts: TokenisedTexts, segments: Sequence[int], systems: Sequence[str]
) -> Callable[[str, int], MarkedText]:
    """A function that marks the words of a system's output for one of the segments.

    Args:
        metric: TER, which aligns the words of `texts` with the reference that has most matches; or METEOR, with its own
            words and its own choice of the reference.
        texts: the words of the test set.
        segments: segments for which the function can be called.
        systems: names of the systems for which the function can be called.
    """
    if metric.name == "meteor":
        return _MeteorMarks(metric, texts.testset, segments, systems)
    names = tuple(texts.testset.systems)
    return lambda system, segment: ter_marks(texts, names.index(system), segment)


def ter_marks(texts: TokenisedTexts, system: int, segment: int) -> MarkedText:
    """Mark words by TER's shifts and edits."""
    matches, vocabulary = texts.matches, texts.vocabulary
    output = matches.outputs.text(system * matches.n_segments + segment)
    chosen = int(matches.chosen[system, segment])
    reference = matches.references.text(chosen)
    operations, shifts, order = ter_trace(output, reference, variant="sacrebleu")
    marks = [WRONG] * len(output)
    missing = []
    in_output, in_reference = iter(_with_moves(len(output), shifts, order)), iter(reference.tolist())
    for operation in operations:
        place, moved = (0, False) if operation == "D" else next(in_output)
        word = -1 if operation == "I" else next(in_reference)
        if operation == " ":
            marks[place] = MOVED if moved else SAME
        elif word >= 0:
            missing.append(vocabulary[word])
    words = tuple(MarkedWord(vocabulary[word], mark) for word, mark in zip(output.tolist(), marks, strict=True))
    return MarkedText(chosen - int(matches.group_offsets[segment]), words, tuple(missing))


def _with_moves(n_words: int, shifts: Sequence[tuple[int, int, int]], order: Sequence[int]) -> list[tuple[int, bool]]:
    """Positions of the words of a shifted text in the original, and whether a shift moved them."""
    places, moved = list(range(n_words)), set()
    for start, end, target in shifts:
        block = places[start : end + 1]
        moved.update(block)
        rest = places[:start] + places[end + 1 :]
        places = rest[:target] + block + rest[target:]
    return [(place, place in moved) for place in order]


class _MeteorMarks:
    """Marks words by METEOR's matches: exact matches as same; stems, synonyms and paraphrases as similar."""

    def __init__(self, metric: Metric, testset: TestSet, segments: Sequence[int], systems: Sequence[str]) -> None:
        part = part_of(testset, segments, systems)
        self._place = {segment: place for place, segment in enumerate(segments)}
        self._scorer: Any = metric.prepare(references_of(part))
        self._texts = {system: Texts(outputs) for system, outputs in part.systems.items()}

    def __call__(self, system: str, segment: int) -> MarkedText:
        from mtassay.metrics.meteor.alignment import align_segment

        place = self._place[segment]
        n_references = int(self._scorer.references.counts[place])
        found = align_segment(self._scorer, self._texts[system], place, list(range(n_references)))
        marks = [WRONG] * len(found.hypothesis_words)
        is_missing = [True] * len(found.reference_words)
        for match in found.matches:
            mark = SAME if match.stage == "exact" else SIMILAR
            marks[match.hypothesis_start : match.hypothesis_end] = [mark] * len(match.hypothesis)
            is_missing[match.reference_start : match.reference_end] = [False] * len(match.reference)
        words = tuple(MarkedWord(word, mark) for word, mark in zip(found.hypothesis_words, marks, strict=True))
        missing = (word for word, lacks in zip(found.reference_words, is_missing, strict=True) if lacks)
        return MarkedText(found.reference, words, tuple(missing))
