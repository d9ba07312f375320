"""Segments in which two systems differ most, with word-level differences from their references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.equality import equalised
from mtassay.kernels.ter import ter_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mtassay.analysis.matching import WordMatches
    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Bools, Floats, Index

#: What a word of an output is: in the reference, there in another place, or not there.
SAME, MOVED, WRONG = "same", "moved", "wrong"


@dataclass(frozen=True)
class MarkedWord:
    """A word of an output, and whether it is in the reference: ``same``, ``moved`` or ``wrong``."""

    word: str
    mark: str


@dataclass(frozen=True, eq=False)
class ExampleOutput:
    """What a system made of a segment.

    Attributes:
        system: its name.
        text: the output.
        scores: one for each metric.
        reference: number of the segment's reference that it is compared with, from 0.
        words: of the output, by TER's alignment with the reference that has most words in common.
        missing: words of the reference that the output lacks.
    """

    system: str
    text: str
    scores: tuple[float, ...]
    reference: int
    words: tuple[MarkedWord, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Example:
    """A segment in which two systems differ.

    Attributes:
        segment: its number, from 0.
        source: the source text, where there is one.
        references: those that the segment has.
        outputs: of the two systems.
        difference: score of the first minus that of the second system.
    """

    segment: int
    source: str | None
    references: tuple[str, ...]
    outputs: tuple[ExampleOutput, ExampleOutput]
    difference: float


@dataclass(frozen=True, eq=False)
class Examples:
    """Segments in which two systems differ most.

    Attributes:
        metric: under which they differ.
        metrics: all metrics whose scores are shown.
        pair: names of the two systems.
        first: examples in which the first system is better, largest difference first.
        second: those in which the second is.
    """

    metric: Metric
    metrics: tuple[Metric, ...]
    pair: tuple[str, str]
    first: tuple[Example, ...]
    second: tuple[Example, ...]


def find_examples(
    testset: TestSet,
    matches: WordMatches,
    vocabulary: Sequence[str],
    scores: Floats,
    metrics: Sequence[Metric],
    *,
    pair: tuple[int, int],
    top: int,
    by: int = 0,
    kept: Bools | None = None,
) -> Examples:
    """Find the segments with the largest differences, both ways; of equal segments only the first counts.

    Args:
        testset: the texts.
        matches: their words.
        vocabulary: words by their ids.
        scores: segment scores, shape (systems, segments, metrics).
        metrics: the metrics.
        pair: two systems by number.
        top: how many segments to find each way.
        by: number of the metric under which systems differ.
        kept: which segments to look at; by default all.
    """
    names = tuple(testset.systems)
    metric = metrics[by]
    # Scores that are equal up to rounding are no difference.
    both = equalised(scores[list(pair), :, by])
    oriented = (metric.sign or 1.0) * (both[0] - both[1])
    looked_at = ~np.isnan(oriented) & _unique(testset, [names[system] for system in pair])
    looked_at = looked_at if kept is None else looked_at & kept

    def example(segment: int) -> Example:
        outputs = [_output(testset, matches, vocabulary, scores, system, segment) for system in pair]
        return Example(
            segment=segment,
            source=None if testset.sources is None else testset.sources[segment],
            references=tuple(text for stream in testset.references if (text := stream[segment]) is not None),
            outputs=(outputs[0], outputs[1]),
            difference=float(both[0, segment] - both[1, segment]),
        )

    first, second = (_largest(side * oriented, looked_at, top, example) for side in (1, -1))
    return Examples(metric, tuple(metrics), (names[pair[0]], names[pair[1]]), first, second)


def _largest(values: Floats, looked_at: Bools, top: int, example: Callable[[int], Example]) -> tuple[Example, ...]:
    segments: Index = np.flatnonzero(looked_at & (np.nan_to_num(values) > 0))
    order = np.argsort(-values[segments], kind="stable")[:top]
    return tuple(example(segment) for segment in segments[order].tolist())


def _unique(testset: TestSet, systems: Sequence[str]) -> Bools:
    """Which segments differ from all before them in references or outputs."""
    seen: set[tuple[str | None, ...]] = set()
    unique = np.zeros(testset.n_segments, dtype=bool)
    for number, texts in enumerate(zip(*testset.references, *(testset.systems[s] for s in systems), strict=True)):
        unique[number] = texts not in seen
        seen.add(texts)
    return unique


def _output(
    testset: TestSet, matches: WordMatches, vocabulary: Sequence[str], scores: Floats, system: int, segment: int
) -> ExampleOutput:
    name = tuple(testset.systems)[system]
    words, missing = marked_words(matches, vocabulary, system, segment)
    reference = int(matches.chosen[system, segment] - matches.group_offsets[segment])
    return ExampleOutput(
        system=name,
        text=testset.systems[name][segment],
        scores=tuple(scores[system, segment].tolist()),
        reference=reference,
        words=words,
        missing=missing,
    )


def marked_words(
    matches: WordMatches, vocabulary: Sequence[str], system: int, segment: int
) -> tuple[tuple[MarkedWord, ...], tuple[str, ...]]:
    """Words of an output with their marks, and words of the reference that it lacks, by TER's shifts and edits."""
    output = matches.outputs.text(system * matches.n_segments + segment)
    reference = matches.references.text(int(matches.chosen[system, segment]))
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
    return words, tuple(missing)


def _with_moves(n_words: int, shifts: Sequence[tuple[int, int, int]], order: Sequence[int]) -> list[tuple[int, bool]]:
    """Positions of the words of a shifted text in the original, and whether a shift moved them."""
    places, moved = list(range(n_words)), set()
    for start, end, target in shifts:
        block = places[start : end + 1]
        moved.update(block)
        rest = places[:start] + places[end + 1 :]
        places = rest[:target] + block + rest[target:]
    return [(place, place in moved) for place in order]
