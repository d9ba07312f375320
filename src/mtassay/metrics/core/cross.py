"""A metric computed against the outputs of the other systems: ``cross:bleu``, ``cross:meteor``.

Avramidis & Popović 2013, "Machine learning methods for comparative and time-oriented quality estimation of machine
translation output": the outputs of the other systems take the place of references.

The pseudo-references of an output are the outputs of all other systems for its segment; the wrapped metric treats them
like several references. Real references are not read, and the signature counts none. The score of a system depends on
the other systems, so single texts have no score.

Statistics: those of the wrapped metric.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.errors import InputError, SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.metric import Metric, no_texts
from mtassay.metrics.core.options import option
from mtassay.metrics.core.references import References
from mtassay.metrics.core.signature import Entry
from mtassay.metrics.core.spec import parse
from mtassay.metrics.core.table import build_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.metrics.core.metric import Scorer
    from mtassay.types import Floats, Statistics


@dataclass(frozen=True)
class Cross(Metric):
    """Any metric, with the other systems' outputs as references; needs no reference: cross:bleu."""

    name: ClassVar[str] = "cross"
    first_option: ClassVar[str] = "metric"
    wraps_metric: ClassVar[bool] = True
    scores_texts: ClassVar[bool] = False
    needs_references: ClassVar[bool] = False

    metric: str = option(
        "", 'the metric; written first, without the option\'s name: cross:bleu, cross:"bleu:tok=intl,case=lower"'
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.metric:
            raise SpecError("cross needs a metric: cross:bleu")
        for part in self.inner.parts:
            if not part.scores_texts:
                raise SpecError(f"cross: {part} cannot score against other systems' outputs")
        object.__setattr__(self, "metric", str(self.inner))

    @cached_property
    def inner(self) -> Metric:
        """The wrapped metric."""
        return parse(self.metric)

    @property
    def higher_is_better(self) -> bool | None:
        """The direction of the wrapped metric."""
        return self.inner.higher_is_better

    @property
    def digits(self) -> int:  # type: ignore[override]
        """The number of decimals of the wrapped metric."""
        return self.inner.digits

    @property
    def may_lack_scores(self) -> bool:  # type: ignore[override]
        """Whether segments may lack a score under the wrapped metric."""
        return self.inner.may_lack_scores

    @property
    def label(self) -> str:
        """The label of the wrapped metric with a prefix: ``cross-BLEU``."""
        return f"cross-{self.inner.label}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the wrapped metric."""
        return self.inner.columns

    def prepare(self, references: References, *, execution: Execution = SERIAL) -> Scorer:
        """Raise an error: the pseudo-references need the outputs of all systems."""
        raise no_texts(self)

    def statistics_of_systems(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> Any:
        """Score every system against all others."""
        if len(systems) < 2:
            raise InputError(f"{self} takes the other systems' outputs as references: give at least two systems")
        found = []
        for name, texts in systems.items():
            others = [lines for other, lines in systems.items() if other != name]
            pseudo = References(others, sources=references.sources, ids=references.ids)
            found.append(build_tables(pseudo, {name: texts}, [self.inner], execution=execution.quiet)[0].statistics[0])
        return np.stack(found)

    def score(self, totals: Statistics) -> Floats:
        """Corpus scores of the wrapped metric."""
        return self.inner.score(totals)

    def segment_score(self, rows: Statistics) -> Floats:
        """Segment scores of the wrapped metric."""
        return self.inner.segment_score(rows)

    def components(self, totals: Statistics) -> dict[str, Floats]:
        """The components of the wrapped metric's score."""
        return self.inner.components(totals)

    def breakdown(self, totals: Statistics) -> dict[str, dict[str, Floats]]:
        """The breakdown of the wrapped metric."""
        return self.inner.breakdown(totals)

    def verbose(self, totals: Statistics) -> str:
        """The verbose text of the wrapped metric."""
        return self.inner.verbose(totals)

    @property
    def public_spec(self) -> str:
        """The specification with the public specification of the wrapped metric."""
        return str(replace(self, metric=self.inner.public_spec))

    def signature_entries(self) -> list[Entry]:
        """An entry that names other systems as references, then the entries of the wrapped metric."""
        return [Entry("pseudo_refs", "pr", "other-systems"), *self.inner.all_entries()]
