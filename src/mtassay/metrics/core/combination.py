"""Weighted combinations of metrics, such as ``0.5*bleu-0.5*ter``.

Higher is better: a metric in which lower is better needs a negative weight. The statistics are those of the parts side
by side, so a combination can be resampled and tuned like any other metric; statistics shared by two parts are computed
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.mean import printable
from mtassay.metrics.core.metric import Metric, Scorer
from mtassay.metrics.core.options import show
from mtassay.metrics.core.references import References, Texts
from mtassay.metrics.core.signature import Entry

if TYPE_CHECKING:
    from mtassay.types import Floats, Index, Statistics

#: Largest weight; keeps weighted sums of any scores finite.
_LARGEST_WEIGHT = 1e9


@dataclass(frozen=True)
class Combination(Metric):
    """A weighted sum of metrics."""

    name: ClassVar[str] = "combination"

    terms: tuple[tuple[float, Metric], ...]

    def __post_init__(self) -> None:
        for weight, metric in self.terms:
            if weight == 0:
                raise SpecError(f"'{self}': a weight of 0 leaves {metric} out; remove it")
            if not abs(weight) <= _LARGEST_WEIGHT:
                raise SpecError(f"the weight of {metric} is too large: {weight:g}")
        for metric in self.parts:
            if metric.higher_is_better is None:
                raise SpecError(f"{metric.label} has no direction, so it cannot be part of a sum: {self}")
        wrong = [metric for weight, metric in self.terms if (weight > 0) != metric.higher_is_better]
        if wrong:
            right = Combination.__new__(Combination)
            flipped = tuple((abs(w) if m.higher_is_better else -abs(w), m) for w, m in self.terms)
            # The command line reads an argument that begins with '-' as an option.
            flipped = tuple(sorted(flipped, key=lambda term: term[0] < 0))
            object.__setattr__(right, "terms", flipped)
            better = "higher" if wrong[0].higher_is_better else "lower"
            raise SpecError(f"'{self}': {better} {wrong[0].label} is better, so write {right}")

    def __str__(self) -> str:
        """Canonical specification."""
        return self._written([str(metric) for metric in self.parts])

    @property
    def public_spec(self) -> str:
        """The specification with the public specifications of its parts."""
        return self._written([metric.public_spec for metric in self.parts])

    def _written(self, specs: list[str]) -> str:
        weights = [weight for weight, _ in self.terms]
        signed = [f"{'-' if w < 0 else '+'}{show(abs(w))}*{spec}" for w, spec in zip(weights, specs, strict=True)]
        return "".join(signed).removeprefix("+")

    @property
    def level(self) -> str:
        """``system`` if one of the parts has only scores of systems."""
        return "system" if any(metric.level == "system" for metric in self.parts) else "segment"

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        """Whether one of the parts needs references."""
        return any(metric.needs_references for metric in self.parts)

    @property
    def sends_chunks(self) -> bool:  # type: ignore[override]
        """Whether one of the parts sends its chunks itself."""
        return any(metric.sends_chunks for metric in self.parts)

    @property
    def annotators(self) -> tuple[str, ...]:
        """The annotators of the parts."""
        return tuple(dict.fromkeys(spec for metric in self.parts for spec in metric.annotators))

    @property
    def digits(self) -> int:  # type: ignore[override]
        """The largest number of decimals of the parts."""
        return max(metric.digits for metric in self.parts)

    @property
    def label(self) -> str:
        """The specification itself, on one line."""
        return printable(str(self))

    @property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that are combined."""
        return tuple(metric for _, metric in self.terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the parts, one after the other."""
        return tuple(f"{metric.name}.{column}" for metric in self.parts for column in metric.columns)

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Prepare every part."""
        return _CombinationScorer(self, references, execution=execution)

    def score(self, totals: Statistics) -> Floats:
        """Weighted sum of the corpus scores."""
        return self._sum(totals, "score")

    def segment_score(self, rows: Statistics) -> Floats:
        """Weighted sum of the segment scores."""
        return self._sum(rows, "segment_score")

    def _sum(self, totals: Statistics, function: str) -> Floats:
        result: Any = 0.0
        start = 0
        for weight, metric in self.terms:
            end = start + len(metric.columns)
            result = result + weight * getattr(metric, function)(totals[..., start:end])
            start = end
        return np.asarray(result, dtype=np.float64)

    def signature_entries(self) -> list[Entry]:
        """The specification, then the parts' own entries in brackets."""
        described = [
            f"{metric.label}[{';'.join(f'{e.name}={e.value}' for e in metric.all_entries())}]" for metric in self.parts
        ]
        return [Entry("sum", "sum", self.public_spec.replace(":", ".")), Entry("parts", "parts", "+".join(described))]


class _CombinationScorer(Scorer):
    metric: Combination

    def __init__(self, metric: Combination, references: References, *, execution: Execution) -> None:
        super().__init__(metric, references)  # the parts use the threads
        self._scorers = [part.prepare(self.references, execution=execution) for part in metric.parts]

    def _statistics(self, texts: Texts, hyp_index: Index, segment_index: Index) -> Statistics:
        return np.concatenate(
            [scorer.statistics(texts, segment_index, hypothesis_index=hyp_index) for scorer in self._scorers], axis=1
        )
