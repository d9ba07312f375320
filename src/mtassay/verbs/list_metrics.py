"""All metrics and their options: ``score --list-metrics``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from mtassay.errors import SpecError
from mtassay.metrics.core.options import show, written
from mtassay.metrics.core.registry import BUILT_IN, metric_class, metric_names
from mtassay.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.metrics.core.metric import Metric

SCHEMA = "mtassay.metrics/1"


@dataclass(frozen=True)
class ListEntry:
    """A metric, or one of its options.

    Attributes:
        metric: name of the metric.
        option: name of the option; None for the metric itself.
        default: default of the option as written in a specification; None if there is none.
        description: what the metric or option does.
    """

    metric: str
    option: str | None
    default: str | None
    description: str


@dataclass(frozen=True)
class MetricList(Result):
    """All metrics, each followed by its options.

    Attributes:
        entries: metrics and options.
    """

    verb: ClassVar[str] = "metrics"

    entries: tuple[ListEntry, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {"schema": SCHEMA, "metrics": [asdict(entry) for entry in self.entries]}


def list_metrics() -> MetricList:
    """Every metric with its options, their defaults and what they mean."""
    return MetricList(tuple(entry for name in metric_names() for entry in _entries(name)))


def _entries(name: str) -> Iterator[ListEntry]:
    try:
        found = metric_class(name)
    except SpecError as error:  # a third-party metric failed: list the others
        yield ListEntry(name, None, None, str(error))
        return
    if name != found.name and name in BUILT_IN:
        yield ListEntry(name, None, None, _meaning(name, found))
        return
    yield ListEntry(name, None, None, (found.__doc__ or "").partition("\n")[0])
    for field in fields(found):
        choices = field.metadata["choices"]
        allowed = f" ({' | '.join(choices)})" if choices else ""
        default = None if field.default is None else show(field.default)
        yield ListEntry(name, written(field), default, f"{field.metadata['description']}{allowed}")


def _meaning(name: str, found: type[Metric]) -> str:
    """What a second name of a metric stands for."""
    spec = str(found.from_options(name, {}))
    if spec != name:
        return f"short for {spec}"
    options = ", ".join(f"{key.removesuffix('_')}={show(value)}" for key, value in found.preset(name).items())
    return f"{found.name} with {options}"
