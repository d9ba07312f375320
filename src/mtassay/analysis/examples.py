"""Segments in which two systems differ most, with word-level differences from their references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtassay.analysis.example_details import HumanJudgements, errors_of
from mtassay.analysis.word_marks import marker
from mtassay.equality import equalised
from mtassay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtassay.analysis.example_details import SegmentPreferences
    from mtassay.analysis.views import TokenisedTexts
    from mtassay.analysis.word_marks import MarkedWord
    from mtassay.data.judgements import Judgements
    from mtassay.data.testset import TestSet
    from mtassay.metrics.core.metric import Metric
    from mtassay.types import Bools, Floats, Index


@dataclass(frozen=True, kw_only=True, eq=False)
class ExampleOutput:
    """The output of a system for a segment.

    Attributes:
        system: its name.
        text: the output.
        scores: one for each metric.
        reference: number of the segment's reference that it is compared with, from 0.
        words: words of the output, marked by the alignment with that reference.
        missing: words of the reference that the output lacks.
        errors: number of words in each of Hjerson's error classes; None if the segment was not annotated.
        human: mean human score of the output; None without one.
    """

    system: str
    text: str
    scores: tuple[float, ...]
    reference: int
    words: tuple[MarkedWord, ...]
    missing: tuple[str, ...]
    errors: dict[str, int] | None
    human: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """A segment in which two systems differ.

    Attributes:
        segment: its number, from 0.
        source: the source text, if there is one.
        references: the references of the segment.
        outputs: the outputs of the two systems.
        difference: score of the first minus score of the second system.
        preferences: human preferences between the two outputs; None without any.
    """

    segment: int
    source: str | None
    references: tuple[str, ...]
    outputs: tuple[ExampleOutput, ExampleOutput]
    difference: float
    preferences: SegmentPreferences | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Examples:
    """Segments in which two systems differ most.

    Attributes:
        metric: the metric under which they differ.
        metrics: all metrics whose scores are shown.
        alignment: the metric whose alignment marks words: TER or METEOR.
        pair: names of the two systems.
        first: examples in which the first system is better, largest difference first.
        second: examples in which the second system is better.
    """

    metric: Metric
    metrics: tuple[Metric, ...]
    alignment: Metric
    pair: tuple[str, str]
    first: tuple[Example, ...]
    second: tuple[Example, ...]


def find_examples(
    texts: TokenisedTexts,
    scores: Floats,
    metrics: Sequence[Metric],
    *,
    pair: tuple[int, int],
    top: int,
    alignment: Metric,
    errors: Metric,
    judgements: Judgements | None = None,
    kept: Bools | None = None,
) -> Examples:
    """Find the segments with the largest differences in favour of either system; repeated segments count once.

    Args:
        texts: the words of the test set.
        scores: segment scores, shape (systems, segments, metrics).
        metrics: the metrics; systems differ under the first.
        pair: numbers of the two systems.
        top: number of segments to find in favour of each system.
        alignment: the metric whose alignment marks words: TER or METEOR.
        errors: the metric that counts errors by class: Hjerson.
        judgements: human judgements to show.
        kept: which segments to consider; by default all.
    """
    testset, metric = texts.testset, metrics[0]
    if not metric.sign:
        raise InputError(f"{metric.label} has no direction, so no output is better by it: choose another metric")
    every = tuple(testset.systems)
    names = (every[pair[0]], every[pair[1]])
    # Scores that differ only by rounding count as equal.
    both = equalised(scores[list(pair), :, 0])
    oriented = metric.sign * (both[0] - both[1])
    looked_at = ~np.isnan(oriented) & _unique(testset, names)
    looked_at = looked_at if kept is None else looked_at & kept
    sides = [_largest(side * oriented, looked_at, top) for side in (1, -1)]
    chosen = [segment for side in sides for segment in side]
    marked = marker(alignment, texts, chosen, names)
    of_errors = errors_of(testset, chosen, names, errors)
    human = HumanJudgements(judgements, testset, names)

    def output(side: int, segment: int) -> ExampleOutput:
        name = names[side]
        return ExampleOutput(
            system=name,
            text=testset.systems[name][segment],
            scores=tuple(scores[pair[side], segment].tolist()),
            **marked(name, segment)._asdict(),
            errors=of_errors.get((name, segment)),
            human=human.score(side, segment),
        )

    def example(segment: int) -> Example:
        return Example(
            segment=segment,
            source=None if testset.sources is None else testset.sources[segment],
            references=tuple(text for stream in testset.references if (text := stream[segment]) is not None),
            outputs=(output(0, segment), output(1, segment)),
            difference=float(both[0, segment] - both[1, segment]),
            preferences=human.preferences(segment),
        )

    first, second = (tuple(example(segment) for segment in side) for side in sides)
    return Examples(metric=metric, metrics=tuple(metrics), alignment=alignment, pair=names, first=first, second=second)


def _largest(values: Floats, looked_at: Bools, top: int) -> list[int]:
    segments: Index = np.flatnonzero(looked_at & (np.nan_to_num(values) > 0))
    found: list[int] = segments[np.argsort(-values[segments], kind="stable")[:top]].tolist()
    return found


def _unique(testset: TestSet, systems: Sequence[str]) -> Bools:
    """Which segments differ from all earlier segments in references or outputs."""
    seen: set[tuple[str | None, ...]] = set()
    unique = np.zeros(testset.n_segments, dtype=bool)
    for number, texts in enumerate(zip(*testset.references, *(testset.systems[s] for s in systems), strict=True)):
        unique[number] = texts not in seen
        seen.add(texts)
    return unique
