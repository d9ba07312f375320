"""Metrics of third parties come in through entry points."""

from __future__ import annotations

import importlib.metadata
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

import mtassay
from mtassay.errors import SpecError
from mtassay.execution import SERIAL, Execution
from mtassay.metrics import Metric, Scorer, metric_names, parse
from mtassay.metrics.core import registry
from mtassay.metrics.core.options import option
from mtassay.metrics.core.signature import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator


class SameScorer(Scorer):
    """Counts hypotheses that are equal to their first reference."""

    def _statistics(self, texts: Any, hyp_index: Any, segment_index: Any) -> Any:
        references = self.references.texts.strings
        firsts = self.references.group_offsets[segment_index]
        same = [texts.strings[h] == references[r] for h, r in zip(hyp_index, firsts, strict=True)]
        return np.column_stack([np.array(same, dtype=np.int64), np.ones(len(same), dtype=np.int64)])


@dataclass(frozen=True)
class Same(Metric):
    """Share of hypotheses that are equal to the reference."""

    name: ClassVar[str] = "same"
    label: ClassVar[str] = "Same"
    columns: ClassVar[tuple[str, ...]] = ("same", "n")
    scale: float = option(1.0, "the best score", minimum=0)

    def prepare(self, references: Any, *, execution: Execution = SERIAL) -> Scorer:
        return SameScorer(self, references, execution=execution)

    def score(self, totals: Any) -> Any:
        return self.scale * totals[..., 0] / totals[..., 1]

    def signature_entries(self) -> list[Entry]:
        return [Entry("scale", "s", str(self.scale))]


@pytest.fixture(autouse=True)
def _third_party(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("third_party")
    module.Same = Same  # type: ignore[attr-defined]
    module.number = 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "third_party", module)
    points = {
        "same": "third_party:Same",
        "bleu": "third_party:Same",
        "gone": "no_such_module:Metric",
        "missing": "third_party:Missing",
        "odd": "third_party:number",
    }
    found = [EntryPoint(name, value, registry.ENTRY_POINTS) for name, value in points.items()]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found)
    registry._third_party.cache_clear()
    yield
    registry._third_party.cache_clear()


def test_a_third_party_metric_works_like_any_other() -> None:
    assert "same" in metric_names()
    metric = parse("same:scale=100")
    assert str(metric) == "same:scale=100"
    assert metric.corpus_score(["a", "b"], [["a", "c"]]) == 50
    result = mtassay.score([["a", "c"]], {"x": ["a", "b"]}, metrics=["same", "0.5*bleu+2*same"])
    assert result["x", "same"] == 0.5
    assert parse("SAME".lower()) == Same()


def test_built_in_names_cannot_be_taken() -> None:
    assert parse("bleu").label == "BLEU"
    assert metric_names().count("bleu") == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "the metric no_such_module:Metric cannot be loaded"),
        ("missing", "the metric third_party:Missing cannot be loaded"),
        ("odd", "third_party:number is registered as a metric, but is not a subclass of mtassay.metrics.Metric"),
        ("sam", "no metric named 'sam'; did you mean 'same'?"),
    ],
)
def test_what_cannot_be_loaded_is_refused(name: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        parse(name)
    assert message in str(raised.value)
