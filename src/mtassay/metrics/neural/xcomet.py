"""XCOMET, by the package unbabel-comet: scores, and the spans of errors that explain them.

Guerreiro et al. 2024, "xCOMET: Transparent machine translation evaluation through fine-grained error detection".
With ``refs=no``, the model reads only source and hypothesis.

A span is a range of characters of the hypothesis with a severity (minor, major, critical). The model marks pieces of
words; empty ranges, such as that of the token before the first word, are left out.

Statistics: ``sum n``. Empty texts are passed to the model unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mtassay.data.error_spans import ErrorSpan, ErrorSpans
from mtassay.errors import InputError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics.core.options import option
from mtassay.metrics.neural.assessments import Assessment
from mtassay.metrics.neural.comet import Comet, CometModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtassay.metrics.core.references import References
    from mtassay.metrics.neural.assessments import Sample


@dataclass(frozen=True, kw_only=True)
class Xcomet(Comet):
    """XCOMET, a learned metric that also marks errors; needs the package unbabel-comet and source texts."""

    name: ClassVar[str] = "xcomet"
    marks_errors: ClassVar[bool] = True

    model: str = option("Unbabel/XCOMET-XL", "name on the Hugging Face hub, a folder, or a .ckpt file")

    @property
    def label(self) -> str:
        """XCOMET."""
        return "XCOMET"

    def error_spans(
        self, references: References, systems: Mapping[str, Sequence[str]], *, execution: Execution = SERIAL
    ) -> ErrorSpans:
        """The errors that the model marks in the outputs of systems; with several references, those of the best one."""
        found = self.prepare(references, execution=execution).assessments_of_systems(systems)
        n = references.n_segments
        return ErrorSpans(
            tuple(systems),
            tuple(str(number) for number in range(1, n + 1)),
            (self.label,),
            np.tile(np.arange(n), len(systems)),
            np.zeros(len(found), dtype=np.int64),
            system=np.repeat(np.arange(len(systems)), n),
            spans=tuple(said.spans for said in found),
            score=np.full(len(found), np.nan),
            item=np.full(len(found), "", dtype=np.str_),
        )

    def _on_device(self, model: Any, device: str) -> XcometModel:
        if not getattr(model, "word_level", False):
            raise InputError(f"{self.model} marks no errors: use it as comet:model={self.model}")
        return XcometModel(self, model, device)


class XcometModel(CometModel):
    """An XCOMET model on a device."""

    def __call__(self, samples: Sequence[Sample]) -> list[Assessment]:
        """Assess some texts."""
        said = self.predict(samples)
        return [
            Assessment(float(score), tuple(_span(error) for error in errors if error["start"] < error["end"]))
            for score, errors in zip(said["scores"], said["metadata"]["error_spans"], strict=True)
        ]


def _span(error: Mapping[str, Any]) -> ErrorSpan:
    return ErrorSpan(start=int(error["start"]), end=int(error["end"]), severity=error["severity"])
