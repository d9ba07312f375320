"""The verb ``align``: how hypotheses correspond to references, by the edits, matches or errors of a metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.data.testset import TestSet, as_testset
from mtassay.errors import InputError, SpecError, each_of
from mtassay.metrics.core.references import Texts, references_of
from mtassay.metrics.core.spec import parse_all
from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mtassay.metrics.core.metric import Metric
    from mtassay.metrics.linguistic.addicter_alignment import AddicterAlignment
    from mtassay.metrics.linguistic.hjerson_alignment import HjersonAlignment
    from mtassay.metrics.meteor.alignment import MeteorAlignment
    from mtassay.metrics.strings.edit_alignment import Alignment

SCHEMA = "mtassay.align/2"
#: Name of a system given without a name.
UNNAMED = "hyp"

if TYPE_CHECKING:
    AnyAlignment = Alignment | MeteorAlignment | HjersonAlignment | AddicterAlignment


@dataclass(frozen=True, eq=False, repr=False)
class AlignResult(Result):
    """Alignments of systems with their references.

    Attributes:
        metric: a metric that gives alignments.
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
    """Align hypotheses with their references by edits, METEOR's matches, or errors of Hjerson or Addicter.

    Args:
        references: a test set, or one or more reference streams; a hypothesis is aligned with the reference that
            determines its score.
        systems: one text per segment, by system name; or the texts of one system, which is then named ``hyp``; only
            without a test set.
        metric: a specification of ``ter``, ``wer``, ``mer``, ``wil``, ``wip``, ``meteor``, ``hjerson`` or ``addicter``,
            or another metric with an ``aligner``.
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
    if not chosen_metric.aligner:
        raise SpecError(f"{chosen_metric} gives no alignments; ter, wer, meteor, hjerson and addicter, for example, do")
    chosen = _chosen(segment, testset.n_segments)
    prepared = references_of(testset)
    scorer: Any = chosen_metric.prepare(prepared)
    numbers = [
        [r for r, text in enumerate(of_segment, 1) if text is not None]
        for of_segment in zip(*testset.references, strict=True)
    ]
    align_one: Callable[..., AnyAlignment] = import_module(chosen_metric.aligner).align_segment
    alignments: dict[str, tuple[AnyAlignment, ...]] = {}
    for name, hypotheses in testset.systems.items():
        texts = Texts(hypotheses)
        alignments[name] = tuple(align_one(scorer, texts, place, numbers[place]) for place in chosen)
    return AlignResult(chosen_metric, alignments)


def _testset(references: Any, systems: Any) -> TestSet:
    named = systems if isinstance(systems, Mapping | None) else {UNNAMED: systems}
    testset = as_testset(references, named, needed_by="align")
    if not testset.systems:
        raise InputError("there is no system to align")
    return testset


def _chosen(segments: Iterable[int] | None, n_segments: int) -> list[int]:
    chosen = []
    for segment in range(n_segments) if segments is None else each_of(segments, "segment", such_as="[0, 16]"):
        if not isinstance(segment, int):
            raise InputError(f"segments must be whole numbers from 0, not {segment!r}")
        if not 0 <= segment < n_segments:
            raise InputError(f"there is no segment {segment + 1}: the segments are 1 to {n_segments}")
        chosen.append(segment)
    return chosen
