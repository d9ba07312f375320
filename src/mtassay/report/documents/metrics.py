"""The list of metrics and their options: ``score --list-metrics``."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from mtassay.errors import SpecError
from mtassay.metrics.core.options import show, written
from mtassay.metrics.core.registry import BUILT_IN, metric_class, metric_names
from mtassay.report.document import Document, Notes, Records, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtassay.metrics.core.metric import Metric

_HEADER = ("metric", "option", "default", "description")
_FOOT = (
    "PGBC4, RAC1, PABC4^u ...   members of the BLEU family: {P|R|F}{A|G}{B?}{C?}{n}, ^u unsmoothed, ^b smoothed "
    "penalty",
    "0.5*bleu-0.5*ter           weighted combinations",
    "file:comet.seg.score       scores of another program",
    "options are written name:option=value,option=value",
)


def document() -> Document:
    """Every metric with its options, their defaults and what they mean."""
    found = [row for name in metric_names() for row in _rows(name)]
    shown = [[f"  {option}" if option else name, default or "", about] for name, option, default, about in found]
    return Document(
        "metrics",
        (table(["metric", "default", ""], shown, n_labels=3), Notes(_FOOT)),
        lambda: Records(_HEADER, found),
        lambda: [dict(zip(_HEADER, row, strict=True)) for row in found],
    )


def _rows(name: str) -> Iterator[tuple[str, str | None, str | None, str]]:
    """A metric, then its options; an option without a default has None."""
    try:
        found = metric_class(name)
    except SpecError as error:  # of a third party: the others are still there to be listed
        yield name, None, None, str(error)
        return
    if name != found.name and name in BUILT_IN:
        yield name, None, None, _meaning(name, found)
        return
    yield name, None, None, (found.__doc__ or "").partition("\n")[0]
    for field in fields(found):
        choices = field.metadata["choices"]
        allowed = f" ({' | '.join(choices)})" if choices else ""
        default = None if field.default is None else show(field.default)
        yield name, written(field), default, f"{field.metadata['description']}{allowed}"


def _meaning(name: str, found: type[Metric]) -> str:
    """What a name stands for that is not the first of its metric."""
    spec = str(found.from_options(name, {}))
    if spec != name:
        return f"short for {spec}"
    return f"{found.name} with {', '.join(f'{key}={show(value)}' for key, value in found.preset(name).items())}"
